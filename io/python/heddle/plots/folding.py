# SPDX-License-Identifier: GPL-2.0-only
"""What a picture draws as one: a server, a switch, or a bundle of many that have the same neighbours."""
from __future__ import annotations

from typing import Callable, Hashable

import numpy

from .fabric import Fabric

#: Bundles of a row above which nodes are bundled more coarsely.
FEW = 10


class Block:
    """One or more servers, or switches of one level: `nodes`, sorted (of servers their GPUs), in row `level`."""

    def __init__(self, level: int, members: list[list[int]]) -> None:
        self.level, self.members = level, members

    @property
    def nodes(self) -> list[int]:
        return sorted(node for member in self.members for node in member)


class Folded:
    """Blocks, and the links between two of them: {(block, block): numbers of links}, the lower number first."""

    def __init__(self, fabric: Fabric, blocks: list[Block]) -> None:
        self.fabric = fabric
        self.blocks = sorted(blocks, key=lambda block: (block.level, block.nodes[0]))
        self.block_of = numpy.full(fabric.nodes, -1)
        for at, block in enumerate(self.blocks):
            self.block_of[block.nodes] = at
        self._adopt_nvswitches()
        a, b = self.block_of[fabric.a], self.block_of[fabric.b]
        self.bundles: dict[tuple[int, int], list[int]] = {}
        for link in numpy.flatnonzero(~fabric.scale_up):
            key = (int(min(a[link], b[link])), int(max(a[link], b[link])))
            self.bundles.setdefault(key, []).append(int(link))

    def _adopt_nvswitches(self) -> None:
        """An NVSwitch is in the block of its server."""
        fabric = self.fabric
        first = {int(fabric.server[gpu]): self.block_of[gpu] for gpu in range(fabric.gpus - 1, -1, -1)}
        for node in range(fabric.gpus, fabric.gpus + fabric.nvswitches):
            if fabric.server[node] >= 0:
                self.block_of[node] = first[int(fabric.server[node])]

    def row(self, level: int) -> list[int]:
        """Numbers of the blocks of a level."""
        return [at for at, block in enumerate(self.blocks) if block.level == level]

    @property
    def levels(self) -> list[int]:
        return sorted({block.level for block in self.blocks})


def unfolded(fabric: Fabric) -> Folded:
    """Every server and every switch is a block of its own."""
    servers: dict[int, list[int]] = {}
    for gpu in range(fabric.gpus):
        servers.setdefault(int(fabric.server[gpu]), []).append(gpu)
    switches = [node for node in range(fabric.gpus, fabric.nodes) if fabric.server[node] < 0]
    return Folded(fabric, [Block(0, [gpus]) for gpus in servers.values()] + [Block(int(fabric.level[node]), [[node]]) for node in switches])


def folded(fabric: Fabric) -> Folded:
    """Blocks with the same neighbours are one, as long as there are such; where a row still has more than FEW, also those that have
    the same neighbours on one side."""
    now = _until_stable(unfolded(fabric), [_twins])
    if any(len(now.row(level)) > FEW for level in now.levels):
        now = _until_stable(now, [_twins, _same_below, _same_above])
    return now


Side = dict[int, tuple[float, float]]  # {neighbour: (bit/s, links) of a member}


class Near:
    """The neighbours of each block: all, and those of lower, of its own and of higher levels."""

    def __init__(self, now: Folded) -> None:
        blocks = now.blocks
        self.all: list[Side] = [{} for _ in blocks]
        for (one, other), links in now.bundles.items():
            rate = float(now.fabric.rate[links].sum())
            for here, there in ((one, other), (other, one)):
                members = len(blocks[here].members)
                self.all[here][there] = (round(rate / members, 3), round(len(links) / members, 6))
        self.below, self.beside, self.above = (
            [{there: what for there, what in side.items() if sign(blocks[there].level - blocks[at].level)}
             for at, side in enumerate(self.all)] for sign in (lambda up: up < 0, lambda up: up == 0, lambda up: up > 0))
        #: Of each level, how many sets of blocks are above something.
        self.sets = {level: len({tuple(sorted(self.above[at])) for at in now.row(level)}) for level in now.levels}


Rule = Callable[[Folded, int, Near], Hashable]


def _until_stable(now: Folded, rules: list[Rule]) -> Folded:
    while True:
        for rule in rules:
            new = _merged(now, rule)
            if len(new.blocks) < len(now.blocks):
                break
        else:
            return now
        now = new


def _merged(now: Folded, rule: Rule) -> Folded:
    """Blocks of one level for which the rule says the same, and not None, become one."""
    near = Near(now)
    groups: dict[Hashable, list[list[int]]] = {}
    for at, block in enumerate(now.blocks):
        said = rule(now, at, near)
        groups.setdefault((block.level, len(block.members[0]), at if said is None else (said,)), []).extend(block.members)
    return Folded(now.fabric, [Block(key[0], sorted(members)) for key, members in groups.items()])


def _amount(side: Side) -> Hashable:
    """How much a side is, whoever is there: links and bit/s."""
    return round(sum(links for _, links in side.values()), 3), round(sum(rate for rate, _ in side.values()), 0)


def _twins(now: Folded, at: int, near: Near) -> Hashable:
    return tuple(sorted(near.all[at].items())) if near.all[at] else None


def _same_below(now: Folded, at: int, near: Near) -> Hashable:
    """Switches of a pod between leaves and cores; spines of a group that are linked to those of others. Spines of two planes are not one."""
    below, above = near.below[at], near.above[at]
    if not below or not (near.beside[at] or above and now.blocks[at].level > 1):
        return None
    return tuple(sorted(below.items())), _amount(above)


def _same_above(now: Folded, at: int, near: Near) -> Hashable:
    """Leaves of a pod, a group, or a plane, if there are several."""
    below, above = near.below[at], near.above[at]
    if not below or not above or near.beside[at] or near.sets[now.blocks[at].level] < 2:
        return None
    return tuple(sorted(above.items())), _amount(below)
