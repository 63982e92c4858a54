#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the manual pages heddle(1), heddle-COMMAND(1) and heddle-plot(1), from what the programs print as their helps.

Usage: make_man.py HEDDLE -o FOLDER [--plot HEDDLE-PLOT] [--exit-codes docs/exit-codes.md]

Each command that `heddle --help` lists has a page. Where a command has commands of its own (heddle topo show, heddle analyze step), their
helps are sections of its page. The same program gives the same bytes. The paths of the pages are printed. Exit codes: 2 usage, 3 a help
that cannot be had or read.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "man"))

from help_text import HelpText, Item, Section, parse_help  # noqa: E402
from roff import body, bold, head, part_of_page, plain, section  # noqa: E402

WHEN_A_HELP_HANGS = 60  # s
COMMAND = re.compile(r"([a-z][a-z-]*) +(\S.*)$")


class Refused(Exception):
    """A program whose pages cannot be written, and why."""


def printed(words: list[str]) -> str:
    """What a command prints. It is asked without terminal, as nobody's mpirun, in lines that argparse does not wrap."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_", "HEDDLE"))}
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=WHEN_A_HELP_HANGS,
                              env={**environment, "COLUMNS": "400", "LC_ALL": "C.UTF-8"})
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Refused(f"{' '.join(words)}: {error}") from None
    if done.returncode != 0:
        raise Refused(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def help_of(words: list[str]) -> HelpText:
    try:
        return parse_help(printed([*words, "--help"]))
    except ValueError as error:
        raise Refused(f"{' '.join(words)} --help: {error}") from None


def commands_of(text: HelpText) -> list[Section]:
    """The sections of `heddle --help` that list commands, with a command and its summary in each item."""
    found = []
    for part in text.sections:
        items = [COMMAND.match(f"{entry.name} {entry.text}") for entry in part.items]
        if not part.is_examples and items and all(items):
            found.append(Section(part.title, [Item(match[1], match[2].strip()) for match in items]))
    return found


def inner_commands(command: str, text: HelpText) -> list[str]:
    """Words that may follow a command and have helps of their own: those that its usage names, and those that a section lists for a word
    in capitals of which the help says that it may be followed by --help (FABRIC --help: the sections Fabrics)."""
    words = [match[1] for line in text.usage if (match := re.match(rf"heddle {command} ([a-z][a-z-]*)\b", line))]
    whole = " ".join(text.usage + [entry.name for part in text.sections for entry in part.items])
    for group in re.findall(r"\b([A-Z]+) --help", whole):
        for part in text.sections:
            if part.title.upper().startswith(group):
                words += [entry.name for entry in part.items]
    return list(dict.fromkeys(words))


def exit_codes(page: pathlib.Path | None) -> Section:
    part = Section("Exit status")
    if page:
        for code, name, when in re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \|", page.read_text(encoding="utf-8"), re.MULTILINE):
            when = re.sub(r"\s*\(\[[^]]*\]\([^)]*\)\)|; see below$", "", when)  # where the page goes on
            when = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", when).replace("`", "")
            part.items.append(Item(code, f"{name}: {when}"))
        if not part.items:
            raise Refused(f"{page}: no table of exit codes")
    return part


def see_also(names: list[str]) -> list[str]:
    links = [f"{bold(name)}(1)" + ("," if name != names[-1] else "") for name in names]
    return [".SH \"SEE ALSO\"", *links, ".PP", plain("The guide and the reference pages: share/doc/heddle of the installation.")]


def main_page(version: str, text: HelpText, lists: list[Section], codes: Section, plot: bool) -> list[str]:
    about = re.sub(r"^heddle: ", "", " ".join(text.about))
    names = [entry.name for part in lists for entry in part.items]
    lines = [head("heddle", version), ".SH NAME", plain("heddle - packet-level simulator of AI training fabrics"),
             ".SH SYNOPSIS", *[line for way in text.usage for line in (".br", plain(way))], ".SH DESCRIPTION", plain(about)]
    lines.remove(".br")
    titles = {part.title: part for part in lists}
    for part in text.sections:
        if part.title in titles:
            lines.append(f'.SH "{plain(part.title.upper())}"')
            for entry in titles[part.title].items:
                lines += [".TP", bold(f"heddle-{entry.name}") + "(1)", plain(entry.text)]
        else:
            lines += section(part)
    return lines + (section(codes) if codes.items else []) + see_also([f"heddle-{name}" for name in names + ["plot"] * plot])


def command_page(version: str, program: str, command: str, summary: str, codes: bool) -> list[str]:
    text = help_of([program, command])
    name = f"heddle-{command}"
    lines = [head(name, version), ".SH NAME", plain(f"{name} - {summary}"), *body(text)]
    for word in inner_commands(command, text):
        lines += part_of_page(f"heddle {command} {word}", help_of([program, command, word]))
    if codes:
        lines += [".SH \"EXIT STATUS\"", plain("0 if it did what it was asked; the other codes are those of ") + bold("heddle") + "(1)."]
    return lines + see_also(["heddle"])


def plot_page(version: str, plot: str) -> list[str]:
    text = help_of([plot])
    lines = [head("heddle-plot", version), ".SH NAME", plain("heddle-plot - pictures of the results of heddle"), *body(text)]
    kinds = re.search(r"\b([a-z]+(?:\|[a-z]+)+)", " ".join(text.usage))
    for kind in kinds[1].split("|") if kinds else []:
        lines += part_of_page(f"heddle-plot {kind}", help_of([plot, kind]))
    return lines + see_also(["heddle", "heddle-report"])


def make(program: str, folder: pathlib.Path, plot: str | None, codes_page: pathlib.Path | None) -> list[pathlib.Path]:
    """Writes the pages into a folder, and returns their paths."""
    version = printed([program, "--version"]).split()[1]
    text, codes = help_of([program]), exit_codes(codes_page)
    lists = commands_of(text)
    if not lists:
        raise Refused(f"{program} --help lists no commands")
    pages = {"heddle": main_page(version, text, lists, codes, plot is not None)}
    for part in lists:
        for entry in part.items:
            pages[f"heddle-{entry.name}"] = command_page(version, program, entry.name, entry.text, bool(codes.items))
    if plot:
        pages["heddle-plot"] = plot_page(version, plot)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, lines in pages.items():
        path = folder / f"{name}.1"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        path.chmod(0o644)
        paths.append(path)
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="HEDDLE", help="the program")
    parser.add_argument("-o", "--output", metavar="FOLDER", type=pathlib.Path, required=True, help="where the pages go, such as share/man/man1")
    parser.add_argument("--plot", metavar="HEDDLE-PLOT", help="the program heddle-plot, which then has a page, too")
    parser.add_argument("--exit-codes", metavar="PAGE", type=pathlib.Path, help="docs/exit-codes.md, whose table heddle(1) repeats")
    given = parser.parse_args()
    try:
        print(*make(os.path.abspath(given.program), given.output, given.plot, given.exit_codes), sep="\n")
    except (Refused, OSError) as error:
        print(f"make_man: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
