#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markdown tables of cast.sh: gains of weighing queue pairs, from its times.tsv and bounds.txt.

A line of the first has fabric, operation, MiB of all GPUs, scheduler, queue pairs, seed, settings and time [us], separated by tabs;
of the second fabric, pattern, share with even and with the best parts, mean gain and its 10th and 90th percentile [percent].
"""
import collections
import sys

import numpy

GPUS, SERVERS, RATE = 32, 4, 400e9 / 8e6  # bytes a microsecond of a NIC
MODES = (("split", "stripe", "cast-stripe"), ("wrr", "round-robin", "cast-wrr"))
# Bytes through a NIC in bytes of the collective: rings of four on eight rails, AllToAll with the 24 GPUs of other servers.
VOLUME = {"ALLREDUCE": 2 * 3 / 4 / 8, "ALLGATHER": 3 / 4 / 8, "REDUCESCATTER": 3 / 4 / 8, "ALLTOALL": 24 / 32}


def table(head, rows, texts):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * texts + "---:|" * (len(head) - texts))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def gain(times, plain, cast):
    """Text of the mean gain and its 10th and 90th percentile [percent], over the seeds that both have."""
    both = sorted(set(times.get(plain, {})) & set(times.get(cast, {})))
    if not both:
        return "–"
    gains = [100 * (times[plain][seed] / times[cast][seed] - 1) for seed in both]
    low, high = numpy.percentile(gains, [10, 90])
    return f"{numpy.mean(gains):+.1f} ({low:+.0f} to {high:+.0f})"


def share(times, key):
    """Mean share of a NIC's rate."""
    runs = times.get(key)
    if not runs:
        return "–"
    return f"{numpy.mean([VOLUME[key[1]] * key[2] * 2**20 / RATE / time for time in runs.values()]):.3f}"


def main():
    times = collections.defaultdict(dict)
    for line in open(sys.argv[1], encoding="utf-8"):
        fabric, operation, mib, scheduler, pairs, seed, settings, time = line.rstrip("\n").split("\t")
        times[fabric, operation, int(mib), scheduler, int(pairs), settings][int(seed)] = float(time)
    times = dict(times)

    bounds = {}
    for line in open(sys.argv[2], encoding="utf-8"):
        fabric, pattern, even, best, mean, low, high = line.split()
        bounds[fabric, pattern == "alltoall"] = [f"{float(even):.3f}", f"{float(best):.3f}",
                                                 f"{float(mean):+.1f} ({float(low):+.0f} to {float(high):+.0f})"]

    print("\nHeadline: share of a NIC's rate, and gain of time in percent: mean over draws (10th to 90th percentile).\n")
    rows = []
    for operation in VOLUME:
        mib = 256 if operation == "ALLTOALL" else 1024
        for uplinks in (4, 8, 16):
            for shape in ("trunk", "spines"):
                key = (f"{shape}-{uplinks}", operation, mib)
                if (*key, "stripe", 4, "-") not in times:
                    continue
                cells = [operation, {4: "2:1", 8: "1:1", 16: "1:2"}[uplinks], shape, str(len(times[(*key, "stripe", 4, "-")]))]
                for _, plain, cast in MODES:
                    cells += [share(times, (*key, plain, 4, "-")), share(times, (*key, cast, 4, "-")),
                              gain(times, (*key, plain, 4, "-"), (*key, cast, 4, "-"))]
                rows.append(cells + bounds[key[0], operation == "ALLTOALL"])
    table(["collective", "leaf : uplinks", "fabric", "draws", "split", "with CAST", "gain", "wrr", "with CAST", "gain",
           "counted: even", "best", "gain"], rows, 3)

    print("\nSizes, eight spines (1:1): gain in percent.\n")
    rows = []
    for mib in sorted({key[2] for key in times}):
        cells = [f"{mib // 1024} GiB" if mib >= 1024 else f"{mib} MiB"]
        for operation in ("ALLREDUCE", "ALLTOALL"):
            for _, plain, cast in MODES:
                cells.append(gain(times, ("spines-8", operation, mib, plain, 4, "-"), ("spines-8", operation, mib, cast, 4, "-")))
        rows.append(cells)
    table(["size", "AllReduce, split", "AllReduce, wrr", "AllToAll, split", "AllToAll, wrr"], rows, 1)

    print("\nQueue pairs: AllReduce of 1 GiB, eight spines.\n")
    rows = []
    for pairs in (1, 2, 4, 8, 16):
        key = ("spines-8", "ALLREDUCE", 1024)
        rows.append([str(pairs), share(times, (*key, "stripe", pairs, "-")), share(times, (*key, "cast-stripe", pairs, "-")),
                     gain(times, (*key, "stripe", pairs, "-"), (*key, "cast-stripe", pairs, "-"))])
    table(["queue pairs", "split", "with CAST", "gain"], rows, 1)

    print("\nSettings: AllReduce of 1 GiB (AllToAll: 256 MiB), eight spines, four queue pairs, split.\n")
    rows = []
    for key in sorted({key[1:3] + key[5:] for key in times if key[0] == "spines-8" and (key[5] != "-" or key[2] == 1024)}):
        operation, mib, settings = key
        if (operation, mib) == ("ALLTOALL", 1024):
            continue
        plain = ("spines-8", operation, mib, "stripe", 4, settings)
        cast = ("spines-8", operation, mib, "cast-stripe", 4, settings)
        rows.append([operation, "defaults" if settings == "-" else f"`{settings}`", share(times, plain), share(times, cast),
                     gain(times, plain, cast)])
    table(["collective", "settings", "split", "with CAST", "gain"], rows, 2)


main()
