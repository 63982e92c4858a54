#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws torus_allreduce.svg: times of an all-reduce by its size, on four tori of 64 NPUs.

From the top of the tree: /usr/bin/python3 docs/images/make_torus_plot.py HEDDLE [OUTPUT]
HEDDLE is the program. Needs python3-matplotlib.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SHAPES = {"1x64x1": "#c8553d", "1x8x8": "#e0a030", "2x8x4": "#7a4ea0", "4x4x4": "#3d7dc8"}
SIZES = [2**power for power in range(14, 25)]


def microseconds(heddle, folder, shape, size, form):
    """The time of one all-reduce on a torus."""
    torus = folder / f"{shape}.txt"
    if not torus.exists():
        subprocess.run([heddle, "topo", "HierarchicalTorus", "-dims", shape, "-o", torus], check=True,
                       stdout=subprocess.DEVNULL)
    workload = folder / "allreduce.txt"
    workload.write_text(f"MICRO\n1\nallreduce -1 0 NONE 0 0 NONE 0 0 ALLREDUCE {size} 0\n")
    run = subprocess.run([heddle, "run", "--astra-network", torus, "-w", workload, "--set",
                          f"phases.collectives={form}"], check=True, capture_output=True, text=True)
    return float(re.search(r"^simulated +([0-9.]+) us", run.stdout, re.MULTILINE).group(1))


def main():
    heddle = pathlib.Path(sys.argv[1]).resolve()
    output = sys.argv[2] if len(sys.argv) > 2 else str(pathlib.Path(__file__).with_name("torus_allreduce.svg"))
    plt.rcParams.update({"svg.hashsalt": "heddle", "font.size": 10})  # the same file from the same times
    figure, axes = plt.subplots(figsize=(7, 3.8), constrained_layout=True)
    with tempfile.TemporaryDirectory() as name:
        for shape, colour in SHAPES.items():
            for form, line in (("baseline", "-"), ("enhanced", "--")):
                if shape.startswith("1x") and form == "enhanced":
                    continue  # without a package there is nothing to scatter first
                times = [microseconds(heddle, pathlib.Path(name), shape, size, form) for size in SIZES]
                axes.plot(SIZES, times, line, color=colour, label=f"{shape} {form}")
    axes.set(xscale="log", yscale="log", xlabel="all-reduce [bytes]", ylabel="time [µs]")
    axes.set_xscale("log", base=2)
    axes.set_xticks(SIZES[::2], [f"{s >> 20} MiB" if s >= 1 << 20 else f"{s >> 10} KiB" for s in SIZES[::2]])
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)
    figure.savefig(output, metadata={"Date": None} if output.endswith(".svg") else None)


if __name__ == "__main__":
    main()
