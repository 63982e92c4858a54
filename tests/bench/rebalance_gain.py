#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Computes the possible gain of moving domains between ranks during a run, from profiles of whole runs (docs/decisions/0018-rebalancing.md).

Usage: rebalance_gain.py RANKS PROFILE...

Domains are assigned, largest first, to the rank with the least load: by the events of the whole run, of each section of it (oracle),
or of the previous section (history). Gains are in the sum over windows of the slowest rank; moving costs nothing here.
"""
import collections
import heapq
import json
import sys

PIECES = (2, 4, 8, 16, 64)


def costs(samples, domains):
    """Events of each domain in some windows."""
    cost = [0] * domains
    for sample in samples:
        for domain, events in zip(sample["domains"], sample["events"]):
            cost[domain] += events
    return cost


def spread(cost, ranks):
    """Owner of each domain: largest first, onto the rank with least."""
    load = [(0, rank) for rank in range(ranks)]
    owner = [0] * len(cost)
    for domain in sorted(range(len(cost)), key=lambda d: -cost[d]):
        least, rank = heapq.heappop(load)
        owner[domain] = rank
        heapq.heappush(load, (least + cost[domain], rank))
    return owner


def critical(samples, owner, ranks):
    """Sum over windows of the events of the slowest rank."""
    total = 0
    for sample in samples:
        load = [0] * ranks
        for domain, events in zip(sample["domains"], sample["events"]):
            load[owner[domain]] += events
        total += max(load)
    return total


def cut(samples, count):
    """Pieces of equal simulated time, in order; empty ones left out."""
    first = samples[0]["start_ps"]
    span = samples[-1]["start_ps"] - first + 1
    pieces = collections.defaultdict(list)
    for sample in samples:
        pieces[(sample["start_ps"] - first) * count // span].append(sample)
    return [pieces[key] for key in sorted(pieces)]


def gains(samples, domains, ranks, count):
    """Gain of the oracle and of history over one spread for all."""
    fixed = spread(costs(samples, domains), ranks)
    static = critical(samples, fixed, ranks)
    oracle = history = 0
    before = fixed
    for piece in cut(samples, count):
        own = spread(costs(piece, domains), ranks)
        oracle += critical(piece, own, ranks)
        history += critical(piece, before, ranks)
        before = own
    return static / oracle - 1, static / history - 1


def main():
    """Print a table for each profile."""
    ranks = int(sys.argv[1])
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        samples = profile["samples"]
        domains = len(profile["domains"]["events"])
        print(f"{path}: {ranks} ranks, {profile['windows']} windows, {len(samples)} of them sampled")
        for count in PIECES + (len(samples),):
            oracle, history = gains(samples, domains, ranks, count)
            print(f"  {count:5d} pieces: oracle {oracle:+.1%}, history {history:+.1%}")


if __name__ == "__main__":
    main()
