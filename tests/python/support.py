# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of the Python package share: an empty folder, small inputs, a program that does what it is told."""
import importlib.util
import os
import shutil
import stat
import sys
import tempfile
import time
import unittest

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
LAUNCHER = "mpirun --oversubscribe"
for name in ("AS_SEND_LAT", "CC_ENABLE", "CC_LOG_FILE", "NCCL_ALGO", "NCCL_PROTO", "TRACE_INJECT_FILE"):
    os.environ.pop(name, None)


class Case(unittest.TestCase):
    """A test in an empty folder, which is deleted at the end."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="heddle-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def fake(self, script, name="heddle"):
        """An executable file with this text of a shell, and its path."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(path, stat.S_IRWXU)
        return path

    def wait_for(self, condition, what, seconds=30):
        """The first result of the condition that is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        self.fail(f"{what}: not within {seconds} s")

    def raises(self, kind, words, action):
        """The exception, which has these words in its text and is of this very class."""
        with self.assertRaises(kind) as caught:
            action()
        self.assertIs(type(caught.exception), kind)
        self.assertIn(words, str(caught.exception))
        return caught.exception


def children_of(process):
    """Processes that this one has started and that still run: {number: command line}."""
    found = {}
    for number in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
            with open(f"/proc/{number}/cmdline", encoding="utf-8", errors="replace") as file:
                line = file.read().replace("\0", " ")
        except OSError:
            continue
        if int(parent) == process and state not in "ZX":
            found[number] = line
    for child in list(found):
        found.update(children_of(child))
    return found


def alive(process):
    """Whether a process runs; one that has ended and waits to be asked for does not."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def main():
    missing = [name for name in ("h5py", "pandas", "matplotlib") if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: no python3-" + ", python3-".join(missing))
        sys.exit(77)
    unittest.main(verbosity=1)
