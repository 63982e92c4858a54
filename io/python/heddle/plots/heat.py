# SPDX-License-Identifier: GPL-2.0-only
"""How busy links were: in the picture of the fabric, as a map of all ports, and tier by tier over time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

import numpy
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex

from ..errors import Error, UsageError
from .drawing import draw, fits
from .fabric import Fabric, of_result, ports_of
from .look import COLOURS, SMALL, axes_of, dress, time_unit
from .tiers import NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..result import Result

HEAT = LinearSegmentedColormap.from_list("heddle", ["#D3DAE3", "#F6C453", "#E4572E", "#7A0C1E"])
KINDS = ("fabric", "ports")


def utilisation(result: Result, fabric: Fabric) -> numpy.ndarray:
    """Of each link and direction: bits sent over what it could have carried until the end of the run, [links, 2]."""
    ports = result.ports(columns=["node", "port", "sent_bytes"])
    place = ports_of(fabric)
    sent = numpy.zeros((len(fabric.a), 2))
    for node, port, size in ports.itertuples(index=False):
        sent[place[int(node), int(port)]] += size
    seconds = result.attributes["simulated_ps"] * 1e-12
    if seconds <= 0 or not sent.any():
        raise Error(f"{result.path}: no link carried anything, so there is no heat")
    return 8 * sent / (fabric.rate[:, None] * seconds)


def draw_link_heat(result: Result, ax: Axes | None, kind: str | None) -> Axes:
    """Draws the fabric with its links in the colours of their use, or a map of all switches' ports."""
    if kind is not None and kind not in KINDS:
        raise UsageError(f"kind={kind!r}. Expected: {' or '.join(map(repr, KINDS))}, or None for the one that fits")
    fabric = of_result(result)
    percent = 100 * utilisation(result, fabric)
    factor, unit = time_unit(result.attributes["simulated_ps"])
    over = f"of {result.attributes['simulated_ps'] / factor:.4g} {unit}"
    scale = ScalarMappable(Normalize(0, float(percent.max())), HEAT)
    if (kind or ("fabric" if fits(fabric) else "ports")) == "ports" and fabric.switches:
        return _map(fabric, percent, ax, scale, over)
    busier = percent.max(axis=1)

    def paint(links: Sequence[int]) -> str:
        return to_hex(scale.to_rgba(busier[list(links)].max())) if len(links) else "#FFFFFF"

    ax = draw(fabric, ax, fits(fabric), paint)
    ax.set_title(f"{fabric.title}. Links: the busier direction, mean {over}", size=SMALL + 2, loc="left")
    _bar(ax, scale, "utilisation" if fits(fabric) else "utilisation of a bundle's busiest link")
    return ax


def _bar(ax: Axes, scale: ScalarMappable, text: str) -> None:
    bar = ax.figure.colorbar(scale, ax=ax, shrink=0.7, pad=0.01, aspect=24)
    bar.set_label(f"{text} [%]", size=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)


def _map(fabric: Fabric, percent: numpy.ndarray, ax: Axes | None, scale: ScalarMappable, over: str) -> Axes:
    """A column for each switch, tier by tier, a row for each of its ports."""
    switches = [node for node in range(fabric.gpus, fabric.nodes) if fabric.server[node] < 0]
    switches.sort(key=lambda node: (fabric.level[node], node))
    column = {node: at for at, node in enumerate(switches)}
    cells = {(port, column[node]): percent[place] for (node, port), place in ports_of(fabric).items() if node in column}
    picture = numpy.full((1 + max(port for port, _ in cells), len(switches)), numpy.nan)
    for place, value in cells.items():
        picture[place] = value
    ax = axes_of(ax, 9.5, 4.6)
    ax.imshow(picture, cmap=HEAT, norm=scale.norm, aspect="auto", origin="lower", interpolation="nearest")
    levels = fabric.level[switches]
    bounds = [0, *(numpy.flatnonzero(numpy.diff(levels)) + 1), len(switches)]
    for begin, end in zip(bounds, bounds[1:]):
        name = NAMES.get(int(levels[begin]), ("", f"level {levels[begin]}"))[1]
        ax.text((begin + end - 1) / 2, 1.01, f"{end - begin} {name}", transform=ax.get_xaxis_transform(), ha="center", va="bottom", size=SMALL)
        ax.axvline(end - 0.5, color="white", linewidth=3)
    ticks = sorted({*bounds[:-1], *(int(at) for at in numpy.linspace(0, len(switches) - 1, 8).round())})
    ticks = [at for i, at in enumerate(ticks) if i == 0 or at in bounds or at - ticks[i - 1] > len(switches) / 16]
    ax.set_xticks(ticks, [str(switches[at]) for at in ticks], fontsize=SMALL)
    ax.set(xlabel="switch", ylabel="port that sends")
    ax.spines[:].set_visible(False)
    ax.set_title(f"{fabric.title}. Ports of switches, mean {over}", size=SMALL + 2, loc="left", pad=20)
    _bar(ax, scale, "utilisation")
    return ax


def draw_tier_load(result: Result, ax: Axes | None) -> Axes:
    """A line for each tier of links: its utilisation in each interval."""
    load = result.tier_load()
    if load.empty:
        raise Error(f"{result.path}: no link carried anything, so tiers have no load")
    factor, unit = time_unit(float(load.to_ps.max()))
    ax = axes_of(ax, 8.0, 3.6)
    for at, (tier, rows) in enumerate(load.groupby("tier", sort=False)):
        ax.stairs(100 * rows.utilisation, [*(rows.from_ps / factor), rows.to_ps.iloc[-1] / factor], label=f"{tier} ({int(rows.links.iloc[0]):,})",
                  color=COLOURS[at % len(COLOURS)], linewidth=1.3, baseline=None)
    ax.set(xlabel=f"simulated time [{unit}]", ylabel="utilisation [%]", xlim=(0, load.to_ps.max() / factor))
    ax.set_ylim(bottom=0)
    dress(ax)
    ax.legend(frameon=False, fontsize=SMALL, title="tier (directed links)", title_fontsize=SMALL, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
