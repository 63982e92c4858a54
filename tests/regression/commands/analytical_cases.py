#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares EndToEnd.csv of `heddle analytical --compat` with those of SimAI's analytical programs: equal to the byte.

Usage: analytical_cases.py HEDDLE DATA. DATA/cases.txt and DATA/workloads.txt say in their first lines what they consist of.
"""

import hashlib
import os
import subprocess
import sys
import tempfile


def unfold(lines):
    """The lines, with those behind "REPEAT n p" as often as it says."""
    result, at = [], 0
    while at < len(lines):
        if lines[at].startswith("REPEAT "):
            times, period = (int(word) for word in lines[at].split()[1:])
            result += lines[at + 1:at + 1 + period] * times
            at += 1 + period
        else:
            result.append(lines[at])
            at += 1
    return result


def write_files(path, folder):
    """Writes the files that a text consists of."""
    name, lines = None, []
    with open(path, encoding="utf-8") as text:
        for line in text.read().split("\n"):
            if name is None and line.startswith("FILE "):
                name, lines = line[5:], []
            elif name is not None and line in ("END", "END without a line end"):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("\n".join(unfold(lines)) + ("\n" if line == "END" else ""))
                name = None
            elif name is not None:
                lines.append(line)


def read_cases(path):
    """Returns pairs of a command and the lines below it."""
    cases = []
    with open(path, encoding="utf-8") as text:
        for line in text.read().split("\n"):
            if line.startswith("$ "):
                cases.append((line[2:].split(), []))
            elif cases and line and not line.startswith("# "):
                cases[-1][1].append(line)
    return cases


def distinct(lines):
    return list(dict.fromkeys(lines))


def check_text(text, expected):
    """Returns what is wrong with a result, or an empty text."""
    lines = text.split("\n")
    rows = [line.replace(",Analytical_test,", ",", 1) for line in lines[3:-1]]
    found = [lines[1] if len(lines) > 1 else ""] + distinct(rows)
    for i, line in enumerate(expected[1:]):
        if i >= len(found) or found[i] != line:
            return f"found\n{found[i] if i < len(found) else 'no more rows'}\nexpected\n{line}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    if expected[0] != f"rows {len(rows)} sha256 {digest}":
        return f"{len(rows)} rows, {digest}; expected {expected[0]}"
    return ""


def check(heddle, folder, words, expected):
    """Returns what is wrong, or an empty text."""
    ran = subprocess.run([heddle, "analytical", "--compat", "simai-analytical-" + words[0]] + words[1:], cwd=folder,
                         capture_output=True, text=True, timeout=60, check=False)
    results = os.path.join(folder, "results")
    written = sorted(os.listdir(results))
    texts = []
    for name in written:
        with open(os.path.join(results, name), encoding="utf-8") as file:
            texts.append(file.read())
        os.remove(os.path.join(results, name))
    told = f"exit code {ran.returncode}, {ran.stderr!r}, files {written}"
    if expected[0].startswith("fails "):
        good = ran.returncode == int(expected[0][6:]) and not written and ran.stderr.startswith("heddle: ") and ran.stderr.count("\n") == 1
        return "" if good and all(part in ran.stderr for part in expected[1:]) else told
    tables = [text for name, text in zip(written, texts) if name.endswith("EndToEnd.csv")]
    if ran.returncode != 0 or ran.stderr or len(tables) != 1 or len(written) != (2 if "-v" in words else 1):
        return told
    if not tables[0].startswith(ran.stdout):
        return f"printed {ran.stdout}"
    return check_text(tables[0], expected)


def main():
    heddle, data = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "results"))
        write_files(os.path.join(data, "workloads.txt"), folder)
        cases = read_cases(os.path.join(data, "cases.txt"))
        for words, expected in cases:
            wrong = check(heddle, folder, words, expected)
            if wrong:
                failures += 1
                print(f"FAILED  {' '.join(words)}\n{wrong}")
    print(f"{len(cases)} cases, {failures} failures")
    sys.exit(1 if failures or len(cases) < 60 else 0)


if __name__ == "__main__":
    main()
