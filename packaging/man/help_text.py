# SPDX-License-Identifier: GPL-2.0-only
"""Takes the text that `--help` prints apart: what it is about, how it is called, and its sections of items or lines."""
from __future__ import annotations

import dataclasses
import re

DESCRIPTION_COLUMN = 30  # where the program's helps put descriptions; a name that just fits is followed by one space
TITLE = re.compile(r"(\S.*):$")
USAGE = re.compile(r"usage: +(.*)$", re.IGNORECASE)
ITEM = re.compile(r" {2,7}(?=\S)")
TWO_COLUMNS = re.compile(r"( {2,7}\S.*?) {2,}(\S.*)$")


@dataclasses.dataclass
class Item:
    """A flag, a word or a line, and what is said about it, which may be nothing."""
    name: str
    text: str = ""


@dataclasses.dataclass
class Section:
    title: str
    items: list[Item] = dataclasses.field(default_factory=list)
    text: list[str] = dataclasses.field(default_factory=list)  # lines between its items that begin at the margin

    @property
    def is_examples(self) -> bool:
        return self.title == "Examples"


@dataclasses.dataclass
class HelpText:
    about: list[str]
    usage: list[str]
    sections: list[Section]


def parse_help(text: str) -> HelpText:
    """Takes a help apart. Raises ValueError for a line that fits nowhere, so that no text is lost unseen."""
    help_text = HelpText([], [], [])
    in_usage = False
    raw: list[list[str]] = []  # of each section
    for number, line in enumerate(text.expandtabs().splitlines()):
        usage, title = USAGE.match(line), TITLE.match(line)
        if not line.strip():
            in_usage = False
        elif usage:
            help_text.usage.append(usage[1])
            in_usage = True
        elif in_usage and line.startswith(" " * 7):
            _go_on_with_usage(help_text.usage, line.strip())
        elif title:
            help_text.sections.append(Section(title[1]))
            raw.append([])
        elif not line.startswith(" "):
            (help_text.sections[-1].text if help_text.sections else help_text.about).append(line)
        elif help_text.sections:
            raw[-1].append(line)
        else:
            raise ValueError(f"line {number + 1} of a help belongs to no section: {line}")
    for part, lines in zip(help_text.sections, raw):
        _read_items(part, lines)
    return help_text


def _go_on_with_usage(usage: list[str], line: str) -> None:
    """Another way to call the same program, or the rest of the last one."""
    if line.split()[0] == usage[-1].split()[0]:
        usage.append(line)
    else:
        usage[-1] += " " + line


def _read_items(section: Section, lines: list[str]) -> None:
    column = _description_column(lines)
    for line, following in zip(lines, lines[1:] + [""]):
        if section.is_examples:
            section.items.append(Item(line.strip()))
        elif ITEM.match(line):
            section.items.append(_item(line, column, bool(following) and not ITEM.match(following)))
        elif section.items:
            section.items[-1].text = f"{section.items[-1].text} {line.strip()}".strip()
        else:
            raise ValueError(f"section {section.title} begins with the rest of an item: {line}")


def _description_column(lines: list[str]) -> int:
    """Where most descriptions of a section begin."""
    columns = [match.start(2) for line in lines if ITEM.match(line) and (match := TWO_COLUMNS.match(line))]
    return max(set(columns), key=columns.count) if columns else DESCRIPTION_COLUMN


def _item(line: str, column: int, goes_on: bool) -> Item:
    """An item whose description is in its line, behind two spaces or, where the name just fits, behind one; or in the next lines."""
    both = TWO_COLUMNS.match(line)
    if both:
        return Item(both[1].strip(), both[2])
    if not goes_on and line[column - 1:column] == " ":
        return Item(line[:column].strip(), line[column:].strip())
    return Item(line.strip())
