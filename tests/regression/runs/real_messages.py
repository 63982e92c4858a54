# SPDX-License-Identifier: GPL-2.0-only
"""Compares the messages of a run with --backend physical with those of the same run with packets: the same messages with the same
bytes, and on each connection the same order.
Usage: real_messages.py SIMULATED MEASURED"""
import sys

import h5py
import numpy as np

NAME = ["src", "dst", "size_bytes", "priority", "destination_port"]
ORIGIN = ["job", "operation", "channel", "chunk"]


def rows(flows):
    columns = NAME + [name for name in ORIGIN if name in flows]
    return columns, np.stack([flows[name][:].astype(np.int64) for name in columns], axis=1)


simulated, measured = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
assert measured.attrs["complete"] == 1
columns, expected = rows(simulated["flows"])
found_columns, found = rows(measured["flows"])
assert columns == found_columns, found_columns
assert len(expected) == len(found), f"{len(found)} messages, expected {len(expected)}"
assert (np.sort(expected.view("i8,"*len(columns)), axis=0) == np.sort(found.view("i8,"*len(columns)), axis=0)).all(), "other messages"
assert (measured["flows/fct_ps"][:] >= 0).all() and (measured["flows/state"][:] == 0).all()


def sequences(file, columns, table):
    """Of each connection of an operation, its chunks in the order of issue."""
    if "chunk" not in columns:
        return {}
    at = {name: columns.index(name) for name in columns}
    order = np.lexsort((file["flows/number"][:], file["flows/src"][:]))
    found = {}
    for row in table[order]:
        key = tuple(row[at[name]] for name in ("src", "dst", "job", "operation", "channel"))
        found.setdefault(key, []).append(int(row[at["chunk"]]))
    return found


before, after = sequences(simulated, columns, expected), sequences(measured, columns, found)
for key, chunks in before.items():
    # Several connections of a pair may share a channel (a tree's two ways): the order counts within each, and chunks of the ring rise.
    assert sorted(chunks) == sorted(after[key]), key
    if chunks == sorted(chunks):
        assert after[key] == chunks, f"{key}: {after[key]}, expected {chunks}"
if "collectives" in simulated:
    for name in ("job", "operation", "group", "bytes"):
        assert np.array_equal(simulated["collectives"][name][:], measured["collectives"][name][:]), name
    assert (measured["collectives/end_ps"][:] > measured["collectives/start_ps"][:]).all()
print(f"{len(found)} messages, {int(found[:, 2].sum())} bytes")
