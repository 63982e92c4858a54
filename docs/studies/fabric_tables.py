#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Markdown tables of the same traffic on several fabrics, a row a fabric.

fabric_tables.py collective|transfers|links|cost FABRIC=RESULT.h5 ...
fabric_tables.py end FABRIC=RESULT.h5: when its job ended [ns].
Columns of the results read here: docs/formats/result.md.
"""
import argparse

import h5py
import numpy

NONE = "–"
TIERS = ("host to leaf", "leaf to spine", "spine to leaf", "leaf to host")


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def number(value, places=0):
    return f"{value:,.{places}f}"


def finished(file):
    done, planned = int(file.attrs["flows_finished"]), int(file.attrs["flows_planned"])
    return "all" if done == planned else f"{number(done)} of {number(planned)}"


def job_end(file):
    """When the last GPU of the jobs ended [ps]; -1: it did not."""
    ends = file["jobs/end_ps"][:]
    return -1 if (ends < 0).any() else int(ends.max())


def traffic_end(file):
    """When the last flow or GPU ended [ps], without the timeouts of a stalled run; 0: not known."""
    if "jobs" in file:
        return max(job_end(file), 0)
    ends = (file["flows/start_ps"][:] + file["flows/fct_ps"][:])[file["flows/fct_ps"][:] >= 0]
    return int(ends.max()) if len(ends) else 0


def quantile(file, share):
    """Of the completion times of finished flows [us], from the histogram: to within 1/64."""
    table = file["fct_histogram"]
    below = numpy.cumsum(table["flows"][:])
    place = int(numpy.searchsorted(below, share * below[-1]))
    return (table["fct_from_ps"][place] + table["fct_to_ps"][place]) / 2e6


def nic_rate(file):
    """Of the first GPU, all its ports together [B/s]."""
    links, shape = file["topology/links"], file["topology/shape"]
    switches = int(shape["gpus"][0]) + int(shape["nvswitches"][0])
    mine = (links["a"][:] == 0) & (links["b"][:] >= switches) | (links["b"][:] == 0) & (links["a"][:] >= switches)
    return links["rate_bps"][:][mine].sum() / 8


def print_collective(runs):
    rows = []
    for name, file in runs:
        table = file["collectives"]
        busbw = table["busbw"][:]
        end = job_end(file)
        if end < 0:
            rows.append((name, "stalled", NONE, NONE, NONE, finished(file)))
            continue
        times = (table["end_ps"][:] - table["start_ps"][:]) / 1e6
        rows.append((name, number(end / 1e6), f"{number(times.min())} to {number(times.max())}", number(busbw.mean() / 1e9, 1),
                     f"{100 * busbw.mean() / nic_rate(file):.0f} %", finished(file)))
    print_table(("fabric", "time [us]", "shortest to longest group [us]", "bus bandwidth [GB/s]", "of the NIC's",
                 "flows finished"), rows)


def print_transfers(runs):
    rows = []
    for name, file in runs:
        sizes, slowdowns = file["flow_sizes"], file["slowdown_histogram"]
        flows = sizes["flows"][:]
        # A flow without an ideal time has no slowdown.
        slowed = numpy.array([slowdowns["flows"][:][slowdowns["from_bytes"][:] == start].sum() for start in sizes["from_bytes"][:]])
        rows.append((name, number((sizes["fct_mean_ps"][:] * flows).sum() / flows.sum() / 1e6), number(quantile(file, 0.5)),
                     number(quantile(file, 0.99)), number(sizes["fct_max_ps"][:].max() / 1e6),
                     number((sizes["slowdown_mean"][:] * slowed).sum() / slowed.sum(), 2), finished(file)))
    print_table(("fabric", "mean [us]", "p50 [us]", "p99 [us]", "longest [us]", "mean slowdown", "flows finished"), rows)


def port_tiers(file):
    """Tier (index into TIERS, or -1) and rate [bit/s] of each row of /ports. A node's ports count its links in their order."""
    links, shape = file["topology/links"], file["topology/shape"]
    gpus = int(shape["gpus"][0])
    first_switch = gpus + int(shape["nvswitches"][0])
    ends = numpy.stack([links["a"][:], links["b"][:]], axis=1).astype(numpy.int64)
    rates = numpy.repeat(links["rate_bps"][:], 2)
    node, peer = ends.ravel(), ends[:, ::-1].ravel()
    leaf = numpy.zeros(ends.max() + 1, bool)
    leaf[node[(peer < gpus) & (node >= first_switch)]] = True
    order = numpy.argsort(node, kind="stable")
    starts = numpy.searchsorted(node[order], numpy.arange(ends.max() + 2))
    edge = order[starts[file["ports/node"][:]] + file["ports/port"][:]]
    node, peer = node[edge], peer[edge]
    level = lambda ids: numpy.where(ids < gpus, 0, numpy.where(ids < first_switch, -9, numpy.where(leaf[ids], 1, 2)))
    tiers = numpy.full(len(edge), -1)
    for index, pair in enumerate(((0, 1), (1, 2), (2, 1), (1, 0))):
        tiers[(level(node) == pair[0]) & (level(peer) == pair[1])] = index
    return tiers, rates[edge]


def print_links(runs):
    """Busiest port of each tier, of its rate until the end of traffic, and how many times the mean of the ports that sent more
    than ACKs: 2 % of it. A workload that stalled has no end, and so no shares."""
    rows = []
    for name, file in runs:
        tiers, rates = port_tiers(file)
        ports = file["ports"]
        end = traffic_end(file)
        busy = ports["sent_bytes"][:] * 8e12 / rates / (end or 1)
        cells = []
        for tier in range(len(TIERS)):
            mine = busy[tiers == tier]
            mine = mine[mine > 0.02 * mine.max(initial=0)]
            share = f"{100 * mine.max():.0f} % " if end and len(mine) else ""
            cells.append(f"{share}({mine.max() / mine.mean():.1f} x)" if len(mine) else NONE)
        queued = ports["max_queued_bytes"][:]
        deepest = int(queued.argmax())
        where = TIERS[tiers[deepest]] if tiers[deepest] >= 0 else "NVLink"
        marked = [int(ports["ecn_marked"][:][tiers == tier].sum()) for tier in range(len(TIERS))]
        marks = number(sum(marked))
        if sum(marked):
            marks += f", {TIERS[int(numpy.argmax(marked))]} {100 * max(marked) / sum(marked):.0f} %"
        rows.append((name, *cells, f"{number(queued[deepest] / 1024)} {where}", marks,
                     f"{number(ports['pauses'][:].sum())}, {number(ports['paused_ps'][:].sum() / 1e6)} us",
                     number(file["drops/packets"][:].sum())))
    print_table(("fabric", *TIERS, "deepest queue [KiB]", "ECN marks, most", "pauses", "drops"), rows)


def print_cost(runs):
    rows = []
    for name, file in runs:
        run = file["run"]
        hops, seconds = int(file.attrs["packet_hops"]), float(run.attrs["run_seconds"])
        setup, memory = float(run.attrs["setup_seconds"]), run["ranks/memory_mib"][:].sum()
        rows.append((name, number(int(file.attrs["flows_planned"])), number(hops / 1e6, 1), number(setup, 2), number(seconds, 1),
                     number(hops / seconds / 1e6, 2), number(memory), number(int(run.attrs["ranks"]))))
    print_table(("fabric", "flows", "packet-hops [M]", "set-up [s]", "run [s]", "M packet-hops/s", "memory [MiB]",
                 "ranks"), rows)


def print_end(runs):
    for _, file in runs:
        print(job_end(file) // 1000)


def main():
    kinds = {"collective": print_collective, "transfers": print_transfers, "links": print_links, "cost": print_cost,
             "end": print_end}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("results", nargs="+", metavar="FABRIC=RESULT")
    arguments = parser.parse_args()
    named = (text.split("=", 1) for text in arguments.results)
    kinds[arguments.kind]([(name, h5py.File(path, "r")) for name, path in named])


if __name__ == "__main__":
    main()
