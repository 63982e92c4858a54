# SPDX-License-Identifier: GPL-2.0-only
"""What a wheel must be to its installer: RECORD has each file's name, checksum and size, METADATA and WHEEL say what they must, what is run
has the right to. Usage: wheel_contents.py WHEEL; exit code 1 and a line for each thing that does not fit."""

import base64
import csv
import email
import hashlib
import io
import sys
import zipfile

path = sys.argv[1]
name, version, tag = path.rpartition("/")[2].removesuffix(".whl").split("-", 2)
about = f"{name}-{version}.dist-info"
problems = []


def check(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found!r}. Expected: {wanted!r}")


with zipfile.ZipFile(path) as wheel:
    files = {file.filename: file for file in wheel.infolist()}
    check("a file that is there twice", len(wheel.infolist()), len(files))
    recorded = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(f"{about}/RECORD").decode()))}
    check("files of RECORD", sorted(recorded), sorted(files))
    for file in set(files) & set(recorded):
        data = wheel.read(file)
        checksum = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        check(file, recorded[file], ["", ""] if file == f"{about}/RECORD" else [f"sha256={checksum}", str(len(data))])
    programs = sorted(file for file, info in files.items() if (info.external_attr >> 16) & 0o111)
    for wanted in ("heddle/bin/heddle", f"heddle-{version}.data/scripts/heddle-plot", "heddle/share/heddle/slurm/run.sbatch",
                   "heddle/share/heddle/examples/gpt-13b/run.sh"):
        check(f"{wanted} can be run", wanted in programs, True)
    check("modules can be run", [file for file in programs if file.endswith(".py")], [])
    check("files that others cannot read", [file for file, info in files.items() if (info.external_attr >> 16) & 0o444 != 0o444], [])
    check("caches of Python", [file for file in files if "__pycache__" in file], [])
    check("first line of heddle-plot", wheel.read(f"heddle-{version}.data/scripts/heddle-plot").split(b"\n")[0], b"#!python")

    said = email.message_from_bytes(wheel.read(f"{about}/WHEEL"))
    check("Wheel-Version", said["Wheel-Version"], "1.0")
    check("Root-Is-Purelib", said["Root-Is-Purelib"], "false")
    check("Tag", said["Tag"], tag)
    metadata = email.message_from_bytes(wheel.read(f"{about}/METADATA"))
    check("Name, Version", (metadata["Name"], metadata["Version"]), (name, version))
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    check("packages of Python that are needed always", needed, [])
    check("extras", sorted(metadata.get_all("Provides-Extra")), ["frames", "pictures", "results"])
    needs = wheel.read("heddle/needs.txt").decode().splitlines()
    check("heddle/needs.txt begins with a system", needs[0].startswith("# "), True)
    check("Requires-External", metadata.get_all("Requires-External"), sorted({line.split()[-1] for line in needs[1:]}))
    for wanted in ("libmpi.so", "libhdf5", "mpirun"):
        check(f"{wanted} in heddle/needs.txt", any(line.startswith(wanted) for line in needs), True)
    check("ns-3 in heddle/needs.txt", [line for line in needs if "ns3" in line], [])

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
