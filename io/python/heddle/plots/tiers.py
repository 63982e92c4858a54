# SPDX-License-Identifier: GPL-2.0-only
"""Fabrics with tiers: servers at the bottom, leaves, spines and cores above them, links between."""
from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Iterator, Sequence, Union

import numpy
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path

from .fabric import Fabric, rates_text
from .folding import Block, Folded
from .look import COLOURS, FAINT, INK, PAPER, SMALL, count_text, ranges_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Blocks of a row that are drawn; of more the first MOST_OF_MANY and the last.
MOST, MOST_OF_MANY = 12, 5
WIDTH, HALF = 100.0, 0.17  # of a row; half of a box's height, where rows are 1 apart
NAMES = {0: ("GPU", "GPUs"), 1: ("leaf", "leaves"), 2: ("spine", "spines"), 3: ("core", "cores")}
GPU, SWITCH, LINK, SERVERS, SWITCHES = "#6F90BC", "#5B6470", "#8494A8", "#DCE6F2", "#E4E6E9"
LETTERS = 1.1  # that have room in a width of 1

#: Colour of a bundle of links, by their numbers; without, the picture's own.
Paint = Union[Callable[[Sequence[int]], str], None]


class Tiers:
    """Where the blocks are, and what is left out."""

    def __init__(self, ax: Axes, drawn: Folded, whole: bool, paint: Paint) -> None:
        self.ax, self.drawn, self.fabric, self.whole, self.paint = ax, drawn, drawn.fabric, whole, paint
        self.rows = {level: self._shown(level) for level in drawn.levels}
        self.x: dict[int, float] = {}
        self.width: dict[int, float] = {}
        for level, row in self.rows.items():
            self._place(level, row)
        self.anchors = self._gpu_anchors() if whole else {}
        self.railed = whole and self._railed()

    def _shown(self, level: int) -> list[int]:
        row = self.drawn.row(level)
        if self.whole or len(row) <= MOST:
            return row
        return [*row[:MOST_OF_MANY], row[-1]]

    def _place(self, level: int, row: list[int]) -> None:
        gap = len(row) < len(self.drawn.row(level))
        slots = len(row) + gap
        for slot, at in enumerate(row):
            slot += gap and at == row[-1]
            self.x[at] = WIDTH * (slot + 0.5) / slots
            self.width[at] = min(0.86 * WIDTH / slots, 4.0 if self.whole and (level or self.fabric.per_server == 1) else 24.0)
        if gap:
            hidden = len(self.drawn.row(level)) - len(row)
            self.ax.text(WIDTH * (slots - 1.5) / slots, level, f"…\n{hidden:,} more", ha="center", va="center", size=SMALL, color=INK)

    def _gpu_anchors(self) -> dict[int, float]:
        """The middle of each GPU."""
        found = {}
        for at in self.rows[0]:
            gpus = self.drawn.blocks[at].nodes
            step = 0.92 * self.width[at] / len(gpus)
            for i, gpu in enumerate(gpus):
                found[gpu] = self.x[at] + (i - (len(gpus) - 1) / 2) * step
        return found

    def _railed(self) -> bool:
        """Whether GPUs of a server are at different leaves."""
        leaves: dict[int, set[int]] = {}
        for a, b in zip(self.fabric.a.tolist(), self.fabric.b.tolist()):
            for gpu, other in ((a, b), (b, a)):
                if gpu < self.fabric.gpus and self.fabric.server[other] < 0:
                    leaves.setdefault(gpu, set()).add(other)
        return any(leaves.get(gpu) != leaves.get(gpu - 1) for gpu in range(1, self.fabric.gpus)
                   if self.fabric.server[gpu] == self.fabric.server[gpu - 1])

    # ---- boxes -------------------------------------------------------------------------------------------------------
    def boxes(self) -> None:
        for level, row in self.rows.items():
            for at in row:
                block = self.drawn.blocks[at]
                if level == 0 and self.whole and self.fabric.per_server > 1:
                    self._server(at, block)
                elif self.whole:
                    number = str(block.nodes[0]) if self.width[at] >= 2.6 else ""
                    self._box(at, level, SWITCH if level else GPU, number, "white")
                else:
                    self._box(at, level, SWITCHES if level else SERVERS, self._said(at, level, block), INK)

    def _said(self, at: int, level: int, block: Block) -> str:
        """What a bundle has, and the numbers of its nodes as far as there is room."""
        servers = level == 0 and self.fabric.per_server > 1
        what = ("server", "servers") if servers else self._names(level)
        room, prefix = self.width[at] * LETTERS, "GPU " if servers and self.width[at] >= 14 else ""
        numbers = next((text for text in (ranges_text(block.nodes, most) for most in (3, 2, 1)) if len(prefix + text) <= room), "")
        return f"{count_text(len(block.members), *what)}\n{prefix if numbers else ''}{numbers}".rstrip()

    def _box(self, at: int, level: int, face: str, text: str, ink: str) -> None:
        width = self.width[at]
        self.ax.add_patch(FancyBboxPatch((self.x[at] - width / 2, level - HALF), width, 2 * HALF, facecolor=face, edgecolor=INK,
                                         linewidth=0.7, boxstyle="round,pad=0,rounding_size=0.06", mutation_aspect=0.1, zorder=2))
        size = SMALL if width >= 14 else 6.5
        self.ax.text(self.x[at], level, text, ha="center", va="center", size=size, color=ink, zorder=3, linespacing=1.3)

    def _server(self, at: int, block: Block) -> None:
        """A frame, a square for each GPU, and a bar if it has NVSwitches."""
        gpus, width = block.nodes, self.width[at]
        inside = any(self.fabric.server[node] == self.fabric.server[gpus[0]]
                     for node in range(self.fabric.gpus, self.fabric.gpus + self.fabric.nvswitches))
        self.ax.add_patch(Rectangle((self.x[at] - width / 2, -HALF), width, 2 * HALF, facecolor=PAPER, edgecolor=FAINT, linewidth=0.7, zorder=2))
        step = 0.92 * width / len(gpus)
        for i, gpu in enumerate(gpus):
            colour = COLOURS[i % len(COLOURS)] if self.railed and not self.paint else GPU
            self.ax.add_patch(Rectangle((self.anchors[gpu] - 0.4 * step, -0.02), 0.8 * step, HALF - 0.02, facecolor=colour, linewidth=0, zorder=3))
        if inside:
            links = numpy.flatnonzero(self.fabric.scale_up & (self.fabric.server[self.fabric.a] == self.fabric.server[gpus[0]]))
            colour = self.paint(links.tolist()) if self.paint else "#A9B4A0"
            self.ax.add_patch(Rectangle((self.x[at] - 0.46 * width, -HALF + 0.03), 0.92 * width, 0.07, facecolor=colour, linewidth=0, zorder=3))

    # ---- links -------------------------------------------------------------------------------------------------------
    def links(self) -> None:
        most = max((self.fabric.rate[links].sum() for links in self.drawn.bundles.values()), default=1.0)
        for (one, other), links in self.drawn.bundles.items():
            if one not in self.x or other not in self.x:
                continue
            low, high = self.drawn.blocks[one].level, self.drawn.blocks[other].level
            width = 0.9 if self.whole else 0.8 + 5 * (self.fabric.rate[links].sum() / most) ** 0.5
            if low == high:
                self._arc(one, other, low, links, width)
                continue
            for start, ours in self._starts(one, links):
                line = [(start, low + HALF), (self.x[other], high - HALF)]
                self.ax.add_collection(LineCollection([line], colors=self._colour(one, ours), linewidths=width, alpha=None if self.paint else 0.75,
                                                      zorder=1, capstyle="round"))

    def _starts(self, block: int, links: list[int]) -> Iterator[tuple[float, list[int]]]:
        """Where links begin: at their GPUs if these are drawn, else at the block."""
        if not self.whole or self.drawn.blocks[block].level:
            yield self.x[block], links
            return
        ours: dict[int, list[int]] = {}
        for link in links:
            gpu = min(int(self.fabric.a[link]), int(self.fabric.b[link]))
            ours.setdefault(gpu, []).append(link)
        for gpu, some in ours.items():
            yield self.anchors.get(gpu, self.x[block]), some

    def _colour(self, block: int, links: list[int]) -> str:
        if self.paint:
            return self.paint(links)
        if self.railed and self.drawn.blocks[block].level == 0:
            gpu = min(int(self.fabric.a[links[0]]), int(self.fabric.b[links[0]]))
            return COLOURS[gpu % self.fabric.per_server % len(COLOURS)]
        return LINK

    def _arc(self, one: int, other: int, level: int, links: list[int], width: float) -> None:
        """Between blocks of one row, above it."""
        a, b = self.x[one], self.x[other]
        side = -1 if level == 0 else 1
        top = level + side * (HALF + 0.25 + 0.9 * abs(b - a) / WIDTH)
        path = Path([(a, level + side * HALF), (a, top), (b, top), (b, level + side * HALF)], [1, 4, 4, 4])
        self.ax.add_patch(PathPatch(path, fill=False, edgecolor=self._colour(one, links), linewidth=width, alpha=None if self.paint else 0.7,
                                    zorder=1))

    # ---- texts -------------------------------------------------------------------------------------------------------
    def texts(self) -> None:
        """On the right: how many there are of what, and the links between."""
        fabric, x = self.fabric, WIDTH + 2
        for level in self.drawn.levels:
            self.ax.text(x, level, self._row_text(level), va="center", size=SMALL, color=INK, linespacing=1.35)
        between: dict[tuple[int, int], list[int]] = {}
        for (one, other), links in self.drawn.bundles.items():
            between.setdefault((self.drawn.blocks[one].level, self.drawn.blocks[other].level), []).extend(links)
        for (low, high), links in between.items():
            text = f"{count_text(len(links), 'link')}\n{rates_text(fabric.rate[links])}"
            y = (low + high) / 2 if low != high else low + (0.5 if low else -0.5)
            self.ax.text(x, y, text, va="center", size=SMALL, color="#6E7B8B", linespacing=1.35)

    def _names(self, level: int) -> tuple[str, str]:
        """One of a level, and several."""
        fabric = self.fabric
        nodes = numpy.flatnonzero(fabric.level == level)
        if level and (nodes < fabric.gpus + fabric.nvswitches).all():
            return "NVSwitch", "NVSwitches"
        return NAMES.get(level, (f"switch of level {level}", f"switches of level {level}"))

    def _row_text(self, level: int) -> str:
        fabric = self.fabric
        if level:
            return count_text(int((fabric.level == level).sum()), *self._names(level))
        if fabric.per_server == 1:
            return count_text(fabric.gpus, "GPU")
        servers = -(-fabric.gpus // fabric.per_server)
        text = f"{count_text(servers, 'server')} of {count_text(fabric.per_server, 'GPU')}"
        inside = int((fabric.server[fabric.gpus:] >= 0).sum())
        if inside:
            a_gpu = fabric.rate[fabric.scale_up].sum() / fabric.gpus
            text += f"\n{count_text(inside // servers, 'NVSwitch', 'NVSwitches')} each,\n{rates_text([a_gpu])} a GPU"
        return text


def draw_tiers(ax: Axes, drawn: Folded, whole: bool, paint: Paint = None) -> None:
    """Draws all of it, or bundles; `paint` gives the colour of links."""
    picture = Tiers(ax, drawn, whole, paint)
    picture.links()
    picture.boxes()
    picture.texts()
    arcs = any(drawn.blocks[a].level == drawn.blocks[b].level for a, b in drawn.bundles)
    ax.set(xlim=(-1, WIDTH + 24), ylim=(-0.35, drawn.levels[-1] + (1.3 if arcs else 0.35)))
    ax.axis("off")
