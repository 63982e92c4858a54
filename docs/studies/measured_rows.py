# SPDX-License-Identifier: GPL-2.0-only
"""Rows of the table of measured.sh: times of a measured result, of a predicted one, and the error. Passes that warm up are left out.
Usage: measured_rows.py MEASURED PREDICTED fitted|predicted"""
import sys

import h5py
import numpy as np

measured, predicted = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
warmup = int(measured.attrs["option physical.warmup"])


def times(file, first_pass):
    """By (operation, ranks, bytes): the times [us] of the passes from `first_pass` on."""
    rows, found = file["collectives"], {}
    for number, op, ranks, size, ps in zip(rows["pass"][:], rows["op"][:], rows["ranks"][:], rows["bytes"][:], rows["time_ps"][:]):
        if number >= first_pass:
            found.setdefault((op.decode(), int(ranks), int(size)), []).append(ps * 1e-6)
    return found


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


expected = times(predicted, 0)
for key, values in sorted(times(measured, warmup).items()):
    mean, closed = np.mean(values), np.mean(expected[key])
    note = "" if sys.argv[3] == "predicted" else " (fitted)"
    print(f"| {key[0]} | {key[1]} | {size_text(key[2])}{note} | {np.min(values):.1f}, {mean:.1f}, {np.percentile(values, 99):.1f} | {closed:.1f} "
          f"| {100 * (closed / mean - 1):+.1f} % |")
