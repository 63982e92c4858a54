# SPDX-License-Identifier: GPL-2.0-only
"""What GPUs did when: computing, and communication beside it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Sequence

import numpy

from ..errors import Error
from .look import INK, SMALL, axes_of, dress, time_unit

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from ..result import Result

MOST_GPUS = 8  # drawn without being asked for
PHASES = {"fwd": ("#C3CAD3", "forward"), "ig": ("#98A3B1", "input gradient"), "wg": ("#6C7988", "weight gradient")}
GROUPS = {"TP": "#0072B2", "PP": "#CC79A7", "EP": "#009E73", "DP": "#D55E00", "DP_EP": "#E69F00", "ALL": "#56B4E9", "CP": "#F0E442"}
COMPUTE = (0.52, 0.36)  # begin and height of a GPU's lane of computing; those of communication share what is below
BELOW = 0.46
INCHES_OF_LETTER = 0.068


def draw_timeline(result: Result, ax: Axes | None, gpus: Sequence[int] | None, passes: Sequence[int] | None) -> Axes:
    """Draws a band for each GPU: computing by phase above, communication by group below, one lane a group."""
    steps = _chosen(result, gpus, passes)
    rows = steps[["job", "gpu"]].drop_duplicates().sort_values(["job", "gpu"]).itertuples(index=False)
    bands = {(job, gpu): at for at, (job, gpu) in enumerate(rows)}
    groups = [name for name in GROUPS if (steps.group_type == name).any()]
    factor, unit = time_unit(float(steps.end_ps.max() - steps.start_ps.min()))
    ax = axes_of(ax, 9.5, 1.2 + 0.52 * len(bands) + 0.06 * len(bands) * max(0, len(groups) - 2))
    for (job, gpu), some in steps.groupby(["job", "gpu"]):
        base = -bands[job, gpu] - 1
        for phase, (colour, name) in PHASES.items():
            _bars(ax, some[(some.kind == "compute") & (some.phase == phase)], base + COMPUTE[0], COMPUTE[1], colour, name, factor)
        for lane, group in enumerate(groups):
            height = BELOW / len(groups)
            _bars(ax, some[some.group_type == group], base + BELOW - (lane + 1) * height + 0.02, 0.86 * height, GROUPS[group], group, factor)
    ax.set_xlim(steps.start_ps.min() / factor, steps.end_ps.max() / factor)
    ax.set_ylim(-len(bands), 0)
    _name_layers(ax, result, steps, bands, factor)
    several = len({job for job, _ in bands}) > 1
    ax.set_yticks([-at - 0.5 for at in bands.values()], [f"job {job}, GPU {gpu}" if several else f"GPU {gpu}" for job, gpu in bands], fontsize=SMALL)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"simulated time [{unit}]")
    dress(ax, "x")
    for at in range(1, len(bands)):
        ax.axhline(-at, color="#DDDDDD", linewidth=0.6, zorder=0)
    _legend(ax)
    return ax


def _chosen(result: Result, gpus: Sequence[int] | None, passes: Sequence[int] | None) -> pandas.DataFrame:
    """The steps to draw, with the type of the group that communicates."""
    steps = result.steps()
    there = numpy.sort(steps.gpu.unique())
    if gpus is None:
        gpus = there[::-(-len(there) // MOST_GPUS)]
    missing = [gpu for gpu in gpus if gpu not in there]
    if missing:
        raise Error(f"{result.path}: no time line of GPU {missing[0]}; there are those of {len(there)} GPUs" +
                    (f" from {there[0]} to {there[-1]}" if len(there) else ""))
    steps = steps[steps.gpu.isin(list(gpus))]
    if passes is not None:
        steps = steps[steps["pass"].isin(list(passes))]
    if steps.empty:
        raise Error(f"{result.path}: no steps of these GPUs and passes")
    of_pass = result.operations(columns=["job", "operation", "group_type"]).set_index(["job", "operation"]).group_type
    counts = of_pass.groupby(level="job").size()
    talks = steps[steps.operation >= 0]
    keys = list(zip(talks.job, talks.operation % talks.job.map(counts).to_numpy())) if len(talks) else []
    steps = steps.assign(group_type="")
    steps.loc[talks.index, "group_type"] = [of_pass[key] for key in keys]
    return steps


def _bars(ax: Axes, rows: pandas.DataFrame, y: float, height: float, colour: str, name: str, factor: float) -> None:
    if rows.empty:
        return
    bars = numpy.column_stack([rows.start_ps / factor, (rows.end_ps - rows.start_ps) / factor])
    ax.broken_barh(bars.tolist(), (y, height), facecolors=colour, edgecolors="white" if height > 0.3 else colour, linewidth=0.4, label=name)


def _name_layers(ax: Axes, result: Result, steps: pandas.DataFrame, bands: dict[tuple[int, int], int], factor: float) -> None:
    """Names of layers in the bars of computing that have room for them."""
    names = result.layers(columns=["job", "layer", "name"]).drop_duplicates(["job", "layer"]).set_index(["job", "layer"]).name.to_dict()
    span = ax.get_xlim()[1] - ax.get_xlim()[0]
    inches = 0.85 * ax.figure.get_figwidth() * ax.get_position().width / 0.78
    rows = steps[steps.kind == "compute"]
    for job, gpu, layer, phase, start, end in rows[["job", "gpu", "layer", "phase", "start_ps", "end_ps"]].itertuples(index=False):
        name = names.get((job, layer), "")
        if (end - start) / factor / span * inches > INCHES_OF_LETTER * len(name) + 0.05:
            y = -bands[job, gpu] - 1 + COMPUTE[0] + COMPUTE[1] / 2
            ax.text((start + end) / 2 / factor, y, name, ha="center", va="center", size=6.5, color="white" if phase == "wg" else INK, clip_on=True)


def _legend(ax: Axes) -> None:
    handles, names = ax.get_legend_handles_labels()
    one = dict(zip(names, handles))
    order = [name for name in [*[name for _, name in PHASES.values()], *GROUPS] if name in one]
    ax.legend([one[name] for name in order], order, frameon=False, fontsize=SMALL, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=len(order),
              borderaxespad=0.2, handlelength=1.2, columnspacing=1.2)
