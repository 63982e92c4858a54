# SPDX-License-Identifier: GPL-2.0-only
"""HDF5 files that others may have made: no links, no values elsewhere, nothing that HDF5 can crash on. This module imports h5py."""
from __future__ import annotations

import warnings
from typing import Any

import h5py
import numpy

from .errors import Error


class File:
    """An open file of tables: groups whose members are columns. `tables`: their names, sorted."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise Error(f"{path}: cannot be read as HDF5 ({error})") from None
        try:
            self._check_links()
        except BaseException:
            self.close()
            raise
        self.tables = _tables(self._file)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _check_links(self) -> None:
        """Refuses links, which may lead to other files."""
        def stop(name: bytes, info: Any) -> bytes | None:
            return None if info.type == h5py.h5l.TYPE_HARD else name
        link = self._file.id.links.visit(stop, info=True)
        if link is not None:
            raise Error(f"{self.path}: /{link.decode()} is a link, which may lead to other files; expected a table")

    def attributes(self, name: str) -> dict[str, Any]:
        """Attributes of a group or column as Python's own types; none if there is no such thing.

        Those of variable length, which HDF5 can crash on, are left out: results have none.
        """
        thing = self._file.get(name)
        values = {}
        for attribute in () if thing is None else thing.attrs:
            kind = thing.attrs.get_id(attribute).get_type()
            if isinstance(kind, h5py.h5t.TypeStringID) and kind.is_variable_str() or isinstance(kind, h5py.h5t.TypeVlenID):
                warnings.warn(f"{self.path}: attribute {attribute} of {thing.name} is left out: it has variable length", stacklevel=6)
                continue
            values[attribute] = _plain(thing.attrs[attribute])
        return values

    def columns(self, table: str) -> list[str]:
        """Names of a table's columns in the order of their creation; h5py itself sorts them by name."""
        group = self._file[table]
        names: list[str] = []
        try:
            group.id.links.iterate(lambda name, *_: names.append(name.decode()), idx_type=h5py.h5.INDEX_CRT_ORDER)
        except (TypeError, RuntimeError):  # a file whose groups do not track that order
            return list(group)
        return names

    def values(self, table: str, column: str) -> Any:
        """A column as an array; text as str."""
        dataset = self._file[table][column]
        if not isinstance(dataset, h5py.Dataset):
            raise Error(f"{self.path}: {dataset.name} is a group; expected a column")
        if dataset.external or dataset.is_virtual:
            raise Error(f"{self.path}: {dataset.name} has its values in other files")
        kind = h5py.check_string_dtype(dataset.dtype)
        if kind is not None and kind.length is None:
            raise Error(f"{self.path}: {dataset.name} has text of variable length; expected fixed length")
        return dataset.asstr()[:] if kind is not None else dataset[:]


def _tables(file: h5py.File) -> list[str]:
    """Names of all groups with datasets, sorted."""
    names: set[str] = set()

    def keep(name: str, thing: Any) -> None:
        if isinstance(thing, h5py.Dataset) and "/" in name:
            names.add(name.rpartition("/")[0])

    file.visititems(keep)
    return sorted(names)


def _plain(value: Any) -> Any:
    """An attribute as Python's own type."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, numpy.ndarray):
        return value
    return value.item() if isinstance(value, numpy.generic) else value
