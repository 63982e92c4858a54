# SPDX-License-Identifier: GPL-2.0-only
"""A result file as it is: checked, its attributes as a dictionary, any table as a frame."""
from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Sequence, TypeVar, Union

from .errors import Error
from .program import PathText
from .seal import check_seal

if TYPE_CHECKING:
    import pandas

Columns = Union[Sequence[str], None]
Self = TypeVar("Self", bound="ResultFile")

#: Major version of the format that this package reads.
FORMAT_MAJOR = 3
#: What is known when a file has been opened.
OPENED = ("_file", "content", "version", "complete", "options", "attributes", "run")


class ResultFile:
    """The tables and attributes of a result file; Result has a call for each table."""

    def __init__(self, path: PathText, sealed: bool = True, later: bool = False) -> None:
        """Opens the file. `later` only checks its seal, and opens it when something is asked of it: h5py takes its time to import."""
        self.summary, self.kept = "", None  # kept: a folder that is to stay as long as this
        self.path = os.fspath(path)
        if not os.path.exists(self.path):
            raise Error(f"{self.path}: no such file")
        check_seal(self.path, sealed)
        if not later:
            self._open(stacklevel=4)

    def __getattr__(self, name: str) -> Any:
        if name not in OPENED or "_file" in self.__dict__:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self._open(stacklevel=3)
        return self.__dict__[name]

    def _open(self, stacklevel: int) -> None:
        from .hdf5 import File
        file = self._file = File(self.path)
        try:
            self._read_attributes(file.attributes("/"))
        except BaseException:
            del self._file
            file.close()
            raise
        if not self.complete:
            until = self.attributes.get("until_ps")
            until = "" if until is None else f"; only what happened up to {until} ps is all here"
            warnings.warn(f"{self.path}: the run did not end{until}", stacklevel=stacklevel)

    def _read_attributes(self, root: dict[str, Any]) -> None:
        kinds = {"heddle result": "run", "heddle congestion": "congestion"}
        self.content = kinds.get(root.pop("filetype", ""))
        if self.content is None:
            raise Error(f"{self.path}: HDF5, but not a result of heddle")
        version = root.pop("format_version", (0, 0))
        self.version = tuple(int(part) for part in (version if hasattr(version, "__len__") else [version]))
        if self.version[0] != FORMAT_MAJOR:
            raise Error(f"{self.path}: format version {'.'.join(map(str, self.version))}, this module reads {FORMAT_MAJOR}.x")
        if self.content == "run" and root.get("flows_recorded") is None:
            raise Error(f"{self.path}: no attribute flows_recorded; `heddle validate` says what else is wrong")
        self.complete = root.pop("complete", 0) == 1
        self.options = {name[len("option "):]: value for name, value in root.items() if name.startswith("option ")}
        self.attributes = {name: value for name, value in root.items() if not name.startswith("option ")}
        self.run = self._file.attributes("run")

    def close(self) -> None:
        """Closes the file."""
        if "_file" in self.__dict__:
            self._file.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<heddle result {self.path}: {len(self.tables())} tables>"

    def tables(self) -> list[str]:
        """Names of all tables, sorted.

        >>> [name for name in result.tables() if name.startswith("topology")]
        ['topology/links', 'topology/nodes', 'topology/shape']
        """
        return list(self._file.tables)

    def columns(self, name: str) -> list[str]:
        """Names of a table's columns, in the order of the file."""
        if name not in self._file.tables:
            raise Error(f"{self.path}: no table {name}; it has {', '.join(self.tables())}")
        return self._file.columns(name)

    def units(self, name: str) -> dict[str, str]:
        """{column: unit} of a table; "1" stands for a number without a unit, and for text."""
        return self._of_columns(name, "unit")

    def descriptions(self, name: str) -> dict[str, str]:
        """{column: description} of a table."""
        return self._of_columns(name, "description")

    def _of_columns(self, name: str, attribute: str) -> dict[str, str]:
        return {column: self._file.attributes(f"{name}/{column}").get(attribute, "") for column in self.columns(name)}

    def table(self, name: str, columns: Columns = None) -> pandas.DataFrame:
        """The table as a frame with the file's columns, or only those in `columns`. Its attrs have their units and descriptions, which
        series and frames made of it keep.

        >>> flows = result.table("flows", columns=["src", "fct_ps"])
        >>> flows.attrs["units"], flows.fct_ps.attrs["units"]["fct_ps"]
        ({'src': '1', 'fct_ps': 'ps'}, 'ps')

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
        import pandas
        known = self.columns(name)
        wanted = known if columns is None else list(columns)
        for column in wanted:
            if column not in known:
                raise Error(f"{self.path}: table {name} has no column {column}; it has {', '.join(known)}")
        frame = pandas.DataFrame({column: self._file.values(name, column) for column in wanted})
        said = {column: self._file.attributes(f"{name}/{column}") for column in wanted}
        frame.attrs["units"] = {column: one.get("unit", "") for column, one in said.items()}
        frame.attrs["descriptions"] = {column: one.get("description", "") for column, one in said.items()}
        return frame
