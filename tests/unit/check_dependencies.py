#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Folders are the architecture: checks what the sources include against tests/unit/dependencies.txt.

Usage: check_dependencies.py SOURCE_DIRECTORY [TABLE]

A unit is a header, a source, or both of one base name. What must hold:
  - every folder of sources has a row, and includes only from itself and from the folders of its row
  - every folder named in a row is used, so that the table says what is so, and not what once was
  - rows make no loop, and units make no loop
  - headers of other projects are included only where the table's "<header>" rows allow it
  - a suite of tests includes the headers of tests that are its own, and of the suites of its row
  - no folder holds more than MOST_FILES files
  - tests/unit mirrors the rooms: tests/unit/NAME/ROOM is of NAME/ROOM, or of core/app/ROOM for app; ROOM may have floors
"""

import collections
import os
import re
import sys

SOURCES = ("core", "topology", "partition", "transport", "collectives", "io")
TESTS = "tests"
MOST_FILES = 24  # any more have a second subject among them
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
    """Path -> text of all sources, those of tests among them, and folder -> number of files of any kind in it."""
    texts, files = {}, collections.Counter()
    for top in SOURCES + (TESTS,):
        for folder, below, names in os.walk(os.path.join(root, top)):
            here = os.path.relpath(folder, root)
            below[:] = [name for name in below if name not in ("__pycache__", "golden") and (here, name) != (TESTS, "data")]
            files[here] = len(names)
            for name in names:
                if name.endswith((".h", ".cc")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        texts[os.path.join(here, name)] = file.read()
    return texts, files


def is_test(path):
    return path.split("/")[0] == TESTS


def suite_of(path):
    """tests/NAME or tests/unit/NAME, with all folders below it."""
    return "/".join(path.split("/")[: 3 if path.startswith("tests/unit/") else 2])


def room_of(folder):
    """The room whose tests are in a folder; None if it is not a folder of a room's tests."""
    parts = folder.split("/")
    if parts[:2] != ["tests", "unit"] or len(parts) < 4:
        return None
    return "/".join((["core"] if parts[2] == "app" else []) + parts[2:])


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


def check_tests(texts, folders, table):
    """Findings of suites of tests, whose includes of sources are free."""
    findings, used = [], collections.defaultdict(set)
    for path, text in sorted(texts.items()):
        here = suite_of(path)
        for target in OWN.findall(text):
            if "/" not in target:
                findings.append(f"{path} includes {target} without its path from the root")
            if not is_test(target) or suite_of(target) == here:
                continue
            there = suite_of(target)
            used[here].add(there)
            if there not in folders.get(here, ()):
                findings.append(f"{path} includes {target}, which {here} may not use: what two suites need is in tests/support")
    for suite in sorted({suite_of(path) for path in texts} - set(folders)):
        findings.append(f"{suite} has no row in {table}")
    findings += unused(folders, used, table)
    return findings


def unused(folders, used, table):
    """What rows allow and no file needs."""
    return [f"{table}: {folder} may use {other}, but does not"
            for folder, allowed in sorted(folders.items()) for other in sorted(allowed - used[folder])]


def check_sources(texts, folders, headers, table):
    """Findings of the sources of the program, and how many includes were read."""
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
    findings += unused(folders, used, table)
    findings += [f"folders in a loop: {' '.join(loop)}" for loop in find_loops(folders)]
    findings += [f"units in a loop: {' '.join(loop)}" for loop in find_loops(units)]
    return findings, includes


def check(root, table):
    """All findings, and how many includes of sources were read."""
    folders, headers = read_table(table)
    texts, files = read_sources(root)
    findings, includes = check_sources({path: text for path, text in texts.items() if not is_test(path)},
                                       {name: uses for name, uses in folders.items() if not is_test(name)}, headers, table)
    findings += check_tests({path: text for path, text in texts.items() if is_test(path)},
                            {name: uses for name, uses in folders.items() if is_test(name)}, table)
    findings += [f"{folder} holds {count} files; at most {MOST_FILES} make a room"
                 for folder, count in sorted(files.items()) if count > MOST_FILES]
    floors = {name[:end] for name in folders for end, letter in enumerate(name) if letter == "/"}
    findings += [f"{folder} mirrors no room" for folder in sorted(files) if room_of(folder) not in (None, *folders, *floors)]
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
