# SPDX-License-Identifier: GPL-2.0-only
"""Where the program is, and how one of its commands is run to its end."""
from __future__ import annotations

import os
import shutil
import sys
from typing import Sequence, Union

from .errors import LaunchError, error_of
from .process import Finished, finish

PathText = Union[str, "os.PathLike[str]"]


def find_program(program: PathText | None = None) -> str:
    """The path of the program heddle: `program` if given, else $HEDDLE, else the one that belongs to this package (inside of a wheel, in bin
    of the same installation, or in build/release of the same sources), else the first in $PATH.

    >>> heddle.find_program("/nowhere/heddle")
    Traceback (most recent call last):
    ...
    heddle.LaunchError: /nowhere/heddle (program=): no program that can be run
    """
    if program is not None:
        return _runnable(os.fspath(program), "program=")
    if os.environ.get("HEDDLE"):
        return _runnable(os.environ["HEDDLE"], "$HEDDLE")
    for path in _beside():
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    found = shutil.which("heddle")
    if found is None:
        raise LaunchError("the program heddle was not found: not beside this package, not in $PATH. Put its folder into $PATH, or its "
                          "path into $HEDDLE or program=")
    return os.path.abspath(found)


def _runnable(path: str, source: str) -> str:
    found = shutil.which(os.path.expanduser(path))
    if found is None:
        raise LaunchError(f"{path} ({source}): no program that can be run")
    return os.path.abspath(found)


def _beside() -> list[str]:
    """Places of the program that belong to this file's place."""
    here = os.path.dirname(os.path.abspath(__file__))
    up = [os.path.normpath(os.path.join(here, *[".."] * steps)) for steps in range(5)]
    return [os.path.join(here, "bin", "heddle"),                # a wheel
            os.path.join(up[4], "bin", "heddle"),               # PREFIX/share/heddle/python/heddle
            os.path.join(up[3], "build", "release", "heddle"),  # SOURCES/io/python/heddle
            os.path.join(sys.prefix, "bin", "heddle")]          # a virtual environment


def command(*words: object, program: PathText | None = None) -> str:
    """Runs a command of the program, and returns what it prints to standard output.

    Raises the exception of its exit code. Each word is one argument; nothing is read by a shell.

    >>> heddle.command("collective", "allreduce", "--ranks", 2, "--bytes", "1MiB").splitlines()[0]
    'operation   ALLREDUCE of 1048576 bytes over 2 ranks in 1 server'
    """
    return call([find_program(program), *map(str, words)]).output


def call(words: Sequence[str]) -> Finished:
    """The same for a command whose first word is the program; returns both outputs."""
    done = finish(words)
    if done.code != 0:
        raise error_of(done.code, done.errors, words)
    return done
