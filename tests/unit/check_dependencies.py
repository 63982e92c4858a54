#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Folders are the architecture: checks what the sources include against tests/unit/dependencies.txt.

Usage: check_dependencies.py SOURCE_DIRECTORY [TABLE]

A unit is a header, a source, or both of one base name. What must hold:
  - every folder of sources has a row, and includes only from itself and from the folders of its row
  - every folder named in a row is used, so that the table says what is so, and not what once was
  - rows make no loop, and units make no loop
  - headers of other projects are included only where the table's "<header>" rows allow it
  - no folder of sources holds more than MOST_FILES of them
"""

import collections
import os
import re
import sys

SOURCES = ("core", "topology", "partition", "transport", "collectives", "io")
MOST_FILES = 30
FEWEST_INCLUDES = 1000  # fewer were read from the wrong folder
OWN = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
FOREIGN = re.compile(r"^#include <([^>]+)>", re.MULTILINE)


def read_table(path):
    """Folder -> the folders it may use, and header prefix -> the folders that may include it."""
    folders, headers = {}, {}
    for line in open(path, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, words = line.partition(":")
        if name.startswith("<"):
            headers[name.strip("<>")] = set(words.split())
        else:
            folders[name] = set(words.split())
    return folders, headers


def read_sources(root):
    """Path -> text of all sources."""
    texts = {}
    for top in SOURCES:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".h", ".cc")):
                    path = os.path.join(os.path.relpath(folder, root), name)
                    with open(os.path.join(root, path), encoding="utf-8") as file:
                        texts[path] = file.read()
    return texts


def find_loops(uses):
    """Strongly connected components of more than one member (Tarjan 1972), each as a sorted list."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(name):
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for other in sorted(uses[name]):
            if other not in uses:
                continue
            if other not in number:
                visit(other)
            if other in stack:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            component = stack[stack.index(name):]
            del stack[stack.index(name):]
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10000)
    for name in sorted(uses):
        if name not in number:
            visit(name)
    return found


def check(root, table):
    """All findings, and how many includes were read."""
    folders, headers = read_table(table)
    texts = read_sources(root)
    findings, used, units, includes = [], collections.defaultdict(set), collections.defaultdict(set), 0
    for path, text in sorted(texts.items()):
        folder, unit = os.path.dirname(path), os.path.splitext(path)[0]
        units[unit].update(set())
        for target in OWN.findall(text):
            includes += 1
            there = os.path.dirname(target)
            if os.path.splitext(target)[0] != unit:
                units[unit].add(os.path.splitext(target)[0])
            if there == folder:
                continue
            used[folder].add(there)
            if there not in folders.get(folder, ()):
                findings.append(f"{path} includes {target}, which {folder} may not use")
        for target in FOREIGN.findall(text):
            for prefix, allowed in headers.items():
                if target.startswith(prefix) and folder not in allowed:
                    findings.append(f"{path} includes <{target}>, which only {', '.join(sorted(allowed))} may")
    for folder in sorted({os.path.dirname(path) for path in texts} - set(folders)):
        findings.append(f"{folder} has no row in {table}")
    for folder, allowed in sorted(folders.items()):
        for other in sorted(allowed - used[folder]):
            findings.append(f"{table}: {folder} may use {other}, but does not")
    findings += [f"folders in a loop: {' '.join(loop)}" for loop in find_loops(folders)]
    findings += [f"units in a loop: {' '.join(loop)}" for loop in find_loops(units)]
    for folder, count in sorted(collections.Counter(map(os.path.dirname, texts)).items()):
        if count > MOST_FILES:
            findings.append(f"{folder} holds {count} sources; at most {MOST_FILES} make a room")
    if includes < FEWEST_INCLUDES:
        findings.append(f"only {includes} includes were found: is {root} the source directory?")
    return findings, includes


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    root = sys.argv[1]
    findings, includes = check(root, sys.argv[2] if len(sys.argv) == 3 else os.path.join(root, "tests/unit/dependencies.txt"))
    for finding in findings:
        print(finding)
    if not findings:
        print(f"{includes} includes follow the table")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
