# SPDX-License-Identifier: GPL-2.0-only
"""Manual pages in the macros of man(7)."""
from __future__ import annotations

import re

from help_text import HelpText, Item, Section

LONGEST_WORD = 40  # a longer one may be broken at commas and bars, as lines of 60 columns need it
LONGEST_HEADING = 30  # in capitals
FLAGS = re.compile(r"(-[^ ]*(?: -[^ ]*)*)(.*)$")


def plain(text: str) -> str:
    """Text such that nothing of it is an order to roff. Hyphens stay ASCII's, so that flags can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("^", "\\(ha").replace("~", "\\(ti").replace("`", "\\(ga")
    text = re.sub(r"\S{%d,}" % LONGEST_WORD, lambda word: re.sub(r"([,|:/])(?=.)", r"\1\\:", word[0]), text)
    return "\\&" + text if text[:1] in (".", "'") else text


def head(name: str, version: str) -> str:
    return f'.TH {plain(name.upper())} 1 "" "heddle {version}" "heddle"\n.nh\n.ad l'


def bold(text: str) -> str:
    return f"\\fB{plain(text)}\\fR"


def item(entry: Item) -> list[str]:
    flags = FLAGS.match(entry.name)
    # Of "RESULT FILE REQUIRED" the first word is the name, the second its type, which often says the same again.
    words = re.match(r"(\S+)(?: \1(?= |$))?(?P<rest>(?: (?:[A-Z]+|\.\.\.)(?= |$)).*)?$", entry.name)
    if flags:
        name = bold(flags[1]) + plain(flags[2])
    elif words:
        name = bold(words[1]) + plain(words["rest"] or "")
    else:
        name = bold(entry.name)
    return [".TP", name, plain(entry.text) if entry.text else "\\&"]


def section(part: Section, macro: str = ".SH") -> list[str]:
    title = part.title.upper() if macro == ".SH" and len(part.title) <= LONGEST_HEADING else part.title
    lines = [f'{macro} "{plain(title)}"']
    if part.is_examples:
        return lines + [".nf", *(plain(entry.name) for entry in part.items), ".fi"]
    for entry in part.items:
        lines += item(entry)
    return lines + [line for text in part.text for line in (".PP", plain(text))]


def usage(lines: list[str]) -> list[str]:
    """How it is called, each way on a line of its own: the words of the command are bold."""
    roff = []
    for line in lines:
        words = re.match(r"((?:[a-z][\w-]*)(?: [a-z][\w-]*(?=[ ]|$))*)(.*)$", line)
        roff += [".br"] if roff else []
        roff.append(bold(words[1]) + plain(words[2]) if words else plain(line))
    return roff


def paragraphs(texts: list[str]) -> list[str]:
    return [line for text in texts for line in (".PP", plain(text))]


def body(text: HelpText) -> list[str]:
    """Synopsis, description and sections of a command's own page."""
    lines = [".SH SYNOPSIS", *usage(text.usage)]
    if text.about:
        lines += [".SH DESCRIPTION", *paragraphs(text.about)]
    for part in text.sections:
        lines += section(part)
    return lines


def part_of_page(title: str, text: HelpText) -> list[str]:
    """The same as one section of a page, for a command that has commands of its own."""
    lines = [f'.SH "{plain(title.upper())}"', *paragraphs(text.about)]
    if text.usage:
        lines += [".PP", *usage(text.usage)]
    for part in text.sections:
        lines += section(part, ".SS")
    return lines
