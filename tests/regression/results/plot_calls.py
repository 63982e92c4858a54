#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What heddle-plot draws and refuses, all in one process, as importing its packages takes most of a run's time.

Usage: plot_calls.py HEDDLE_PLOT < CALLS
A line of CALLS: exit code, words, and the arguments, divided by tabs. With exit code 0 the words are a name: what is printed goes to
NAME.out and NAME.err. Otherwise they are a regular expression that the message matches, which is one line (but for usage) without a
traceback, and no picture new.svg is written.
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
    if expected == "0":
        for printed, suffix in ((out, ".out"), (err, ".err")):
            with open(words + suffix, "w", encoding="utf-8") as file:
                file.write(printed.getvalue())
        if code != 0:
            wrong += 1
            print(f"FAILED: {' '.join(arguments)}: exit code {code}\n{text}")
        continue
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
print(f"{count} calls, {wrong} wrong")
sys.exit(1 if wrong or not count else 0)
