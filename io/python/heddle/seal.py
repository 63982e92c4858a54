# SPDX-License-Identifier: GPL-2.0-only
"""The checksum at the end of a result (docs/formats/result.md), which tells a damaged one before HDF5 reads it."""
from __future__ import annotations

import os
import zlib

from .errors import Error

_SEAL_MARK, _CRC_BYTES = b"hddlseal", 4


def check_seal(path: str, needed: bool) -> None:
    """Compares the checksum at the file's end with its bytes (docs/formats/result.md)."""
    try:
        with open(path, "rb") as file:
            before, left = 0, os.fstat(file.fileno()).st_size - _CRC_BYTES
            tail = b""
            while left > 0:
                block = file.read(min(left, 1 << 20))
                if not block:
                    break
                before, left, tail = zlib.crc32(block, before), left - len(block), (tail + block)[-len(_SEAL_MARK):]
            stored = file.read(_CRC_BYTES)
            file.seek(0)
            start = file.read(8)
    except OSError as error:
        raise Error(f"{path}: cannot be read ({error})") from None
    if start != b"\x89HDF\r\n\x1a\n":
        raise Error(f"{path}: cannot be read as HDF5 (it does not begin as one)")
    if tail != _SEAL_MARK:
        if needed:
            raise Error(f"{path}: no seal at its end: cut short, changed by another program, or written before format 3.0; "
                        "`heddle validate --reseal` checks and seals a changed one, sealed=False reads it as it is")
    elif int.from_bytes(stored, "little") != before:
        raise Error(f"{path}: damaged: its bytes do not have the checksum at its end")
