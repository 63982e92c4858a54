# SPDX-License-Identifier: GPL-2.0-only
"""Compares a recovered file with that of the whole run: exactly the flows that had ended by the recovered time, and equal samples.
With TOTALS, the totals file from before the kill: no row that was flushed by then is missing.
Usage: recovered_rows.py WHOLE RECOVERED [TOTALS]"""
import sys

import h5py
import numpy as np

END = 1 << 62  # later than any time of a run

whole, part = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
assert whole.attrs["complete"] == 1
until = part.attrs["until_ps"] if part.attrs["complete"] == 0 else END  # killed while the result was made of its parts
flows, found = whole["flows"], part["flows"]
ended = flows["start_ps"][:] + flows["fct_ps"][:] < until
for column in flows:
    assert np.array_equal(flows[column][:][ended], found[column][:]), column
samples, kept = whole["monitors/links"], part["monitors/links"]
early = samples["time_ps"][:] < until
assert np.array_equal(samples["sent_bytes"][:][early], kept["sent_bytes"][:][: early.sum()])
assert (kept["time_ps"][:] <= until).all()
assert part.attrs["flows_finished"] == ended.sum(), f'{part.attrs["flows_finished"]} finished, {ended.sum()} rows until {until} ps'
assert part.attrs["command_line"] == whole.attrs["command_line"], part.attrs["command_line"]
assert part["ports/sent_bytes"][:].sum() <= whole["ports/sent_bytes"][:].sum()
seen = 0
if len(sys.argv) > 3:
    before = h5py.File(sys.argv[3])
    seen = before.attrs["flows_finished"]
    assert until >= min(before.attrs["part_until_ps"], END) and ended.sum() >= seen
print(f"{ended.sum()} of {len(ended)} flows, {seen} seen before, complete = {part.attrs['complete']}")
