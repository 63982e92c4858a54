# SPDX-License-Identifier: GPL-2.0-only
"""Results of a sweep that stay: how their files are named, and what is there from an earlier call."""
from __future__ import annotations

import os
import re
from typing import Any, Mapping, NamedTuple, Sequence

from . import workfiles
from .errors import FileError, InputError, ProgramError, UsageError
from .program import PathText


class Row(NamedTuple):
    """One run: what the table calls its values, and the keywords of its call."""
    labels: dict[str, Any]
    keywords: dict[str, Any]


class Place(NamedTuple):
    """Where a run's result goes. Without a file it goes with its object."""
    file: str | None
    begun: bool = False  # the file or a checkpoint of it was there before


def places_of(rows: Sequence[Row], output: PathText | None) -> list[Place]:
    """The place of each run. Raises UsageError if two runs would have the same."""
    if output is None:
        workfiles.folder()  # threads share it
        return [Place(None)] * len(rows)
    names: set[str] = set()
    places = []
    for row in rows:
        name = "_".join(_word(key, label) for key, label in row.labels.items())
        if name in names:
            raise UsageError(f"vary: two runs are named {name}. Expected: labels that differ, {{label: value, ...}}")
        names.add(name)
        file = os.path.join(os.path.abspath(output), f"{name}.h5")
        places.append(Place(file, os.path.exists(file) or os.path.exists(file + ".ckpt")))
    os.makedirs(output, exist_ok=True)
    return places


def _word(key: str, label: Any) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", str(label) if key in ("topology", "workload") else f"{key}-{label}")


def resumed(keywords: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """The keywords of a run that goes on from what an earlier call has left, if it is one that can."""
    can = place.file is not None and keywords.get("engine", "domain") == "domain" and keywords.get("backend") != "physical"
    return {"restart": "auto", **keywords} if can else dict(keywords)


def in_batches(places: Sequence[Place]) -> list[list[int]]:
    """Numbers of runs in the order to start them: first those that are there, for these are done at once or refused."""
    there = [at for at, place in enumerate(places) if place.begun and os.path.exists(str(place.file))]
    return [there, [at for at in range(len(places)) if at not in set(there)]]


def refuses(error: ProgramError, place: Place) -> bool:
    """Whether a run did not begin, for its file or its checkpoint is that of another run."""
    return place.begun and isinstance(error, (FileError, InputError)) and error.message.startswith(str(place.file))
