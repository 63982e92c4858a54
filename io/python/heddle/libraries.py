# SPDX-License-Identifier: GPL-2.0-only
"""What the program of a wheel needs of the machine, by the list that was made with the wheel. Other installations have no list."""
from __future__ import annotations

import os
import re
from typing import Iterable

#: A line for each shared library, and for mpirun: its name, and the package of the system that the wheel was made on; that system above.
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs.txt")
_LOADER = re.compile(r"^(\S+): error while loading shared libraries: ([^\s:]+): cannot open shared object file", re.MULTILINE)


def advice(names: Iterable[str]) -> str:
    """The end of a message about libraries or programs that are missing: which packages have all that is needed, if the list says so."""
    try:
        with open(LIST, encoding="utf-8") as file:
            lines = [line.split() for line in file.read().splitlines()]
    except OSError:
        return ""
    system = " ".join(lines[0][1:])
    package_of = {words[0]: words[1] for words in lines[1:] if len(words) == 2}
    if not set(names) & set(package_of):
        return ""
    return f". On {system}: apt install {' '.join(sorted(set(package_of.values())))}"


def lacking(output: str) -> str:
    """The message about the library that the loader did not find, if a program's output has its complaint; otherwise nothing."""
    found = _LOADER.search(output)
    return f"{found[1]} needs {found[2]}, which this machine lacks{advice([found[2]])}" if found else ""
