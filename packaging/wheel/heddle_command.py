# SPDX-License-Identifier: GPL-2.0-only
"""The command heddle of a wheel: becomes the program beside it. It is outside of the package, whose import would cost each command 60 ms."""
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "heddle", "bin", "heddle")
NOT_FOUND = 127  # exit code of shells and of the loader


def main() -> None:
    """Runs the program with this process's arguments and environment in this process. Returns only by an exit code: 127 without it."""
    try:
        lacking = missing_libraries()
        if lacking:
            from heddle.libraries import advice
            sys.exit(said(f"{', '.join(lacking)}: not found on this machine{advice(lacking)}"))
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and a program would inherit that
            signal.signal(number, signal.SIG_DFL)
        os.execv(PROGRAM, ["heddle", *sys.argv[1:]])
    except OSError as error:
        sys.exit(said(f"{PROGRAM}: {error.strerror}: install the wheel again, or the wheel of this machine's processor"))


def missing_libraries() -> list[str]:
    """Names of the shared libraries that the loader does not find for the program. It runs nothing of the program to say so."""
    read, write = os.pipe()
    child = os.posix_spawn(PROGRAM, ["heddle"], {**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
                           file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    with open(read, encoding="utf-8", errors="replace") as pipe:
        lines = pipe.read().splitlines()
    os.waitpid(child, 0)
    return list(dict.fromkeys(line.split()[0] for line in lines if line.endswith("=> not found")))


def said(message: str) -> int:
    print("heddle:", message, file=sys.stderr)
    return NOT_FOUND
