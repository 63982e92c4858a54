# SPDX-License-Identifier: GPL-2.0-only
"""What a package of Debian must say and hold: its control fields, the files of an installation at Debian's places, rights and owners,
checksums, nothing of the folders where it was built.

Usage: contents.py DEB PROGRAM SOURCE LAUNCHER FOLDER...

PROGRAM is the heddle of an installation of the same build: packaging/wheel/needs.py finds from it what the package must depend on, by
another way than dpkg-shlibdeps. FOLDERs must not be named in any file. Exit code 1 and a line for each thing that does not fit.
"""

import email
import gzip
import hashlib
import io
import pathlib
import re
import subprocess
import sys
import tarfile

deb, program, source, launcher, *folders = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, f"{source}/packaging/wheel")
from needs import needs_text  # noqa: E402

DOCS = "usr/share/doc/heddle"
WANTED = ["usr/bin/heddle-plot", "usr/share/bash-completion/completions/heddle", "usr/share/zsh/vendor-completions/_heddle",
          "usr/share/fish/vendor_completions.d/heddle.fish", "usr/share/heddle/slurm/run.sbatch", "usr/lib/python3/dist-packages/heddle/__init__.py",
          "usr/share/heddle/python/heddle", "usr/share/heddle/examples/README.md", "usr/share/heddle/schemas/analyze-step.json", f"{DOCS}/README.md", f"{DOCS}/guide/01-first-run.md", f"{DOCS}/guide/12-cluster.md",
          f"{DOCS}/copyright", f"{DOCS}/changelog.gz"]
problems = []


def check(what, found, wanted):
    if found != wanted:
        problems.append(f"{what}: {found!r}. Expected: {wanted!r}")


def part_of(option):
    """The tar archive of a package's files (--fsys-tarfile) or of its control files (--ctrl-tarfile)."""
    data = subprocess.run(["dpkg-deb", option, deb], stdout=subprocess.PIPE, check=True).stdout
    return tarfile.open(fileobj=io.BytesIO(data))


with part_of("--ctrl-tarfile") as archive:
    control = email.message_from_bytes(archive.extractfile("./control").read())
    sums = dict(reversed(line.split(None, 1)) for line in archive.extractfile("./md5sums").read().decode().splitlines())
    check("control files", sorted(archive.getnames()), ["./control", "./md5sums", "./postinst", "./postrm", "./prerm"])
with part_of("--fsys-tarfile") as archive:
    members = {member.name.removeprefix("./"): member for member in archive.getmembers()}
    files = {name: archive.extractfile(member).read() for name, member in members.items() if member.isfile()}

version = re.search(r"project\(heddle VERSION (\S+)", pathlib.Path(source, "CMakeLists.txt").read_text())[1]
architecture = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
check("its name", pathlib.Path(deb).name, f"heddle_{version}_{architecture}.deb")
for field, wanted in {"Package": "heddle", "Version": version, "Architecture": architecture, "Section": "science", "Priority": "optional",
                      "Recommends": "python3-h5py, python3-pandas, python3-matplotlib"}.items():
    check(field, control[field], wanted)
check("lines of the description", control["Description"].count("\n") > 5, True)
depends = {re.match(r"\S+", relation.strip())[0]: relation.strip() for relation in control["Depends"].split(",")}
needs, missing = needs_text(pathlib.Path(program), launcher)
check("libraries that the program does not find", missing, [])
for line in needs.splitlines()[1:]:
    check(f"{line.split()[0]} has a package that Depends names", line.split()[-1] in depends, True)
check("python3 in Depends", "python3" in depends, True)
check("a version of libc6 in Depends", "(>=" in depends.get("libc6", ""), True)
total = sum(max(1, -(-len(data) // 1024)) for data in files.values())
check(f"Installed-Size {control['Installed-Size']} of {total} KiB", abs(int(control["Installed-Size"]) - total) < total / 4, True)

commands = re.findall(r"^  ([a-z][a-z-]*) +\S.*$", subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
                      .partition("\nExamples:")[0], re.MULTILINE)
check("20 commands or more", len(commands) >= 20, True)
examples = {name.split("/")[4] for name in files if name.startswith("usr/share/heddle/examples/") and name.endswith("/run.sh")}
check("examples", examples, {"gpt-13b", "llama-70b", "mixture-of-experts", "kv-transfers", "infiniband"})
for example in examples:
    check(f"page of {example}", f"usr/share/heddle/examples/{example}/README.md" in files, True)
pages = ["heddle", "heddle-plot"] + [f"heddle-{command}" for command in commands]
for name in WANTED + [f"usr/share/man/man1/{page}.1.gz" for page in pages] + [f"usr/share/heddle/modulefiles/heddle/{version}.lua"]:
    check(f"{name} is there", name in members, True)
check("manual pages", sorted(name for name in files if "/man/" in name), sorted(f"usr/share/man/man1/{page}.1.gz" for page in pages))
check("libraries of ns-3", sum("/lib/heddle/libns3" in name for name in files) >= 3, True)
for name, link in {"usr/share/heddle/python/heddle": "../../../lib/python3/dist-packages/heddle", f"{DOCS}/LICENSE": "../../common-licenses/GPL-2",
                   f"{DOCS}/examples": "../../heddle/examples"}.items():
    check(name, members[name].linkname, link)

check("what is not below usr", [name for name in members if name not in ("", ".", "usr") and not name.startswith("usr/")], [])
check("owners", {(member.uid, member.gid, member.uname, member.gname) for member in members.values()}, {(0, 0, "root", "root")})
check("times", len({member.mtime for member in members.values()}), 1)
for name, member in members.items():
    runs = name.startswith("usr/bin/") or name.endswith((".sbatch", "/run.sh"))
    wanted = 0o777 if member.issym() else 0o755 if member.isdir() or runs else 0o644
    check(f"rights of {name}", oct(member.mode & 0o7777), oct(wanted))
check("checksums", sums, {name: hashlib.md5(data).hexdigest() for name, data in files.items()})
check("caches of Python", [name for name in members if "__pycache__" in name], [])
for name, data in files.items():
    text = gzip.decompress(data) if name.endswith(".gz") else data
    for folder in folders:
        if folder.encode() in text:
            problems.append(f"{name} names {folder}")
terms = files[f"{DOCS}/copyright"].decode()
for words in ("GNU General Public License", "ns-3", "CLI11", "uPlot"):
    check(f"{words} in copyright", words in terms, True)
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
