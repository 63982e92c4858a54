# SPDX-License-Identifier: GPL-2.0-only
"""A fabric as pictures need it: nodes with a kind and a level, links with a rate, servers."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Iterable, Sequence

import numpy

if TYPE_CHECKING:
    from ..result import Result
    from ..topology import Topology

_RATE = re.compile(r"([\d.]+(?:e[+-]?\d+)?)\s*([kKMGT]?)(?:bps|b/s|bit/s)", re.IGNORECASE)
_FACTORS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

#: Level of an NVSwitch within a server. GPUs have 0, switches with a GPU 1, those behind them 2, and so on.
WITHIN = -1


class Fabric:
    """Nodes are GPUs, then NVSwitches, then switches; `a`, `b`, `rate` [bit/s] have one value a link; `level` one a node."""

    def __init__(self, name: str, counts: tuple[int, int, int], per_server: int, a: Sequence[int], b: Sequence[int],
                 rate: Sequence[float]) -> None:
        self.name = name
        self.gpus, self.nvswitches, self.switches = counts
        self.nodes = sum(counts)
        self.per_server = max(1, per_server)
        self.a, self.b = numpy.asarray(a, dtype=int), numpy.asarray(b, dtype=int)
        self.rate = numpy.asarray(rate, dtype=float)
        self.server = numpy.full(self.nodes, -1)
        self.server[:self.gpus] = numpy.arange(self.gpus) // self.per_server
        self._place_nvswitches()
        self.level = self._levels()
        self.scale_up = (self.server[self.a] >= 0) & (self.server[self.a] == self.server[self.b])

    def _place_nvswitches(self) -> None:
        """NVSwitches whose neighbours are GPUs of one server are part of it; others are switches like any."""
        beside: dict[int, set[int]] = {}
        for here, there in zip([*self.a, *self.b], [*self.b, *self.a]):
            if self.gpus <= here < self.gpus + self.nvswitches:
                beside.setdefault(int(here), set()).add(int(self.server[there]))
        for node, servers in beside.items():
            if len(servers) == 1:
                self.server[node] = servers.pop()

    def _levels(self) -> numpy.ndarray:
        level = numpy.where(self.server >= 0, WITHIN, 0)
        level[:self.gpus] = 0
        outside = numpy.arange(self.nodes)[self.server < 0]
        level[outside] = self.nodes
        a, b = numpy.concatenate([self.a, self.b]), numpy.concatenate([self.b, self.a])
        reached, depth = level[a] == 0, 0
        while reached.any():
            depth += 1
            new = b[reached]
            new = new[level[new] == self.nodes]
            level[new] = depth
            reached = numpy.isin(a, new)
        level[level == self.nodes] = 1
        return level

    @property
    def title(self) -> str:
        """The name, and how large it is."""
        parts = [f"{self.gpus:,} GPUs", *([f"{self.switches:,} switch{'es' * (self.switches > 1)}"] if self.switches else [])]
        return f"{self.name}: {', '.join(parts)}" if self.name else ", ".join(parts)


def of_topology(topology: Topology) -> Fabric:
    """The fabric of a topology's file."""
    words = topology.text.split(maxsplit=2)
    links = topology.links()
    counts = (topology.gpus, topology.nvswitches, topology.switches)
    rates = {text: _rate(text) for text in set(links.rate)}
    return Fabric(topology.name, counts, int(words[1]), links.a, links.b, [rates[text] for text in links.rate])


def of_result(result: Result) -> Fabric:
    """The fabric that a result was simulated on."""
    shape, links = result.shape(), result.links()
    counts = (int(shape["gpus"]), int(shape["nvswitches"]), int(shape["switches"]))
    return Fabric("", counts, int(shape["gpus_per_server"]), links.a, links.b, links.rate_bps)


def _rate(text: str) -> float:
    found = _RATE.fullmatch(text)
    return float(found[1]) * _FACTORS[found[2].upper()] if found else float("nan")


def ports_of(fabric: Fabric) -> dict[tuple[int, int], tuple[int, int]]:
    """(node, port) -> (link, direction), 0 from a to b and 1 back. A node's ports count in the order of its links."""
    seen = [0] * fabric.nodes
    ports = {}
    for link, ends in enumerate(zip(fabric.a.tolist(), fabric.b.tolist())):
        for direction, node in enumerate(ends):
            ports[node, seen[node]] = (link, direction)
            seen[node] += 1
    return ports


def rates_text(rates: Iterable[float]) -> str:
    """The rates of some links, at most three."""
    from .look import rate_text
    found = sorted({rate for rate in rates if rate == rate})
    words = [rate_text(rate) for rate in found]
    return " or ".join(words) if len(words) <= 2 else f"{words[0]} to {words[-1]}"
