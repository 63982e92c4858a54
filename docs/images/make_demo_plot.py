#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws demo_slowdown.svg: the completion times of the demo's eight flows, coloured by spine.

After `./bootstrap.sh demo`, from the top of the tree: /usr/bin/python3 docs/images/make_demo_plot.py [OUTPUT]
Needs python3-h5py and python3-matplotlib.
"""
import pathlib
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

FOLDER = pathlib.Path("build/demo/burst")


def spines():
    """Third node of each flow's data path (leaf, spine, leaf, GPU), by (source, destination)."""
    found = {}
    for line in (FOLDER / "paths.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        flow, path, _ = line.split("|")
        _, src, dst, *_ = flow.split()
        found[int(src), int(dst)] = int(path.split()[1])
    return found


def main():
    output = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).with_name("demo_slowdown.svg"))
    with h5py.File(FOLDER / "result.h5") as result:
        src, dst = result["flows/src"][:], result["flows/dst"][:]
        microseconds = result["flows/fct_ps"][:] / 1e6
        alone = result["flows/ideal_ps"][0] / 1e6
    spine = [spines()[pair] for pair in zip(src, dst)]
    shared = sorted({s for s in spine if spine.count(s) > 1})
    colours = dict(zip(shared, ("#c8553d", "#e0a030", "#7a4ea0", "#3d7dc8")))
    plt.rcParams.update({"svg.hashsalt": "heddle", "font.size": 10})  # the same file from the same result
    figure, axes = plt.subplots(figsize=(7, 3.4), constrained_layout=True)
    bars = axes.bar([f"{s} → {d}" for s, d in zip(src, dst)], microseconds,
                    color=[colours.get(s, "#4a7c8c") for s in spine])
    axes.bar_label(bars, [f"spine {s}" for s in spine], padding=2)
    axes.axhline(alone, color="black", linewidth=0.8, linestyle="--", label=f"a flow alone, by SimAI's formula: {alone:.0f} µs")
    axes.set(xlabel="flow (GPU → GPU), 10 MiB each", ylabel="completion time [µs]", ylim=(0, 1.3 * max(microseconds)))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    figure.savefig(output, metadata={"Date": None} if output.endswith(".svg") else None)


if __name__ == "__main__":
    main()
