#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What heddle-plot refuses, all in one process, as importing its packages takes most of a run's time.

Usage: plot_refusals.py HEDDLE_PLOT < REFUSALS
A line of REFUSALS: exit code, what the message says (a regular expression), and the arguments, divided by tabs. Each refusal is
one line (but for usage), has no traceback and writes no picture new.svg.
"""
import contextlib
import io
import os
import re
import runpy
import sys

plot = sys.argv[1]
wrong = count = 0
for line in sys.stdin:
    expected, words, *arguments = line.rstrip("\n").split("\t")
    count += 1
    sys.argv = [plot, *arguments]
    code, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_path(plot, run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
    text = err.getvalue()
    faults = [fault for fault, is_so in (
        (f"exit code {code}, expected {expected}", code != int(expected)),
        (f"no '{words}'", not re.search(words, text)),
        ("a traceback", "Traceback" in text),
        ("not one line", expected != "2" and text.count("\n") != 1),
        ("wrote a picture", os.path.exists("new.svg"))) if is_so]
    if faults:
        wrong += 1
        print(f"FAILED: {' '.join(arguments)}: {', '.join(faults)}\n{text}")
    if os.path.exists("new.svg"):
        os.remove("new.svg")
print(f"{count} refusals, {wrong} wrong")
sys.exit(1 if wrong or not count else 0)
