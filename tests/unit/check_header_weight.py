#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""No header that many units include is heavy: parsing what headers bring is half of the time of a build.

Usage: check_header_weight.py SOURCE_DIRECTORY COMPILE_COMMANDS MOST_LINES

A unit is a .cc file of the repository. A header that more than 100 units include, through others too,
reads at most MOST_LINES lines after preprocessing, its own included. Headers of tests are allowed GoogleTest
besides, which every unit that includes them reads anyway.
"""

import collections
import json
import os
import re
import shlex
import subprocess
import sys

MANY = 100  # units
FLAGS = ("-I", "-isystem", "-D", "-std")


def read_includes(source):
    """The headers of ours that each source names, by path from the root."""
    names = subprocess.run(["git", "-C", source, "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "*.h", "*.cc"],
                           check=True, capture_output=True, text=True).stdout.split()
    includes = {}
    for name in names:
        try:
            with open(os.path.join(source, name), encoding="utf-8") as text:
                includes[name] = re.findall(r'^#include "([^"]+)"', text.read(), re.M)
        except FileNotFoundError:  # deleted, not committed yet
            continue
    return includes


def reached(name, includes, known):
    """All headers of ours that a source includes, through others too."""
    if name not in known:
        known[name] = set()
        for header in includes.get(name, []):
            known[name] |= {header} | reached(header, includes, known)
    return known[name]


def preprocessor(compile_commands):
    """A command that preprocesses a header, with what any unit finds its headers by."""
    flags = {}
    with open(compile_commands, encoding="utf-8") as text:
        commands = json.load(text)
    for entry in commands:
        words = shlex.split(entry["command"])
        compiler = next(word for word in words if re.search(r"(c\+\+|g\+\+|clang\+\+)[-.0-9]*$", word))
        for i, word in enumerate(words):
            if word == "-isystem":
                flags[f"-isystem{words[i + 1]}"] = None
            elif word.startswith(FLAGS) and "HEDDLE_" not in word:
                flags[word] = None
    return [compiler, *flags, "-E", "-x", "c++"]


def lines_of(command, header, text=None):
    """Lines of a header after preprocessing; "-": of the text."""
    return subprocess.run([*command, header], check=True, capture_output=True, text=True, input=text).stdout.count("\n")


def main():
    source, compile_commands, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
    includes = read_includes(source)
    known, units = {}, collections.Counter()
    for name in includes:
        if name.endswith(".cc"):
            units.update(reached(name, includes, known))
    many = [header for header in units if units[header] > MANY]
    # What another of them includes is not heavier than that one.
    inner = set().union(*(reached(header, includes, known) for header in many))
    command = preprocessor(compile_commands)
    heavy = checked = 0
    of_gtest = None
    for header in sorted(set(many) - inner):
        lines = lines_of(command, os.path.join(source, header))
        checked += 1
        if header.startswith("tests/") and lines > most:
            if of_gtest is None:
                of_gtest = lines_of(command, "-", "#include <gtest/gtest.h>\n")
            lines -= of_gtest
        if lines > most:
            heavy += 1
            print(f"{header}: {units[header]} units include it, and it reads {lines} lines, more than {most}")
    print(f"{len(many)} headers are included by more than {MANY} units; {checked} of them include the others")
    if checked < 3:
        print("too few: is this the source directory?")
        return 1
    return 1 if heavy else 0


if __name__ == "__main__":
    sys.exit(main())
