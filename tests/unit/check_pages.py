#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The pages for developers name what exists: identifiers of sources, and all rooms.

Usage: check_pages.py SOURCE_DIRECTORY

Read are docs/architecture.md and docs/extending.md. What must hold:
  - each identifier between backticks is a word of a source, outside of comments. Of A::B there is a
    source with both words.
  - in a row of a table, such an identifier is a word of one of the sources that the row names, or
    else of those that the table's head names, if any
  - of `NAME` (`file`), `NAME` in `file` and `file`, `NAME` the file or its header has the word
  - the table of rooms (its head is ROOMS) has the folders that have a row in
    tests/unit/dependencies.txt, and no others
An identifier is a span of one word, also with A::B, () or arguments; and in a longer span each word
with an inner capital letter or an underscore. Left out are placeholders (X, XCommand, ReadX, NAME),
flags, paths and commands, and the words that OTHERS lists.
"""

import os
import re
import sys

PAGES = ("docs/architecture.md", "docs/extending.md")
TABLE = "tests/unit/dependencies.txt"
ROOMS = "| room | subject |"
FOLDERS = ("core", "topology", "partition", "transport", "collectives", "io", "tests", "slurm", "packaging")
LEAST = 200  # identifiers in the two pages: with fewer the search itself is broken

# What is named but is not ours, or is no word of a source, by the reason.
OTHERS = {
    "ns-3": ("MpiInterface", "NS_LOG"),
}

SPAN = re.compile(r"`([^`]+)`")
WORD = re.compile(r"[A-Za-z_]\w*")
IDENTIFIER = re.compile(r"~?[A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)*(?:\(.*\))?;?")
PLACEHOLDER = re.compile(r"X(?:[A-Z].*)?|.*[a-z]X|[A-Z]+|x|x_\w+|\w+_x")
SOURCE = re.compile(r"[\w/.{},-]+\.(?:h|cc|py|sh|js|\{h,cc\})")
BESIDE = re.compile(r"`([^`]+)`(?: \(| in )`([^`]+)`|`([^`]+)`, `([^`]+)`(?! \(`| in `)")
COMMENT = {"c": re.compile(r"//.*"), "script": re.compile(r"(?:^|\s)#.*", re.MULTILINE)}


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def words_of(root):
    """Path -> the words of a source outside of its comments."""
    words = {}
    for top in FOLDERS + (".ci",):
        for folder, below, names in os.walk(os.path.join(root, top)):
            below[:] = [name for name in below if name not in ("__pycache__", "golden")
                        and (folder, name) != (os.path.join(root, "tests"), "data")]
            for name in names:
                kind = "c" if name.endswith((".h", ".cc", ".js")) else "script"
                if kind == "c" or name.endswith((".py", ".sh", ".cmake", ".txt")) or "." not in name:
                    path = os.path.relpath(os.path.join(folder, name), root)
                    if not path.startswith("tests/unit/check_pages"):
                        words[path] = set(WORD.findall(COMMENT[kind].sub("", read(root, path))))
    words["CMakeLists.txt"] = set(WORD.findall(COMMENT["script"].sub("", read(root, "CMakeLists.txt"))))
    return words


def identifiers(span):
    """The identifiers of a span, each as its parts: A::B is (A, B)."""
    if "/" in span or span.startswith("-") or re.search(r"\.\w", span):
        return []
    if IDENTIFIER.fullmatch(span):
        found = [tuple(WORD.findall(span.partition("(")[0]))]
        found += [(word,) for word in WORD.findall(span.partition("(")[2])]
    else:
        found = [(word,) for word in WORD.findall(span) if re.search(r"[a-z][A-Z]|\w_\w|^k[A-Z]", word)]
    foreign = {word for others in OTHERS.values() for word in others}
    return [parts for parts in found
            if not any(PLACEHOLDER.fullmatch(part) or part in foreign for part in parts)]


def text_lines(page):
    """Number and text of the lines outside of fenced blocks."""
    fenced = False
    for number, line in enumerate(page.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced:
            yield number, line


def sources_in(line, words):
    return [path for span in SPAN.findall(line) for path in SOURCE.findall(span) if path in words]


def check_page(root, page, words):
    """Findings of a page, and how many identifiers were looked up."""
    findings, seen, head = [], 0, []
    lines = list(text_lines(read(root, page)))
    for i, (number, line) in enumerate(lines):
        if i + 1 < len(lines) and lines[i + 1][1].startswith("|---"):
            head = sources_in(line, words)
        named = (sources_in(line, words) or head) if line.startswith("|") else []
        for parts in [parts for span in SPAN.findall(line) for parts in identifiers(span)]:
            seen += 1
            if not any(set(parts) <= words[place] for place in named or words):
                where = f" in {', '.join(named)}" if named else ""
                findings.append(f"{page}:{number}: {'::'.join(parts)} does not exist{where}")
    return findings + check_beside(page, " ".join(line for _, line in lines), words), seen


def check_beside(page, text, words):
    """Findings of identifiers that stand beside the file that has them."""
    findings = []
    for match in BESIDE.finditer(re.sub(r"\s+", " ", text)):
        span, path = match.group(1, 2) if match.group(1) else match.group(4, 3)
        if path not in words:
            continue
        unit = words[path] | words.get(re.sub(r"\.cc$", ".h", path), set())
        findings += [f"{page}: {'::'.join(parts)} does not exist in {path}"
                     for parts in identifiers(span) if not set(parts) <= unit]
    return findings


def check_rooms(root):
    """Findings of the table of rooms."""
    lines = read(root, PAGES[0]).splitlines()
    if ROOMS not in lines:
        return [f"{PAGES[0]}: no table begins with {ROOMS}"]
    rooms = []
    for line in lines[lines.index(ROOMS) + 2:]:
        if not line.startswith("|"):
            break
        rooms += SPAN.findall(line.split("|")[1])
    rows = [line.split(":")[0] for line in read(root, TABLE).splitlines() if re.match(r"[a-z]", line)]
    rows = [row for row in rows if not row.startswith("tests/")]
    return ([f"{PAGES[0]}: {row} is not in the table of rooms" for row in rows if row not in rooms]
            + [f"{PAGES[0]}: {room} has no row in {TABLE}" for room in dict.fromkeys(rooms) if room not in rows]
            + [f"{PAGES[0]}: {room} is twice in the table of rooms"
               for room in dict.fromkeys(rooms) if rooms.count(room) > 1])


def main():
    root = sys.argv[1]
    words, findings, seen = words_of(root), check_rooms(root), 0
    for page in PAGES:
        found, count = check_page(root, page, words)
        findings += found
        seen += count
    if seen < LEAST:
        findings.append(f"only {seen} identifiers found: is this the source directory?")
    for finding in findings:
        print(finding)
    if not findings:
        print(f"{seen} identifiers and all rooms exist")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
