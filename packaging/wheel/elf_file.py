# SPDX-License-Identifier: GPL-2.0-only
"""What an ELF file of 64 bits, least byte first, says of itself: its processor, and how the loader finds its libraries.

Source: System V Application Binary Interface, chapters 4 and 5 (elf.h of Linux has the same numbers).
"""
from __future__ import annotations

import struct

LOAD, DYNAMIC = 1, 2                                        # p_type
NEEDED, STRING_TABLE, RUN_PATH_OLD, RUN_PATH = 1, 5, 15, 29  # d_tag
HEADER, SEGMENT, ENTRY = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQQQ"), struct.Struct("<qQ")
START = b"\x7fELF\x02\x01"  # the mark, 64 bits, least byte first


class ElfFile:
    """A program or shared library.

    Attributes:
      machine   the processor's number, e_machine
      needed    names of the libraries that it asks for itself, in its order
      run_path  folders in which the loader looks for these, in its order; $ORIGIN stands for the file's own folder

    Raises ValueError for bytes that are no such file.
    """

    def __init__(self, data: bytes) -> None:
        if not data.startswith(START) or len(data) < HEADER.size:
            raise ValueError("no ELF file of 64 bits, least byte first")
        head = HEADER.unpack_from(data)
        self.machine = head[2]
        try:
            segments = [SEGMENT.unpack_from(data, head[5] + i * head[9]) for i in range(head[10])]
            entries = self._entries(data, segments)
            table = next((self._offset(segments, value) for tag, value in entries if tag == STRING_TABLE), 0)
            self.needed = [self._text(data, table + value) for tag, value in entries if tag == NEEDED]
            paths = [self._text(data, table + value) for tag, value in entries if tag in (RUN_PATH_OLD, RUN_PATH)]
        except struct.error:
            raise ValueError("an ELF file that is cut short") from None
        self.run_path = [folder for path in paths for folder in path.split(":") if folder]

    @staticmethod
    def _entries(data: bytes, segments: list[tuple[int, ...]]) -> list[tuple[int, int]]:
        """Tag and value of the entries of the dynamic segment; none in a program that needs no loader."""
        for kind, _, offset, _, _, size, *_ in segments:
            if kind == DYNAMIC:
                return [ENTRY.unpack_from(data, at) for at in range(offset, offset + size, ENTRY.size)]
        return []

    @staticmethod
    def _offset(segments: list[tuple[int, ...]], address: int) -> int:
        """Where in the file an address of memory is."""
        for kind, _, offset, begin, _, size, *_ in segments:
            if kind == LOAD and begin <= address < begin + size:
                return offset + address - begin
        raise ValueError("an ELF file whose string table is in no segment")

    @staticmethod
    def _text(data: bytes, at: int) -> str:
        return data[at:data.index(b"\0", at)].decode()
