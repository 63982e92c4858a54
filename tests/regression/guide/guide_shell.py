# SPDX-License-Identifier: GPL-2.0-only
"""A shell that walk_guide.py types into."""

import os
import re
import shutil
import subprocess
import tempfile

PROGRESS = re.compile(r"^t=\d")  # lines that a slow machine prints more of
PROGRESS_BEHIND = re.compile(r"t=\d[\d.]* .* flows\n")  # the same behind what a command printed without an end of line


class Shell:
    """A bash that keeps its variables, functions and folder from block to block."""

    def __init__(self, folder, environment):
        self.scratch = tempfile.mkdtemp()
        self.process = subprocess.Popen(["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.count = 0

    def run(self, lines):
        """Returns the lines printed, and "CODE COMMAND" of heddle's commands and scripts that failed."""
        self.count += 1
        script, output, failed = (f"{self.scratch}/{name}{self.count}" for name in ("script", "output", "failed"))
        with open(script, "w", encoding="utf-8") as file:
            file.write("trap 'echo \"$? $BASH_COMMAND\" >> " + failed + "' ERR\n" + "\n".join(lines) + "\ntrap - ERR\n")
        self.process.stdin.write(f"source {script} < /dev/null > {output} 2>&1; echo done\n")
        self.process.stdin.flush()
        self.process.stdout.readline()
        with open(output, encoding="utf-8", errors="replace") as file:
            printed = file.read().split("\n")
        if printed and printed[-1] == "":
            printed.pop()
        failures = []
        if os.path.exists(failed):
            with open(failed, encoding="utf-8") as file:
                failures = [line.rstrip() for line in file if re.match(r"\d+ ([A-Z_]+=\S* )*(heddle|mpirun|sh |/usr/bin/python3)", line)]
        text = PROGRESS_BEHIND.sub("", "".join(line + "\n" for line in printed if not PROGRESS.match(line)))
        return [line.rstrip() for line in text.splitlines()], failures

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.scratch, ignore_errors=True)
