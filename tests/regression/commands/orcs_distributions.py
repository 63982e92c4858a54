#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares `heddle congestion --compat` with ORCS 1.1 and 2.0, and with an independent Monte Carlo program, by distribution.

Usage: orcs_distributions.py HEDDLE DATA STEP: DATA/distributions.tsv says what was found, and how often; every STEP-th of it is tried. Patterns
have three metrics each, which take turns if STEP is no multiple of three. Placements are random, with heddle's own seeds, as many runs as
there. Means lie within 4 standard errors of both sides' means. What has one value a run is compared
by Pearson's statistic of two samples too, within 4 standard deviations of its normal equivalent (Wilson, Hilferty 1931).
"""

import math
import os
import re
import subprocess
import sys

LIMIT = 4
failures = checks = 0
worst = 0.0


def judge(what, deviations):
    global failures, checks, worst
    checks += 1
    worst = max(worst, abs(deviations))
    if not abs(deviations) < LIMIT:
        failures += 1
        print(f"FAILED  {what}: {deviations:.1f} deviations. Expected: less than {LIMIT}")


def judge_mean(what, found, runs, mean, deviation, other_runs):
    error = deviation * math.sqrt(1 / runs + 1 / other_runs)
    rounding = 1e-6  # of the six digits that programs print
    judge(what, max(abs(found - mean) - rounding, 0) / (error or 1e-9))


def judge_counts(what, a, b):
    """Two samples of one distribution? Values that are too rare for the statistic go together."""
    cells, rare = [], [0, 0]
    for value in sorted(set(a) | set(b)):
        pair = [a.get(value, 0), b.get(value, 0)]
        if sum(pair) < 20:
            rare = [rare[0] + pair[0], rare[1] + pair[1]]
        else:
            cells.append(pair)
    if sum(rare) >= 20 or len(cells) == 1:
        cells.append(rare)
    ratio = math.sqrt(sum(b.values()) / sum(a.values()))
    statistic = sum((x * ratio - y / ratio) ** 2 / (x + y) for x, y in cells if x + y > 0)
    freedom = max(len(cells) - 1, 1)
    spread = 2 / (9 * freedom)
    judge(what, max(((statistic / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(spread), 0))


def moments(counts):
    runs = sum(counts.values())
    mean = sum(value * count for value, count in counts.items()) / runs
    return runs, mean, math.sqrt(sum(count * (value - mean) ** 2 for value, count in counts.items()) / runs)


def bandwidth_of(weights):
    return sum(count / weight for weight, count in weights.items()) / sum(weights.values())


def counts_of(text):
    """What came how often, as in the data: weights, bins from 0, sums or delays."""
    pairs = re.findall(r"^weight (\d+): (\d+) of|of (\d+) occured (\d+) times", text, re.M)
    counts = {int(a or c): int(b or d) for a, b, c, d in pairs}
    bins = re.findall(r"^ +\d\.\d{8} +\d\.\d{8} +(\d+)$", text, re.M)
    return counts or {place: int(count) for place, count in enumerate(bins) if int(count) > 0}


class Heddle:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def counts(self, version, words, seed=1):
        command = [self.program, "congestion", "--compat", "orcs-" + version] + words.split() + ["--seed", str(seed)]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        if ran.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {ran.returncode}, {ran.stderr}")
        return counts_of(ran.stdout)


def read(path):
    """Returns ORCS's counts by version, arguments and metric, and the Monte Carlo figures by network and pattern."""
    found, simulated = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.rstrip("\n").split("\t")
            if words[0] == "orcs":
                arguments, metric = words[2].split(" --metric=")
                found[words[1], arguments, metric] = {int(a): int(b) for a, b in (pair.split(":") for pair in words[3].split())}
            elif words[0] == "mc":
                simulated[words[1], words[2]] = [float(word) for word in words[4:]]
    return found, simulated


def key_of(arguments):
    """Network and pattern as the Monte Carlo program names them; None with further options."""
    match = re.fullmatch(r"-i (\w+)\.dot -p (?:(\d)neighbor|neighbor -a (\d)|(\w+)) -n \d+", arguments)
    if not match:
        return None
    size = match[2] or match[3]
    return match[1], f"neighbor_{size}" if size else match[4]


def check_simulated(what, metric, counts, runs, figures):
    other_runs, mean, deviation, mean_sum, deviation_sum, share = figures
    if metric == "hist_max_cong":
        judge_mean(f"bandwidth, {what}, Monte Carlo", bandwidth_of(counts), runs, mean, deviation, other_runs)
        # From weight 2 to weight 1 a message gains half of its host's bandwidth: shares deviate by twice as much.
        found = counts.get(1, 0) / sum(counts.values())
        judge_mean(f"weight 1, {what}, Monte Carlo", found, runs, share, 2 * deviation, other_runs)
    elif metric == "sum_max_cong":
        judge_mean(f"mean, {what}, Monte Carlo", moments(counts)[1], runs, mean_sum, deviation_sum, other_runs)


def check_fixed_subset(heddle, version, arguments, counts):
    """ORCS draws the hosts once: its mean is one of a host set's. Those of other sets spread, and so must it."""
    means = []
    for seed in range(1, 13):
        found = heddle.counts(version, f"{arguments} --metric=hist_acc_band", seed)
        means.append(moments(found)[1])
    mean = sum(means) / len(means)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in means) / (len(means) - 1))
    judge(f"{arguments}, other hosts", (moments(counts)[1] - mean) / (deviation * math.sqrt(1 + 1 / len(means))))


def check_found(heddle, key, found, simulated):
    version, arguments, metric = key
    what = f"{version} {arguments} --metric={metric}"
    runs = int(re.search(r"-n (\d+)", arguments)[1])
    if "--subset=rand" in arguments:
        check_fixed_subset(heddle, version, arguments, found[key])
        return
    counts = heddle.counts(version, f"{arguments} --metric={metric}")
    if key_of(arguments) in simulated:
        check_simulated(what, metric, counts, runs, simulated[key_of(arguments)])
    if metric == "hist_max_cong":
        bins = moments(found[version, arguments, "hist_acc_band"])[2]
        deviation = 0.05 * math.sqrt(bins ** 2 + 1 / 12)  # within a bin, at most as if uniform
        judge_mean(f"bandwidth, {what}, ORCS", bandwidth_of(counts), runs, bandwidth_of(found[key]), deviation, runs)
    else:
        _, mean, deviation = moments(found[key])
        judge_mean(f"mean, {what}, ORCS", moments(counts)[1], runs, mean, deviation, runs)
        judge_counts(f"counts, {what}, ORCS", counts, found[key])


def check_only_simulated(heddle, found, simulated, step):
    """Networks and patterns for which there is nothing of ORCS."""
    known = {key_of(arguments) for _, arguments, _ in found}
    alone = [(key, figures) for key, figures in simulated.items() if key not in known]
    for (network, pattern), figures in alone[::step]:
        runs = int(figures[0])
        arguments = f"-i {network}.dot -p {pattern.replace('_', ' -a ') if 'neighbor' in pattern else pattern} -n {runs}"
        for metric in ("hist_max_cong", "sum_max_cong"):
            counts = heddle.counts("2.0", f"{arguments} --metric={metric}")
            check_simulated(arguments, metric, counts, runs, figures)


def main():
    heddle = Heddle(os.path.abspath(sys.argv[1]), sys.argv[2])
    found, simulated = read(os.path.join(sys.argv[2], "distributions.tsv"))
    step = int(sys.argv[3])
    for key in list(found)[::step]:
        check_found(heddle, key, found, simulated)
    check_only_simulated(heddle, found, simulated, step)
    print(f"{len(list(found)[::step])} of {len(found)} cases, {checks} comparisons, {failures} failures, largest {worst:.2f} deviations")
    sys.exit(1 if failures or not found or not simulated else 0)


main()
