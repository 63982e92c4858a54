# SPDX-License-Identifier: GPL-2.0-only
"""Runs of the simulator from Python."""
from __future__ import annotations

import glob
import os
import shlex
import shutil
import tempfile
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from . import workfiles
from .errors import FileError, InputError, ProgramError, RunWarning, StalledError, UsageError, error_of
from .keywords import as_seen, words
from .process import Finished, finish
from .program import PathText, find_program
from .progress import Follower, Progress

if TYPE_CHECKING:
    import pandas
    from .result import Result

#: Flags that are of use for a file that stays.
NEED_OUTPUT = ("restart", "max_wall", "checkpoint_every", "checkpoint_at")
#: Processes that check_processes() allows for each core, and flags of mpirun that name other machines.
RANKS_PER_CORE = 8
HOST_FLAGS = {"-H", "-host", "--host", "-hostfile", "--hostfile", "-machinefile", "--machinefile"}
#: Flags that this module gives itself, or that leave no result.
OTHERWISE = {"quiet": "summary of the result has the text", "json_log": "progress= takes a function",
             "json": "the result has the figures",
             "estimate": "heddle.estimate() does that", "profile_for": "heddle.command('run', ...) does that",
             "profile_until": "heddle.command('run', ...) does that"}


def run(topology: PathText, workload: PathText | None = None, *, ranks: int = 1, output: PathText | None = None,
        trace: Union[PathText, pandas.DataFrame, None] = None, progress: Progress = None, program: PathText | None = None,
        launcher: str = "mpirun", **options: Any) -> Result:
    """Simulates a workload or flows on a topology, and returns the result.

    Arguments:
      topology  a Topology, or the path of a file
      workload  a Workload, or the path of a file; instead of it `trace`, or `flows` or `job` among the options
      ranks     processes; the result is the same for any number. Above 1 `launcher` starts them ("mpirun --oversubscribe")
      output    the result's file; without, it is one that goes when nothing refers to the result any more (Result.save keeps it)
      trace     flows: a frame with the columns timestamp_ns, src, dst, size_bytes, or the path of such a CSV file
      progress  None: a bar in terminals and notebooks; True, False; or a function that gets each event of docs/formats/json-log.md
      program   the program heddle, if not the one that find_program() finds
      options   flags of `heddle run --help` (passes=2, backend="analytical", record={"flows": "none"}), and keys of heddle.options()
                with underscores for dots (transport_congestion_control=3), by SimAI's name (CC_MODE=3), or in set={...}

    Warnings of the program are Python's (RunWarning), its errors exceptions (ProgramError). A StalledError has what there is in its
    `result`. An interrupt (Ctrl-C, a notebook's stop button) ends all processes of the run, and removes its unfinished files unless
    `restart` is given.

    >>> result = heddle.run(topology, workload, passes=2, CC_MODE=3)
    >>> result.options["transport.congestion_control"], len(result.jobs())
    ('3', 1)
    >>> print(result.summary)
    heddle ...
    digest of flows  ...
    """
    _refuse(options)
    for name in NEED_OUTPUT if output is None else ():
        if options.get(name) is not None:
            raise UsageError(f"{name} needs output=, a result that can be gone on with")
    path = find_program(program)
    at = _where(workload, options.get("job"))
    line = _inputs(topology, workload, trace, at) + words(path, ("run",), options, at)
    folder = tempfile.mkdtemp(dir=workfiles.folder(), prefix="run-")
    file = os.path.join(folder, "result.h5") if output is None else os.path.abspath(output)
    follower = Follower(os.path.join(folder, "log.json"), progress)
    command = [*launch(launcher, ranks), path, "run", *line, "-o", file, "--json-log", os.path.join(folder, "log.json")]
    try:
        done = _run(command, at, file, follower, resumable="restart" in options)
        result = _result(done, command, file, follower)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if output is None:
        weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    if done.code != 0:
        error = error_of(done.code, done.errors, command, follower.error)
        error.result = result
        raise error
    return result


def estimate(topology: PathText, workload: PathText | None = None, *, ranks: int = 1, trace: Union[PathText, pandas.DataFrame, None] = None,
             program: PathText | None = None, launcher: str = "mpirun", **options: Any) -> dict[str, Any]:
    """What a run is expected to take: flows, packet_hops, events, run_seconds, result_bytes, memory_mib_by_rank. Nothing is simulated.

    >>> heddle.estimate(topology, workload, passes=100)["flows"] > 100
    True
    """
    _refuse(options)
    path = find_program(program)
    folder = tempfile.mkdtemp(dir=workfiles.folder(), prefix="estimate-")
    log = os.path.join(folder, "log.json")
    seen: list[dict[str, Any]] = []
    follower = Follower(log, seen.append)
    at = _where(workload, options.get("job"))
    command = [*launch(launcher, ranks), path, "run", *_inputs(topology, workload, trace, at), *words(path, ("run",), options, at),
               "--estimate", "--json-log", log]
    try:
        done = finish(command, at=at)
        follower()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if done.code != 0:
        raise error_of(done.code, done.errors, command, follower.error)
    return next(event["estimate"] for event in seen if event["event"] == "start")


def _refuse(options: dict[str, Any]) -> None:
    for name in options:
        if name in OTHERWISE:
            raise UsageError(f"option '{name}' is none of Python's: {OTHERWISE[name]}")


def _where(workload: Any, jobs: Any) -> str | None:
    """The folder to run in: that of this process's files if workloads are among these, for results have their paths; otherwise here."""
    jobs = jobs if isinstance(jobs, (list, tuple)) else [jobs]
    of_jobs = [job.get("workload") for job in jobs if isinstance(job, Mapping)]
    ours = [one for one in (workload, *of_jobs) if isinstance(one, os.PathLike) and os.path.dirname(os.fspath(one)) == workfiles.folder()]
    return workfiles.folder() if ours else None


def _inputs(topology: PathText, workload: PathText | None, trace: Any, at: str | None) -> list[str]:
    line = ["-n", _file(topology, "topology", at)]
    if workload is not None:
        line += ["-w", _file(workload, "workload", at)]
    if trace is not None:
        line += ["--trace", _file(trace if isinstance(trace, (str, os.PathLike)) else _trace_file(trace), "trace", at)]
    return line


def _file(path: PathText, what: str, at: str | None) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"{what}={path!r}. Expected: a {what.capitalize()}, or the path of a file")
    return as_seen(path, at)


def _trace_file(frame: Any) -> str:
    wanted = ["timestamp_ns", "src", "dst", "size_bytes"]
    if not hasattr(frame, "to_csv") or not set(wanted) <= set(frame.columns):
        raise InputError(f"trace: expected a frame with the columns {', '.join(wanted)}, or the path of a file")
    return workfiles.keep("trace", frame[wanted].to_csv(index=False), ".csv")


def check_processes(launcher: Union[str, Sequence[str]], ranks: int, jobs: int = 1) -> None:
    """Raises UsageError for more processes than 8 for each core of this machine, unless a batch system, a list of hosts or another
    launcher than mpirun spreads them."""
    start = shlex.split(launcher) if isinstance(launcher, str) else list(launcher)
    elsewhere = start[:1] and os.path.basename(start[0]) not in ("mpirun", "mpiexec", "orterun") or set(start) & HOST_FLAGS
    if elsewhere or any(name in os.environ for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")):
        return
    cores = os.cpu_count() or 1
    if ranks * jobs > RANKS_PER_CORE * cores:
        raise UsageError(f"ranks={ranks}: {ranks * jobs} processes at a time, and this machine has {cores} core{'s' * (cores > 1)}. "
                         f"Expected: at most {RANKS_PER_CORE * cores} processes, {RANKS_PER_CORE} for each core")


def launch(launcher: Union[str, Sequence[str]], ranks: int) -> list[str]:
    """The words before the program's own that start it on `ranks` processes."""
    if not isinstance(ranks, int) or isinstance(ranks, bool) or ranks < 1:
        raise UsageError(f"ranks={ranks!r}. Expected: a whole number from 1")
    check_processes(launcher, ranks)
    if ranks == 1 and launcher == "mpirun":
        return []
    return [*(shlex.split(launcher) if isinstance(launcher, str) else launcher), "-n", str(ranks)]


def _run(command: list[str], at: str | None, file: str, follower: Follower, resumable: bool) -> Finished:
    """Runs to the end; if something is raised meanwhile, what the run has begun to write goes."""
    before = set(_unfinished(file))
    try:
        done = finish(command, follower, at)
        follower()
        return done
    except BaseException:
        for path in set() if resumable else set(_unfinished(file)) - before:
            os.unlink(path)
        raise
    finally:
        follower.close()


def _unfinished(file: str) -> list[str]:
    return [path for kind in (".part", ".part.*", ".ckpt", ".ckpt.*") for path in glob.glob(glob.escape(file) + kind)]


def _result(done: Finished, command: list[str], file: str, follower: Follower) -> Result:
    """The open result, or the program's error if there is none."""
    from .result import Result
    for text in follower.warnings:
        warnings.warn(text, RunWarning, stacklevel=3)
    if done.code not in (0, StalledError.exit_code):
        raise error_of(done.code, done.errors, command, follower.error)
    if not os.path.exists(file):
        raise FileError(f"{file}: the run left no result")
    result = Result(file, later=True)
    result.summary = done.output
    return result
