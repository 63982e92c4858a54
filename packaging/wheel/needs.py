# SPDX-License-Identifier: GPL-2.0-only
"""What a program needs of the machine: shared libraries and mpirun, with the Debian packages that have them on the one where it was built."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess

EVERYWHERE = {"libc6", "libgcc-s1"}  # packages without which no Debian starts


def needs_text(program: pathlib.Path, launcher: str) -> tuple[str, list[str]]:
    """The text of heddle/needs.txt, and the libraries that are missing here.

    The text is a line with this system's name, and one for each library and mpirun: its name, and the package if a package has it. All
    that the program loads outside of its own installation counts, but only what it and the libraries beside it ask for themselves.
    """
    places, missing = loaded(program)
    own = {name for name, place in places.items() if place.startswith(str(program.parent.parent) + os.sep)}
    asked = asked_by([str(program), *(places[name] for name in own)])
    outside = {name: place for name, place in places.items() if name in asked - own}
    if launcher:
        outside["mpirun"] = launcher
    packages = packages_of(outside)
    lines = [f"# {system()}"]
    for name in sorted(outside):
        package = packages.get(name, "")
        if package not in EVERYWHERE:
            lines.append(f"{name} {package}".rstrip())
    return "\n".join(lines) + "\n", missing


def loaded(program: pathlib.Path) -> tuple[dict[str, str], list[str]]:
    """{name: path} of the libraries that the loader would load for a program, and names that it does not find."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"} | {"LD_TRACE_LOADED_OBJECTS": "1"}
    text = subprocess.run([str(program)], env=environment, stdout=subprocess.PIPE, text=True, check=False).stdout
    places = {name: os.path.normpath(place) for name, place in re.findall(r"^\s*(\S+) => (/.*) \(0x[0-9a-f]+\)$", text, re.MULTILINE)}
    return places, re.findall(r"^\s*(\S+) => not found$", text, re.MULTILINE)


def asked_by(files: list[str]) -> set[str]:
    from elf_file import ElfFile
    return {name for file in files for name in ElfFile(pathlib.Path(file).read_bytes()).needed}


def packages_of(files: dict[str, str]) -> dict[str, str]:
    """{name: Debian package} of the files that a package has; nothing where there is no dpkg."""
    if shutil.which("dpkg-query") is None:
        return {}
    # Debian's packages name some files below /lib, which is a link to /usr/lib.
    spellings = {}
    for name, place in files.items():
        for path in (place, os.path.realpath(place)):
            for spelling in (path, re.sub(r"^/usr/lib", "/lib", path), re.sub(r"^/lib", "/usr/lib", path)):
                spellings[spelling] = name
    text = subprocess.run(["dpkg-query", "-S", *sorted(spellings)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    found = {}
    for package, path in re.findall(r"^([^\s:,]+)(?::\w+)?: (/.*)$", text, re.MULTILINE):
        if path in spellings:
            found[spellings[path]] = package
    return found


def system() -> str:
    """This system's name, as of /etc/os-release."""
    try:
        text = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        text = ""
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.MULTILINE)
    return found[1] if found else "an unknown system"
