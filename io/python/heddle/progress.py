# SPDX-License-Identifier: GPL-2.0-only
"""How far a run is: its log as JSON, read while it is written, and a bar in a terminal or notebook."""
from __future__ import annotations

import json
import sys
import time
from typing import Any, Callable, Union

Event = dict[str, Any]
#: True, False, None (a bar where someone looks), or a function that gets each event of docs/formats/json-log.md.
Progress = Union[bool, None, Callable[[Event], None]]

FIRST_AFTER = 0.7  # [s] without a bar, so that short runs print nothing
WIDTH = 30


class LogReader:
    """Follows a file of one JSON object a line."""

    def __init__(self, path: str) -> None:
        self._path, self._at, self._rest = path, 0, b""

    def read(self) -> list[Event]:
        """What was added since the last call; an unfinished line waits for its end."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self._at)
                block = file.read()
        except FileNotFoundError:
            return []
        self._at += len(block)
        *lines, self._rest = (self._rest + block).split(b"\n")
        return [json.loads(line) for line in lines if line.strip()]


def text_of(event: Event) -> str:
    """A progress event in one line.

    >>> text_of({"share": 0.25, "time_ps": 1500000000, "left_seconds": 75.2})
    '[#######                       ]  25 %  1.500 ms, 1:15 left'
    """
    share = min(1.0, max(0.0, event.get("share", 0.0)))
    done = int(WIDTH * share)
    left = event.get("left_seconds")
    wait = "" if left is None else f", {int(left) // 60}:{int(left) % 60:02d} left"
    return f"[{'#' * done}{' ' * (WIDTH - done)}] {100 * share:3.0f} %  {event.get('time_ps', 0) * 1e-9:.3f} ms{wait}"


class TerminalBar:
    """Draws over one line of standard error, and clears it at the end."""

    def __init__(self) -> None:
        self._drawn = 0

    def show(self, event: Event) -> None:
        line = text_of(event)
        sys.stderr.write("\r" + line.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = max(self._drawn, len(line))

    def close(self) -> None:
        if self._drawn:
            sys.stderr.write("\r" + " " * self._drawn + "\r")
            sys.stderr.flush()


class NotebookBar:
    """One output of a notebook's cell, which changes."""

    def __init__(self) -> None:
        self._display: Any = None

    def show(self, event: Event) -> None:
        from IPython.display import HTML, display
        bar = HTML(f"<progress value='{event.get('share', 0):.4f}' max='1'></progress> <code>{text_of(event)[WIDTH + 2:].strip()}</code>")
        if self._display is None:
            self._display = display(bar, display_id=True)
        else:
            self._display.update(bar)

    def close(self) -> None:
        if self._display is not None:
            from IPython.display import HTML
            self._display.update(HTML(""))


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


class Follower:
    """Reads a run's log whenever it is called, keeps what matters, and shows how far the run is."""

    def __init__(self, path: str, progress: Progress) -> None:
        self._log, self._began = LogReader(path), time.monotonic()
        self._told = progress if callable(progress) else None
        self._bar: Union[TerminalBar, NotebookBar, None] = None
        if progress is True or progress is None and (in_notebook() or sys.stderr.isatty()):
            self._bar = NotebookBar() if in_notebook() else TerminalBar()
        self.warnings: list[str] = []
        self.error = ""

    def __call__(self) -> None:
        for event in self._log.read():
            if event["event"] == "warning":
                self.warnings.append(event["message"])
            elif event["event"] == "error":
                self.error = event["message"]
            elif event["event"] == "progress" and self._bar and time.monotonic() > self._began + FIRST_AFTER:
                self._bar.show(event)
            if self._told:
                self._told(event)

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar:
            self._bar.close()
