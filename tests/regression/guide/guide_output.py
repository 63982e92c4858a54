# SPDX-License-Identifier: GPL-2.0-only
"""Does a page show what was printed? And if not, what should it show?"""

import difflib
import re

# Lines that depend on the machine.
MACHINE = re.compile(r"^(speed|blocked by rank|memory by rank|memory|expected|estimate was|available|time|set-up|heddle \d|t=\d)\b"
                     r"|^ +(before the input was read|sum) ")
GAP = "..."


def skeleton(line):
    """The line without its figures."""
    line = re.sub(r"\b[0-9a-f]{16}\b", "H", line)
    line = re.sub(r"\b(under|about) (?=\d[\d.]* (s|min|h)\b)", "", line)
    line = re.sub(r"\d[\d.,:]*( ?[kMGTP]i?B?\b| ?(ps|ns|us|ms|s|min|h)\b)?", "N", line)
    return re.sub(r"[\s+-]+", " ", line).strip()


def agrees(shown, printed, machine):
    if shown == printed:
        return True
    if machine or MACHINE.match(shown):
        shown, printed = skeleton(shown), skeleton(printed)
    if GAP in shown:
        pattern = ".*".join(re.escape(part) for part in shown.split(GAP))
        return re.fullmatch(pattern, printed) is not None
    return shown == printed


def lines_of(shown, at, printed, machine):
    """How many lines of the page, from `at` on, are this printed line: more than one if the page wraps it; 0: they are not."""
    if agrees(shown[at], printed, machine):
        return 1
    joined = shown[at]
    for end in range(at + 1, min(at + 4, len(shown))):
        joined += " " + shown[end].strip()
        if joined == printed:
            return end + 1 - at
    return 0


def match_from(shown, printed, start, machine):
    """Returns (lines of the page that agree, the index behind the last printed line used)."""
    at, here, gap = 0, start, False
    while at < len(shown):
        if shown[at].strip() == GAP:
            at, gap = at + 1, True
            continue
        used = 0
        while here < len(printed):
            used = lines_of(shown, at, printed[here], machine)
            here += 1
            if used or not gap:
                break
        if not used:
            return at, here
        at, gap = at + used, False
    return at, here


def match(shown, printed, start, machine):
    best = (0, start)
    for begin in range(start, len(printed) + 1):
        found = match_from(shown, printed, begin, machine)
        if found[0] == len(shown):
            return found
        best = max(best, found, key=lambda one: one[0])
    return best


def place(line, printed, start, machine):
    """The printed line that a line of the page shows, or should; -1: none."""
    for index in range(start, len(printed)):
        if agrees(line, printed[index], machine):
            return index
    wanted = skeleton(line)
    for index in range(start, len(printed)):
        if skeleton(printed[index]) == wanted:
            return index
    likeness = [difflib.SequenceMatcher(None, wanted, skeleton(text)).ratio() for text in printed[start:]]
    best = max(range(len(likeness)), key=likeness.__getitem__, default=-1)
    return start + best if best >= 0 and likeness[best] > 0.6 else -1


def renew(shown, printed, start, machine):
    """What the page should show, by the lines that it shows now, and the printed line behind it; None if one has no counterpart."""
    lines, here, gap = [], start, True
    for line in shown:
        if line.strip() == GAP:
            lines.append(line)
            gap = True
            continue
        index = place(line, printed, here, machine)
        if index < 0:
            return None, start
        if not gap and index > here:
            missing = printed[here:index]
            lines += missing if len(missing) <= 3 and not any(MACHINE.match(one) for one in missing) else [GAP]
        lines.append(line if agrees(line, printed[index], machine) else printed[index])
        here, gap = index + 1, False
    return lines, here
