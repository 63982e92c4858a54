# SPDX-License-Identifier: GPL-2.0-only
"""Arranges an installation below ROOT/usr as Debian's policy (4.6) wants the files of a package. Called by CPack (stage.cmake).

Usage: stage.py ROOT --version VERSION --contact NAME    (SOURCE_DATE_EPOCH: the time in the change log)

Exit code 3 for an installation that lacks what a package must have.
"""
from __future__ import annotations

import argparse
import datetime
import gzip
import os
import pathlib
import shutil
import subprocess
import sys

# Packages whose headers are compiled into the program: their terms ask to be passed on with it.
HEADERS = ("libcli11-dev", "libfmt-dev", "libtomlplusplus-dev", "libxxhash-dev", "nlohmann-json3-dev")
COPYRIGHT = """\
heddle is free software under the terms of version 2 of the GNU General Public License, and of no other version. On Debian systems its
text is in /usr/share/common-licenses/GPL-2.

The libraries in /usr/lib/heddle are those of ns-3 3.37 (modules core, network, stats, mpi), which its authors give under the same terms:
https://www.nsnam.org, releases/ns-allinone-3.37.tar.bz2. The source of heddle has the script that builds them (core/ns3/build_ns3.sh).

The program contains code of other projects. Their terms follow, as the packages of Debian that have their headers state them, and as
`heddle report --licences` prints them for what is in pages.
"""


class Refused(Exception):
    """An installation that cannot become a package, and why."""


def move(old: pathlib.Path, new: pathlib.Path) -> None:
    if not old.exists():
        raise Refused(f"{old}: it was not installed")
    new.parent.mkdir(parents=True, exist_ok=True)
    old.rename(new)


def shells_and_python(usr: pathlib.Path) -> None:
    """Debian's zsh and Python look in places of their own; where the package for Python was, a link leads to it."""
    move(usr / "share/zsh/site-functions/_heddle", usr / "share/zsh/vendor-completions/_heddle")
    (usr / "share/zsh/site-functions").rmdir()
    package, place = usr / "share/heddle/python/heddle", usr / "lib/python3/dist-packages/heddle"
    move(package, place)
    package.symlink_to(os.path.relpath(place, package.parent))


def strip_libraries(usr: pathlib.Path) -> None:
    """CPack strips the program, which CMake built; ns-3's libraries are files to it."""
    libraries = sorted((usr / "lib/heddle").glob("*.so*"))
    if not any("ns3" in library.name for library in libraries):
        raise Refused(f"{usr / 'lib/heddle'}: no library of ns-3")
    for library in libraries:
        library.chmod(0o644)
        subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", "--remove-section=.note", str(library)], check=True)


def compressed(path: pathlib.Path, data: bytes) -> None:
    path.write_bytes(gzip.compress(data, 9, mtime=0))
    path.chmod(0o644)


def manual_pages(usr: pathlib.Path) -> None:
    pages = sorted((usr / "share/man/man1").glob("*.1"))
    if not pages:
        raise Refused(f"{usr / 'share/man/man1'}: no manual pages")
    for page in pages:
        compressed(page.with_suffix(".1.gz"), page.read_bytes())
        page.unlink()


def words_of(usr: pathlib.Path, *words: str, without: int = 0) -> str:
    """What the installed program prints; nothing if it ends with the code `without`."""
    done = subprocess.run([str(usr / "bin/heddle"), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in (0, without):
        raise Refused(f"{usr / 'bin/heddle'} {' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def documents(usr: pathlib.Path, version: str, contact: str) -> None:
    """The files that each package has in share/doc: change log and copyright. Of the GPL there is one copy in a system."""
    folder = usr / "share/doc/heddle"
    (folder / "LICENSE").unlink()
    (folder / "LICENSE").symlink_to("../../common-licenses/GPL-2")
    built = words_of(usr, "--version").splitlines()[0]
    time = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    log = f"heddle ({version}) unstable; urgency=medium\n\n  * {built}.\n\n -- {contact}  {time:%a, %d %b %Y %H:%M:%S} +0000\n"
    compressed(folder / "changelog.gz", log.encode())
    parts = [COPYRIGHT]
    for package in HEADERS:
        path = pathlib.Path("/usr/share/doc", package, "copyright")
        if path.is_file():
            parts.append(f"{package}\n{'-' * len(package)}\n\n{path.read_text(encoding='utf-8')}")
        else:
            print(f"{path}: it is missing, so the package's copyright lacks the terms of {package}", file=sys.stderr)
    pages = words_of(usr, "report", "--licences", without=6)
    if pages:
        parts.append(f"Pages\n-----\n\n{pages}")
    else:
        print("built without uPlot: heddle report and the page of heddle demo will not work", file=sys.stderr)
    (folder / "copyright").write_text("\n".join(part.rstrip("\n") + "\n" for part in parts), encoding="utf-8")


def rights(usr: pathlib.Path) -> None:
    """The same for all users, whatever the mask of the one who packs."""
    for folder, _, names in os.walk(usr):
        os.chmod(folder, 0o755)
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", metavar="ROOT", type=pathlib.Path)
    parser.add_argument("--version", required=True)
    parser.add_argument("--contact", required=True)
    given = parser.parse_args()
    usr = given.root / "usr"
    try:
        if shutil.which("strip") is None:
            raise Refused("no strip here: install binutils")
        shells_and_python(usr)
        strip_libraries(usr)
        manual_pages(usr)
        documents(usr, given.version, given.contact)
        rights(usr)
    except (Refused, OSError, subprocess.CalledProcessError) as error:
        print(f"stage: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
