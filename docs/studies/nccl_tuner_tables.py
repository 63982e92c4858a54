#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What NCCL's tuner predicts for an AllReduce by ring or tree on servers of eight H100, and Markdown tables of it beside results.

nccl_tuner_tables.py SERVERS-BYTES...: reads {ring,tree,fastest}-SERVERS-BYTES.h5 and trials.tsv (servers, bytes, algorithm, words, name
of a result) of the current folder.

Source of the prediction: NCCL 2.30, src/graph/tuning.cc: time = latency + bytes / bandwidth, for each algorithm and protocol;
the smallest wins. Assumed: the 12 rings of 30 GB/s that NCCL finds on HGX H100 (a log in its issue 1197), Intel CPUs (which bound
LL between servers, and post a network message in 1 us), no latency of the NIC itself, no NVLS, no CollNet.
"""
import argparse
import dataclasses

import h5py

GPUS, RINGS, RATE = 8, 12, 30.0  # of a server; GB/s of a ring
PROTOCOLS = ("LL", "LL128", "SIMPLE")
ALGORITHMS = ("RING", "TREE")
LIMIT = 1.2  # beyond it, or below its inverse, a ratio is marked
# Latencies [us] by protocol: once, of a step over NVLink, of a step over the network.
TUNERS_LATENCIES = {"RING": ((6.6, 14, 8.4), (0.6, 1.9, 3.4), (2.7, 4.0, 14)),
                    "TREE": ((6.8, 14, 8.4), (0.6, 1.25, 4.0), (5.0, 8.5, 14))}
# Those of heddle's messages (collectives/algorithms/algorithm_table.cc); 6 us is its option flow.send_latency.
HEDDLES_LATENCIES = {"RING": ((6.6, 14, 8.4), (0.6, 1.9, 3.4), (2.7, 5.5, 6)),
                     "TREE": ((6.8, 14, 0), (0.6, 1.25, 28), (5.0, 8.5, 6))}
# The most that kernels reach [GB/s], for one server, two, more: LL of all rings, the others of a ring or tree.
LL = (141, 39, 20.4)
RING_LL128 = (36.7, 36.7, 36.7)
TREE_LL128 = (36.7, 36.7, 29)
TREE = (38.7, 41.4, 36)
# What trees reach by size, from 64 bytes on, for each power of two.
BY_SIZE = {"LL": (1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1),
           "LL128": (1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1),
           "SIMPLE": (.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9)}


@dataclasses.dataclass(frozen=True)
class Tuner:
    """The tuner; each field that is False leaves out one thing, which the simulation does not have."""
    tree_bytes: bool = True  # trees carry 2 B a GPU, and not 2(n-1)/n B, as chains within servers do
    latencies: bool = True   # its own latencies, and not those of heddle's messages
    posting: bool = True     # 1 us a step, 3 with Simple, to post a message, also where a ring does not leave the server
    plateau: bool = True     # 1.4 x the latency of rings over servers with Simple
    by_size: bool = True     # trees reach a part of their rate, by size
    efficiency: bool = True  # kernels: the most of LL, of a ring, of a tree; 92 % of trees and LL128; LL and LL128 of trees

    def latency(self, algorithm, protocol, servers, size):
        once, nvlink, network = (row[PROTOCOLS.index(protocol)] for row in
                                 (TUNERS_LATENCIES if self.latencies else HEDDLES_LATENCIES)[algorithm])
        if algorithm == "TREE":
            return once + 2 * ((GPUS - 1) * nvlink + (servers.bit_length() - 1) * network)
        ranks, between = GPUS * servers, 0 if servers == 1 else 2 * (servers - 1)
        if servers > 1 and self.posting:
            nvlink = max(nvlink, 3 if protocol == "SIMPLE" else 1)
        time = once + (2 * (ranks - 1) - between) * nvlink + between * network
        large = size / (2 * RINGS * ranks) >= 64
        return time * (1.4 if protocol == "SIMPLE" and servers > 1 and large and self.plateau else 1)

    def rate(self, algorithm, protocol, servers, size):
        """Of the buffer [GB/s]."""
        scale, rate, ranks = min(servers, 3) - 1, RINGS * RATE, GPUS * servers
        data = {"LL": 1 / 2, "LL128": 15 / 16, "SIMPLE": 1}[protocol]  # of the bytes on the wire
        if not self.efficiency:
            rate *= data
        elif algorithm == "RING":
            rate = {"LL": min(LL[scale], rate / 2), "LL128": min(0.92 * rate, RINGS * RING_LL128[scale]),
                    "SIMPLE": rate}[protocol]
        else:
            rate = min(0.92 * rate, RINGS * TREE[scale])
            rate = {"LL": min(rate / 3.8, LL[scale]), "SIMPLE": rate,
                    "LL128": min(rate * (7 / 9 if servers == 1 else data), RINGS * TREE_LL128[scale])}[protocol]
        if algorithm == "RING":
            return rate * ranks / (2 * (ranks - 1))
        rate *= 1 / 2 if self.tree_bytes else ranks / (2 * (ranks - 1))
        entry = (size >> 6).bit_length() - 1
        corrected = self.by_size and 0 <= entry < len(BY_SIZE[protocol])
        return rate * (BY_SIZE[protocol][entry] if corrected else 1)

    def time(self, algorithm, protocol, servers, size):
        """Predicted time [us]."""
        return self.latency(algorithm, protocol, servers, size) + size / 1000 / self.rate(algorithm, protocol, servers, size)

    def fastest(self, servers, size, algorithms=ALGORITHMS):
        """Time, algorithm and protocol with the smallest prediction."""
        return min((self.time(algorithm, protocol, servers, size), algorithm, protocol)
                   for algorithm in algorithms for protocol in PROTOCOLS)


# What is left out of the tuner, one thing after the other, until only what the simulation has is left.
LADDER = (("without", "posting", dict(posting=False)), ("", "plateau", dict(plateau=False)),
          ("", "part by size", dict(by_size=False)), ("", "kernels' rates", dict(efficiency=False)),
          ("", "2 B of trees", dict(tree_bytes=False)),
          ("with", "heddle's latencies", dict(latencies=False)))


def print_table(head, texts, rows):
    """The first columns are texts."""
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * texts + "---:|" * (len(head) - texts))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def size_text(size):
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def time_text(time):
    return f"{time:,.1f}" if time < 1000 else f"{time:,.0f}"


def bus(servers, size, time):
    """Bus bandwidth [GB/s]."""
    ranks = GPUS * servers
    return f"{size / time / 1000 * 2 * (ranks - 1) / ranks:.1f}"


def parts(ratio):
    return not 1 / LIMIT <= ratio <= LIMIT


def ratio_text(ratio):
    return f"**{ratio:.2f}**" if parts(ratio) else f"{ratio:.2f}"


def read(name):
    """Algorithm, protocol and time [us] of the only collective."""
    with h5py.File(name + ".h5", "r") as file:
        table = file["collectives"]
        return table["algorithm"][0].decode(), table["protocol"][0].decode(), table["time_ps"][0] / 1e6


def names(algorithm, protocol):
    return f"{algorithm.lower()}, {protocol if protocol != 'SIMPLE' else 'Simple'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", metavar="SERVERS-BYTES")
    rows = [tuple(map(int, row.split("-"))) for row in parser.parse_args().rows]
    tuner, chosen, all_rows, ladder = Tuner(), [], [], []
    algorithms = protocols = 0
    for servers, size in rows:
        where = (str(servers), size_text(size))
        mine, its = read(f"fastest-{servers}-{size}"), tuner.fastest(servers, size)
        algorithms += mine[0] == its[1]
        protocols += mine[:2] == its[1:]
        chosen.append((*where, names(*mine[:2]), names(*its[1:]), time_text(mine[2]), time_text(its[0]),
                       ratio_text(mine[2] / its[0]), bus(servers, size, mine[2]), bus(servers, size, its[0])))
        for algorithm in ALGORITHMS:
            _, protocol, time = read(f"{algorithm.lower()}-{servers}-{size}")
            best, _, favourite = tuner.fastest(servers, size, (algorithm,))
            all_rows.append((*where, names(algorithm, protocol), names(algorithm, favourite), time_text(time), time_text(best),
                             ratio_text(time / best), bus(servers, size, time), bus(servers, size, best)))
            if not parts(time / best) and not parts(time / tuner.time(algorithm, protocol, servers, size)):
                continue
            steps, left_out = [ratio_text(time / tuner.time(algorithm, protocol, servers, size))], {}
            for _, _, switch in LADDER:
                left_out.update(switch)
                steps.append(ratio_text(time / Tuner(**left_out).time(algorithm, protocol, servers, size)))
            ladder.append((*where, names(algorithm, protocol), *steps))
    head = ("servers", "size", "`like nccl`", "tuner", "`like nccl` [us]", "tuner [us]", "ratio", "`like nccl` [GB/s]",
            "tuner [GB/s]")
    print("\nAs chosen:\n")
    print_table(head, 4, chosen)
    print(f"Chosen alike: {algorithms} of {len(rows)} algorithms, {protocols} of {len(rows)} with their protocols.\n")
    print("By ring and by tree, each with the protocol that is chosen for it:\n")
    print_table(head, 4, all_rows)
    print("Simulated over predicted time with the protocol that was simulated, of rows that part, as things are left out of the "
          "prediction:\n")
    print_table(("servers", "size", "algorithm, protocol", "tuner", *(f"{word} {name}".strip() for word, name, _ in LADDER)), 3, ladder)
    print("Trials:\n")
    print_table(("servers", "size", "algorithm, protocol", "trial", "before [us]", "trial [us]", "tuner [us]", "ratio", "what is left [us]",
                 "ratio"), 4, trials())


def trials():
    """Rows of runs with something changed, beside those without, the prediction, and what is left of it when all is left out."""
    rows, bare = [], Tuner(*(False for _ in dataclasses.fields(Tuner)))
    for line in open("trials.tsv", encoding="utf-8").read().splitlines():
        servers, size, algorithm, words, name = line.split("\t")
        _, protocol, time = read(name)
        before = read(f"{algorithm}-{servers}-{size}")
        predicted, left = (tuner.time(algorithm.upper(), protocol, int(servers), int(size)) for tuner in (Tuner(), bare))
        rows.append((servers, size_text(int(size)), names(algorithm, protocol), words,
                     time_text(before[2]) if before[1] == protocol else "-", time_text(time), time_text(predicted),
                     ratio_text(time / predicted), time_text(left), ratio_text(time / left)))
    return rows


if __name__ == "__main__":
    main()
