# SPDX-License-Identifier: GPL-2.0-only
"""What can go wrong, as exceptions: one class for each exit code of docs/exit-codes.md."""
from __future__ import annotations

import difflib
import re
import signal
from typing import TYPE_CHECKING, Iterable, Sequence

from .libraries import lacking

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Error", "ProgramError", "DifferentError", "UsageError", "InputError", "StalledError", "InvariantError", "FileError",
           "LowMemoryError", "RankLostError", "Checkpointed", "Interrupted", "KilledError", "LaunchError", "RunWarning"]


class Error(Exception):
    """Anything that this package refuses: also a file that is no result, or a table or column that a result lacks."""
    __module__ = "heddle"


class RunWarning(UserWarning):
    """What a run that went on warned of: the text of its line `heddle: warning:`."""
    __module__ = "heddle"


class ProgramError(Error):
    """The program ended with an exit code that is not 0. Each code has a class of its own.

    Attributes:
      message    what the program said, without `heddle:` before it
      exit_code  its exit code; None if it never ran
      command    the command's words
      output     all that it printed to standard error
      result     of a run that stalled: the open Result, in which unfinished flows have a state; otherwise None
    """
    __module__ = "heddle"
    exit_code: int | None = None

    def __init__(self, message: str, *, command: Sequence[str] = (), exit_code: int | None = None, output: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.command = list(command)
        self.output = output
        self.result: Result | None = None
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return self.message if self.exit_code is None else f"{self.message} (exit code {self.exit_code})"


class DifferentError(ProgramError):
    """Exit code 1: two results are different."""
    __module__, exit_code = "heddle", 1


class UsageError(ProgramError):
    """Exit code 2: an unknown option or keyword, one missing, or two that exclude each other.

    >>> heddle.run(topology, workload, pases=2)
    Traceback (most recent call last):
    ...
    heddle.UsageError: unknown option 'pases'; the nearest is 'passes' (exit code 2)
    """
    __module__, exit_code = "heddle", 2


class InputError(ProgramError):
    """Exit code 3: a file or value that cannot be used.

    >>> heddle.Topology("spectrum-x", gpus=16, bandwidth="100")
    Traceback (most recent call last):
    ...
    heddle.InputError: Spectrum-X: rate GPU-leaf (-bw) "100". Expected: a rate ... with its unit, such as 400Gbps (exit code 3)
    """
    __module__, exit_code = "heddle", 3


class StalledError(ProgramError):
    """Exit code 4: flows or programs of GPUs did not end, and nothing was left to happen. `result` has what there is."""
    __module__, exit_code = "heddle", 4


class InvariantError(ProgramError):
    """Exit code 5: a promise of the simulator broke. Please report it, and do not use the result."""
    __module__, exit_code = "heddle", 5


class FileError(ProgramError):
    """Exit code 6: an output exists (`force=True` replaces it), or writing failed."""
    __module__, exit_code = "heddle", 6


class LowMemoryError(ProgramError):
    """Exit code 7: too little memory. `ignore_memory=True` runs against the estimate."""
    __module__, exit_code = "heddle", 7


class RankLostError(ProgramError):
    """Exit code 8: a rank hangs."""
    __module__, exit_code = "heddle", 8


class Checkpointed(ProgramError):
    """Exit code 85: `max_wall` or a signal ended the run, and it is saved. The same call with `restart="auto"` goes on."""
    __module__, exit_code = "heddle", 85


class Interrupted(ProgramError):
    """Exit code 130: someone else sent SIGINT. Ctrl-C, or a notebook's stop button, is Python's KeyboardInterrupt instead."""
    __module__, exit_code = "heddle", 130


class KilledError(ProgramError):
    """A signal killed the program, or one of its ranks; exit codes above 128, as shells count."""
    __module__ = "heddle"


class LaunchError(ProgramError):
    """The program, mpirun or a shared library was not found, or mpirun could not start its ranks; exit codes are mpirun's."""
    __module__ = "heddle"


BY_CODE = {kind.exit_code: kind for kind in (DifferentError, UsageError, InputError, StalledError, InvariantError, FileError,
                                             LowMemoryError, RankLostError, Checkpointed, Interrupted)}
_NOT_ERRORS = ("heddle: warning:", "heddle: note:")
_LAUNCHER_TALKS = re.compile(r"^(-{20,}|={20,}|\[[\w.-]+:\d+\]|mpirun\b|prterun\b|srun: )")


def message_of(output: str) -> str:
    """The error that the program printed among other lines; empty if there is none.

    >>> message_of("heddle: note: a leaf\\nt=1 ms\\nheddle: 1 flow did not finish:\\n  GPU 0\\n-----------------------\\nmpirun")
    '1 flow did not finish:\\n  GPU 0'
    """
    lines = output.splitlines()
    begin = next((at for at, line in enumerate(lines) if line.startswith("heddle: ") and not line.startswith(_NOT_ERRORS)), len(lines))
    message: list[str] = []
    for line in lines[begin:]:
        if _LAUNCHER_TALKS.match(line):
            break
        message.append(line.removeprefix("heddle: "))
    return "\n".join(message).rstrip()


def error_of(code: int, output: str, command: Sequence[str], message: str = "") -> ProgramError:
    """The exception for an exit code (as of subprocess: negative for signals) and what was printed."""
    message = message or message_of(output)
    number = -code if code < 0 else code - 128
    if code not in BY_CODE and 0 < number < signal.NSIG:
        said = f": {message}" if message else ""
        return KilledError(f"killed by {signal.Signals(number).name}{said}", command=command, exit_code=128 + number, output=output)
    if code not in BY_CODE or not message or code == 1 and "compare" not in command:
        last = output.strip() or "it printed nothing"
        message = lacking(output) or f"{command[0]} failed: {last[-2000:]}"
        return LaunchError(message, command=command, exit_code=code, output=output)
    return BY_CODE[code](message, command=command, output=output)


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: "; the nearest is 'X'", or nothing if none is near.

    >>> nearest("pases", ["passes", "seed"])
    "; the nearest is 'passes'"
    """
    lower = {one.lower(): one for one in known}
    found = difflib.get_close_matches(name.lower(), lower, n=1)
    return f"; the nearest is '{lower[found[0]]}'" if found else ""
