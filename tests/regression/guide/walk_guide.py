#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Walks pages as a reader would: types each block of commands in an empty folder, and compares what is printed with what
the page shows.

Usage: walk_guide.py HEDDLE [--source DIRECTORY] [--update] [--slow] [--verbose] [PAGE...]

Without pages: README.md and all chapters of docs/guide. --update writes what was printed into the pages; read the
difference before you commit it. --slow runs blocks marked slow, too.

How a page is read:
  - A block without a language whose first line begins with a command is typed. Any other block without a language is
    what the commands before it print, in that order; several blocks may share one output.
  - Lines must follow each other as they do in the output. A line "..." stands for any lines, " ... " within a line for
    any text. A line that the page wraps continues in the next one.
  - Figures of time, speed and memory (MACHINE in guide_output.py) are of the machine: only the words around them must agree.
  - A block of Python runs with /usr/bin/python3, each in one of its own, or all of a page in one (see page notebook).
Comments before a block say more (they are not seen in the rendered page):
  <!-- walk: skip WHY -->        is not typed, or is not compared
  <!-- walk: slow -->            takes more than seconds
  <!-- walk: exit 3 -->          a command of the block ends with this code
  <!-- walk: machine -->         all figures of this output are of the machine
  <!-- walk: file NAME -->       the block is the content of a file
  <!-- walk: script NAME -->     the block has the commands of this script, beside the page, and the script is run in their place
  <!-- walk: figures -->         each number with decimals in the next paragraph or table was printed on this page before
  <!-- walk: page after PAGE --> at the top: the page goes on in the folder that PAGE leaves
  <!-- walk: page skip WHY -->   at the top
  <!-- walk: page notebook -->   at the top: blocks of Python share their variables, and print the value of a last expression, as cells
                                 do; one that raises an exception has exit code 1
  <!-- walk run: (new line) COMMANDS (new line) --> commands that the page describes in words
  <!-- walk prints: TEXT | TEXT -->                 texts that they print, and the page quotes
"""

import argparse
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from guide_cells import Cells
from guide_output import match, renew
from guide_page import Page
from guide_shell import Shell

GUIDE = "docs/guide"
FIGURE = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\d)")


class Walk:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folders = {}  # by page: what it has left
        self.failures = 0
        self.quiet = False  # while a page is walked for the folder that it leaves
        self.has_h5py = subprocess.run(["/usr/bin/python3", "-c", "import h5py, pandas, matplotlib"], capture_output=True, check=False).returncode == 0

    def environment(self):
        environment = {key: value for key, value in os.environ.items()
                       if not re.match(r"AS_|CC_|NCCL_|TRACE_|HEDDLE", key)}
        environment["PATH"] = os.path.dirname(self.arguments.heddle) + ":" + environment["PATH"]
        environment["TERM"] = "dumb"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        environment["MPLBACKEND"] = "Agg"
        environment["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
        if os.geteuid() == 0:
            environment["OMPI_ALLOW_RUN_AS_ROOT"] = environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        return environment

    def say(self, page, block, text):
        self.failures += 1
        if not self.quiet:
            print(f"FAILED  {os.path.relpath(page.path, self.arguments.source)}:{block.first + 1}: {text}")

    def folder_for(self, page):
        folder = tempfile.mkdtemp(prefix="walk-")
        if page.after:
            before = os.path.normpath(os.path.join(os.path.dirname(page.path), page.after))
            if before not in self.folders:
                self.quiet, was = True, self.quiet
                self.page(before, quiet=True)
                self.quiet = was
            shutil.copytree(self.folders[before], folder, dirs_exist_ok=True)
        return folder

    def page(self, path, quiet=False):
        page, began, failures = Page(path), time.time(), self.failures
        name = os.path.relpath(path, self.arguments.source)
        if page.skip:
            print(f"skip    {name}: {page.skip}")
            return
        folder = self.folder_for(page)
        shell = Shell(folder, self.environment())
        of_package = {"PYTHONPATH": os.path.join(self.arguments.source, "io/python"), "HEDDLE": self.arguments.heddle}
        cells = Cells(folder, self.environment() | of_package) if page.notebook else None
        changes = []
        try:
            typed, compared = Reader(self, page, shell, cells, changes).read()
        finally:
            shell.close()
            if cells:
                cells.close()
        self.folders[path] = folder
        if quiet:
            self.failures = failures
            return
        if changes and self.arguments.update:
            page.write(changes)
            print(f"updated {name}: {len(changes)} blocks")
        good = "ok     " if self.failures == failures else "FAILED "
        print(f"{good} {name}: {typed} blocks typed, {compared} compared, {time.time() - began:.1f} s")

    def clean(self):
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)


class Reader:
    """Goes through one page."""

    def __init__(self, walk, page, shell, cells, changes):
        self.walk, self.page, self.shell, self.cells, self.changes = walk, page, shell, cells, changes
        self.printed, self.at, self.seen = None, 0, ""  # of the last commands; None: they were skipped
        self.typed = self.compared = 0
        self.failed = False  # a command ended with a code that the page does not tell

    def read(self):
        for block in self.page.blocks:
            if block.note("skip") is not None:
                if block.kind in ("run", "python"):
                    self.printed = None
            elif block.kind == "file":
                self.type(block, ["cat > " + block.note("file") + " <<'END OF FILE'"] + block.lines + ["END OF FILE"])
            elif block.kind == "run":
                self.run(block)
            elif block.kind == "python" and self.cells:
                self.run(block, block.lines)
            elif block.kind == "python":
                self.run(block, ["/usr/bin/python3 - <<'END OF FILE'"] + block.lines + ["END OF FILE"])
            elif block.kind == "output" and self.printed is not None:
                self.compare(block)
            elif block.kind == "figures":
                self.figures(block)
            elif block.kind == "prints" and self.printed is not None:
                self.prints(block)
        return self.typed, self.compared

    def commands(self, block):
        if block.note("script"):
            return self.script(block)
        source = os.path.abspath(self.walk.arguments.source)
        return [line.replace("/path/to/heddle", source) for line in block.lines
                if not re.match(r"\./bootstrap\.sh|export PATH=", line)]

    def script(self, block):
        path = os.path.join(os.path.dirname(self.page.path), block.note("script"))
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        commands = [line for line in lines if line and not line.startswith(("#", "set "))]
        if commands != block.lines:
            self.walk.say(self.page, block, "not the commands of " + "\n".join([path, *difflib.unified_diff(block.lines, commands, "page", "script", lineterm="", n=0)]))
        return ["sh " + shlex.quote(path)]

    def run(self, block, lines=None):
        lines = lines or self.commands(block)
        text = "\n".join(lines)
        slow = block.note("slow") is not None and not self.walk.arguments.slow
        lacks_python = ("python3" in text or block.kind == "python") and not self.walk.has_h5py or "heddle-plot" in text and not self.walk.has_h5py
        lacks_tools = re.search(r"\bh5(ls|dump)\b", text) and not shutil.which("h5dump")
        if slow or lacks_python or lacks_tools or not lines:
            self.printed = None
            return
        began = time.time()
        self.printed, failures = self.type(block, lines)
        self.at, self.seen = 0, self.seen + "\n".join(self.printed) + "\n"
        if self.walk.arguments.verbose:
            print(f"        {block.first + 1}: {time.time() - began:.1f} s: {lines[0][:80]}")
        allowed = block.note("exit")
        self.failed = False
        for failure in failures:
            if "exit code $?" not in text and failure.split()[0] != allowed:
                self.failed = True
                last = self.printed[-1] if self.printed else ""
                self.walk.say(self.page, block, f"exit code {failure}\n          {last[:300]}")

    def type(self, block, lines):
        self.typed += 1
        return (self.cells if block.kind == "python" and self.cells else self.shell).run(lines)

    def compare(self, block):
        self.compared += 1
        machine = block.note("machine") is not None
        shown = [line.rstrip() for line in block.lines]
        found, behind = match(shown, self.printed, self.at, machine)
        if found == len(shown):
            self.at = behind
            return
        new, behind = renew(shown, self.printed, self.at, machine)
        if self.walk.arguments.update and new is not None and not self.failed:
            self.changes.append((block, new))
            self.at = behind
            return
        rest = self.printed[self.at:self.at + 40]
        difference = "\n".join("          " + line for line in difflib.unified_diff(shown, rest if new is None else new, "page", "printed",
                                                                                  lineterm="", n=1))
        self.walk.say(self.page, block, f"line {found + 1} of the block is not what is printed: {shown[found][:120]}\n{difference}")

    def prints(self, block):
        self.compared += 1
        for text in block.lines:
            if text not in "\n".join(self.printed):
                printed = "\n".join("          " + line for line in self.printed[:40])
                self.walk.say(self.page, block, f"was not printed: {text}\n{printed}")

    def figures(self, block):
        self.compared += 1
        for line in block.lines:
            for figure in FIGURE.findall(line):
                if not re.search(r"(?<![\d.])" + re.escape(figure) + r"(?!\d)", self.seen):
                    self.walk.say(self.page, block, f"{figure} was not printed: {line[:120]}")


def main():
    parser = argparse.ArgumentParser(description="Walks pages of the documentation.")
    parser.add_argument("heddle")
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--source", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_intermixed_args()
    arguments.heddle = os.path.abspath(arguments.heddle)
    source = arguments.source = os.path.normpath(os.path.abspath(arguments.source))
    pages = [os.path.abspath(page) if os.path.exists(page) else os.path.join(source, page) for page in arguments.pages]
    if not pages:
        guide = os.path.join(source, GUIDE)
        pages = [os.path.join(source, "README.md")] + [os.path.join(guide, name) for name in sorted(os.listdir(guide)) if name.endswith(".md")]
    walk = Walk(arguments)
    try:
        for page in pages:
            walk.page(os.path.normpath(page))
    finally:
        walk.clean()
    print(f"{walk.failures} failures")
    return 1 if walk.failures else 0


if __name__ == "__main__":
    sys.exit(main())
