#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints docs/python.md, the reference of the package, from its docstrings and signatures.

Usage: PYTHONPATH=io/python /usr/bin/python3 io/python/make_reference.py > docs/python.md
"""
from __future__ import annotations

import inspect
import sys
import textwrap
from typing import Any

import heddle

SECTIONS = {
    "Fabrics and workloads": ["Topology", "Workload"],
    "Runs": ["run", "estimate", "sweep", "options", "command", "find_program"],
    "Studies": ["bench", "compare_fabrics", "FabricComparison", "compare", "Comparison", "static"],
    "Results": ["open", "Result"],
    "Pictures": ["plot_bus_bandwidth"],
    "Errors": ["Error", "ProgramError", "UsageError", "InputError", "StalledError", "InvariantError", "FileError", "LowMemoryError",
               "RankLostError", "Checkpointed", "Interrupted", "DifferentError", "KilledError", "LaunchError", "RunWarning"],
}
HEAD = """# Python

Functions and classes of the package `heddle`, by its own docstrings (written by `io/python/make_reference.py`). [The
guide](guide/18-from-python.md) shows how they are used together, and how the package is had: by `PYTHONPATH`, or as a wheel with the
program inside.

Paths are text or anything with a path, as topologies and workloads are. In examples, `topology`, `workload` and `result` are some that
were made before. Factors from the units of results: `NS`, `US`, `MS`, `S` from ps, `KIB`, `MIB`, `GIB` from bytes; `FLOW_STATES` are the
names of `state` in `flows()`.
"""
WIDTH = 120
HELD = "\0"  # a blank at which no line is broken


def signature(name: str, function: Any) -> str:
    """The call as it is written, without self, in lines of WIDTH."""
    found = inspect.signature(function)
    parts = []
    for one in found.parameters.values():
        if one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        text = {one.VAR_KEYWORD: "**", one.VAR_POSITIONAL: "*"}.get(one.kind, "") + f"{one.name}: {one.annotation}".replace("PathText", "path")
        parts.append(text + ("" if one.default is one.empty else f" = {one.default!r}"))
    back = "" if found.return_annotation in ("None", found.empty) else f" -> {found.return_annotation}"
    line = f"{name}({', '.join(part.replace(' ', HELD) for part in parts)}){back.replace(' ', HELD)}"
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False)).replace(HELD, " ")


def body(thing: Any) -> str:
    """A docstring: its paragraphs, with indented lists and examples as blocks."""
    lines = (inspect.getdoc(thing) or "").split("\n")
    text, block = [], []
    for line in [*lines, ""]:
        verbatim = line.startswith((">>> ", "... ", "  ")) or (block and line and block[0].startswith(">>> "))
        if verbatim:
            block.append(line)
            continue
        if block:
            text += [*([""] if text and text[-1] else []), "```text" if not block[0].startswith(">>> ") else "```python", *inspect.cleandoc("\n".join(block)).split("\n"), "```"]
            block = []
        text.append(line)
    return "\n".join(text).strip()


def own(kind: type) -> list[tuple[str, Any]]:
    """Public methods and properties of a class, in the order of the source, those of Result's base too."""
    bases = [base for base in kind.__mro__ if base.__module__.startswith("heddle")]
    found: dict[str, Any] = {}
    for base in reversed(bases):
        found |= {name: value for name, value in vars(base).items() if not name.startswith("_")}
    return [(name, value) for name, value in found.items()
            if isinstance(value, (property, classmethod, staticmethod)) or inspect.isfunction(value)]


def called(name: str, function: Any) -> str:
    """A signature as a block."""
    return f"```python\n{signature(name, function)}\n```"


def entry(name: str) -> list[str]:
    """The part of the page about one name."""
    thing = getattr(heddle, name)
    if not inspect.isclass(thing):
        return [f"### {name}", called(f"heddle.{name}", thing), body(thing)]
    made = name in ("Topology", "Workload")
    parts = [f"### {name}", *([called(f"heddle.{name}", thing.__init__)] if made else []), body(thing)]
    short: list[str] = []
    for member, value in own(thing) if made or name == "Result" else []:
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        head = member if isinstance(value, property) else signature(member, function)
        if "\n" not in head and "\n" not in inspect.getdoc(function):
            short.append(f"- `{head}`: {inspect.getdoc(function)}")
        else:
            parts += [f"#### {name}.{member}", *([] if isinstance(value, property) else [called(f".{member}", function)]), body(function)]
    if short:
        parts += [f"#### Other members of {name}", "\n".join(short)]
    return parts


def page() -> str:
    """The whole page. Raises ValueError if a public name has no section, or a name no docstring."""
    named = {name for names in SECTIONS.values() for name in names}
    missing = {name for name in heddle.__all__ if not name.isupper()} ^ named
    if missing:
        raise ValueError(f"names in heddle.__all__ or in SECTIONS, but not in both: {', '.join(sorted(missing))}")
    parts = [HEAD.strip()]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}")
        for name in names:
            parts += entry(name)
    return "\n\n".join(part for part in parts if part) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
