# SPDX-License-Identifier: GPL-2.0-only
"""Bus bandwidth of collectives by size: of a result, a sweep or a bench."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy

from ..errors import Error
from .look import COLOURS, SMALL, axes_of, dress, size_text

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from ..result import Result

MARKERS = "osD^vP*X"
BUSBW = "busbw_gbyte_per_s"


def rows_of_result(result: Result) -> pandas.DataFrame:
    """The finished collectives: size_bytes, bus bandwidth, and a name."""
    import pandas
    rows = result.collectives(columns=["op", "group_type", "bytes", "busbw", "end_ps"])
    rows = rows[(rows.end_ps >= 0) & (rows.busbw > 0)]
    return pandas.DataFrame({"size_bytes": rows.bytes, BUSBW: rows.busbw / 1e9, "name": rows.op + " " + rows.group_type})


def rows_of_table(table: pandas.DataFrame, by: Sequence[str] | None) -> pandas.DataFrame:
    """The same of a frame of heddle.bench, whose names are algorithms; or of heddle.sweep, whose names say what varied."""
    import pandas
    if {"size_bytes", BUSBW} <= set(table.columns):
        rows = table[["size_bytes", BUSBW]].copy()
        rows["name"] = _names(table, by if by is not None else [name for name in ("algorithm",) if name in table])
        return rows.dropna()
    if "result" not in table or "state" not in table:
        raise Error("expected a frame of heddle.bench or heddle.sweep, or one with the columns size_bytes and busbw_gbyte_per_s; it has "
                    + ", ".join(map(str, table.columns)))
    varied = list(table.columns[:list(table.columns).index("state")])
    parts = []
    for result, name in zip(table.result, _names(table, by if by is not None else _without_sizes(table, varied))):
        if result is not None and "collectives" in result.tables():
            rows = rows_of_result(result)
            rows["name"] = f"{name}, " + rows.name if name and rows.name.nunique() > 1 else name or rows.name
            parts.append(rows)
    return pandas.concat(parts, ignore_index=True) if parts else pandas.DataFrame({"size_bytes": [], BUSBW: [], "name": []})


def _without_sizes(table: pandas.DataFrame, varied: Sequence[str]) -> list[str]:
    """What varied, but for columns whose values are sizes: each has its own, and no other has it."""
    def sizes(result: Any) -> tuple[int, ...]:
        there = result is not None and "operations" in result.tables()
        return tuple(sorted(set(result.operations(columns=["bytes"]).bytes))) if there else ()
    of_rows = [sizes(result) for result in table.result]
    many = len(set(of_rows)) > 1
    return [name for name in varied
            if not (many and len(set(zip(table[name].astype(str), of_rows))) == table[name].astype(str).nunique() == len(set(of_rows)))]


def _names(table: pandas.DataFrame, columns: Sequence[str]) -> list[str]:
    missing = [name for name in columns if name not in table]
    if missing:
        raise Error(f"by: the frame has no column {missing[0]}; it has {', '.join(map(str, table.columns))}")
    plain = len(columns) == 1
    return [", ".join(str(value) if plain or isinstance(value, str) else f"{name} {value}" for name, value in zip(columns, row))
            for row in table[list(columns)].itertuples(index=False)]


def draw_bus_bandwidth(rows: pandas.DataFrame, ax: Axes | None, label: str | None) -> Axes:
    """A line for each name: the mean of each size, and a bar from the lowest to the highest."""
    if rows.empty:
        raise Error("no collective finished, so there is no bus bandwidth")
    ax = axes_of(ax, 7.0, 4.0)
    drawn = len(ax.lines)
    for at, (name, some) in enumerate(rows.groupby("name", sort=False), drawn):
        sizes = some.groupby("size_bytes")[BUSBW].agg(["mean", "min", "max"]).sort_index()
        colour = COLOURS[at % len(COLOURS)]
        text = f"{label}, {name}" if label and rows.name.nunique() > 1 else label or name
        ax.plot(sizes.index, sizes["mean"], color=colour, marker=MARKERS[at % len(MARKERS)], markersize=5, linewidth=1.5, label=text)
        if (sizes["max"] > sizes["min"]).any():
            ax.vlines(sizes.index, sizes["min"], sizes["max"], colors=colour, linewidth=3, alpha=0.35)
    _scale(ax)
    ax.set(xlabel="size of the buffer", ylabel="bus bandwidth [GB/s]")
    dress(ax)
    ax.legend(frameon=False, fontsize=SMALL)
    return ax


def _scale(ax: Axes) -> None:
    """Sizes in powers of two, each named; bandwidths from 0, or logarithmic where they spread."""
    sizes = sorted({float(x) for line in ax.lines for x in line.get_xdata()})
    lowest, highest = min(float(y) for line in ax.lines for y in line.get_ydata()), ax.dataLim.ymax
    ax.set_xscale("log", base=2)
    shown = sizes if len(sizes) <= 9 else sizes[::-(-len(sizes) // 9)]
    if len(sizes) > 1 and min(numpy.diff(numpy.log2(shown))) < 0.4:
        shown = [shown[0], *(b for a, b in zip(shown, shown[1:]) if numpy.log2(b / a) >= 0.4)]
    ax.set_xticks(shown, [size_text(size) for size in shown], fontsize=SMALL)
    ax.set_xticks([], minor=True)
    if len(sizes) == 1:
        ax.set_xlim(sizes[0] / 2, sizes[0] * 2)
    if highest > 100 * lowest > 0:
        ax.set_yscale("log")
    else:
        ax.set_ylim(0, 1.08 * highest)
