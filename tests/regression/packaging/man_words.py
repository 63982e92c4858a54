# SPDX-License-Identifier: GPL-2.0-only
"""Compares manual pages with the helps that they were made from: each word of a help must be in its page.

Usage: man_words.py PAGES HEDDLE HEDDLE-PLOT; exit code 1 and a line for each page that lacks words.
"""

import os
import pathlib
import re
import subprocess
import sys

pages, heddle, plot = sys.argv[1:]
ROFF = {"\\-": "-", "\\&": "", "\\:": "", "\\e": "\\", "\\(ha": "^", "\\(ti": "~", "\\(ga": "`", "\\fB": "", "\\fR": ""}
problems = []


def help_of(*words):
    done = subprocess.run([*words, "--help"], stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, "COLUMNS": "400"})
    return done.stdout


def words_of(text):
    return {word.strip(":").lower() for word in text.split()} - {"usage", ""}


def shown(name):
    text = pathlib.Path(pages, f"{name}.1").read_text(encoding="utf-8")
    text = re.sub(r"\\(?:\(..|f.|.)", lambda code: ROFF[code[0]], text)
    return words_of(re.sub(r'^\.[A-Z][A-Z] "(.*)"$|^\.\w+', r"\1", text, flags=re.MULTILINE))


def compare(name, *helps):
    missing = words_of(" ".join(helps)) - shown(name)
    if missing:
        problems.append(f"{name}(1) lacks {' '.join(sorted(missing))}")


main = help_of(heddle)
commands = re.findall(r"^  ([a-z][a-z-]*) +\S", main.partition("\nExamples:")[0], re.MULTILINE)
if len(commands) < 20:
    problems.append(f"heddle --help lists {len(commands)} commands")
inner = {"analyze": re.findall(r"^  ([a-z]+) ", help_of(heddle, "analyze").partition("\nExamples:")[0], re.MULTILINE),
         "topo": ["show", "route", "Spectrum-X", "Torus", "HierarchicalTorus"]}
for command in commands:
    compare(f"heddle-{command}", *(help_of(heddle, command, *word) for word in [[]] + [[word] for word in inner.get(command, [])]))
compare("heddle-plot", *(help_of(plot, *word) for word in ([], ["fct"], ["spines"])))
lines = [line.split(None, 1) for line in main.partition("\nExamples:")[0].splitlines() if re.match("  [a-z]", line)]
for command, summary in lines:
    if not words_of(f"heddle-{command}(1) {summary}") <= shown("heddle"):
        problems.append(f"heddle(1) lacks {command} or words of its summary")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
