#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every file and folder that a page or a comment names exists, and so does every heading linked to.

Usage: check_named_paths.py SOURCE_DIRECTORY

Read are the Markdown pages and the comments of C++, JavaScript, CMake, shell and Python. A name is
  - a path that begins with one of our top-level folders: this file or folder exists;
  - a file with an extension of ours, in a comment or between backticks in a page: with folders it
    exists from the root, without (`pause.cc`) somewhere;
  - the target of a relative link in a page: it exists, and the part after # is a heading of it;
  - a page of docs in a message of the program.
`{h,cc}` and `*` are expanded. Left out are placeholders (a part such as <name>, ... or NAME, though
not NAME.md, or the stem x) and the names that OTHERS lists. In a fenced block only the first kind
counts.
"""

import fnmatch
import itertools
import os
import re
import subprocess
import sys

FOLDERS = ("core", "partition", "transport", "collectives", "topology", "io", "slurm", "tests",
           "docs", "packaging", ".ci")
EXTENSIONS = ("h", "cc", "py", "sh", "md", "js", "css", "cmake")
LEAST = 500  # names in the repository: with fewer the search itself is broken

# What is named but is not in the repository, by the reason.
OTHERS = {
    "SimAI 1.6 and its ns-3": ("Layer.cc", "MockNcclChannel.h", "MockNcclGroup.cc", "MockNcclLog.h",
                               "NcclTreeFlowModel.cc", "Sys.cc", "Workload.cc", "calbusbw.cc", "calbusbw.h",
                               "common.h", "entry.h",
                               "rdma-hw.cc", "switch-mmu.cc", "switch-node.cc"),
    "the ECMP controller's specification": ("export_flow_csv.py",),
    "MPI": ("mpi.h",),
    "NCCL": ("src/enqueue.cc", "src/graph/search.cc", "src/graph/tuning.cc", "src/include/collectives.h", "src/transport/net.cc", "src/transport/net_ib.cc", "net_ib.cc"),
    "RCCL": ("net_ib_cast/scheduler.cc", "net_ib_cast/p2p.cc"),
    "nccl-tests": ("doc/PERFORMANCE.md",),
    "a script that the guide's reader writes": ("slow.py", "latency.py"),
    "below the prefix of an installation": ("share/*",),
    "a table or column of a result file": ("topology/links", "topology/nodes", "topology/shape", "topology/shape/gpu_type"),
}
FOREIGN = tuple(itertools.chain(*OTHERS.values()))

PATH = r"[\w.{},*<>+-]+"
START = r"(?<![\w/.$}<>*-])"
ROOTED = re.compile(START + r"(?:%s)/(?:%s/?)*" % ("|".join(map(re.escape, FOLDERS)), PATH))
NAMED = re.compile(START + r"(?:%s/)*[\w*<>+-]+\.(?:%s|\{[\w,]+\})(?![\w/-]|\.\w)"
                   % (PATH, "|".join(EXTENSIONS)))
PAGE = re.compile(START + r"docs/[\w/-]+\.md")
BACKTICKS = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACEHOLDER = re.compile(r"<|>|\.\.\.|(?:^|/)[xX](?:[._/]|$)"
                         r"|(?:^|[/_-])[A-Z]{2,}(?:[/_-]|\.(?!md)|$)")
SLASHES = re.compile(r"(?<!:)//(.*)")
HASH = re.compile(r"(?:^|\s)#(.*)")


def repository(root):
    """Paths of all files, from the root: those that git knows or would add, else all but builds."""
    git = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if git.returncode == 0 and git.stdout:
        files = git.stdout.splitlines()
        return [path for path in files if os.path.isfile(os.path.join(root, path))]
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and not name.startswith("build")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return found


def expanded(name):
    """The names that a name with {a,b} stands for."""
    parts = [part.split(",") for part in re.split(r"[{}]", name)]
    return ["".join(choice) for choice in itertools.product(*parts)] if "{" in name else [name]


def headings(page):
    """The anchors of a page, as GitHub makes them of its headings."""
    anchors, fenced = set(), False
    for line in page.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            text = re.sub(r"\]\([^)]*\)", "", line.lstrip("#").strip().lower())
            anchor = re.sub(r"[^\w -]", "", text).replace(" ", "-")
            twins = itertools.chain([anchor], (f"{anchor}-{i}" for i in itertools.count(1)))
            anchors.add(next(twin for twin in twins if twin not in anchors))
    return anchors


class Names:
    """The names of a repository: how many there are, and which are wrong."""

    def __init__(self, root):
        self.root = root
        self.files = repository(root)
        self.paths = set(self.files)
        for path in self.files:
            while path := os.path.dirname(path):
                self.paths.add(path)
        self.seen = 0
        self.findings = []

    def check(self, place, name):
        """Takes down a name that is no path, or without folders the end of none."""
        name = name.rstrip(".,/")
        name = name[2:] if name.startswith("./") else name
        if PLACEHOLDER.search(name) or any(fnmatch.fnmatchcase(name, one) for one in FOREIGN):
            return
        self.seen += 1
        for one in expanded(name):
            ends = self.paths if "/" in one else map(os.path.basename, self.paths)
            if one not in self.paths and not any(fnmatch.fnmatchcase(end, one) for end in ends):
                self.findings.append(f"{place}: {one} does not exist")

    def check_text(self, place, text, files):
        """The paths in a text, and the file names in the parts of it that may have some."""
        names = [match.group() for match in ROOTED.finditer(text)]
        named = [match.group() for part in files for match in NAMED.finditer(part)]
        for name in names + [name for name in named if not ROOTED.match(name)]:
            self.check(place, name)

    def check_link(self, place, page, target):
        """A relative link of a page."""
        if re.match(r"[a-z]+:", target):
            return
        self.seen += 1
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if path not in self.paths:
            self.findings.append(f"{place}: {target} does not exist")
        elif anchor and anchor not in headings(self.text(path)):
            self.findings.append(f"{place}: {target} does not exist: no such heading")

    def text(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def check_page(self, page):
        fenced = False
        for number, line in enumerate(self.text(page).splitlines(), 1):
            place = f"{page}:{number}"
            fenced ^= line.startswith("```")
            self.check_text(place, LINK.sub("]", line), [] if fenced else BACKTICKS.findall(line))
            for target in [] if fenced else LINK.findall(BACKTICKS.sub("", line)):
                self.check_link(place, page, target)

    def check_code(self, path):
        comment = SLASHES if re.search(r"\.(h|cc|js)$", path) else HASH
        for number, line in enumerate(self.text(path).splitlines(), 1):
            place = f"{path}:{number}"
            match = comment.search(line)
            if match:
                self.check_text(place, match.group(1), [match.group(1)])
            code = line[:match.start()] if match else line
            for page in PAGE.findall(code) if comment is SLASHES else []:
                self.check(place, page)

    def check_all(self):
        for path in self.files:
            if path.endswith(".md"):
                self.check_page(path)
            elif re.search(r"\.(h|cc|js|cmake|sh|sbatch|py)$|(^|/)CMakeLists\.txt$|^\.ci/", path):
                self.check_code(path)
        if self.seen < LEAST:
            self.findings.append(f"only {self.seen} names found: is this the source directory?")


def main():
    names = Names(sys.argv[1])
    names.check_all()
    for finding in names.findings:
        print(finding)
    if not names.findings:
        print(f"{names.seen} names of files, folders and headings exist")
    return 1 if names.findings else 0


if __name__ == "__main__":
    sys.exit(main())
