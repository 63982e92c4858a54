#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the text of `heddle congestion --compat` with that of ORCS 1.1 and 2.0: equal to the letter.

Usage: orcs_cases.py HEDDLE DATA FILE STEP: every STEP-th case of DATA/FILE. There, lines "$ VERSION ORCS'S ARGUMENTS" stand above what
all of them give:
  - ORCS's text without its head, or with it if it begins with "Input File:"; without MPI's hosts, remarks and progress.
  - "congestion 0 0.5 ...": that attribute of the edges of a graph, in their order there.
  - "exit N" above a text: that exit code instead of 0.
  - "any": exit code 0, and any text.
  - "fails": ORCS refuses it or crashes; here an error of one line, with exit code 1 ("fails N": N).
"MAPS a b c/d e f" behind arguments: hosts by rank, run by run. OUT stands for an output file. "NET NAME" above lines until an empty one
is a file. Lines that begin with "# " are comments.
"""

import os
import re
import subprocess
import sys
import tempfile


def read_cases(path, folder):
    """Returns pairs of a command and what it gives. Writes networks to the folder."""
    cases, commands, result, net = [], [], [], None
    with open(path, encoding="utf-8") as file:
        for line in file.read().split("\n") + ["$ end"]:
            if net is not None and line != "":
                net.write(line + "\n")
            elif net is not None:
                net.close()
                net = None
            elif line.startswith("NET "):
                net = open(os.path.join(folder, line[4:]), "w", encoding="utf-8")
            elif line.startswith("$ "):
                if result:
                    cases += [(command, "\n".join(result).strip("\n")) for command in commands]
                    commands, result = [], []
                commands.append(line[2:])
            elif not line.startswith("# ") and (line or result):
                result.append(line)
    return cases


def result_of(text, in_file, expected):
    """As the expected text is given."""
    if expected.startswith("congestion "):
        return "congestion " + " ".join(re.findall(r"congestion=([\d.]+)", text))
    head = r"^.*?\n\n" if in_file else r"^.*Number of edges in the inputfile: \d+\n"
    if not expected.startswith("Input File:"):
        text = re.sub(head, "", text, count=1, flags=re.S)
    return "\n".join(line for line in text.split("\n") if not line.startswith("#***")).strip("\n")


def run(heddle, folder, command):
    """Returns the finished process, and the output file's text or None."""
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
    ran = subprocess.run([heddle, "congestion", "--compat", "orcs-" + version] + words, cwd=folder, capture_output=True, text=True,
                         timeout=60, check=False)
    if not os.path.exists(output):
        return ran, None
    with open(output, encoding="utf-8") as file:
        text = file.read()
    os.remove(output)
    return ran, text


def check(heddle, folder, command, expected):
    """Returns what is wrong, or an empty text."""
    ran, written = run(heddle, folder, command)
    told = f"exit code {ran.returncode}, {ran.stderr!r}"
    refused = re.fullmatch(r"fails ?(\d*)", expected)
    if refused:
        good = ran.returncode == int(refused[1] or 1) and ran.stderr.startswith("heddle: ") and ran.stderr.count("\n") == 1
        return "" if good else told
    code = re.match(r"exit (\d+)\n", expected)
    if code:
        expected = expected[code.end():]
    if ran.returncode != int(code[1] if code else 0):
        return told
    found = result_of(ran.stdout if written is None else written, written is not None, expected)
    return "" if expected in (found, "any") else f"found\n{found}\nexpected\n{expected}"


def main():
    heddle, data, name, step = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in os.listdir(data):
            os.symlink(os.path.join(data, file), os.path.join(folder, file))
        cases = read_cases(os.path.join(data, name), folder)
        for command, expected in cases[::step]:
            wrong = check(heddle, folder, command, expected)
            if wrong:
                failures += 1
                print(f"FAILED  {command}\n{wrong}")
    print(f"{len(cases[::step])} of {len(cases)} cases, {failures} failures")
    sys.exit(1 if failures or not cases else 0)


if __name__ == "__main__":
    main()
