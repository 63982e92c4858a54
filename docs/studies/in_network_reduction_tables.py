#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markdown tables of docs/studies/in_network_reduction.sh, from the results in the current folder.

A result is PART/ALGORITHM_SIZE.h5, or CASE-SIZE.h5 of two jobs; tuner-RANKS.json is what `heddle collective --tune --json` printed.
Columns of the results read here: docs/formats/result.md.
"""
import json
import pathlib

import h5py

SIZES = {f"{number}{unit}": number * scale for unit, scale in (("KiB", 2**10), ("MiB", 2**20), ("GiB", 2**30))
         for number in (1, 4, 16, 32, 64, 256, 512)}
NAMES = {"ring": "ring", "tree": "tree", "nvls_tree-simai": "NVLS-Tree, SimAI", "nvls_tree": "NVLS-Tree", "pat": "PAT",
         "collnet_direct": "CollNet Direct", "nvls_collnet": "NVLS and CollNet"}
TUNERS = {"ring": "RING", "tree": "TREE", "nvls_tree": "NVLS_TREE", "collnet_direct": "COLLNET_DIRECT", "nvls_collnet": "NVLS"}
GPUS = 8  # of a server
HDR = 25e9  # 200 Gbps [B/s]
NONE = "–"


class Result:
    """What is read of one result. Times in us, bytes of all links of a kind, headers and acknowledgements included."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            table, tiers = file["collectives"], file["tier_load"]
            self.jobs = table["job"][:].tolist()
            self.times = (table["time_ps"][:] / 1e6).tolist()
            self.time = max(self.times)
            self.busbw = float(table["busbw"][:].mean()) / 1e9
            self.algorithms = [name.decode() for name in table["algorithm"][:]]
            self.bytes = int(table["bytes"][0])
            self.groups = len(self.times)
            self.gpus = int(file["topology/shape/gpus"][0])
            self.messages, self.hops = int(file.attrs["flows_planned"]), int(file.attrs["packet_hops"])
            self.sent = {}
            for tier, sent in zip(tiers["tier"][:], tiers["sent_bytes"][:]):
                self.sent[tier.decode()] = self.sent.get(tier.decode(), 0) + int(sent)

    def spines(self):
        return self.sent.get("leaf to spine", 0) + self.sent.get("spine to leaf", 0)


def part(name):
    """Results of a part by (algorithm, size)."""
    found = {}
    for path in pathlib.Path(name).glob("*.h5"):
        algorithm, size = path.stem.rsplit("_", 1)
        found[algorithm, size] = Result(path)
    return found


def sizes_of(*parts):
    return sorted({size for found in parts for _, size in found}, key=SIZES.get)


def algorithms_of(*parts):
    return [name for name in NAMES if any(algorithm == name for found in parts for algorithm, _ in found)]


def print_table(title, head, texts, rows):
    """The first columns are texts."""
    print(f"\n{title}:\n\n| " + " | ".join(head) + " |")
    print("|" + "---|" * texts + "---:|" * (len(head) - texts))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def size_text(size):
    return f"{size[:-3]} {size[-3:]}"


def time_text(time):
    return f"{time:,.1f}" if time < 1000 else f"{time:,.0f}"


def print_allreduce(gpus, packets, closed):
    """Time and bus bandwidth; in italics by closed form, where there are no packets; bold the shortest."""
    names = algorithms_of(packets, closed)
    rows = {"time [us]": [], "bus bandwidth [GB/s]": []}
    for size in sizes_of(packets, closed):
        found = {name: packets.get((name, size)) or closed.get((name, size)) for name in names}
        shortest = min(result.time for result in found.values() if result)
        for what, figure in (("time [us]", lambda result: time_text(result.time)),
                             ("bus bandwidth [GB/s]", lambda result: f"{result.busbw:.1f}")):
            cells = []
            for name, result in found.items():
                text = figure(result) if result else NONE
                text = f"**{text}**" if result and result.time == shortest else text
                cells.append(text if (name, size) in packets or not result else f"*{text}*")
            rows[what].append((size_text(size), *cells))
    for what, cells in rows.items():
        print_table(f"AllReduce of {gpus:,} GPUs, {what}", ("size", *(NAMES[name] for name in names)), 1, cells)


def print_bytes(runs, size):
    """What links carry, in units of the buffer B; of a NIC in units of B/g."""
    rows = []
    for found in runs:
        for name in algorithms_of(found):
            result = found.get((name, size))
            if result:
                rows.append((f"{result.gpus:,}", NAMES[name], f"{result.sent['NVLink'] / 2 / result.gpus / result.bytes:.2f}",
                             f"{result.sent['host to leaf'] / result.gpus / result.bytes * GPUS:.2f}",
                             f"{result.spines() / result.bytes:.1f}", f"{result.messages:,}", f"{result.hops / 1e6:.1f}"))
    print_table(f"What crosses links, AllReduce of {size_text(size)}",
                ("GPUs", "algorithm", "NVLink, each way, mean [B]", "NIC, out, mean [B/g]", "all spine links [B]", "messages",
                 "packet-hops [M]"), 2, rows)


def print_closed(runs):
    """How far closed forms are from packets where there are both."""
    rows = []
    for gpus, packets, closed in runs:
        for name in algorithms_of(packets):
            ratios = [closed[name, size].time / packets[name, size].time for size in sizes_of(packets)
                      if (name, size) in packets and (name, size) in closed]
            largest = [size for size in sizes_of(packets) if (name, size) in packets and (name, size) in closed][-1:]
            if ratios:
                rows.append((f"{gpus:,}", NAMES[name], f"{min(ratios):.2f}", f"{max(ratios):.2f}", f"{ratios[-1]:.2f}", size_text(largest[0])))
    print_table("Closed form over packets", ("GPUs", "algorithm", "smallest", "largest", "of the largest size", "which is"), 2, rows)


def print_published(found):
    rows = []
    for size in sizes_of(found):
        ring, tree, direct = (found[name, size].time for name in ("ring", "tree", "collnet_direct"))
        rows.append((size_text(size), time_text(ring), time_text(tree), time_text(direct),
                     f"{100 * SIZES[size] / (direct / 1e6) / HDR:.0f} %", f"{min(ring, tree) / direct:.1f}"))
    print_table("AllReduce over 16 servers, one GPU of each, 200 Gbps [us]",
                ("size", "ring", "tree", "CollNet Direct", "of line rate", "times as fast as the faster of ring and tree"), 1, rows)


def print_trials():
    rows = []
    for line in pathlib.Path("trials.tsv").read_text(encoding="utf-8").splitlines():
        name, words = line.split("\t")
        result = Result(f"{name}.h5")
        rows.append((words, time_text(result.time), f"{100 * result.bytes / (result.time / 1e6) / HDR:.1f} %"))
    print_table("CollNet Direct, 64 MiB, the same 16 servers", ("", "time [us]", "of line rate"), 1, rows)


def print_pairs(groups):
    rows, names = [], ("ring", "pat", "collnet_direct")
    for words, gather, scatter in groups:
        for size in sizes_of(gather):
            sums = {name: gather[name, size].time + scatter[name, size].time for name in names if (name, size) in gather}
            cells = []
            for name in names:
                if name not in sums:
                    cells += [NONE] * 4
                    continue
                both = time_text(sums[name])
                both_ways = gather[name, size], scatter[name, size]
                spines = sum(result.spines() / result.groups / result.bytes for result in both_ways)
                cells += [time_text(gather[name, size].time), time_text(scatter[name, size].time),
                          f"**{both}**" if sums[name] == min(sums.values()) else both, f"{spines:.1f}"]
            rows.append((words, size_text(size), *cells))
    print_table("AllGather (AG), ReduceScatter (RS) and both, one after the other [us], and what a group brings to spine links with both [B]",
                ("group", "size", *(f"{NAMES[name]}: {what}" for name in names for what in ("AG", "RS", "both", "spines"))), 2, rows)


JOBS = (("alone", "second alone, switches add"), ("hosts", "second alone, no switch adds"), ("one", "both, one stream a switch"),
        ("two", "both, two streams a switch"), ("apart", "both, on leaves of their own, one stream"))


def print_jobs():
    rows = []
    for size in ("1MiB", "64MiB"):
        for case, words in JOBS:
            if not pathlib.Path(f"{case}-{size}.h5").exists():
                continue
            result, cells = Result(f"{case}-{size}.h5"), {0: (NONE, NONE), 1: (NONE, NONE)}
            for job, time, algorithm in zip(result.jobs, result.times, result.algorithms):
                cells[job if len(result.jobs) > 1 else 1] = (algorithm, time_text(time))
            rows.append((size_text(size), words, *cells[0], *cells[1], f"{result.spines() / result.bytes:.1f}"))
    print_table("Two jobs of 64 GPUs, AllReduce by the tuner's choice",
                ("size", "jobs", "first: algorithm", "time [us]", "second: algorithm", "time [us]", "all spine links [B]"), 2, rows)


def print_tuner(gpus, found):
    """Predicted time by the best protocol, and simulated over predicted."""
    rows, predicted = [], {}
    tune = json.loads(pathlib.Path(f"tuner-{gpus}.json").read_text(encoding="utf-8"))["tune"]
    for one in tune["predictions"]:
        if one["why_off"] is None:
            key = one["algorithm"], one["size_bytes"]
            predicted[key] = min(one["time_us"], predicted.get(key, one["time_us"]))
    for size in sizes_of(found):
        times = {name: predicted[its, SIZES[size]] for name, its in TUNERS.items() if (its, SIZES[size]) in predicted}
        cells = [f"{time_text(time)}, {found[name, size].time / time:.2f}" if (name, size) in found else time_text(time)
                 for name, time in times.items()]
        here = {name: found[name, size].time for name in times if (name, size) in found}
        if times:
            rows.append((size_text(size), *cells, NAMES[min(times, key=times.get)], NAMES[min(here, key=here.get)]))
    print_table(f"{gpus:,} GPUs, tuner's prediction [us], and what packets take, as a multiple of it",
                ("size", *(NAMES[name] for name in TUNERS), "tuner takes", "fastest here"), 1, rows)


def main():
    packets = {gpus: part(f"packets-{gpus}") for gpus in (128, 1024, 15360)}
    closed = {gpus: part(f"closed-{gpus}") for gpus in (128, 1024, 15360)}
    for gpus in packets:
        if closed[gpus]:
            print_allreduce(gpus, packets[gpus], closed[gpus])
    shared = [size for size in sizes_of(packets[128]) if all(("ring", size) in packets[gpus] for gpus in (128, 1024))]
    print_bytes([packets[128], packets[1024]], shared[-1])
    if packets[15360]:
        print_bytes([packets[15360]], "1MiB")
    print_closed([(gpus, packets[gpus], closed[gpus]) for gpus in packets])
    print_published(part("hdr"))
    print_trials()
    print_pairs([(words, part(f"allgather-{name}"), part(f"reducescatter-{name}"))
                 for name, words in (("16", "16, a GPU a server"), ("128", "128, a GPU a server"), ("all", "128, eight a server"))])
    print_jobs()
    for gpus in (128, 1024):
        print_tuner(gpus, packets[gpus])


if __name__ == "__main__":
    main()
