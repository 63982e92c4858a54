# SPDX-License-Identifier: GPL-2.0-only
"""Where switches are that are linked to each other: in a grid of two or three dimensions, or on a circle."""
from __future__ import annotations

import math

import numpy

from .fabric import Fabric
from .folding import Block, Folded, unfolded

#: Switches of a circle, and of a side of a grid; more are bundled.
MOST_ON_CIRCLE, MOST_BUNDLES, MOST_ON_SIDE = 48, 24, 10


def is_direct(fabric: Fabric) -> bool:
    """Whether all switches have GPUs, and some are linked to each other; or there are GPUs only."""
    level = fabric.level
    outside = ~fabric.scale_up
    beside = level[fabric.a[outside]] == level[fabric.b[outside]]
    return bool(level.max() <= 1 and beside.any())


class Hubs:
    """Hubs: the switches (or servers, where there are none) or bundles of them, with a place each, and their GPUs."""

    def __init__(self, fabric: Fabric, whole: bool | None = None) -> None:
        """`whole`: each hub has its own place, or not; None: if there is room for it."""
        self.fabric = fabric
        each = unfolded(fabric)
        self.level = 1 if (fabric.level == 1).any() else 0
        self.hubs = [each.blocks[at] for at in each.row(self.level)]
        self.links = self._links(each)
        self.grid = self._grid()
        self.bundled = not self.grid and len(self.hubs) > MOST_ON_CIRCLE if whole is None else not whole
        if self.bundled:
            self.grid = ()
            self._bundle()
        count = len(self.hubs)
        if self.grid:
            self.places = [self._place_in_grid(at) for at in range(count)]
        else:
            gaps = self._gaps()
            turns = numpy.cumsum([0.0] + [1 + gap for gap in gaps])[:-1] / (count + sum(gaps))
            self.places = [(math.sin(2 * math.pi * turn), math.cos(2 * math.pi * turn)) for turn in turns]

    def _links(self, drawn: Folded) -> dict[tuple[int, int], list[int]]:
        first = drawn.row(self.level)[0]
        return {(a - first, b - first): links for (a, b), links in drawn.bundles.items()
                if drawn.blocks[a].level == drawn.blocks[b].level == self.level and a != b}

    def _grid(self) -> tuple[int, ...]:
        """Sizes of the dimensions, two or three, if every link is along one of them; otherwise none."""
        count = len(self.hubs)
        lengths = [length for length in range(2, count // 2 + 1) if count % length == 0]
        flat = [(length, count // length) for length in lengths if max(length, count // length) <= 3 * min(length, count // length)]
        deep = [(one, other, count // one // other) for one in lengths for other in lengths if count % (one * other) == 0]
        for sizes in [*flat, *(sizes for sizes in deep if min(sizes) > 1)]:
            if max(sizes) <= MOST_ON_SIDE and all(sum(x != y for x, y in zip(place_of(a, sizes), place_of(b, sizes))) == 1 for a, b in self.links):
                return sizes
        return ()

    def _place_in_grid(self, hub: int) -> tuple[float, float]:
        """The third dimension goes up to the right."""
        x, y, z = (*place_of(hub, self.grid), 0)[:3]
        step = 1.0 if len(self.grid) == 2 else 0.5 + 0.3 * self.grid[2]
        return step * x + 0.36 * z, -step * y + 0.24 * z

    def _gaps(self) -> list[float]:
        """Room behind a hub on the circle: some where a group ends."""
        starts = set(self._groups())
        whole = len(starts) < 2 or 3 * len(starts) > len(self.hubs)
        return [0.0 if whole or (at + 1) % len(self.hubs) not in starts else 0.8 for at in range(len(self.hubs))]

    def _groups(self) -> list[int]:
        """Where runs of hubs begin that are all linked to each other."""
        starts = [0]
        for at in range(1, len(self.hubs)):
            if any((other, at) not in self.links for other in range(starts[-1], at)):
                starts.append(at)
        return starts

    def _bundle(self) -> None:
        """Hubs become bundles: groups if there are such, else runs of equal length."""
        starts = self._groups()
        if len(starts) * 3 > len(self.hubs):
            starts = list(range(len(self.hubs)))
        least = -(-len(starts) // MOST_BUNDLES)
        step = next((step for step in range(least, 2 * least) if len(starts) % step == 0), least)
        bounds = [*starts[::step], len(self.hubs)]
        of = {old: new for new, (begin, end) in enumerate(zip(bounds, bounds[1:])) for old in range(begin, end)}
        links: dict[tuple[int, int], list[int]] = {}
        for (a, b), some in self.links.items():
            if of[a] != of[b]:
                links.setdefault((of[a], of[b]), []).extend(some)
        self.links = links
        self.hubs = [Block(self.level, [member for hub in self.hubs[begin:end] for member in hub.members])
                     for begin, end in zip(bounds, bounds[1:])]

    def gpus(self) -> list[list[int]]:
        """GPUs of each hub."""
        hub_of = {node: at for at, hub in enumerate(self.hubs) for node in hub.nodes}
        found: list[list[int]] = [[] for _ in self.hubs]
        for a, b in zip(self.fabric.a.tolist(), self.fabric.b.tolist()):
            for gpu, hub in ((a, b), (b, a)):
                if gpu < self.fabric.gpus and hub in hub_of and self.level:
                    found[hub_of[hub]].append(gpu)
        return found if self.level else [hub.nodes for hub in self.hubs]


def place_of(hub: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The place of a hub in every dimension; the first changes fastest."""
    place = []
    for size in sizes:
        hub, rest = divmod(hub, size)
        place.append(rest)
    return tuple(place)
