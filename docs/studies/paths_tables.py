#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markdown tables of the same traffic under several schemes, a row a scheme.

paths_tables.py published ROWS: label, published, others' run, then results without their ends, over seeds.
paths_tables.py schemes ROWS: traffic, state, scheme, then a result without its end, or "-".
ROWS is a file, a row a line, cells separated by tabs; the first line is the head of the table. A result has two
files, NAME.h5 and its NAME.json from --json-log (docs/formats/json-log.md, docs/formats/result.md).
"""
import argparse
import json

import h5py
import numpy

NONE = "–"


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    texts = 1 + sum(not cell[:1].isdigit() and cell[:1] not in NONE + ">+" for cell in (rows[0][1:] if rows else ()))
    print("|" + "---|" * texts + "---:|" * (len(head) - texts))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def read_rows(path):
    lines = [line.split("\t") for line in open(path, encoding="utf-8").read().splitlines()]
    return lines[0], lines[1:]


def end_of(name):
    """The last event of the log."""
    for line in open(name + ".json", encoding="utf-8"):
        event = json.loads(line)
    return event


def times(name):
    """Completion times of the flows [us]."""
    with h5py.File(name + ".h5", "r") as file:
        return file["flows/fct_ps"][:] / 1e6


def spread(values, places=0):
    """Mean, and the range if there is one."""
    text = f"{numpy.mean(values):,.{places}f}"
    low, high = f"{min(values):,.{places}f}", f"{max(values):,.{places}f}"
    return text if low == high else f"{text} ({low} to {high})"


def print_published(path):
    head, rows = read_rows(path)
    found = []
    for label, published, others, *names in rows:
        runs, ends = [times(name) for name in names], [end_of(name) for name in names]
        unfinished = sum(int((run < 0).sum()) for run in runs)
        found.append((label, published, others,
                      f"{unfinished} flows do not end" if unfinished else spread([run.max() for run in runs], 1),
                      NONE if unfinished else spread([run.mean() for run in runs], 1),
                      spread([end["nacks"] for end in ends]), spread([end["dropped_packets"] for end in ends]),
                      spread([end["reorder_most_held"] for end in ends])))
    print_table(head + ["here: last flow [us]", "mean flow [us]", "NACKs", "drops", "most packets held"], found)


def worst_percent(name):
    """99th percentile of the slowdown, from the histogram."""
    with h5py.File(name + ".h5", "r") as file:
        table = file["slowdown_histogram"]
        bounds, flows = table["slowdown_to"][:], table["flows"][:]
    order = numpy.argsort(bounds, kind="stable")
    below = numpy.cumsum(flows[order])
    return bounds[order][int(numpy.searchsorted(below, 0.99 * below[-1]))] if len(below) else None


def state_cells(name):
    if name == "-":
        return [NONE] * 5
    end = end_of(name)
    slowdown = worst_percent(name)
    stalled = end["exit_code"] != 0
    return ["stalled" if stalled else f"{end['time_ps'] / 1e6:,.0f}",
            NONE if slowdown is None else f"{slowdown:,.1f}",
            f"{end['reorder_most_held']:,}", f"{end['pfc_pauses']:,}", f"{end['dropped_packets']:,}"]


def print_schemes(path):
    head, rows = read_rows(path)
    found = []
    for *labels, name in rows:
        found.append(labels + state_cells(name))
    print_table(head + ["time [us]", "p99 slowdown", "most packets held", "pauses", "drops"], found)


def main():
    kinds = {"published": print_published, "schemes": print_schemes}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("rows", metavar="ROWS")
    arguments = parser.parse_args()
    kinds[arguments.kind](arguments.rows)


if __name__ == "__main__":
    main()
