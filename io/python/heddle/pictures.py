# SPDX-License-Identifier: GPL-2.0-only
"""Pictures in one call. They need matplotlib, which is imported by the first of them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, Union

from .errors import Error

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Pictures:
    """What Result draws of itself. Each call draws into `ax`, or into new axes, and returns them."""

    def plot_completion_times(self: Any, ax: Axes | None = None, *, slowdown: bool = False, label: str | None = None) -> Axes:
        """Draws which share of the flows took at most how long. Flows that did not finish count, so that the curve ends below 1.

        `slowdown` is over the time of the same flow alone. Several results in one picture: give the axes that the first call returned as
        `ax`, and each a `label`. If not all flows have a row, times are exact to 1/64.

        >>> ax = result.plot_completion_times(label="first")
        >>> ax = result.plot_completion_times(ax, label="second")
        >>> ax.get_xlabel()[:17], [text.get_text() for text in ax.get_legend().get_texts()]
        ('completion time [', ['first', 'second'])
        """
        from .plots.times import draw_completion_times
        _check_run(self)
        return draw_completion_times(self, ax, slowdown, label)

    def plot_bus_bandwidth(self: Any, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draws the bus bandwidth of finished collectives by size, a line for each operation and type of group: their mean, with bars
        from the lowest to the highest.

        >>> result.plot_bus_bandwidth().get_ylabel()
        'bus bandwidth [GB/s]'
        """
        from .plots.bandwidth import draw_bus_bandwidth, rows_of_result
        _check_run(self)
        return draw_bus_bandwidth(rows_of_result(self), ax, label)

    def plot_timeline(self: Any, ax: Axes | None = None, *, gpus: Sequence[int] | None = None, passes: Sequence[int] | None = None) -> Axes:
        """Draws what GPUs computed (upper half of a band) and communicated (lower half, a lane for each type of group) over time.

        `gpus` are up to eight of all, spread evenly, unless given; `passes` are all. The table is that of steps().

        >>> ax = result.plot_timeline(gpus=[0, 8])
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['GPU 0', 'GPU 8']
        """
        from .plots.timeline import draw_timeline
        _check_run(self)
        return draw_timeline(self, ax, gpus, passes)

    def plot_link_heat(self: Any, ax: Axes | None = None, *, kind: str | None = None) -> Axes:
        """Draws how busy links were, as a share of what they could have carried until the end of the run.

        `kind` "fabric" is the picture of Topology.plot() with links in the colour of their busier direction, and bundles in that of their
        busiest link; "ports" is a map of all ports of switches. Without, it is the fabric if that shows each link.

        >>> result.plot_link_heat().get_title(loc="left")
        '16 GPUs, ...'
        """
        from .plots.heat import draw_link_heat
        _check_run(self)
        return draw_link_heat(self, ax, kind)

    def plot_tier_load(self: Any, ax: Axes | None = None) -> Axes:
        """Draws the utilisation of each tier of links over time, the table tier_load().

        >>> result.plot_tier_load().get_ylabel()
        'utilisation [%]'
        """
        from .plots.heat import draw_tier_load
        _check_run(self)
        return draw_tier_load(self, ax)


def _check_run(result: Any) -> None:
    if result.content != "run":
        raise Error(f"{result.path}: static congestion, which has no times. Expected: the result of a run")


def plot_bus_bandwidth(table: pandas.DataFrame, ax: Axes | None = None, *, by: Union[str, Sequence[str], None] = None) -> Axes:
    """Draws the bus bandwidth by size of a frame that heddle.bench or heddle.sweep returned. Returns the axes.

    A line is one algorithm of a bench, and one combination of what varied in a sweep; `by` names other columns.

    >>> table = heddle.sweep(topology, workload, vary={"CC_MODE": {"DCQCN": 1, "HPCC": 3}})
    >>> ax = heddle.plot_bus_bandwidth(table)
    >>> [line.get_label() for line in ax.lines]
    ['DCQCN', 'HPCC']
    """
    from .plots.bandwidth import draw_bus_bandwidth, rows_of_table
    return draw_bus_bandwidth(rows_of_table(table, [by] if isinstance(by, str) else by), ax, None)
