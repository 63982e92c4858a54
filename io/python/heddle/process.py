# SPDX-License-Identifier: GPL-2.0-only
"""A child process with all that it starts, which ends with it, however it ends."""
from __future__ import annotations

import glob
import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from typing import Callable, NamedTuple, Sequence

from .errors import LaunchError
from .libraries import advice

TICK = 0.2      # [s] between two calls of what wants to be called while a child runs
PATIENCE = 5.0  # [s] that a child has to end after a signal before it gets a harder one
LATE = 1.0      # [s] that an ended child's pipes may stay open, which its own children have


_thread = threading.local()  # has `stop`, an event, in threads whose commands another thread may end


class Stopped(BaseException):
    """Another thread ended what this one was doing."""


def stop_with(event: threading.Event) -> None:
    """Commands of this thread end, and raise Stopped, within TICK after the event is set."""
    _thread.stop = event


def check_stop() -> None:
    """Raises Stopped if this thread is to end."""
    event = getattr(_thread, "stop", None)
    if event is not None and event.is_set():
        raise Stopped


class Finished(NamedTuple):
    """How a child ended: exit code (negative: the signal), standard output, standard error."""
    code: int
    output: str
    errors: str


def finish(words: Sequence[str], tick: Callable[[], None] | None = None, at: str | None = None) -> Finished:
    """Runs a command in a session of its own, in the folder `at` or here, until it ends; meanwhile `tick` is called every TICK.

    Whatever is raised meanwhile, KeyboardInterrupt too, first ends all processes of the session. If this process is killed, the kernel
    interrupts the command.
    """
    if os.sep not in words[0] and shutil.which(words[0]) is None:
        raise LaunchError(f"{words[0]}: No such file or directory in $PATH{advice(words[:1])}", command=words)
    tied = shutil.which("setpriv")  # of Debian's util-linux
    tie = [tied, "--pdeathsig", "INT"] if tied else []
    try:
        child = subprocess.Popen([*tie, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True, cwd=at)
    except OSError as error:
        raise LaunchError(f"{words[0]}: {error.strerror}", command=words) from None
    try:
        output, errors = _read(child, tick)
        return Finished(child.wait(), output, errors)
    except BaseException:
        end(child)
        raise
    finally:
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()


def _read(child: subprocess.Popen[bytes], tick: Callable[[], None] | None) -> tuple[str, str]:
    """Both outputs, read until they end."""
    parts: dict[int, list[bytes]] = {}
    ended = None
    with selectors.DefaultSelector() as open_pipes:
        for pipe in (child.stdout, child.stderr):
            assert pipe is not None
            parts[pipe.fileno()] = []
            open_pipes.register(pipe, selectors.EVENT_READ)
        names = list(parts)
        next_tick = time.monotonic()
        while open_pipes.get_map() and (ended is None or time.monotonic() < ended + LATE):
            for key, _ in open_pipes.select(max(0.0, next_tick - time.monotonic())):
                block = os.read(key.fd, 1 << 16)
                parts[key.fd].append(block)
                if not block:
                    open_pipes.unregister(key.fileobj)
            if time.monotonic() >= next_tick:
                next_tick = time.monotonic() + TICK
                check_stop()
                if tick is not None:
                    tick()
                if ended is None and child.poll() is not None:
                    ended = time.monotonic()
    output, errors = (b"".join(parts[name]).decode("utf-8", "replace") for name in names)
    return output, errors


def end(child: subprocess.Popen[bytes]) -> None:
    """Ends a child and its session: as Ctrl-C would, so that mpirun ends its ranks and clears up; then by force.

    A second Ctrl-C meanwhile is force at once.
    """
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            _signal_group(child, number)
            if _ended(child):
                break
    except KeyboardInterrupt:
        pass
    finally:
        until = time.monotonic() + PATIENCE
        while members(child.pid) and time.monotonic() < until:
            for member in members(child.pid):
                _kill(member)
            time.sleep(0.01)
        child.wait()


def _signal_group(child: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(child.pid, number)
    except ProcessLookupError:
        pass


def _ended(child: subprocess.Popen[bytes]) -> bool:
    """Waits for the child; what it prints is read, so that no full pipe holds it up."""
    try:
        child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    except ValueError:  # its pipes were closed before
        return child.poll() is not None
    return True


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def members(session: int) -> list[int]:
    """Processes of a session that still run. Launchers give ranks process groups of their own, but not sessions."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                state, _, _, of, *_ = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(of) == session and state not in "ZX":
            found.append(int(path.split("/")[2]))
    return found
