#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Collectives as measured on real clusters beside what heddle simulates from GPU type, servers, NIC rate and kind alone.

Usage: clusters_tables.py HEDDLE DATA_DIRECTORY [--most BYTES] [--only PATTERN] [--without PATTERN] [--rows] [--set KEY=VALUE]...
                          [--bounds GEOMEAN,WITHIN_20] [--calibrated]

DATA_DIRECTORY has tables.csv and measured.csv (docs/studies/clusters). Prints Markdown: errors by table, then over all on
RDMA and NVLink. --most leaves out larger sizes, --rows prints every row. --bounds: exit code 1 if the geomean of the error
over all is above the first number [%], or fewer rows than the second [%] are within 20 %. --calibrated: closed forms in the
place of packets, corrected by three rows of each table of eight or more (heddle calibrate), and the errors of its other rows:
the three are those in the middle of the first, the second and the last third of the sizes.
"""

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys

SMALL, LARGE = 64 << 10, 16 << 20
OWN_TRANSPORT = ("efa", "tcpxo")  # not RDMA as the fabric simulates it
# Sizes beyond these take minutes, and are at the rate of the last one: by number of GPUs.
MOST_BYTES = ((8, 8 << 30), (16, 1 << 30), (32, 512 << 20), (10**9, 256 << 20))


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def simulate(heddle, table, sizes, settings, flags=()):
    """Seconds and algorithm by size. `flags`: of heddle run."""
    name = table["table"]
    fabric = name + ".txt"
    if not os.path.exists(fabric):
        subprocess.run([heddle, "topo", *table["fabric"].split(), "-o", fabric], check=True, capture_output=True)
    words = [heddle, "bench", table["operation"], "-n", fabric, "-b", str(sizes[0]), "-e", str(sizes[-1]), "-o", name, "--force", "--json", "--",
             "--like", "nccl", "--set", "nic.kind=" + table["nic_kind"], *flags]
    for setting in settings:
        words += ["--set", setting]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr}")
    return {int(row["size_bytes"]): (row["time_us"], row["by"]) for row in json.loads(done.stdout)["times"]}


NCCL_TESTS = {"allreduce": "all_reduce_perf", "allgather": "all_gather_perf", "reducescatter": "reduce_scatter_perf",
              "alltoall": "alltoall_perf", "sendrecv": "sendrecv_perf"}


def calibrate(heddle, table, known, settings):
    """Returns the file of a calibration by rows of a table, {bytes: us}."""
    ranks = int(table["servers"]) * int(table["gpus_per_server"])
    log, fit = table["table"] + ".log", table["table"] + ".calibration"
    with open(log, "w", encoding="utf-8") as file:
        print("# Collective test starting:", NCCL_TESTS[table["operation"]], file=file)
        print(f"#  Rank  0 Group  0 Pid 1 on a device 0\n#  Rank {ranks - 1} Group  0 Pid 2 on b device 0", file=file)
        for size, us in known.items():
            print(f"{size} {size // 4} float sum -1 {us} 0 0 0 {us} 0 0 0", file=file)
    words = [heddle, "calibrate", log, "-n", table["table"] + ".txt", "-o", fit, "--force", "--set", "like=nccl", "--set", "nic.kind=" + table["nic_kind"]]
    for setting in settings:
        words += ["--set", setting]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{log}: {done.stderr}")
    return fit


def of_thirds(sizes):
    return [sizes[len(sizes) * part // 6] for part in (1, 3, 5)]


def geomean(errors):
    """Of the factors by which times are wrong, less one [%]."""
    return 100 * (math.exp(sum(abs(math.log(1 + e)) for e in errors) / len(errors)) - 1)


def within(errors, part):
    return 100 * sum(abs(e) <= part for e in errors) / len(errors)


def median(errors):
    return 100 * sorted(errors)[len(errors) // 2]


def by_size(rows):
    """A cell for small, medium and large: geomean and median."""
    cells = []
    for low, high in ((0, SMALL), (SMALL, LARGE + 1), (LARGE + 1, 1 << 62)):
        errors = [error for size, error in rows if low <= size < high]
        cells.append(f"{geomean(errors):.0f} ({median(errors):+.0f})" if errors else "-")
    return cells


def line(name, rows):
    errors = [error for _, error in rows]
    shares = " / ".join(f"{within(errors, part):.0f}" for part in (0.1, 0.2, 0.3))
    return "| " + " | ".join([name, str(len(rows)), *by_size(rows), f"{geomean(errors):.1f}", shares]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("data")
    parser.add_argument("--most", type=int, default=1 << 62)
    parser.add_argument("--only", default="")
    parser.add_argument("--without", default="^$")
    parser.add_argument("--calibrated", action="store_true")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--bounds")
    given = parser.parse_args()
    heddle = os.path.abspath(given.heddle)
    measured = {}
    for row in read(os.path.join(given.data, "measured.csv")):
        if row["scored"] == "1":
            measured.setdefault(row["table"], {})[int(row["bytes"])] = float(row["us"])
    lines, every = [], []
    for table in read(os.path.join(given.data, "tables.csv")):
        if not re.search(given.only, table["table"]) or re.search(given.without, table["table"]):
            continue
        gpus = int(table["servers"]) * int(table["gpus_per_server"])
        most = min(given.most, next(size for number, size in MOST_BYTES if gpus <= number))
        sizes = sorted(size for size in measured.get(table["table"], {}) if size <= most)
        if not sizes:
            continue
        flags = []
        if given.calibrated:
            if len(sizes) < 8:
                continue
            simulate(heddle, table, sizes[:1], given.set, ("--backend", "analytical"))  # makes the fabric
            known = {size: measured[table["table"]][size] for size in of_thirds(sizes)}
            flags = ["--backend", "analytical", "--calibration", os.path.abspath(calibrate(heddle, table, known, given.set))]
            sizes = [size for size in sizes if size not in known]
        found = simulate(heddle, table, sizes, given.set, flags)
        rows = []
        for size in sizes:
            if size not in found:
                continue
            us = measured[table["table"]][size]
            rows.append((size, found[size][0] / us - 1))
            if given.rows:
                print(f"{table['table']} {size} {us:.2f} {found[size][0]:.2f} {100 * rows[-1][1]:+.1f} {found[size][1]}")
        what = f"{table['table']} ({table['gpu']}, {table['servers']}x{table['gpus_per_server']}, {table['nic_kind']})"
        lines.append(line(what, rows))
        if table["nic_kind"] not in OWN_TRANSPORT:
            every += rows
    print("| table | rows | up to 64 KiB | to 16 MiB | above | all | within 10 / 20 / 30 % |\n|---|---:|---:|---:|---:|---:|---|")
    print("\n".join(lines))
    print(line("**all, RDMA and NVLink**", every))
    if given.bounds:
        errors = [error for _, error in every]
        most_geomean, least_within = (float(word) for word in given.bounds.split(","))
        if geomean(errors) > most_geomean or within(errors, 0.2) < least_within:
            sys.exit(f"less like clusters than before: geomean {geomean(errors):.1f} % (at most {most_geomean:g}), {within(errors, 0.2):.0f} % "
                     f"of rows within 20 % (at least {least_within:g})")


if __name__ == "__main__":
    main()
