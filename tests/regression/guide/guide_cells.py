# SPDX-License-Identifier: GPL-2.0-only
"""A Python that keeps its variables from block to block, as a notebook does: the side that walk_guide.py holds, and the Python itself.

Run as a program it reads names of files from its standard input, two a line: a block, and where to write what it prints. The value of
a last expression is printed, too. It answers with a line, which is "failed" if the block has raised an exception.
"""

import ast
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import traceback


class Cells:
    """Has the interface of guide_shell.Shell."""

    def __init__(self, folder, environment):
        self.scratch = tempfile.mkdtemp()
        self.process = subprocess.Popen(["/usr/bin/python3", "-B", os.path.abspath(__file__)], cwd=folder, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0

    def run(self, lines):
        """Returns the lines printed, and "1 python3" if the block has raised an exception."""
        self.count += 1
        cell, output = (f"{self.scratch}/{name}{self.count}" for name in ("cell", "output"))
        with open(cell, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.process.stdin.write(f"{cell} {output}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        with open(output, encoding="utf-8") as file:
            printed = [line.rstrip() for line in file.read().splitlines()]
        return printed, [] if answer == "done" else ["1 python3"]

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.stdout.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


def run_cell(text, name, variables):
    """Runs a block, and prints the value of a last expression."""
    tree = ast.parse(text, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), variables)
    if last is not None:
        exec(compile(ast.Interactive([last]), name, "single"), variables)


def main():
    variables = {"__name__": "__main__"}
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        cell, output = line.split()
        answer = "done"
        with open(cell, encoding="utf-8") as file, open(output, "w", encoding="utf-8") as to, \
                contextlib.redirect_stdout(to), contextlib.redirect_stderr(to):
            try:
                run_cell(file.read(), cell, variables)
            except Exception:
                traceback.print_exc()
                answer = "failed"
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    main()
