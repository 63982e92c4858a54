# SPDX-License-Identifier: GPL-2.0-only
"""How long flows took: which share of them needed at most so long."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from ..errors import Error
from .look import COLOURS, INK, SMALL, axes_of, dress, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..result import Result

WIDE = 30  # ratio of the slowest to the fastest above which the axis is logarithmic
MARKS = (0.5, 0.99)


def draw_completion_times(result: Result, ax: Axes | None, slowdown: bool, label: str | None) -> Axes:
    """Draws the curve of a result, of all flows whichever have rows."""
    values, flows = _slowdowns(result) if slowdown else _times(result)
    finished, planned = int(flows.sum()), int(result.attributes["flows_planned"])
    if not finished:
        raise Error(f"{result.path}: no flow finished, so there are no completion times")
    ax = axes_of(ax, 7.0, 4.0)
    first = not ax.lines
    factor, unit = (1.0, "") if slowdown else _unit_of(ax, float(values[-1]), first)
    values = values / factor
    share = flows.cumsum() / planned
    colour = COLOURS[len([line for line in ax.lines if line.get_gid() == "curve"]) % len(COLOURS)]
    name = label or f"{finished:,} flows"
    if finished < planned:
        name += f", {planned - finished:,} of {planned:,} did not finish"
    ax.step([values[0], *values], [0.0, *share], where="post", color=colour, label=name, linewidth=1.6, gid="curve")
    if values[-1] > WIDE * values[0] > 0:
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
    what = "slowdown: completion time over that of the flow alone" if slowdown else f"completion time [{unit}]"
    ax.set(xlabel=what, ylabel="share of flows that took at most this")
    ax.set_ylim(0, 1.03)
    for line, mark in enumerate(MARKS if first else ()):
        if mark <= share[-1]:
            _mark(ax, float(values[numpy.searchsorted(share, mark)]), f"{100 * mark:.0f} %", unit, line)
    if first:
        dress(ax)
    if label or finished < planned or not first:
        ax.legend(frameon=False, fontsize=SMALL, loc="upper left")
    else:
        ax.set_title(name, size=SMALL + 1, loc="left")
    return ax


def _unit_of(ax: Axes, longest_ps: float, first: bool) -> tuple[float, str]:
    """The unit of an axis that has curves stays."""
    if first:
        unit = time_unit(longest_ps)
        ax.heddle_unit = unit  # type: ignore[attr-defined]
    return getattr(ax, "heddle_unit", None) or time_unit(longest_ps)


def _times(result: Result) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Sorted times [ps] and the number of flows with each; exact if every flow has a row, else ends of bins at most 1/64 wide."""
    if result.attributes["flows_recorded"] == "all":
        times = result.flows(columns=["fct_ps"]).fct_ps.to_numpy()
        return numpy.unique(times[times >= 0], return_counts=True)
    bins = result.fct_histogram().sort_values("fct_to_ps")
    return bins.fct_to_ps.to_numpy(), bins.flows.to_numpy()


def _slowdowns(result: Result) -> tuple[numpy.ndarray, numpy.ndarray]:
    if result.attributes["flows_recorded"] == "all":
        values = result.flows(columns=["slowdown"]).slowdown.dropna().to_numpy()
        return numpy.unique(values, return_counts=True)
    bins = result.slowdown_histogram().groupby("slowdown_to").flows.sum()
    return bins.index.to_numpy(), bins.to_numpy()


def _mark(ax: Axes, value: float, share: str, unit: str, line: int) -> None:
    """A dotted line, and the value at its foot, where the curve is not; lines are above each other."""
    ax.axvline(value, color="#999999", linewidth=0.8, linestyle=":", zorder=1)
    place = ax.transAxes.inverted().transform(ax.transData.transform((value, 0)))[0]
    side = -1 if place > 0.75 else 1
    ax.annotate(f"{share}: {value:.4g}{' ' + unit if unit else ''}", (value, 0), xytext=(4 * side, 5 + 12 * line), textcoords="offset points",
                size=SMALL, color=INK, ha="left" if side > 0 else "right", bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6})
