# SPDX-License-Identifier: GPL-2.0-only
"""A bar where someone looks: in a terminal, in a notebook's kernel, nowhere else; and events for a function."""
import io
import os
import pty
import subprocess
import sys
import types
from unittest import mock

import heddle
from heddle import progress
from support import Case, main

SCRIPT = """
import heddle
fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
heddle.run(fabric, heddle.Workload.collective("AllReduce", "1MiB", group="DP", passes={passes}))
"""


class Shell:
    """As IPython's, with a kernel or without."""

    def __init__(self, kernel):
        if kernel:
            self.kernel = kernel


class ProgressTest(Case):
    def seen_in_a_terminal(self, passes):
        mine, theirs = pty.openpty()
        with subprocess.Popen(["/usr/bin/python3", "-c", SCRIPT.format(passes=passes)], stdin=theirs, stdout=theirs, stderr=theirs) as python:
            os.close(theirs)
            seen = b""
            try:
                while block := os.read(mine, 4096):
                    seen += block
            except OSError:  # the end of a terminal
                pass
        os.close(mine)
        self.assertEqual(python.returncode, 0)
        return seen.decode()

    def test_a_terminal_gets_a_bar_that_goes_away(self):
        seen = self.seen_in_a_terminal(3000)
        self.assertRegex(seen, r"\r\[#* *\] +\d+ %  \d+\.\d{3} ms")
        self.assertTrue(seen.endswith("\r"))
        self.assertNotIn("\n", seen)

    def test_a_short_run_prints_nothing(self):
        self.assertEqual(self.seen_in_a_terminal(1), "")

    def test_no_bar_where_nobody_looks(self):
        done = subprocess.run(["/usr/bin/python3", "-c", SCRIPT.format(passes=3000)], capture_output=True, text=True, check=True)
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_a_function_gets_all_events(self):
        events = []
        fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1)
        result = heddle.run(fabric, heddle.Workload.collective("AllReduce", "1MiB", group="DP"), progress=events.append)
        self.assertEqual([events[0]["event"], events[-1]["event"]], ["start", "end"])
        self.assertEqual(events[-1]["flows_digest"], result.attributes["flows_digest"])
        self.assertEqual([event["share"] for event in events if event["event"] == "progress"][-1], 1)

    def test_lines_that_are_not_whole_wait(self):
        reader = progress.LogReader("log")
        self.assertEqual(reader.read(), [])
        with open("log", "w", encoding="utf-8") as file:
            for text, events in (('{"a": 1}\n{"b"', [{"a": 1}]), ("", []), (': 2}', []), ("\n\n", [{"b": 2}])):
                file.write(text)
                file.flush()
                self.assertEqual(reader.read(), events)

    def test_a_notebook_gets_one_output_that_changes(self):
        shown = []
        handle = types.SimpleNamespace(update=shown.append)
        display = types.ModuleType("IPython.display")
        display.HTML = str
        display.display = lambda thing, display_id: shown.append(thing) or handle
        kernel = types.ModuleType("IPython")
        kernel.get_ipython = lambda: Shell("kernel")
        with mock.patch.dict(sys.modules, {"IPython": kernel, "IPython.display": display}), mock.patch.object(progress, "FIRST_AFTER", -1):
            follower = progress.Follower("log", None)
            with open("log", "w", encoding="utf-8") as file:
                file.write('{"event": "progress", "share": 0.5, "time_ps": 2000000000}\n{"event": "progress", "share": 1.0}\n')
            follower()
            follower.close()
            self.assertIs(progress.in_notebook(), True)
        self.assertEqual(len(shown), 3)
        self.assertIn("value='0.5000'", shown[0])
        self.assertIn("50 %  2.000 ms", shown[0])
        self.assertEqual(shown[2], "")
        kernel.get_ipython = lambda: Shell(None)
        with mock.patch.dict(sys.modules, {"IPython": kernel}):
            self.assertIs(progress.in_notebook(), False)  # IPython in a terminal

    def test_a_choice_is_heeded(self):
        with mock.patch("sys.stderr", io.StringIO()) as stream:
            stream.isatty = lambda: True
            self.assertIsNone(progress.Follower("log", False)._bar)
            self.assertIsInstance(progress.Follower("log", None)._bar, progress.TerminalBar)
        self.assertIsInstance(progress.Follower("log", True)._bar, progress.TerminalBar)


if __name__ == "__main__":
    main()
