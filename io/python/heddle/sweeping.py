# SPDX-License-Identifier: GPL-2.0-only
"""Many runs from Python: every combination of what varies, as many at a time as there are cores."""
from __future__ import annotations

import io
import itertools
import os
import threading
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union

from .errors import Checkpointed, ProgramError, StalledError, UsageError
from .keywords import text, words
from .process import stop_with
from .program import PathText, call, find_program
from .progress import Progress, bar_of
from .running import check_processes, run
from .sweep_output import Place, Row, in_batches, places_of, refuses, resumed

if TYPE_CHECKING:
    import pandas

#: Values of one keyword, or of several at once: a list, or a dictionary of what the table shall call each.
Values = Union[Sequence[Any], Mapping[str, Any]]
#: Keywords that a run's own call takes, beside the program's.
OF_CALL = ("topology", "workload", "trace", "ranks")
#: Figures of docs/formats/sweep.md, and their units.
FIGURES = {"completion_us": "us", "step_us": "us", "exposed_us": "us", "busbw_gbyte_per_s": "1e9 B/s", "algbw_gbyte_per_s": "1e9 B/s",
           "flows": "1", "finished_flows": "1", "slowdown_p50": "1", "slowdown_p99": "1", "fct_p99_us": "us", "drops": "1", "pauses": "1",
           "packet_hops": "1", "ranks": "1", "run_seconds": "s", "restarts": "1", "requests": "1", "finished_requests": "1",
           "ttft_p50_us": "us", "ttft_p99_us": "us", "tpot_p50_us": "us", "tpot_p99_us": "us", "kept": "1", "goodput_per_s": "1/s"}
#: The state of a run that ended with an exception of one of these classes; the first counts.
STATES = {StalledError: "stalled", Checkpointed: "saved", ProgramError: "failed"}


def sweep(topology: PathText | None = None, workload: PathText | None = None, *, vary: Mapping[Any, Values], output: PathText | None = None,
          jobs: int | None = None, progress: Progress = None, program: PathText | None = None, launcher: str = "mpirun",
          **options: Any) -> pandas.DataFrame:
    """Runs every combination of what varies, and returns a frame with a row for each, in order: the last of `vary` changes fastest.

    Arguments:
      topology, workload  as of heddle.run, if they do not vary
      vary      {keyword of heddle.run: its values}. Values are a list, or {label: value}, whose labels are in the frame then. Keywords
                in a tuple change together, and so do their values: {("topology", "passes"): [(rail, 1), (flat, 2)]}
      output    a folder for the results, NAME.h5 each, named by the row's values; without, each goes with its object. The same call
                goes on where an earlier one ended: complete results are not run again, saved runs go on from their checkpoint
      jobs      runs at a time; without, as many as cores, each with its `ranks`
      progress  None: a bar in terminals and notebooks; True, False; or a function that gets {"share": ..., "done": ..., "runs": ...}
      options   the same for all runs, as of heddle.run

    Columns: what varies; `state` ("done", "stalled", "saved" at `max_wall`, "failed"); the figures of docs/formats/sweep.md, with their
    units in attrs, NaN where a run has none; `error`, the program's message, empty without; `result`, a Result or None. A run that fails
    is a row. Unknown keywords raise UsageError before the first run starts. A result of other inputs or settings in `output` raises
    FileError before the missing runs start; `force=True` replaces it. A checkpoint of others raises InputError. An interrupt ends all
    runs.

    >>> table = heddle.sweep(topology, workload, vary={"CC_MODE": {"DCQCN": 1, "HPCC": 3}}, passes=2)
    >>> table[["CC_MODE", "state"]].values.tolist()
    [['DCQCN', 'done'], ['HPCC', 'done']]
    >>> bool((table.completion_us > 0).all()), table.attrs["units"]["completion_us"]
    (True, 'us')
    """
    path = find_program(program)
    same = {name: value for name, value in {"topology": topology, "workload": workload, **options}.items() if value is not None}
    rows = [Row(labels, {**same, **keywords}) for labels, keywords in _combinations(vary, same)]
    _check(path, rows)
    places = places_of(rows, output)
    if jobs is None:
        jobs = max(1, len(os.sched_getaffinity(0)) // max(int(row.keywords.get("ranks", 1)) for row in rows))
    elif not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise UsageError(f"jobs={jobs!r}. Expected: a whole number from 1")
    ranks = [row.keywords.get("ranks", 1) for row in rows]
    check_processes(launcher, max((number for number in ranks if isinstance(number, int)), default=1), min(jobs, len(rows)))
    ends = _run_all(rows, places, jobs, progress, {"program": path, "launcher": launcher})
    return _frame(path, rows, ends)


def _combinations(vary: Mapping[Any, Values], same: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Labels and keywords of each combination."""
    if not isinstance(vary, Mapping) or not vary:
        raise UsageError(f"vary={vary!r}. Expected: keywords of heddle.run, each with a list of values, such as {{'passes': [1, 2]}}")
    axes = []
    seen = set(same)
    for key, values in vary.items():
        keys = key if isinstance(key, tuple) else (key,)
        for name in keys:
            if name in seen:
                raise UsageError(f"vary: '{name}' is given twice")
            seen.add(name)
        axes.append(list(_axis(keys, isinstance(key, tuple), values)))
    for together in itertools.product(*axes):
        labels = {name: label for part, _ in together for name, label in part.items()}
        yield labels, {name: value for _, part in together for name, value in part.items()}


def _axis(keys: tuple[str, ...], zipped: bool, values: Values) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    if isinstance(values, str) or not hasattr(values, "__iter__") or not len(list(values)):
        raise UsageError(f"vary: {', '.join(keys)}={values!r}. Expected: a list of values, or a dictionary of labels and values")
    named = isinstance(values, Mapping)
    for label, value in (values.items() if named else ((None, value) for value in values)):
        parts = tuple(value) if zipped and isinstance(value, (tuple, list)) else (value,)
        if len(parts) != len(keys):
            raise UsageError(f"vary: {value!r}. Expected: {len(keys)} values, of {', '.join(keys)}")
        labels = {keys[0]: label} if named else {key: _label(part) for key, part in zip(keys, parts)}
        yield labels, dict(zip(keys, parts))


def _label(value: Any) -> Any:
    """A value as a cell: what has a name by it, files without folder and ending, lists as the program reads them."""
    if isinstance(value, os.PathLike):
        return getattr(value, "name", None) or os.path.splitext(os.path.basename(os.fspath(value)))[0]
    return text(value) if isinstance(value, (list, tuple)) else str(value) if isinstance(value, Mapping) else value


def _check(path: str, rows: Sequence[Row]) -> None:
    """Keywords and inputs of all runs; files that Python writes are written here, by one thread."""
    for row in rows:
        if "topology" not in row.keywords:
            raise UsageError("no topology. Expected: one for all runs, or several in vary")
        words(path, ("run",), {name: value for name, value in row.keywords.items() if name not in OF_CALL})
        for name in ("topology", "workload", "trace"):
            if isinstance(row.keywords.get(name), os.PathLike):
                os.fspath(row.keywords[name])


def _run_all(rows: Sequence[Row], places: Sequence[Place], jobs: int, progress: Progress, how: Mapping[str, Any]) -> list[Any]:
    """What each run gave: a Result or a ProgramError. Whatever is raised meanwhile ends all of them first: an interrupt, a UsageError, a
    result of something else in a run's place.
    """
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
    stop = threading.Event()
    bar = None if callable(progress) else bar_of(progress)

    def one(row: Row, place: Place) -> Any:
        several = jobs > 1 and how["launcher"] == "mpirun" and row.keywords.get("ranks", 1) != 1
        launcher = "mpirun --bind-to none" if several else how["launcher"]  # or each mpirun would take the first cores
        try:
            return run(output=place.file, progress=False, **{**how, "launcher": launcher}, **resumed(row.keywords, place))
        except ProgramError as error:
            if isinstance(error, UsageError) or refuses(error, place):
                raise
            return error

    pool = ThreadPoolExecutor(jobs, initializer=stop_with, initargs=(stop,))
    futures: dict[int, Future[Any]] = {}
    ended = 0
    try:
        for batch in in_batches(places):
            waiting = {futures.setdefault(at, pool.submit(one, rows[at], places[at])) for at in batch}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                ended += len(done)
                if callable(progress):
                    progress({"share": ended / len(rows), "done": ended, "runs": len(rows)})
                elif bar:
                    bar.show({"share": ended / len(rows), "text": f"{ended} of {len(rows)} runs"})
        return [futures[at].result() for at in range(len(rows))]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
        if bar:
            bar.close()


def _frame(path: str, rows: Sequence[Row], ends: Sequence[Any]) -> pandas.DataFrame:
    import pandas
    results = [end.result if isinstance(end, ProgramError) else end for end in ends]
    figures = figures_of(path, [result.path for result in results if result is not None])
    there = [at for at, result in enumerate(results) if result is not None]
    figures = figures.set_axis(there).reindex(range(len(rows)))
    frame = pandas.DataFrame([row.labels for row in rows])
    frame["state"] = [next((name for kind, name in STATES.items() if isinstance(end, kind)), "done") for end in ends]
    for name in figures.columns:
        if name not in frame:  # ranks may vary
            frame[name] = figures[name]
    frame["error"] = [end.message if isinstance(end, ProgramError) else "" for end in ends]
    frame["result"] = pandas.Series(results, dtype=object)
    frame.attrs["units"] = {name: unit for name, unit in FIGURES.items() if name in frame}
    return frame


def figures_of(path: str, files: Sequence[str]) -> pandas.DataFrame:
    """The key figures of results, one row each, as `heddle sweep --figures` prints them."""
    import pandas
    if not files:
        return pandas.DataFrame(columns=list(FIGURES), dtype=float)
    table = pandas.read_csv(io.StringIO(call([path, "sweep", "--figures", *files]).output))
    return table[list(FIGURES)]
