# SPDX-License-Identifier: GPL-2.0-only
"""A wheel as a file: the packed files with those that describe them (PEP 427, Python's core metadata 2.1), in bytes that depend on them only."""
from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
import io
import os
import pathlib
import zipfile

TIME = (1980, 1, 1, 0, 0, 0)  # the first that ZIP has
EXTRAS = {"results": ["h5py"], "frames": ["h5py", "pandas"], "pictures": ["h5py", "pandas", "matplotlib"]}
PYTHON = ">=3.11"  # Debian 12's, by which it is tested
ABOUT = """\
heddle simulates the network of an AI training cluster packet by packet. This wheel has the package for Python, and inside of it the
program, which the command `heddle` starts. `heddle --help` lists its commands.

Reading results needs h5py, their frames pandas, pictures matplotlib: extras {extras}. Of the machine it needs:

{needs}
"""


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file of the wheel: its name there, its bytes, and whether it can be run."""
    name: str
    data: bytes
    program: bool = False


def write_wheel(folder: pathlib.Path, entries: list[Entry], version: str, tag: str, summary: str, needs: str, licence: bytes) -> pathlib.Path:
    """Writes FOLDER/heddle-VERSION-TAG.whl, whole or not at all, and returns its path. `needs` is the text of heddle/needs.txt."""
    about = f"heddle-{version}.dist-info"
    described = [
        Entry(f"{about}/LICENSE", licence),
        Entry(f"{about}/METADATA", metadata(version, summary, needs).encode()),
        Entry(f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: heddle make_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()),
        Entry(f"{about}/entry_points.txt", b"[console_scripts]\nheddle = heddle_command:main\n"),
    ]
    everything = sorted(entries, key=lambda entry: entry.name) + described
    everything.append(Entry(f"{about}/RECORD", record(everything, f"{about}/RECORD").encode()))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"heddle-{version}-{tag}.whl"
    unfinished = path.with_name(path.name + f".part.{os.getpid()}")
    try:
        with zipfile.ZipFile(unfinished, "w") as archive:
            for entry in everything:
                archive.writestr(described_file(entry), entry.data, zipfile.ZIP_DEFLATED, 9)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def described_file(entry: Entry) -> zipfile.ZipInfo:
    file = zipfile.ZipInfo(entry.name, TIME)
    file.create_system = 3  # Unix, so that rights count
    file.external_attr = (0o100755 if entry.program else 0o100644) << 16
    return file


def metadata(version: str, summary: str, needs: str) -> str:
    """METADATA. Its Requires-External are what `needs` lists: packages, or libraries that no package has."""
    wanted = sorted({line.split()[-1] for line in needs.splitlines()[1:]})
    lines = ["Metadata-Version: 2.1", "Name: heddle", f"Version: {version}", f"Summary: {summary}", "License: GPL-2.0-only",
             "Platform: linux", "Classifier: Operating System :: POSIX :: Linux", "Classifier: Programming Language :: Python :: 3",
             "Classifier: Typing :: Typed", f"Requires-Python: {PYTHON}", *(f"Requires-External: {name}" for name in wanted)]
    for extra, packages in EXTRAS.items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {package}; extra == "{extra}"' for package in packages)]
    lines.append("Description-Content-Type: text/markdown")
    list_of_needs = "\n".join(f"    {line}" for line in needs.rstrip("\n").splitlines())
    return "\n".join(lines) + "\n\n" + ABOUT.format(extras=", ".join(f"`{extra}`" for extra in EXTRAS), needs=list_of_needs)


def record(entries: list[Entry], itself: str) -> str:
    """RECORD: each file's name, SHA-256 and size; its own line has the name only."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    for entry in entries:
        checksum = base64.urlsafe_b64encode(hashlib.sha256(entry.data).digest()).rstrip(b"=").decode()
        lines.writerow([entry.name, f"sha256={checksum}", len(entry.data)])
    lines.writerow([itself, "", ""])
    return text.getvalue()
