#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures the sources as a reviewer would: sizes, functions, comments, includes. Needs Universal Ctags.

Usage: measures.py SOURCE_DIRECTORY [--undocumented PREFIX]

Counts what git tracks of C++ outside tests. A function is documented if a comment stands above its declaration in a header or at the
line's end. Definitions end where ctags says so. --undocumented lists the functions of headers below PREFIX without a comment.
"""

import argparse
import collections
import json
import os
import re
import statistics
import subprocess

OWN = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def run(*words, cwd):
    return subprocess.run(words, cwd=cwd, check=True, capture_output=True, text=True).stdout


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def spread(values):
    return f"{statistics.median(values):g} / {quantile(values, 0.9)} / {quantile(values, 0.99)} / {max(values)}"


def read_tags(root, files):
    """Functions and prototypes, as ctags has them."""
    text = run("ctags", "--languages=C++", "--kinds-C++=fpm", "--fields=+neSK", "--output-format=json", "-f", "-", *files, cwd=root)
    return [json.loads(line) for line in text.splitlines()]


def is_documented(lines, number):
    above = number - 2
    while above >= 0 and lines[above].strip().startswith(("template", "[[")):
        above -= 1
    return (above >= 0 and lines[above].strip().startswith("//")) or "///<" in lines[number - 1]


def parameters(signature):
    inner = signature[1:signature.rfind(")")].strip()
    if inner in ("", "void"):
        return 0
    depth = commas = 0
    for letter in inner:
        depth += (letter in "(<[{") - (letter in ")>]}")
        commas += letter == "," and depth == 0
    return commas + 1


def print_sizes(texts, tests):
    lines = [text.count("\n") for text in texts.values()]
    folders = collections.Counter(os.path.dirname(name) for name in texts)
    print(f"files, lines           {len(texts)}, {sum(lines)}; tests {len(tests)}, {sum(text.count(chr(10)) for text in tests.values())}")
    print(f"folders                {len(folders)}; files each, median / max: {statistics.median(folders.values()):g} / {max(folders.values())}")
    print(f"lines a file           {spread(lines)} (median / p90 / p99 / max); over 300: {sum(n > 300 for n in lines)}, up to 30: {sum(n <= 30 for n in lines)}")
    comments = sum(line.strip().startswith("//") for text in texts.values() for line in text.splitlines())
    print(f"comment lines          {100 * comments / sum(lines):.1f} %")
    print(f"lines over 100 columns {sum(len(line) > 100 for text in texts.values() for line in text.splitlines())}")
    includes = {name: OWN.findall(text) for name, text in texts.items()}
    most = collections.Counter(header for headers in includes.values() for header in headers).most_common(1)[0]
    print(f"own includes           {spread([len(headers) for headers in includes.values()])}; most included: {most[0]}, {most[1]}")
    print(f"#if                    {sum(len(re.findall(r'^#if', text, re.M)) for text in texts.values())}")


def print_functions(texts, tags):
    functions = [tag for tag in tags if tag["kind"] == "function" and "end" in tag]
    sizes = [tag["end"] - tag["line"] + 1 for tag in functions]
    print(f"lines a function       {spread(sizes)}")
    counts = [parameters(tag["signature"]) for tag in functions if "signature" in tag]
    print(f"parameters             mean {statistics.mean(counts):.1f}, p99 {quantile(counts, 0.99)}, max {max(counts)}; 7 and more: {sum(n >= 7 for n in counts)}")
    methods, members = collections.Counter(), collections.Counter()
    for tag in tags:
        if tag.get("scopeKind") in ("class", "struct") and tag["path"].endswith(".h"):
            (members if tag["kind"] == "member" else methods)[tag["scope"]] += 1
    for what, counter in (("methods", methods), ("members", members)):
        print(f"most {what:<17} " + ", ".join(f"{name.split('::')[-1]} {count}" for name, count in counter.most_common(4)))


def print_documented(texts, tags, prefix):
    known, bare = collections.Counter(), collections.Counter()
    for tag in tags:
        if tag["kind"] == "member" or not tag["path"].endswith(".h"):
            continue
        lines = texts[tag["path"]].splitlines()
        top = tag["path"].split("/")[0]
        known[top] += 1
        if not is_documented(lines, tag["line"]):
            bare[top] += 1
            if prefix is not None and tag["path"].startswith(prefix):
                print(f"{tag['path']}:{tag['line']}: {lines[tag['line'] - 1].strip()}")
    all_known, all_bare = sum(known.values()), sum(bare.values())
    print(f"header functions       {all_known}, documented {100 * (1 - all_bare / all_known):.0f} %: "
          + ", ".join(f"{top} {100 * (1 - bare[top] / known[top]):.0f}" for top in sorted(known)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("--undocumented", metavar="PREFIX")
    given = parser.parse_args()
    names = [name for name in run("git", "ls-files", "*.h", "*.cc", cwd=given.source).split()
             if os.path.isfile(os.path.join(given.source, name))]
    texts, tests = {}, {}
    for name in names:
        with open(os.path.join(given.source, name), encoding="utf-8") as file:
            (tests if name.startswith("tests/") else texts)[name] = file.read()
    tags = read_tags(given.source, list(texts))
    print_sizes(texts, tests)
    print_functions(texts, tags)
    print_documented(texts, tags, given.undocumented)


if __name__ == "__main__":
    main()
