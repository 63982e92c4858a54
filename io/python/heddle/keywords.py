# SPDX-License-Identifier: GPL-2.0-only
"""Keywords of Python as words of a command line.

A keyword is a flag of the command without its dashes (`passes=2`, `ignore_memory=True`), a key of `heddle options` with underscores
for its dots (`transport_congestion_control=3`), or SimAI's name of one (`CC_MODE=3`).
"""
from __future__ import annotations

import functools
import os
import re
from typing import Any, Mapping, NamedTuple

from .errors import UsageError, nearest
from .program import PathText, call, find_program

_FLAG = re.compile(r"^  (?:-\w+,)?--([a-z][\w-]*)(.*)$")
#: Keys whose values are files.
FILE_KEYS = ("controller.log",)
_KEY = re.compile(r"^([a-z]\w*(?:\.\w+)*) \((\S+)\)$")


class Names(NamedTuple):
    """What a command takes: flags without dashes and what their values are ("FILE", "auto|TIME", nothing for one that stands alone);
    and keys of --set by their keywords."""
    flags: Mapping[str, str]
    keys: Mapping[str, str]


@functools.lru_cache(maxsize=32)
def _names(program: str, changed: float, command: tuple[str, ...]) -> Names:
    flags = {}
    for line in call([program, *command, "--help"]).output.splitlines():
        found = _FLAG.match(line)
        if found:  # a value is named in capitals or by its choices behind one blank, a text follows behind more
            value = re.match(r" (\S+)", found[2])
            flags[found[1]] = value[1] if value else ""
    keys = {}
    if "set" in flags:
        for line in call([program, "options"]).output.splitlines():
            found = _KEY.match(line)
            if found:
                keys[found[1]] = keys[found[1].replace(".", "_")] = found[1]
                if found[2] != "-":
                    keys[found[2]] = found[1]
    return Names(flags, keys)


def names(program: str, *command: str) -> Names:
    """Flags and keys of a command, as its own help lists them."""
    return _names(program, os.path.getmtime(program), command)


def words(program: str, command: tuple[str, ...], options: Mapping[str, Any], at: str | None = None) -> list[str]:
    """The command line of keywords, for a command that runs in the folder `at`, or here. Raises UsageError with the nearest name for one
    that is unknown.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if not given:
        return []
    known = names(program, *command)
    line: list[str] = []
    for name, value in given.items():
        flag = name.replace("_", "-")
        if name == "set" and known.keys:
            line += words(program, command, value, at)
        elif flag in known.flags:
            line += _flag(f"--{flag}", value, known.flags[flag], at)
        elif name in known.keys:
            value = as_seen(value, at) if known.keys[name] in FILE_KEYS and value else value
            line += ["--set", f"{known.keys[name]}={text(value, at)}"]
        else:
            every = [one.replace("-", "_") for one in known.flags] + [one for one in known.keys if "." not in one]
            raise UsageError(f"unknown option '{name}'{nearest(name, every)}")
    return line


def _flag(flag: str, value: Any, kind: str, at: str | None) -> list[str]:
    if not kind:
        if not isinstance(value, bool):
            raise UsageError(f"{flag[2:].replace('-', '_')}={value!r}. Expected: True or False")
        return [flag] if value else []
    if isinstance(value, Mapping) and flag != "--job":  # record={"flows": "none"}
        return [word for name, one in value.items() for word in (flag, f"{name}={text(one, at)}")]
    many = value if isinstance(value, (list, tuple)) else [value]
    if flag == "--job":
        return [word for one in many for word in (flag, _job(one, at))]
    is_file = "FILE" in kind.replace("PROFILE", "FILE").split("|")
    return [word for one in many
            for word in (flag, as_seen(one, at) if is_file and text(one) not in kind.split("|") else text(one, at))]


def _job(job: Any, at: str | None) -> str:
    """A job that is a dictionary, or text as of the command line."""
    if isinstance(job, str):
        parts = [part.partition("=")[::2] for part in job.split(",")]
    else:
        parts = list(job.items())
    return ",".join(f"{name}={as_seen(value, at) if name == 'workload' else text(value, at)}" for name, value in parts)


def as_seen(path: PathText, at: str | None) -> str:
    """A path for a command that runs in the folder `at`: a file of that folder by its name alone, so that results that have it do not
    depend on where the folder is. Without `at` text stays as it is.
    """
    where = os.path.abspath(path)
    if at is None:
        return where if isinstance(path, os.PathLike) else os.fspath(path)
    return os.path.basename(where) if os.path.dirname(where) == at else where


def text(value: Any, at: str | None = None) -> str:
    """A value as the program reads it: lists with commas, what has a path by that.

    >>> [text(value) for value in (True, 0.5, ["queues", "links"], "400Gbps")]
    ['true', '0.5', 'queues,links', '400Gbps']
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(text(one, at) for one in value)
    return as_seen(value, at) if isinstance(value, os.PathLike) else str(value)


def options(pattern: str = "", program: PathText | None = None) -> str:
    """The keys of `run`, each with its unit, default and range, as `heddle options` prints them; only those with `pattern` in their text.

    >>> print(heddle.options("alpha_interval"))
    dcqcn.alpha_interval (ALPHA_RESUME_INTERVAL)
        time between two updates of alpha [us], default 1us, 1ns..1s; SimAI.conf
    """
    entries = re.split(r"\n(?=\S)", call([find_program(program), "options"]).output.rstrip())
    return "\n".join(entry for entry in entries if pattern.lower() in entry.lower())

