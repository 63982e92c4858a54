#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A name of a type is one type: no two headers define a struct, class or enum of one name.

Usage: check_type_names.py SOURCE_DIRECTORY

Read are the definitions that begin a line in headers, those of tests too; declarations and types
within others are not.
"""

import collections
import os
import re
import subprocess
import sys

LEAST = 500  # types in the repository: with fewer the search itself is broken
DEFINITION = re.compile(r"^(?:enum class|enum|class|struct|union)\s+(\w+)(?:\s+final)?\s*(?::(?!:)[^;{]*)?\{",
                        re.MULTILINE)


def headers(source):
    """Paths of the headers, from the source directory on."""
    found = subprocess.run(["git", "-C", source, "ls-files", "--cached", "--others", "--exclude-standard", "*.h"],
                           capture_output=True, text=True, check=False)
    if found.returncode == 0 and found.stdout:
        return [path for path in found.stdout.splitlines() if os.path.exists(os.path.join(source, path))]
    return [os.path.relpath(os.path.join(folder, name), source)
            for folder, _, names in os.walk(source) for name in names if name.endswith(".h")]


def main():
    source = sys.argv[1]
    places = collections.defaultdict(list)
    for path in sorted(headers(source)):
        with open(os.path.join(source, path), encoding="utf-8") as header:
            for definition in DEFINITION.finditer(header.read()):
                places[definition.group(1)].append(path)
    twice = {name: found for name, found in places.items() if len(found) > 1}
    for name, found in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(found)}")
    if len(places) < LEAST:
        print(f"only {len(places)} types found: is this the source directory?")
        return 1
    if not twice:
        print(f"{len(places)} types have names of their own")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
