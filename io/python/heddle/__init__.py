# SPDX-License-Identifier: GPL-2.0-only
"""heddle from Python: fabrics and workloads, runs, and results as pandas frames.

    import heddle

    fabric = heddle.Topology("spectrum-x", gpus=64, oversubscription=1)
    ring = heddle.Workload.collective("AllReduce", "16MiB", group="DP")
    result = heddle.run(fabric, ring, ranks=2)
    result.collectives()

Results that are there already: heddle.open("result.h5"). Each table of docs/formats/result.md is one call; columns keep their names,
types and units of the file. Simulating needs the program heddle only; results need h5py, their frames pandas (Debian: python3-h5py,
python3-pandas). docs/guide/18-from-python.md is the way through, docs/python.md the reference. In the examples below `result` is an
open result; a test runs them.

>>> result
<heddle result ...: ... tables>
>>> result.complete
True
>>> flows = result.flows(columns=["src", "dst", "fct_ps", "ideal_ps"])
>>> list(flows.columns)
['src', 'dst', 'fct_ps', 'ideal_ps']
>>> bool((result.flows().slowdown.dropna() > 0).all())
True
>>> result.units("flows")["fct_ps"]
'ps'
>>> result.attributes["flows_finished"] == int((result.flows().fct_ps >= 0).sum())
True
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import (Checkpointed, DifferentError, Error, FileError, InputError, Interrupted, InvariantError, KilledError, LaunchError,
                     LowMemoryError, ProgramError, RankLostError, RunWarning, StalledError, UsageError)
from .keywords import options
from .pictures import plot_bus_bandwidth
from .program import PathText, command, find_program
from .running import estimate, run
from .studies import Comparison, FabricComparison, bench, compare, compare_fabrics, static
from .sweeping import sweep
from .topology import Topology
from .workload import Workload

if TYPE_CHECKING:
    from .result import FLOW_STATES, Result
    from .result_file import FORMAT_MAJOR

__all__ = ["Topology", "Workload", "run", "estimate", "sweep", "static", "compare", "Comparison", "compare_fabrics",
           "FabricComparison", "bench", "plot_bus_bandwidth", "open", "Result", "options", "command", "find_program",
           "Error", "ProgramError", "UsageError", "InputError", "StalledError", "InvariantError", "FileError", "LowMemoryError",
           "RankLostError", "Checkpointed", "Interrupted", "DifferentError", "KilledError", "LaunchError", "RunWarning",
           "NS", "US", "MS", "S", "KIB", "MIB", "GIB"]

#: Factors from the file's units: frame.fct_ps * heddle.US is in microseconds, frame.size_bytes * heddle.MIB in MiB.
NS, US, MS, S = 1e-3, 1e-6, 1e-9, 1e-12
KIB, MIB, GIB = 1 / 1024, 1 / 1024**2, 1 / 1024**3


def open(path: PathText, sealed: bool = True) -> Result:
    """The result in the file `path`; close it, or use it in a `with` statement.

    Checks the seal, the checksum at the file's end, because HDF5 crashes on some damaged files. `sealed=False` reads
    a file without one, which another program has changed (h5repack, h5py); `heddle validate --reseal` seals it again.

    >>> heddle.open("/nowhere.h5")
    Traceback (most recent call last):
    ...
    heddle.Error: /nowhere.h5: no such file
    """
    from .result import Result
    return Result(path, sealed)


def __getattr__(name: str) -> Any:
    """What reads results, when it is first asked for."""
    if name in ("Result", "FLOW_STATES", "FORMAT_MAJOR"):
        from . import result, result_file
        globals()[name] = getattr(result_file if name == "FORMAT_MAJOR" else result, name)
        return globals()[name]
    raise AttributeError(f"module 'heddle' has no attribute '{name}'")
