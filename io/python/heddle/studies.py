# SPDX-License-Identifier: GPL-2.0-only
"""Studies that are commands of their own: static congestion, two results compared, fabrics compared, a collective by size."""
from __future__ import annotations

import glob
import os
import re
import shutil
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, Union

from . import workfiles
from .errors import DifferentError, UsageError, error_of, message_of
from .keywords import as_seen, text, words, words_of_both
from .process import finish
from .program import PathText, find_program
from .quantities import Size
from .running import launch
from .sweeping import figures_of

if TYPE_CHECKING:
    import pandas
    from .result import Result

#: Flags of the commands that leave nothing for Python, or that its calls give themselves.
OTHERWISE = {"checkinputfile": "prints only", "routequal": "prints only", "compat": "prints only", "json": "prints only",
             "quiet": "the comparison is False or True"}


def static(topology: PathText, pattern: str | None = None, *, processes: int = 1, output: PathText | None = None,
           program: PathText | None = None, launcher: str = "mpirun", **options: Any) -> Result:
    """Who shares which cable when the ranks of a pattern are placed at random, as `heddle congestion` counts it: no packet is simulated.

    `pattern` is one of `heddle congestion --help`, such as "bisect_fb_sym" (the default) or "shift:4"; options are its flags (runs=1000,
    seed=2, placement="servers", routing="dmodk"), `processes` those of MPI. The result's tables are static("runs"), "weights", "tiers",
    "nodes", "cables" and "sharers" (docs/formats/congestion.md), its `summary` what is printed. Without `output` its file goes with it.

    >>> shares = heddle.static(topology, "bisect_fb_sym", runs=20, seed=3)
    >>> shares.content, len(shares.static("runs"))
    ('congestion', 20)
    """
    from .result import Result
    _refuse(options)
    path = find_program(program)
    kept = workfiles.Kept("static-")
    file = os.path.join(kept.path, "congestion.h5") if output is None else os.path.abspath(output)
    command = [*launch(launcher, processes), path, "congestion", as_seen(topology, None), *(["-p", pattern] if pattern else []),
               *words(path, ("congestion",), options), "-o", file]
    done = finish(command)
    if done.code != 0:
        raise error_of(done.code, done.errors, command)
    result = Result(file, later=True)
    result.summary = done.output
    result.kept = kept if output is None else None
    return result


class Comparison:
    """Whether two results are equal; true if they are.

    Attributes:
      equal  True or False
      text   what `heddle compare` prints: which tables, columns and rows differ, and how much
    """

    def __init__(self, equal: bool, said: str) -> None:
        self.equal, self.text = equal, said

    def __bool__(self) -> bool:
        return self.equal

    def __repr__(self) -> str:
        return self.text.rstrip()


def compare(a: Union[PathText, Result], b: Union[PathText, Result], *, program: PathText | None = None, **options: Any) -> Comparison:
    """Whether two results, or files of them, are equal; options are the flags of `heddle compare` (tolerance=0.01, ignore=["steps"]).

    >>> bool(heddle.compare(result, result)), heddle.compare(result, result).text[:5]
    (True, 'equal')
    """
    _refuse(options)
    path = find_program(program)
    command = [path, "compare", *(os.fspath(getattr(one, "path", one)) for one in (a, b)), *words(path, ("compare",), options)]
    done = finish(command)
    if done.code not in (0, DifferentError.exit_code) or not done.output:
        raise error_of(done.code, done.errors, command)
    return Comparison(done.code == 0, done.output)


class FabricComparison:
    """One step, or one collective, on several fabrics.

    Attributes:
      text     what `heddle compare-fabrics` prints: a table with a column for each fabric, and why one is faster
      verdict  its last sentences alone
      results  {fabric: Result}
      figures  a frame with a row for each fabric, whose columns are the figures of docs/formats/sweep.md
      page     the path of its report; with `output` only, otherwise None
    """

    def __init__(self, said: str, results: dict[str, Result], figures: pandas.DataFrame, page: str | None) -> None:
        self.text, self.results, self.figures, self.page = said, results, figures, page
        self.verdict = said.rstrip().rpartition("\n\n")[2]

    def __repr__(self) -> str:
        return self.text.rstrip()


def compare_fabrics(*fabrics: Any, workload: PathText | None = None, collective: str | None = None,
                    sizes: Union[Size, Sequence[Size], None] = None, ranks: int = 1, output: PathText | None = None,
                    program: PathText | None = None, **options: Any) -> FabricComparison:
    """Runs a step, or a collective over all GPUs size by size, on several fabrics; says which is faster, by how much, and why.

    Arguments:
      fabrics     Topologies, paths of files, or names of families with flags of their own ("dragonfly -a 4"), which `gpus`, `nic`,
                  `oversubscription` and `gpus_per_server` make equal; or {label: Topology or path}
      workload    a Workload, or a file; instead of it `collective` ("allreduce") and its `sizes` ("1MiB-64MiB", doubled, or a list)
      ranks       processes of each run
      output      a folder for fabrics, results and the page; without, results go with their objects
      options     flags of `heddle compare-fabrics --help` and of heddle.run (passes=2, CC_MODE=3)

    >>> compared = heddle.compare_fabrics({"one": topology, "other": topology}, collective="allreduce", sizes=["64KiB"])
    >>> list(compared.figures.index), compared.verdict[:13]
    (['one', 'other'], 'one and other')
    """
    from .result import Result
    path = find_program(program)
    _refuse(options)
    kept = workfiles.Kept("fabrics-")
    folder = os.path.join(kept.path, "results") if output is None else os.path.abspath(output)
    line = [*_fabrics(fabrics, kept.path), *(["-w", as_seen(workload, None)] if workload is not None else []),
            *(["--collective", collective] if collective is not None else []), *(["--sizes", text(sizes)] if sizes is not None else [])]
    own = words_of_both(path, "compare-fabrics", {"ranks": ranks, **options})
    said = _study([path, "compare-fabrics", *line, "-o", folder, *own])
    said, _, page = said.partition("page: ")
    files = {os.path.splitext(os.path.basename(file))[0]: file for file in glob.glob(glob.escape(folder) + "/*.h5")}
    head = said.split("\n", 1)[0].split()
    names = sorted(files, key=lambda name: head.index(name) if name in head else len(head))
    results = {}
    for name in names:
        results[name] = Result(files[name], later=True)
        results[name].kept = kept if output is None else None
    figures = figures_of(path, [files[name] for name in names]).set_axis(names)
    figures.index.name = "fabric"
    return FabricComparison(said, results, figures, None if output is None else os.path.abspath(page.strip()))


def bench(topology: PathText, operation: str, *, min_size: Size = "1KiB", max_size: Size = "256MiB", group: str = "all",
          algorithms: Union[str, Sequence[str], None] = None, measured: PathText | None = None, ranks: int = 1,
          output: PathText | None = None, program: PathText | None = None, **options: Any) -> pandas.DataFrame:
    """A collective size by size, as nccl-tests measure it: a frame with a row for each size and algorithm.

    Columns: `size_bytes`, of the full buffer; `algorithm`, or "chosen" for the run's choice, or "measured"; `time_us`;
    `busbw_gbyte_per_s`. Its attrs have `units`, and `text`, what `heddle bench` prints.

    Arguments:
      operation   "allreduce", "allgather", ... ; in `group` "all" GPUs, or each group "TP", "DP", "EP"
      min_size, max_size  sizes are doubled from one to the next; `stepfactor` is another factor
      algorithms  names (["ring", "tree"]), or "all"; without, the run's choice
      measured    a file that nccl-tests printed
      output      a folder for results, table and page
      options     flags of `heddle bench --help` and of heddle.run

    >>> table = heddle.bench(topology, "allreduce", min_size="64KiB", max_size="128KiB", algorithms=["ring", "tree"])
    >>> table.algorithm.unique().tolist(), table.size_bytes.unique().tolist()
    (['ring', 'tree'], [65536, 131072])
    """
    import pandas
    _refuse(options)
    path = find_program(program)
    kept = workfiles.Kept("bench-")
    folder = os.path.join(kept.path, "results") if output is None else os.path.abspath(output)
    line = ["-b", text(min_size), "-e", text(max_size), "--group", group,
            *(["--algorithms", text(algorithms)] if algorithms is not None else []),
            *(["--measured", as_seen(measured, None)] if measured is not None else [])]
    own = words_of_both(path, "bench", {"ranks": ranks, **options})
    said = _study([path, "bench", operation, "-n", as_seen(topology, None), *line, "-o", folder, *own])
    wide = pandas.read_csv(os.path.join(folder, "bench.csv"))
    names = [column[:-len("_us")] for column in wide.columns if column.endswith("_us")]
    table = pandas.concat([pandas.DataFrame({"size_bytes": wide.size_bytes, "algorithm": name, "time_us": wide[f"{name}_us"],
                                             "busbw_gbyte_per_s": wide[f"{name}_busbw_gbs"]}) for name in names], ignore_index=True)
    table.attrs["units"] = {"size_bytes": "B", "algorithm": "1", "time_us": "us", "busbw_gbyte_per_s": "1e9 B/s"}
    table.attrs["text"] = said if output is not None else said.partition("page: ")[0]
    return table


def _refuse(options: Mapping[str, Any]) -> None:
    for name in options:
        if name in OTHERWISE:
            raise UsageError(f"option '{name}' is none of Python's: it {OTHERWISE[name]}; heddle.command takes it")


def _fabrics(fabrics: Sequence[Any], folder: str) -> Iterator[str]:
    """The words of fabrics. Those with a label are copied to a file of its name, for that is what the command calls them."""
    copies = os.path.join(folder, "fabrics")
    os.makedirs(copies)
    for fabric in fabrics:
        if isinstance(fabric, str):
            yield fabric
            continue
        for label, one in (fabric.items() if isinstance(fabric, Mapping) else [(getattr(fabric, "name", ""), fabric)]):
            if not isinstance(one, (str, os.PathLike)):
                raise UsageError(f"fabric {one!r}. Expected: a Topology, a path, a name, or a dictionary of labels and these")
            stem = re.sub(r"[^A-Za-z0-9._+-]+", "-", str(label)) or "fabric"
            same = len([name for name in os.listdir(copies) if re.fullmatch(re.escape(stem) + r"(-\d+)?\.txt", name)])
            copy = os.path.join(copies, f"{stem}{f'-{same + 1}' if same else ''}.txt")
            shutil.copyfile(one, copy)
            yield copy


def _study(command: Sequence[str]) -> str:
    """What a command that runs others prints. An error has the message of the run that failed, whose log may be gone soon."""
    done = finish(command)
    if done.code == 0:
        return re.sub(r"\A(?:.+: done\n)+\n", "", done.output)  # runs end in any order
    message = ""
    for run, log in re.findall(r"^(.+): ended with exit code \d+; see (.+\.log)$", done.output, re.MULTILINE):
        with open(log, encoding="utf-8", errors="replace") as file:
            message += f"{run}: {message_of(file.read())}\n"
    raise error_of(done.code, done.errors, command, message.rstrip() or message_of(done.errors))
