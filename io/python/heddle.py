# SPDX-License-Identifier: GPL-2.0-only
"""Results of heddle as pandas frames.

    import heddle
    result = heddle.open("result.h5")
    flows = result.flows()

Each table of docs/formats/result.md is one call; columns keep their names, types and units of the file. Needs h5py and
pandas (Debian: python3-h5py, python3-pandas). In the examples below `result` is an open result; a test runs them.

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
import os as _os
import warnings as _warnings
import zlib as _zlib

import h5py as _h5py
import numpy as _numpy
import pandas as _pandas

#: Major version of the format that this module reads.
FORMAT_MAJOR = 3

#: Factors from the file's units: frame.fct_ps * heddle.US is in microseconds, frame.size_bytes * heddle.MIB in MiB.
NS, US, MS, S = 1e-3, 1e-6, 1e-9, 1e-12
KIB, MIB, GIB = 1 / 1024, 1 / 1024**2, 1 / 1024**3

FLOW_STATES = ("finished", "not started", "no route", "gave up", "paused", "under way")


class Error(Exception):
    """A file that is no result readable by this module, or a table or column that the result lacks."""


_open = open  # the built-in function; this module has one of its own
_SEAL_MARK, _CRC_BYTES = b"hddlseal", 4


def open(path, sealed=True):
    """The result in the file `path`; close it, or use it in a `with` statement.

    Checks the seal, the checksum at the file's end, because HDF5 crashes on some damaged files. `sealed=False` reads
    a file without one, which another program has changed (h5repack, h5py); `heddle validate --reseal` seals it again.

    >>> heddle.open("/nowhere.h5")
    Traceback (most recent call last):
    ...
    heddle.Error: /nowhere.h5: no such file
    """
    return Result(path, sealed)


class Result:
    """An open result file. Each call reads its table from the file; nothing is cached.

    Attributes:
      path        the file's name
      version     (major, minor) of the format
      attributes  those of the file's root but the options: {"seed": 1, "simulated_ps": 850000, ...}
      options     {"transport.congestion_control": "1", ...}: the value in force of every key, as text
      run         attributes of /run: ranks, engine, wall-clock times, ...
      content     "run", or "congestion" of `heddle congestion` (docs/formats/congestion.md), which has static() and table() only
      complete    False: the run did not end; everything up to `attributes["until_ps"]` is here

    >>> with heddle.open(result.path) as again:
    ...     again.version[0], again.run["engine"], again.options["pfc.enabled"]
    (3, 'domain', 'true')
    """

    def __init__(self, path, sealed=True):
        self.path = _os.fspath(path)
        if not _os.path.exists(self.path):
            raise Error(f"{self.path}: no such file")
        _check_seal(self.path, sealed)
        try:
            self._file = _h5py.File(self.path, "r")
        except OSError as error:
            raise Error(f"{self.path}: cannot be read as HDF5 ({error})") from None
        try:
            self._check_links()
            self._read_attributes()
        except BaseException:
            self._file.close()
            raise
        if not self.complete:
            until = self.attributes.get("until_ps")
            until = "" if until is None else f"; only what happened up to {until} ps is all here"
            _warnings.warn(f"{self.path}: the run did not end{until}", stacklevel=3)

    def _check_links(self):
        """Refuses links, which may lead to other files."""
        def stop(name, info):
            return None if info.type == _h5py.h5l.TYPE_HARD else name
        link = self._file.id.links.visit(stop, info=True)
        if link is not None:
            raise Error(f"{self.path}: /{link.decode()} is a link, which may lead to other files; expected a table")

    def _read_attributes(self):
        root = self._plain_attributes(self._file)
        kinds = {"heddle result": "run", "heddle congestion": "congestion"}
        self.content = kinds.get(root.pop("filetype", None))
        if self.content is None:
            raise Error(f"{self.path}: HDF5, but not a result of heddle")
        self.version = tuple(int(part) for part in _numpy.atleast_1d(root.pop("format_version", (0, 0))))
        if self.version[0] != FORMAT_MAJOR:
            raise Error(f"{self.path}: format version {'.'.join(map(str, self.version))}, this module reads {FORMAT_MAJOR}.x")
        if self.content == "run" and root.get("flows_recorded") is None:
            raise Error(f"{self.path}: no attribute flows_recorded; `heddle validate` says what else is wrong")
        self.complete = root.pop("complete", 0) == 1
        self.options = {name[len("option "):]: value for name, value in root.items() if name.startswith("option ")}
        self.attributes = {name: value for name, value in root.items() if not name.startswith("option ")}
        run = self._file.get("run")
        self.run = {} if run is None else self._plain_attributes(run)
        self._tables = _tables(self._file)

    def _plain_attributes(self, thing):
        """Attributes as Python's own types. Those of variable length, which HDF5 can crash on, are left out: results have none."""
        values = {}
        for name in thing.attrs:
            kind = thing.attrs.get_id(name).get_type()
            if isinstance(kind, _h5py.h5t.TypeStringID) and kind.is_variable_str() or isinstance(kind, _h5py.h5t.TypeVlenID):
                _warnings.warn(f"{self.path}: attribute {name} of {thing.name} is left out: it has variable length", stacklevel=5)
                continue
            values[name] = _plain(thing.attrs[name])
        return values

    def close(self):
        """Closes the file."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f"<heddle result {self.path}: {len(self.tables())} tables>"

    def tables(self):
        """Names of all tables, sorted.

        >>> [name for name in result.tables() if name.startswith("topology")]
        ['topology/links', 'topology/shape']
        """
        return list(self._tables)

    def _group(self, name):
        group = self._file.get(name)
        if not isinstance(group, _h5py.Group) or name not in self._tables:
            raise Error(f"{self.path}: no table {name}; it has {', '.join(self.tables())}")
        return group

    def columns(self, name):
        """Names of a table's columns, in the order of the file."""
        return _creation_order(self._group(name))

    def units(self, name):
        """{column: unit} of a table; "1" stands for a number without a unit, and for text."""
        return self._of_columns(name, "unit")

    def descriptions(self, name):
        """{column: description} of a table."""
        return self._of_columns(name, "description")

    def _of_columns(self, name, attribute):
        group = self._group(name)
        return {column: self._plain_attributes(group[column]).get(attribute, "") for column in _creation_order(group)}

    def table(self, name, columns=None):
        """The table as a frame with the file's columns, or only those in `columns`.

        >>> result.table("topology/shape").gpus[0] > 0
        True
        >>> result.table("flow")
        Traceback (most recent call last):
        ...
        heddle.Error: ...: no table flow; it has ...
        >>> result.table("flows", columns=["colour"])
        Traceback (most recent call last):
        ...
        heddle.Error: ...: table flows has no column colour; it has src, dst, ...
        """
        group = self._group(name)
        known = self.columns(name)
        for column in columns or ():
            if column not in known:
                raise Error(f"{self.path}: table {name} has no column {column}; it has {', '.join(known)}")
        return _pandas.DataFrame({column: self._values(group[column]) for column in (known if columns is None else columns)})

    def _values(self, dataset):
        if not isinstance(dataset, _h5py.Dataset):
            raise Error(f"{self.path}: {dataset.name} is a group; expected a column")
        if dataset.external or dataset.is_virtual:
            raise Error(f"{self.path}: {dataset.name} has its values in other files")
        kind = _h5py.check_string_dtype(dataset.dtype)
        if kind is not None and kind.length is None:
            raise Error(f"{self.path}: {dataset.name} has text of variable length; expected fixed length")
        return dataset.asstr()[:] if kind is not None else dataset[:]

    # ---- flows -------------------------------------------------------------------------------------------------------
    def flows(self, columns=None):
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
        return flows if columns is None else flows[list(columns)]

    def flow_sizes(self, columns=None):
        """Totals of finished flows by class of sizes.

        >>> int(result.flow_sizes().flows.sum()) == result.attributes["flows_finished"]
        True
        """
        return self.table("flow_sizes", columns)

    def slowdown_histogram(self, columns=None):
        """Finished flows by class of sizes and slowdown, whether or not they have rows in flows()."""
        return self.table("slowdown_histogram", columns)

    def fct_histogram(self, columns=None):
        """Finished flows by completion time, whether or not they have rows in flows()."""
        return self.table("fct_histogram", columns)

    def slowdown_percentile(self, share):
        """Slowdown that `share` of the finished flows do not exceed, to within 1/64; NaN if none finished.

        >>> low, high = result.slowdown_percentile(0.01), result.slowdown_percentile(1)
        >>> low <= high <= result.flow_sizes().slowdown_max.max() * (1 + 1 / 64)
        True
        """
        bins = self.slowdown_histogram()
        return _percentile(bins.slowdown_from, bins.slowdown_to, bins.flows, share)

    def fct_percentile(self, share):
        """Completion time [ps] that `share` of the finished flows do not exceed, to within 1/64; NaN if none finished."""
        bins = self.fct_histogram()
        return _percentile(bins.fct_from_ps, bins.fct_to_ps, bins.flows, share)

    def recovery(self, columns=None):
        """Flows that lost packets, or seemed to: timeouts, NACKs and bytes sent again.

        >>> set(result.recovery().columns) >= {"src", "number", "timeouts", "waited_ps"}
        True
        """
        return self.table("recovery", columns)

    # ---- fabric ------------------------------------------------------------------------------------------------------
    def failures(self, columns=None):
        """Links and nodes that failed, came back or changed their rate."""
        return self.table("failures", columns)

    def drops(self, columns=None):
        """Packets lost, by port and reason."""
        return self.table("drops", columns)

    def ports(self, columns=None):
        """Totals of the ports that sent or were paused."""
        return self.table("ports", columns)

    def pause_causes(self, columns=None):
        """Congested ports where pauses began, the worst first."""
        return self.table("pause_causes", columns)

    def tier_load(self, columns=None):
        """Traffic of each tier of links over time."""
        return self.table("tier_load", columns)

    def links(self, columns=None):
        """The fabric's links; the index is the link's number.

        >>> list(result.links().columns)
        ['a', 'b', 'rate_bps', 'delay_ps', 'error_rate']
        """
        return self.table("topology/links", columns)

    def shape(self):
        """Numbers of nodes, as a dict: gpus, nvswitches, switches, gpus_per_server, gpu_type."""
        return {name: values.iloc[0] for name, values in self.table("topology/shape").items()}

    # ---- over time ---------------------------------------------------------------------------------------------------
    def monitors(self, kind, columns=None):
        """Samples over time: kind "queues", "links", "rates" or "cnps", if monitor.kinds has it."""
        return self._optional(f"monitors/{kind}", "--set monitor.kinds=" + kind, columns)

    def pfc(self, columns=None):
        """Pause and resume frames, if monitor.kinds has pfc."""
        return self._optional("pfc", "--set monitor.kinds=pfc", columns)

    # ---- workloads ---------------------------------------------------------------------------------------------------
    def jobs(self, columns=None):
        """One row for each job."""
        return self._optional("jobs", "a workload (-w)", columns)

    def ranks(self, columns=None):
        """One row for each rank of a job; the MPI processes of the simulation are in run_ranks()."""
        return self._optional("ranks", "a workload (-w)", columns)

    def operations(self, columns=None):
        """One row for each communication of one pass."""
        return self._optional("operations", "a workload (-w)", columns)

    def collectives(self, columns=None):
        """One row for each collective of a group."""
        return self._optional("collectives", "a workload (-w)", columns)

    def layers(self, columns=None):
        """One row for each layer of a rank: computing, exposed and total communication."""
        return self._optional("layers", "a workload (-w)", columns)

    def phase_delays(self, columns=None):
        """What chunks of collectives in phases waited for, one row for each phase of an operation."""
        return self._optional("phase_delays", "a workload and --set phases.collectives=baseline or enhanced", columns)

    def steps(self, columns=None):
        """The time line of each GPU."""
        return self._optional("steps", "a workload and --record timeline=all", columns)

    # ---- central controller ------------------------------------------------------------------------------------------
    def controller_requests(self, columns=None):
        """The controller's decisions, in their order."""
        return self._optional("controller/requests", "--set controller.enable=true", columns)

    def controller_paths(self, columns=None):
        """The hops of the paths that the controller reserved."""
        return self._optional("controller/paths", "--set controller.enable=true", columns)

    # ---- static congestion -------------------------------------------------------------------------------------------
    def static(self, name, columns=None):
        """Tables of `heddle congestion`: name "runs", "weights", "tiers", "nodes", "cables" or "sharers"."""
        if self.content != "congestion":
            raise Error(f"{self.path}: the result of a run. Static congestion is in those of heddle congestion -o")
        return self.table(f"congestion/{name}", columns)

    # ---- the run itself ----------------------------------------------------------------------------------------------
    def run_ranks(self, columns=None):
        """Work and memory of each MPI process.

        >>> int(result.run_ranks().packet_hops.sum()) == result.attributes["packet_hops"]
        True
        """
        return self.table("run/ranks", columns)

    def progress(self, columns=None):
        """Progress of the run, one row for each flush."""
        return self.table("run/progress", columns)

    def _optional(self, name, how, columns):
        if name not in self._tables:
            raise Error(f"{self.path}: no table {name}. It is written by runs with {how}")
        return self.table(name, columns)


def _check_seal(path, needed):
    """Compares the checksum at the file's end with its bytes (docs/formats/result.md)."""
    try:
        with _open(path, "rb") as file:
            before, left = 0, _os.fstat(file.fileno()).st_size - _CRC_BYTES
            tail = b""
            while left > 0:
                block = file.read(min(left, 1 << 20))
                if not block:
                    break
                before, left, tail = _zlib.crc32(block, before), left - len(block), (tail + block)[-len(_SEAL_MARK):]
            stored = file.read(_CRC_BYTES)
            file.seek(0)
            start = file.read(8)
    except OSError as error:
        raise Error(f"{path}: cannot be read ({error})") from None
    if start != b"\x89HDF\r\n\x1a\n":
        raise Error(f"{path}: cannot be read as HDF5 (it does not begin as one)")
    if tail != _SEAL_MARK:
        if needed:
            raise Error(f"{path}: no seal at its end: cut short, changed by another program, or written before format 3.0; "
                        "`heddle validate --reseal` checks and seals a changed one, sealed=False reads it as it is")
    elif int.from_bytes(stored, "little") != before:
        raise Error(f"{path}: damaged: its bytes do not have the checksum at its end")


def _tables(file):
    """Names of all groups with datasets, sorted."""
    names = set()

    def keep(name, thing):
        if isinstance(thing, _h5py.Dataset) and "/" in name:
            names.add(name.rpartition("/")[0])

    file.visititems(keep)
    return sorted(names)


def _plain(value):
    """An attribute as Python's own type."""
    if isinstance(value, bytes):
        return value.decode()
    return value.item() if isinstance(value, _numpy.generic) else value


def _creation_order(group):
    """Names of a group's members in the order of their creation; h5py itself sorts them by name."""
    names = []
    try:
        group.id.links.iterate(lambda name, *_: names.append(name.decode()), idx_type=_h5py.h5.INDEX_CRT_ORDER)
    except (TypeError, RuntimeError):  # a file whose groups do not track that order
        return list(group)
    return names


def _percentile(begin, end, flows, share):
    """The middle of the bin that holds the value."""
    if not 0 <= share <= 1:
        raise ValueError(f"share {share}: expected 0 to 1")
    bins = _pandas.DataFrame({"middle": (begin + end) / 2, "flows": flows}).sort_values("middle")
    if bins.empty:
        return float("nan")
    seen = bins.flows.cumsum()
    return float(bins.middle[seen >= share * bins.flows.sum()].iloc[0])
