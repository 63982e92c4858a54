# SPDX-License-Identifier: GPL-2.0-only
"""Results: a call for each table of docs/formats/result.md, and of docs/formats/congestion.md."""
from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

from .errors import Error, FileError
from .pictures import Pictures
from .program import PathText
from .result_file import Columns, ResultFile

if TYPE_CHECKING:
    import pandas

FLOW_STATES = ("finished", "not started", "no route", "gave up", "paused", "under way")


class Result(ResultFile, Pictures):
    """An open result file. Each call reads its table from the file; nothing is cached.

    Attributes:
      path        the file's name
      version     (major, minor) of the format
      attributes  those of the file's root but the options: {"seed": 1, "simulated_ps": 850000, ...}
      options     {"transport.congestion_control": "1", ...}: the value in force of every key, as text
      run         attributes of /run: ranks, engine, wall-clock times, ...
      content     "run", or "congestion" of `heddle congestion` (docs/formats/congestion.md), which has static() and table() only
      summary     what the run printed, if it was started by heddle.run; otherwise empty
      complete    False: the run did not end; everything up to `attributes["until_ps"]` is here

    >>> with heddle.open(result.path) as again:
    ...     again.version[0], again.run["engine"], again.options["pfc.enabled"]
    (3, 'domain', 'true')
    """

    def save(self, path: PathText, force: bool = False) -> None:
        """Copies the file to `path`; `force` replaces what is there. What heddle.run was given no `output` for is gone without."""
        if not force and os.path.exists(path):
            raise FileError(f"{os.fspath(path)}: exists. Give another path, or force=True to replace it")
        shutil.copyfile(self.path, path)

    # ---- flows -------------------------------------------------------------------------------------------------------
    def flows(self, columns: Columns = None) -> pandas.DataFrame:
        """One row for each recorded flow (see attributes["flows_recorded"]), with `slowdown`: fct_ps / ideal_ps, NaN where
        the flow did not finish. With `columns`, that column is added only if it is among them.

        >>> result.flows(columns=["slowdown"]).shape == (len(result.flows()), 1)
        True
        """
        wanted = None if columns is None else [column for column in columns if column != "slowdown"]
        if columns is not None and "slowdown" not in columns:
            return self.table("flows", wanted)
        needed = None if wanted is None else wanted + [c for c in ("fct_ps", "ideal_ps") if c not in wanted]
        flows = self.table("flows", needed)
        flows["slowdown"] = (flows.fct_ps / flows.ideal_ps).where((flows.fct_ps >= 0) & (flows.ideal_ps > 0))
        flows.attrs["units"]["slowdown"], flows.attrs["descriptions"]["slowdown"] = "1", "fct_ps / ideal_ps"
        return flows if columns is None else flows[list(columns)]

    def flow_sizes(self, columns: Columns = None) -> pandas.DataFrame:
        """Totals of finished flows by class of sizes.

        >>> int(result.flow_sizes().flows.sum()) == result.attributes["flows_finished"]
        True
        """
        return self.table("flow_sizes", columns)

    def slowdown_histogram(self, columns: Columns = None) -> pandas.DataFrame:
        """Finished flows by class of sizes and slowdown, whether or not they have rows in flows()."""
        return self.table("slowdown_histogram", columns)

    def fct_histogram(self, columns: Columns = None) -> pandas.DataFrame:
        """Finished flows by completion time, whether or not they have rows in flows()."""
        return self.table("fct_histogram", columns)

    def slowdown_percentile(self, share: float) -> float:
        """Slowdown that `share` of the finished flows do not exceed, to within 1/64; NaN if none finished.

        >>> low, high = result.slowdown_percentile(0.01), result.slowdown_percentile(1)
        >>> low <= high <= result.flow_sizes().slowdown_max.max() * (1 + 1 / 64)
        True
        """
        bins = self.slowdown_histogram()
        return _percentile(bins.slowdown_from, bins.slowdown_to, bins.flows, share)

    def fct_percentile(self, share: float) -> float:
        """Completion time [ps] that `share` of the finished flows do not exceed, to within 1/64; NaN if none finished."""
        bins = self.fct_histogram()
        return _percentile(bins.fct_from_ps, bins.fct_to_ps, bins.flows, share)

    def recovery(self, columns: Columns = None) -> pandas.DataFrame:
        """Flows that lost packets, or seemed to: timeouts, NACKs and bytes sent again.

        >>> set(result.recovery().columns) >= {"src", "number", "timeouts", "waited_ps"}
        True
        """
        return self.table("recovery", columns)

    # ---- fabric ------------------------------------------------------------------------------------------------------
    def failures(self, columns: Columns = None) -> pandas.DataFrame:
        """Links and nodes that failed, came back or changed their rate."""
        return self.table("failures", columns)

    def drops(self, columns: Columns = None) -> pandas.DataFrame:
        """Packets lost, by port and reason."""
        return self.table("drops", columns)

    def ports(self, columns: Columns = None) -> pandas.DataFrame:
        """Totals of the ports that sent or were paused."""
        return self.table("ports", columns)

    def pause_causes(self, columns: Columns = None) -> pandas.DataFrame:
        """Congested ports where pauses began, the worst first."""
        return self.table("pause_causes", columns)

    def tier_load(self, columns: Columns = None) -> pandas.DataFrame:
        """Traffic of each tier of links over time."""
        return self.table("tier_load", columns)

    def links(self, columns: Columns = None) -> pandas.DataFrame:
        """The fabric's links; the index is the link's number.

        >>> list(result.links().columns)
        ['a', 'b', 'rate_bps', 'delay_ps', 'error_rate']
        """
        return self.table("topology/links", columns)

    def shape(self) -> dict[str, Any]:
        """Numbers of nodes, as a dict: gpus, nvswitches, switches, gpus_per_server, gpu_type."""
        return {name: values.iloc[0] for name, values in self.table("topology/shape").items()}

    def names(self) -> pandas.Series:
        """Names of nodes, as heddle's messages and tables have them; the index is the node's number.

        >>> result.names()[0]
        'server 0 / GPU 0'
        >>> result.flows().src.map(result.names())[0] in set(result.names())
        True
        """
        return self._optional("topology/nodes", "heddle from format 3.6 on", None)["name"]

    # ---- over time ---------------------------------------------------------------------------------------------------
    def monitors(self, kind: str, columns: Columns = None) -> pandas.DataFrame:
        """Samples over time: kind "queues", "links", "rates" or "cnps", if monitor.kinds has it."""
        return self._optional(f"monitors/{kind}", "--set monitor.kinds=" + kind, columns)

    def pfc(self, columns: Columns = None) -> pandas.DataFrame:
        """Pause and resume frames, if monitor.kinds has pfc."""
        return self._optional("pfc", "--set monitor.kinds=pfc", columns)

    # ---- workloads ---------------------------------------------------------------------------------------------------
    def jobs(self, columns: Columns = None) -> pandas.DataFrame:
        """One row for each job."""
        return self._optional("jobs", "a workload (-w)", columns)

    def ranks(self, columns: Columns = None) -> pandas.DataFrame:
        """One row for each rank of a job; the MPI processes of the simulation are in run_ranks()."""
        return self._optional("ranks", "a workload (-w)", columns)

    def operations(self, columns: Columns = None) -> pandas.DataFrame:
        """One row for each communication of one pass."""
        return self._optional("operations", "a workload (-w)", columns)

    def collectives(self, columns: Columns = None) -> pandas.DataFrame:
        """One row for each collective of a group."""
        return self._optional("collectives", "a workload (-w)", columns)

    def layers(self, columns: Columns = None) -> pandas.DataFrame:
        """One row for each layer of a rank: computing, exposed and total communication."""
        return self._optional("layers", "a workload (-w)", columns)

    def phase_delays(self, columns: Columns = None) -> pandas.DataFrame:
        """What chunks of collectives in phases waited for, one row for each phase of an operation."""
        return self._optional("phase_delays", "a workload and --set phases.collectives=baseline or enhanced", columns)

    def steps(self, columns: Columns = None) -> pandas.DataFrame:
        """The time line of each GPU."""
        return self._optional("steps", "a workload and --record timeline=all", columns)

    # ---- central controller ------------------------------------------------------------------------------------------
    def controller_requests(self, columns: Columns = None) -> pandas.DataFrame:
        """The controller's decisions, in their order."""
        return self._optional("controller/requests", "--set controller.enable=true", columns)

    def controller_paths(self, columns: Columns = None) -> pandas.DataFrame:
        """The hops of the paths that the controller reserved."""
        return self._optional("controller/paths", "--set controller.enable=true", columns)

    # ---- static congestion -------------------------------------------------------------------------------------------
    def static(self, name: str, columns: Columns = None) -> pandas.DataFrame:
        """Tables of `heddle congestion`: name "runs", "weights", "tiers", "nodes", "cables" or "sharers"."""
        if self.content != "congestion":
            raise Error(f"{self.path}: the result of a run. Static congestion is in those of heddle congestion -o")
        return self.table(f"congestion/{name}", columns)

    # ---- the run itself ----------------------------------------------------------------------------------------------
    def run_ranks(self, columns: Columns = None) -> pandas.DataFrame:
        """Work and memory of each MPI process.

        >>> int(result.run_ranks().packet_hops.sum()) == result.attributes["packet_hops"]
        True
        """
        return self.table("run/ranks", columns)

    def progress(self, columns: Columns = None) -> pandas.DataFrame:
        """Progress of the run, one row for each flush."""
        return self.table("run/progress", columns)

    def _optional(self, name: str, how: str, columns: Columns) -> pandas.DataFrame:
        if name not in self._file.tables:
            raise Error(f"{self.path}: no table {name}. It is written by runs with {how}")
        return self.table(name, columns)


def _percentile(begin: pandas.Series, end: pandas.Series, flows: pandas.Series, share: float) -> float:
    """The middle of the bin that holds the value."""
    if not 0 <= share <= 1:
        raise ValueError(f"share {share}: expected 0 to 1")
    import pandas
    bins = pandas.DataFrame({"middle": (begin + end) / 2, "flows": flows}).sort_values("middle")
    if bins.empty:
        return float("nan")
    seen = bins.flows.cumsum()
    return float(bins.middle[seen >= share * bins.flows.sum()].iloc[0])
