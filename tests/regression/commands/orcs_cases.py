#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the text of `heddle congestion --compat` with that of ORCS 1.1 and 2.0, with fixed mappings: equal to the letter.

Usage: orcs_cases.py HEDDLE DATA STEP: every STEP-th case of DATA/cases.txt. There, lines "$ VERSION ORCS'S ARGUMENTS" stand above the
result that all of them have, without ORCS's head; "fails" is a crash of ORCS, for which an error with exit code 1 is expected.
"MAPS a b c/d e f": hosts by rank, run by run. OUT stands for an output file.
"""

import os
import re
import subprocess
import sys
import tempfile


def read_cases(path):
    cases, commands, result = [], [], []
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n") + ["$ end"]:
            if line.startswith("$ ") and result:
                cases += [(command, "\n".join(result).strip("\n")) for command in commands]
                commands, result = [], []
            if line.startswith("$ "):
                commands.append(line[2:])
            else:
                result.append(line)
    return cases


def result_of(text, in_file):
    """Without the head, and without remarks."""
    head = r"^.*?\n\n" if in_file else r"^.*Number of edges in the inputfile: \d+\n"
    text = re.sub(head, "", text, count=1, flags=re.S)
    return "\n".join(line for line in text.split("\n") if not line.startswith("#***")).strip("\n")


def check(heddle, data, folder, command, expected):
    version, _, words = command.partition(" ")
    words, _, maps = words.partition(" MAPS ")
    words = words.split()
    if maps:
        mapping = os.path.join(folder, "maps")
        with open(mapping, "w", encoding="utf-8") as file:
            file.write(maps.replace("/", "\n") + "\n")
        words += ["--mappings", mapping]
    output = os.path.join(folder, "out")
    words = [output if word == "OUT" else word for word in words]
    ran = subprocess.run([heddle, "congestion", "--compat", "orcs-" + version] + words, cwd=data, capture_output=True, text=True,
                         timeout=60, check=False)
    if expected == "fails":
        good = ran.returncode == 1 and ran.stderr.startswith("heddle: ") and ran.stderr.count("\n") == 1
        return "" if good else f"exit code {ran.returncode}, {ran.stderr!r}"
    if ran.returncode != 0:
        return f"exit code {ran.returncode}, {ran.stderr!r}"
    text = ran.stdout
    if output in words:
        with open(output, encoding="utf-8") as file:
            text = file.read()
        os.remove(output)
    found = result_of(text, output in words)
    return "" if found == expected else f"found\n{found}\nexpected\n{expected}"


def main():
    heddle, data, step = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    cases = read_cases(os.path.join(data, "cases.txt"))
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, expected in cases[::step]:
            wrong = check(heddle, data, folder, command, expected)
            if wrong:
                failures += 1
                print(f"FAILED  {command}\n{wrong}")
    print(f"{len(cases[::step])} of {len(cases)} cases, {failures} failures")
    sys.exit(1 if failures or not cases else 0)


main()
