#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Training steps as published beside what heddle says of their plans on the nearest fabrics.

Usage: steps_tables.py HEDDLE DATA_DIRECTORY [--most GPUS] [--only PATTERN] [--plan KEY=VALUE]... [--bounds GEOMEAN,WITHIN_20]

DATA_DIRECTORY has published.csv (docs/studies/steps). Each row's plan is run by closed forms (--backend analytical). Prints
Markdown: every row, then errors by system, precision and model, and what was not run and why. --bounds: exit code 1 if the geomean
of the error over all is above the first number [%], or fewer rows than the second [%] are within 20 %.
"""

import argparse
import csv
import math
import os
import re
import subprocess
import sys

import h5py

# Nearest fabrics of heddle topo, as in docs/studies/clusters; N: GPUs.
SERVERS = "spectrum-x -g {n} -gps 8 -gt {gpu} -bw 400Gbps -apbw 400Gbps --oversubscription 1"
RACK = "spectrum-x -g {n} -gps {n} -gt {gpu} -nsps 1 -nvbw 7200Gbps -bw 800Gbps --oversubscription 1"
RACKS = "ScaleUp -g {n} -gpr 64 -npa 64 -bw 800Gbps -apbw 800Gbps -ov 1 -nsps 1 -nvbw 7200Gbps -gt {gpu}"
PEAK = {"H100": (989.4, 1978.9), "B200": (2250, 4500), "GB300": (2500, 5000), "GB200": (2500, 5000)}  # bf16, fp8 [TFLOPS]


def fabric_of(heddle, system, gpus):
    gpu = system.upper()
    shape = SERVERS if system in ("h100", "b200") else RACK if gpus <= 64 else RACKS
    name = f"{system}_{gpus}.txt"
    if not os.path.exists(name):
        subprocess.run([heddle, "topo", *shape.format(n=gpus, gpu=gpu).split(), "-o", name], check=True, capture_output=True)
    return name


def plan_of(row):
    keys = [f'model = "{row["model"]}"', f'gpu = "{row["system"].upper()}"', f'precision = "{row["precision"]}"']
    for key in ("gpus", "tp", "pp", "vpp", "cp", "micro_batch", "global_batch", "sequence"):
        keys.append(f"{key} = {row[key]}")
    if int(row["tp"]) > 1:  # as NVIDIA's recipes have it (tp_comm_overlap of NeMo)
        keys.append("tp_comm_overlap = true")
    if int(row["fsdp"]) > 0:
        keys.append("zero = 3")
    return "\n".join(keys) + "\n"


def simulate(heddle, row, changes):
    """Seconds of the step, and the part of it in which GPUs compute [%]."""
    name = "_".join(str(row[key]) for key in ("system", "model", "precision", "gpus", "tp", "pp", "vpp"))
    with open(name + ".toml", "w", encoding="utf-8") as file:
        file.write(plan_of(row))
    words = [heddle, "run", "-n", fabric_of(heddle, row["system"], int(row["gpus"])), "-w", name + ".toml", "--backend", "analytical",
             "--set", "nic.kind=ib"]
    for change in changes:
        words += ["--plan", change]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(r"^job 0 +([0-9.]+) us; its GPUs computed ([0-9.]+) %", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return float(found[1]) * 1e-6, float(found[2])


def operations(heddle, row):
    """Of the model in a step [10^12], without recomputation; causal pairs of positions count once."""
    name = "operations.toml"
    with open(name, "w", encoding="utf-8") as file:
        file.write(plan_of(row))
    said = subprocess.run([heddle, "workload", name, "--plan", "zero=1", "--plan", "cp=1", "--plan", "tp_comm_overlap=false", "-o", "operations.txt", "--force"], capture_output=True, text=True, check=True).stdout
    shape = re.search(r"(\d+) layers, hidden (\d+), (\d+) heads(?: \((\d+) of keys\))?, MLP (\d+), (\d+) words", said)
    layers, hidden, heads, keys, inner, words = (int(number or 0) for number in shape.groups())
    head = hidden // heads
    gates = 3 if row["model"].startswith("llama") else 2
    parameters = layers * (hidden * head * (2 * heads + 2 * (keys or heads)) + gates * hidden * inner) + words * hidden
    pairs = layers * int(row["sequence"]) * hidden
    return 6e-12 * int(row["global_batch"]) * int(row["sequence"]) * (parameters + pairs)


def geomean(errors):
    """Of the factors by which times are wrong, less one [%]."""
    return 100 * (math.exp(sum(abs(math.log(1 + e)) for e in errors) / len(errors)) - 1)


def within(errors, part):
    return 100 * sum(abs(e) <= part for e in errors) / len(errors)


def summary(name, errors):
    middle = 100 * sorted(errors)[len(errors) // 2]
    shares = " / ".join(f"{within(errors, part):.0f}" for part in (0.05, 0.1, 0.2))
    return f"| {name} | {len(errors)} | {geomean(errors):.1f} | {middle:+.1f} | {shares} |"


# A layer of DeepSeek-V3 on the GPUs of the profile: 64 H800, EP 64, 4,096 tokens a GPU. Four layers, as the profile has.
PAIR = """model = "deepseek-v3"
layers = 4
dense_layers = 0
gpus = 64
ep = 64
gpu = "H800"
precision = "fp8"
[experts]
routing = "uniform"
form = "server"
dispatch = "fp8"
"""
PAIR_FABRIC = "spectrum-x -g 64 -gps 8 -gt H800 -bw 400Gbps -apbw 400Gbps --oversubscription 1"


def layer_pair(heddle, data):
    """Prints times of a layer's computing and of its messages beside those of DeepSeek's profile."""
    with open("pair.toml", "w", encoding="utf-8") as file:
        file.write(PAIR)
    subprocess.run([heddle, "workload", "pair.toml", "-o", "pair.txt", "--force"], check=True, capture_output=True)
    lines = {}
    with open("pair.txt", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if len(words) == 12:
                lines[words[0]] = [int(words[at]) * 1e-3 for at in (2, 5, 8)]  # forward, input gradient, weight gradient [us]
    if not os.path.exists("pair_fabric.txt"):
        subprocess.run([heddle, "topo", *PAIR_FABRIC.split(), "-o", "pair_fabric.txt"], check=True, capture_output=True)
    words = [heddle, "run", "-n", "pair_fabric.txt", "-w", "pair.toml", "--backend", "analytical", "--set", "nic.kind=ib", "--set", "experts.chunks=64",
             "-o", "pair.h5", "--force"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    exchanges = {}
    with h5py.File("pair.h5") as result:
        table = result["collectives"]
        for group, phase, name, time in zip(table["group_type"], table["phase"], table["layer_name"], table["time_ps"]):
            if group == b"EP" and phase == b"fwd":
                exchanges.setdefault(name.decode(), []).append(float(time) * 1e-6)
    attention, router, experts = lines["attention_layer"], lines["moe_router"], lines["moe_experts"]
    both = [a + r for a, r in zip(attention, router)]
    said = {"attn(F)": both[0], "attn(B)": both[1], "attn(W)": both[2], "mlp(F)": experts[0], "mlp(B)": experts[1], "mlp(W)": experts[2]}
    for name, phase in (("moe_dispatch", "dispatch(F) kernel"), ("moe_combine", "combine(F) kernel")):
        if exchanges.get(name):
            said[phase] = sum(exchanges[name]) / len(exchanges[name])
    with open(os.path.join(data, "layer_pair.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    beside = next(row for row in rows if row["phase"] == "mlp(W) beside")
    print("\n| of a layer | profile us | heddle us | error % |\n|---|---:|---:|---:|")
    for row in rows:
        if row["phase"] not in said:
            continue
        mean = sum(float(row[f"layer{i}_us"]) for i in range(1, 5)) / 4
        if row["phase"] == "mlp(W)":
            mean += sum(float(beside[f"layer{i}_us"]) for i in range(1, 5)) / 4
        found = said[row["phase"]]
        print(f"| {row['phase']} | {mean:.0f} | {found:.0f} | {100 * (found / mean - 1):+.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("data")
    parser.add_argument("--most", type=int, default=1 << 62)
    parser.add_argument("--only", default="")
    parser.add_argument("--plan", action="append", default=[])
    parser.add_argument("--bounds")
    given = parser.parse_args()
    heddle = os.path.abspath(given.heddle)
    with open(os.path.join(given.data, "published.csv"), newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["gpus"]) <= given.most and re.search(given.only, row["system"] + " " + row["model"])]
    print("| system | model | precision | GPUs | TP, PP, VPP, CP | micro-batch, batch | published ms | heddle ms | error % | tokens/s GPU | MFU % | computing % |")
    print("|---|---|---|---:|---|---|---:|---:|---:|---:|---:|---:|")
    groups = {}
    for row in rows:
        seconds, computing = simulate(heddle, row, given.plan)
        published = float(row["step_ms"]) * 1e-3
        error = seconds / published - 1
        for key in ("all", row["system"], row["system"] + " " + row["precision"], row["model"]):
            groups.setdefault(key, []).append(error)
        gpus = int(row["gpus"])
        tokens = int(row["global_batch"]) * int(row["sequence"]) / gpus
        peak = PEAK[row["system"].upper()][row["precision"] == "fp8"]
        mfu = 100 * operations(heddle, row) / gpus / peak
        print(f"| {row['system']} | {row['model']} | {row['precision']} | {gpus} | {row['tp']}, {row['pp']}, {row['vpp']}, {row['cp']} | {row['micro_batch']}, "
              f"{row['global_batch']} | {published * 1e3:.0f} | {seconds * 1e3:.0f} | {100 * error:+.1f} | {tokens / published:.0f}, {tokens / seconds:.0f} | "
              f"{mfu / published:.1f}, {mfu / seconds:.1f} | {computing:.1f} |", flush=True)
    print("\n| rows | number | geomean of errors % | median % | within 5 / 10 / 20 % |")
    print("|---|---:|---:|---:|---|")
    for key, errors in sorted(groups.items()):
        print(summary(key, errors))
    layer_pair(heddle, given.data)
    if given.bounds:
        most, least = (float(number) for number in given.bounds.split(","))
        errors = groups["all"]
        if geomean(errors) > most or within(errors, 0.2) < least:
            sys.exit(f"geomean {geomean(errors):.1f} %, {within(errors, 0.2):.0f} % within 20 %. Expected: at most {most}, at least {least}")


if __name__ == "__main__":
    main()
