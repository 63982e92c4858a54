# SPDX-License-Identifier: GPL-2.0-only
"""Runs the figures of ASTRA-SIM's paper and prints a Markdown table for each. Called by astra_sim.sh.

Usage: astra_sim_tables.py FIGURE HEDDLE WORKLOADS
Fabrics have the links of the paper's Table IV unless a figure says otherwise; collectives have 16 chunks.
"""
import pathlib
import re
import subprocess
import sys

import h5py

KIB, MIB = 1 << 10, 1 << 20
SYMMETRIC = ["-lbw", "200Gbps", "-ll", "200ns", "-lp", "256"]  # links in a package as those between packages


class Runs:
    """Makes fabrics and runs them in the current folder."""

    def __init__(self, heddle, workloads):
        self.heddle, self.workloads = heddle, pathlib.Path(workloads)

    def fabric(self, kind, dims, *flags):
        name = "-".join([kind, dims, *flags]).replace("--", "-") + ".txt"
        if not pathlib.Path(name).exists():
            self.call("topo", kind, "-dims", dims, *flags, "-o", name)
        return name

    def torus(self, dims, *flags):
        return self.fabric("HierarchicalTorus", dims, *flags)

    def call(self, *words):
        run = subprocess.run([self.heddle, *words], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"heddle {' '.join(words)}: exit {run.returncode}\n{run.stderr[-2000:]}")
        return run.stdout

    def micro(self, fabric, operation, size, *settings, result=None):
        """The time of one collective [us]."""
        pathlib.Path("micro.txt").write_text(f"MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 {operation} {size} 0\n")
        kept = ["-o", result, "--force", "--record", "flows=none"] if result else []
        text = self.call("run", "--astra-network", fabric, "-w", "micro.txt", *kept, *sets(settings))
        return float(re.search(r"^simulated +([0-9.]+) us", text, re.M).group(1))

    def training(self, fabric, workload, *settings):
        """The layers table of two passes, of rank 0 and by layer, and the end [us]."""
        text = self.call("run", "--astra-network", fabric, "-w", workload, "--passes", "2", "--record", "flows=none",
                         "-o", "training.h5", "--force", *sets(settings))
        end = float(re.search(r"^simulated +([0-9.]+) us", text, re.M).group(1))
        with h5py.File("training.h5") as result:
            table = result["layers"]
            mine = table["rank"][:] == 0
            rows = {name: table[name][:][mine] for name in table}
        return rows, end

    def workload(self, name, factor=1):
        """A workload of the paper, with compute times multiplied."""
        path = self.workloads / name
        if factor == 1:
            return str(path)
        lines = path.read_text().split("\n")
        for i, line in enumerate(lines[2:], 2):
            words = line.split()
            if len(words) < 12:
                continue
            for column in (2, 5, 8):
                words[column] = str(int(int(words[column]) * factor))
            lines[i] = "\t".join(words)
        scaled = f"scaled-{factor}-{name}"
        pathlib.Path(scaled).write_text("\n".join(lines))
        return scaled


def sets(settings):
    return [word for setting in settings for word in ("--set", setting)]


def size_text(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def us(value):
    return f"{value:,.1f}"


BASELINE, ENHANCED = "phases.collectives=baseline", "phases.collectives=enhanced"


def figure9(runs):
    torus = runs.torus("1x8x1", "-hr", "4")
    switch = runs.fabric("HierarchicalAllToAll", "1x8", "-l", "7")
    rows = []
    for size in (16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB):
        row = [size_text(size)]
        for operation in ("ALLTOALL", "ALLREDUCE"):
            a, b = (runs.micro(fabric, operation, size, BASELINE) for fabric in (torus, switch))
            row += [us(a), us(b), f"{a / b:.2f}"]
        rows.append(row)
    table(["size", "all-to-all: torus [us]", "switches [us]", "ratio", "all-reduce: torus [us]", "switches [us]", "ratio"],
          rows)


def figure10(runs):
    shapes = ("1x64x1", "1x8x8", "2x8x4", "4x4x4")
    for lanes in ("halves", "all"):
        rows = []
        for size in (16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB):
            rows.append([size_text(size)] + [us(runs.micro(runs.torus(shape, *SYMMETRIC), "ALLREDUCE", size, BASELINE,
                                                           f"phases.local_lanes={lanes}")) for shape in shapes])
        print(f"`phases.local_lanes={lanes}`, [us]:\n")
        table(["size", *shapes], rows)


def figure11(runs):
    rows = []
    for size in (64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB):
        symmetric = runs.micro(runs.torus("4x4x4", *SYMMETRIC), "ALLREDUCE", size, BASELINE)
        asymmetric, enhanced = (runs.micro(runs.torus("4x4x4"), "ALLREDUCE", size, form) for form in (BASELINE, ENHANCED))
        rows.append([size_text(size), us(symmetric), us(asymmetric), us(enhanced), f"{asymmetric / enhanced:.2f}"])
    table(["size", "symmetric, baseline [us]", "asymmetric, baseline [us]", "asymmetric, enhanced [us]", "gain of enhanced"],
          rows)


def figure12(runs):
    shapes = ("2x2x2", "2x4x2", "2x4x4", "2x8x4", "2x8x8")
    rows = []
    for size in (MIB, 4 * MIB, 16 * MIB):
        times = [runs.micro(runs.torus(shape), "ALLREDUCE", size, ENHANCED) for shape in shapes]
        rows.append([size_text(size)] + [f"{us(time)} ({time / times[0]:.2f})" for time in times])
    table(["size", *(f"{shape} [us] (over 2x2x2)" for shape in shapes)], rows)
    for splits in (16, 128):
        rows = []
        for shape in shapes:
            time = runs.micro(runs.torus(shape), "ALLREDUCE", 4 * MIB, ENHANCED, f"chunks.splits={splits}",
                              result="micro.h5")
            queued, network = phase_delays("micro.h5")
            rows.append([shape] + [us(value) for value in [time] + queued + network])
        print(f"Times [us], 4 MiB in {splits} chunks: of all, then mean delays of a chunk in queues and of a message in the network:\n")
        table(["system", "all", *(f"queue P{p}" for p in range(5)), *(f"network P{p}" for p in range(1, 5))], rows)


def phase_delays(result, layer=None):
    """Mean queue delays of chunks by phase, from P0 on, and network delays of messages, from P1 on [us]."""
    with h5py.File(result) as file:
        table = {name: column[:] for name, column in file["phase_delays"].items()}
    queued, network = [], []
    for phase in range(max(table["chunk_phase"]) + 1):
        mine = table["chunk_phase"] == phase
        if layer is not None:
            mine &= table["layer"] == layer
        queued.append(table["queued_ps"][mine].sum() / max(table["chunks"][mine].sum(), 1) / 1e6)
        if phase > 0:
            network.append(table["network_ps"][mine].sum() / max(table["messages"][mine].sum(), 1) / 1e6)
    return queued, network


def communication(rows):
    return sum(rows[f"{phase}_total_ps"] for phase in ("fwd", "ig", "wg")) / 1e6


def exposed(rows):
    """Without what is left after the last pass, as ASTRA-SIM counts [us]."""
    return (rows["fwd_exposed_ps"] + rows["ig_exposed_ps"] + rows["wg_exposed_ps"] - rows["wg_tail_ps"]) / 1e6


def computed(rows):
    return sum(rows[f"{phase}_compute_ps"] for phase in ("fwd", "ig", "wg")) / 1e6


def figure13(runs):
    rows, _ = runs.training(runs.torus("2x2x2"), runs.workload("Transformer_HybridParallel.txt"), ENHANCED)
    names = [name.decode() if isinstance(name, bytes) else name for name in rows["name"]]
    lines = [[name, us(c), us(e), us(w)] for name, c, e, w in
             zip(names, computed(rows), exposed(rows), communication(rows))]
    table(["layer", "compute [us]", "exposed [us]", "communication [us]"], lines[:12])
    print(f"{len(lines)} layers; the first 12 are shown.\n")


def resnet(runs, dims, *settings, factor=1, flags=()):
    return runs.training(runs.torus(dims, *flags), runs.workload("Resnet50_DataParallel.txt", factor), *settings)


def figure14(runs):
    rows, end = resnet(runs, "2x4x4", ENHANCED)
    names = [name.decode() if isinstance(name, bytes) else name for name in rows["name"]]
    chosen = [0, 1, 10, 20, 30, 40, len(names) - 2, len(names) - 1]
    table(["layer", "compute [us]", "all-reduces of weight gradients [us]", "exposed [us]"],
          [[f"{i}: {names[i]}", us(computed(rows)[i]), us(communication(rows)[i]), us(exposed(rows)[i])] for i in chosen])
    print(f"All {len(names)} layers: compute {us(computed(rows).sum())} us, exposed {us(exposed(rows).sum())} us, end "
          f"{us(end)} us.\n")


def figure16(runs):
    rows = []
    for dims in ("2x2x2", "2x4x4"):
        for rule in ("chunks.dispatch=fill", "chunks.dispatch=batch"):
            more = ["chunks.threshold=8", "chunks.batch=16"] if rule.endswith("batch") else []
            for order in ("lifo", "fifo"):
                found, end = resnet(runs, dims, ENHANCED, rule, *more, f"chunks.order={order}")
                rows.append([f"{dims}, {rule.split('=')[1]}, {order}", us(exposed(found).sum()), us(end)])
    table(["system, rule, order", "exposed [us]", "end [us]"], rows)
    rows = []
    for order in ("lifo", "fifo"):
        resnet(runs, "2x4x4", ENHANCED, f"chunks.order={order}")
        for layer in (53, 50, 40, 30, 20, 10, 0):
            queued, network = phase_delays("training.h5", layer)
            rows.append([f"{order}, layer {layer}"] + [us(value) for value in queued + network])
    print("Mean delays of a layer [us], 2x4x4, `fill`:\n")
    table(["order, layer", *(f"queue P{p}" for p in range(5)), *(f"network P{p}" for p in range(1, 5))], rows)


def share(rows):
    e, c = exposed(rows).sum(), computed(rows).sum()
    return 100 * e / (e + c)


def figure17(runs):
    rows = []
    for dims in ("2x2x2", "2x4x2", "2x4x4", "2x8x4", "2x8x8"):
        line = [dims]
        for flags in (("-hr", "1", "-vr", "1"), ()):
            found, _ = resnet(runs, dims, ENHANCED, flags=flags)
            line += [us(exposed(found).sum()), f"{share(found):.1f} %"]
        rows.append(line)
    table(["system", "1 ring a dimension: exposed [us]", "share", "2 rings: exposed [us]", "share"], rows)


def figure18(runs):
    rows = []
    for power in (0.5, 1, 2, 4):
        found, _ = resnet(runs, "2x4x4", ENHANCED, factor=1 / power)
        rows.append([f"{power:g}", us(computed(found).sum()), us(exposed(found).sum()), f"{share(found):.1f} %"])
    table(["compute power", "compute [us]", "exposed [us]", "share"], rows)


FIGURES = {9: figure9, 10: figure10, 11: figure11, 12: figure12, 13: figure13, 14: figure14, 15: figure14, 16: figure16,
           17: figure17, 18: figure18}


def main():
    figure, heddle, workloads = sys.argv[1:]
    runs = Runs(heddle, workloads)
    for number in FIGURES if figure == "all" else [int(figure)]:
        if figure == "all" and number == 15:
            continue  # one run answers both
        print(f"## Figure {number}\n", flush=True)
        FIGURES[number](runs)


if __name__ == "__main__":
    main()
