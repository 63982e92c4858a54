# SPDX-License-Identifier: GPL-2.0-only
"""Makes a root of Debian from the packages of this machine, without a network: those that every Debian has, and what a package to be
tried depends on.

Usage: bare_root.py ROOT RELATION     (RELATION: a Depends field, such as "libc6 (>= 2.14), openmpi-bin, python3")

Given again with another RELATION it adds what that one needs. The files of each package are copied, the alternatives are set as they are
here, and dpkg's database lists the packages, so that `dpkg -i` in the root checks the dependencies of what it installs. No script of a
package is run. The packages that were added are printed. Exit code 4 if a package is not installed here.
"""

import os
import re
import shutil
import subprocess
import sys

DATABASE = "var/lib/dpkg"
MERGED = ("bin", "lib", "lib64", "sbin")  # links into usr, which usrmerge makes
LEFT_OUT = re.compile(r"/usr/share/(doc|locale|info|lintian|bug|i18n)/")
FIELDS = ("Package", "Version", "Essential", "Pre-Depends", "Depends", "Provides", "db:Status-Status")


class Package:
    def __init__(self, fields):
        self.name, self.version, essential, before, depends, provides, self.state = fields
        self.essential = essential == "yes"
        self.needs = [relation for text in (before, depends) for relation in alternatives_of(text)]
        self.provides = [names[0] for names in alternatives_of(provides)]


def alternatives_of(text):
    """The relations of a field: names that any of which will do. Versions are not looked at: what is installed fits."""
    relations = []
    for relation in text.split(","):
        names = [re.match(r"[a-z0-9][a-z0-9+.-]*", name.strip()) for name in relation.split("|")]
        if all(names):
            relations.append([name[0] for name in names])
    return relations


def installed():
    form = "\\t".join("${%s}" % field for field in FIELDS) + "\\n"
    text = subprocess.run(["dpkg-query", "-W", "-f", form], stdout=subprocess.PIPE, text=True, check=True).stdout
    packages = [Package(line.split("\t")) for line in text.splitlines()]
    return {package.name: package for package in packages if package.state == "installed"}


def closure(packages, relations):
    """Names of the packages that the relations need. Exits with code 4 for a relation that nothing here fulfils."""
    providers = {}
    for package in packages.values():
        for name in package.provides:
            providers.setdefault(name, package.name)
    found, waiting = set(), list(relations)
    while waiting:
        names = waiting.pop()
        name = next((packages[name].name for name in names if name in packages), None) or \
            next((providers[name] for name in names if name in providers), None)
        if name is None:
            print(f"not installed here: {' | '.join(names)}", file=sys.stderr)
            sys.exit(4)
        if name not in found:
            found.add(name)
            waiting += packages[name].needs
    return found


def files_of(names):
    text = subprocess.run(["dpkg-query", "-L", *sorted(names)], stdout=subprocess.PIPE, text=True, check=True).stdout
    paths = {line for line in text.splitlines() if line.startswith("/") and line != "/."}
    return sorted(path for path in paths if os.path.lexists(path) and path.lstrip("/") not in MERGED and not LEFT_OUT.match(path))


def copy(root, paths):
    with subprocess.Popen(["tar", "-C", "/", "--no-recursion", "--null", "-T", "-", "-cf", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as pack:
        with subprocess.Popen(["tar", "-C", root, "--keep-directory-symlink", "-xpf", "-"], stdin=pack.stdout) as unpack:
            pack.stdin.write(b"".join(path[1:].encode() + b"\0" for path in paths))
            pack.stdin.close()
        if pack.wait() != 0 or unpack.returncode != 0:
            sys.exit("tar failed")


def link(root, path, target):
    place = root + path
    if not os.path.lexists(place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(target, place)


def set_alternatives(root):
    """The alternatives whose files are in the root, chosen as here."""
    for name in sorted(os.listdir("/var/lib/dpkg/alternatives")):
        with open(f"/var/lib/dpkg/alternatives/{name}", encoding="utf-8") as file:
            lines = file.read().split("\n\n")[0].splitlines()
        links = dict([(name, lines[1])] + list(zip(lines[2::2], lines[3::2])))
        for choice, place in links.items():
            chosen = f"/etc/alternatives/{choice}"
            if os.path.islink(chosen) and os.path.lexists(root + os.readlink(chosen)):
                link(root, chosen, os.readlink(chosen))
                link(root, place, chosen)


def enter(root, names):
    """Writes the packages into dpkg's database of the root."""
    os.makedirs(f"{root}/{DATABASE}/info", exist_ok=True)
    os.makedirs(f"{root}/{DATABASE}/updates", exist_ok=True)
    with open(f"{root}/{DATABASE}/status", "a", encoding="utf-8") as status:
        status.write(subprocess.run(["dpkg-query", "-s", *sorted(names)], stdout=subprocess.PIPE, text=True, check=True).stdout.rstrip("\n") + "\n\n")
    for name in os.listdir(f"/{DATABASE}/info"):
        if name.partition(".")[0].partition(":")[0] in names and name.endswith(".list") or name == "format":
            shutil.copy(f"/{DATABASE}/info/{name}", f"{root}/{DATABASE}/info")


def begin(root):
    for name in MERGED:
        os.makedirs(f"{root}/usr/{name}", exist_ok=True)
        os.symlink(f"usr/{name}", f"{root}/{name}")
    for name, mode in {"dev": 0o755, "proc": 0o755, "tmp": 0o1777, "etc": 0o755, "run": 0o755, "var/tmp": 0o1777, "root": 0o700}.items():
        os.makedirs(f"{root}/{name}", exist_ok=True)
        os.chmod(f"{root}/{name}", mode)
    with open(f"{root}/etc/hosts", "w", encoding="utf-8") as hosts:
        hosts.write("127.0.0.1 localhost\n")


def listed(root):
    try:
        with open(f"{root}/{DATABASE}/status", encoding="utf-8") as status:
            return set(re.findall(r"^Package: (\S+)$", status.read(), re.MULTILINE))
    except FileNotFoundError:
        return set()


def main():
    root, relation = os.path.abspath(sys.argv[1]), sys.argv[2]
    packages = installed()
    there = listed(root)
    needed = closure(packages, [[package.name] for package in packages.values() if package.essential] + alternatives_of(relation)) - there
    if not there:
        begin(root)
    if needed:
        copy(root, files_of(needed))
        set_alternatives(root)
        enter(root, needed)
    for name in ("passwd", "group"):
        if not os.path.exists(f"{root}/etc/{name}"):
            shutil.copy(f"{root}/usr/share/base-passwd/{name}.master", f"{root}/etc/{name}")
    subprocess.run(["chroot", root, "ldconfig"], check=True)
    print(*sorted(needed))


if __name__ == "__main__":
    main()
