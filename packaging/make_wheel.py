#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes a wheel of a build: the Python package heddle, with the program and ns-3's libraries inside, and the command heddle.

Usage: make_wheel.py BUILD -o FOLDER      (BUILD: where heddle was built, such as build/release)

What `cmake --install` of the build gives is packed; the same build gives the same bytes. All other libraries, Open MPI's and HDF5's
among them, and mpirun are the machine's: they are listed in heddle/needs.txt with the Debian packages that have them here, for messages
where one is missing. The wheel is for this processor and for systems with these libraries. Exit codes: 2 usage, 3 a build that cannot
be packed.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Iterator

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "wheel"))

from archive import Entry, write_wheel  # noqa: E402
from elf_file import ElfFile  # noqa: E402
from needs import needs_text  # noqa: E402

MACHINES = {62: "x86_64", 183: "aarch64", 243: "riscv64"}  # e_machine: the processor's name in a wheel's tag
NOT_PACKED = {"python", "modulefiles"}  # below share/heddle: the package is packed elsewhere, and a module file is of no use in a wheel


class Refused(Exception):
    """A build that cannot be packed, and why."""


def cached(build: pathlib.Path) -> dict[str, str]:
    """The variables in CMake's cache of a build."""
    try:
        text = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"{build}: no build of CMake ({error.strerror})") from None
    found = dict(re.findall(r"^([\w-]+):\w+=(.*)$", text, re.MULTILINE))
    if found.get("CMAKE_PROJECT_NAME") != "heddle":
        raise Refused(f"{build}: a build of {found.get('CMAKE_PROJECT_NAME', 'nothing')}. Expected: one of heddle")
    return found


def install(build: pathlib.Path, cmake: str, prefix: pathlib.Path) -> None:
    done = subprocess.run([cmake, "--install", str(build), "--prefix", str(prefix)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{build}: cmake --install failed: {done.stdout.strip()[-500:]}")


def files_below(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def packed(prefix: pathlib.Path, version: str) -> Iterator[Entry]:
    """The files of an installation at their places in the wheel. Inside of the package it is an installation again, so that the program
    finds ns-3's libraries and its own files by the same ways as from any other prefix."""
    package = prefix / "share/heddle/python/heddle"
    for path in files_below(package):
        yield Entry(f"heddle/{path.relative_to(package)}", path.read_bytes())
    yield Entry("heddle/bin/heddle", (prefix / "bin/heddle").read_bytes(), program=True)
    for path in files_below(prefix):
        inside = path.relative_to(prefix)
        if path.parent.name == "heddle" and re.search(r"\.so(\.|$)", path.name):
            yield Entry(f"heddle/{inside}", path.read_bytes())
        elif inside.parts[:2] == ("share", "heddle") and inside.parts[2] not in NOT_PACKED:
            yield Entry(f"heddle/{inside}", path.read_bytes(), program=os.access(path, os.X_OK))
    plot = (prefix / "bin/heddle-plot").read_bytes()
    plot = re.sub(rb"\A#!.*", b"#!python", plot)  # pip puts its own Python there
    yield Entry(f"heddle-{version}.data/scripts/heddle-plot", plot, program=True)
    yield Entry("heddle_command.py", (HERE / "wheel/heddle_command.py").read_bytes())


def check_libraries(entries: list[Entry]) -> None:
    """Raises Refused unless the program and the libraries of the wheel find each other in it, by run paths that begin with $ORIGIN."""
    inside = {entry.name: ElfFile(entry.data) for entry in entries if entry.data.startswith(b"\x7fELF")}
    names = {name.rpartition("/")[2] for name in inside}
    for name, file in inside.items():
        origin = name.rpartition("/")[0]
        ours = {os.path.normpath(path.replace("$ORIGIN", origin)) for path in file.run_path if path.startswith("$ORIGIN")}
        for library in set(file.needed) & names:
            if not any(f"{folder}/{library}" in inside for folder in ours):
                raise Refused(f"{name} does not find {library} in the wheel: its run path is {':'.join(file.run_path)}")


def make(build: pathlib.Path, folder: pathlib.Path) -> str:
    """Writes the wheel into a folder, and returns what to say about it."""
    variables = cached(build)
    version = variables["CMAKE_PROJECT_VERSION"]
    if variables.get("HEDDLE_NATIVE") in ("ON", "TRUE", "1", "YES"):
        raise Refused(f"{build}: it was built for the very processor of this machine (HEDDLE_NATIVE), and wheels are for others, too")
    with tempfile.TemporaryDirectory() as temporary:
        prefix = pathlib.Path(temporary, "prefix")
        install(build, variables["CMAKE_COMMAND"], prefix)
        entries = list(packed(prefix, version))
        try:
            machine = ElfFile((prefix / "bin/heddle").read_bytes()).machine
            check_libraries(entries)
        except ValueError as error:
            raise Refused(f"{build}: {error}") from None
        if not any("libns3" in entry.name for entry in entries):
            raise Refused(f"{build}: its installation has no library of ns-3")
        if machine not in MACHINES:
            raise Refused(f"{build}: a program for processor {machine} of ELF's list. Expected: {', '.join(MACHINES.values())}")
        needs, missing = needs_text(prefix / "bin/heddle", variables.get("MPIEXEC_EXECUTABLE", ""))
    if missing:
        raise Refused(f"{build}: the loader does not find {', '.join(missing)}")
    entries.append(Entry("heddle/needs.txt", needs.encode()))
    path = write_wheel(folder, entries, version, f"py3-none-linux_{MACHINES[machine]}", variables["CMAKE_PROJECT_DESCRIPTION"], needs,
                       (HERE.parent / "LICENSE").read_bytes())
    return f"{path}  {path.stat().st_size / 1e6:.1f} MB\n\nIt needs of a machine:\n{needs}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD", type=pathlib.Path, help="where heddle was built, such as build/release")
    parser.add_argument("-o", "--output", metavar="FOLDER", type=pathlib.Path, required=True,
                        help="where the wheel is written; it is made if need be")
    given = parser.parse_args()
    try:
        print(make(given.build.resolve(), given.output), end="")
    except (Refused, OSError) as error:
        print(f"make_wheel: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
