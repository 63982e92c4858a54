# SPDX-License-Identifier: GPL-2.0-only
"""Fabrics without tiers, whose switches are linked to each other: hubs, the links between them, and their GPUs."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy
from matplotlib.patches import Circle, PathPatch
from matplotlib.path import Path

from .fabric import rates_text
from .hubs import Hubs, place_of
from .look import INK, SMALL, count_text, ranges_text
from .tiers import GPU, LINK, SWITCH, SWITCHES, Paint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DOTS = 8  # GPUs of a switch that are drawn


def draw_direct(ax: Axes, net: Hubs, paint: Paint = None) -> None:
    """Draws the hubs, the links between them, and their GPUs; `paint` gives the colour of links."""
    radius = (0.2 if len(net.grid) == 2 else 0.11) if net.grid else min(0.1, 2.2 / len(net.hubs))
    _draw_links(ax, net, paint)
    for at, (hub, gpus) in enumerate(zip(net.hubs, net.gpus())):
        x, y = net.places[at]
        face = SWITCHES if net.bundled else SWITCH if net.level else GPU
        ax.add_patch(Circle((x, y), radius, facecolor=face, edgecolor=INK, linewidth=0.7, zorder=3))
        if net.bundled or radius > 0.055:
            ax.text(x, y, str(len(hub.members) if net.bundled else hub.nodes[0]), ha="center", va="center", size=6.5,
                    color=INK if net.bundled else "white", zorder=4)
        if net.level:
            _draw_gpus(ax, net, at, sorted(set(gpus)), radius)
    ax.set_aspect("equal")
    ax.axis("off")
    _write(ax, net)


def _draw_links(ax: Axes, net: Hubs, paint: Paint) -> None:
    most = max((net.fabric.rate[links].sum() for links in net.links.values()), default=1.0)
    parallel = any(len(links) > 1 for links in net.links.values())
    for (a, b), links in net.links.items():
        start, end = numpy.array(net.places[a]), numpy.array(net.places[b])
        middle = (start + end) / 2
        if net.grid:
            away = end - start
            length = float(numpy.hypot(*away))
            apart = sum(abs(x - y) for x, y in zip(place_of(a, net.grid), place_of(b, net.grid)))
            bend = 0.0 if apart == 1 else min(0.5, 0.1 + 0.1 * apart)
            middle = middle + 2 * bend * numpy.array([-away[1], away[0]]) / length * (1 if abs(away[0]) > abs(away[1]) else -1)
        else:
            middle = middle * 0.55
        width = 0.6 + min(4, 150 / len(net.links)) * (net.fabric.rate[links].sum() / most) ** 0.5 if parallel else 1.0
        colour = paint(links) if paint else LINK
        ax.add_patch(PathPatch(Path([start, middle, end], [1, 3, 3]), fill=False, edgecolor=colour, linewidth=width,
                               alpha=None if paint else max(0.2, min(0.8, 60 / len(net.links))), zorder=1))


def _draw_gpus(ax: Axes, net: Hubs, at: int, gpus: list[int], radius: float) -> None:
    """Dots behind a switch, away from the others; of many their number."""
    x, y = net.places[at]
    if net.grid:
        for i in range(len(gpus) if len(gpus) <= MOST_DOTS else 0):
            turn = math.pi * (0.28 - 0.16 * (i - (min(len(gpus), MOST_DOTS) - 1) / 2))
            ax.add_patch(Circle((x + 1.65 * radius * math.cos(turn), y + 1.65 * radius * math.sin(turn)), 0.05, facecolor=GPU, linewidth=0, zorder=3))
        if len(gpus) > MOST_DOTS:
            ax.text(x + 1.2 * radius, y + 1.2 * radius, str(len(gpus)), size=6.5, color=GPU, zorder=4)
        return
    out = 1 + 2.1 * radius
    if len(gpus) > MOST_DOTS:
        turn = math.degrees(math.atan2(y, x))
        flip = abs(turn) > 90
        ax.text(out * x, out * y, count_text(len(gpus), "GPU"), size=SMALL - 1, color=INK, rotation=turn + 180 * flip, rotation_mode="anchor",
                ha="right" if flip else "left", va="center")
        return
    for i in range(len(gpus)):
        row, turn = divmod(i, 2)
        side, far = (turn - (len(gpus) > 1) / 2) * radius, out + row * radius
        ax.add_patch(Circle((far * x - side * y, far * y + side * x), radius * 0.38, facecolor=GPU, linewidth=0, zorder=3))


def _write(ax: Axes, net: Hubs) -> None:
    """How many there are of what, right of the picture."""
    fabric = net.fabric
    between = [link for links in net.links.values() for link in links]
    to_gpus = numpy.flatnonzero(~fabric.scale_up & (fabric.level[fabric.a] != fabric.level[fabric.b]))
    lines = [count_text(fabric.gpus, "GPU")]
    if fabric.per_server > 1:
        lines += [f"  {count_text(-(-fabric.gpus // fabric.per_server), 'server')} of {fabric.per_server}"]
    if len(to_gpus):
        lines += [f"  {count_text(len(to_gpus), 'link')} to switches, {rates_text(fabric.rate[to_gpus])}"]
    if net.level:
        switches = sum(len(hub.members) for hub in net.hubs)
        lines += [count_text(switches, "switch", "switches")]
        if net.bundled:
            lines += [f"  {len(net.hubs)} bundles of {count_text(len(net.hubs[0].members), 'switch', 'switches')}",
                      f"  such as {ranges_text(net.hubs[0].nodes)}"]
    lines += [f"  {count_text(len(between), 'link')} between {'bundles' if net.bundled else 'them'}, {rates_text(fabric.rate[between])}"]
    xs, ys = zip(*net.places)
    room = 0.62 if net.grid else 0.55 if net.bundled else 0.4
    height = max(ys) - min(ys) + 2 * room
    ax.text(max(xs) + room + 0.03 * height, (min(ys) + max(ys)) / 2, "\n".join(lines), va="center", size=SMALL, color=INK, linespacing=1.5)
    ax.set(xlim=(min(xs) - room, max(xs) + room + 0.66 * height), ylim=(min(ys) - room, max(ys) + room))
