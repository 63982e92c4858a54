# SPDX-License-Identifier: GPL-2.0-only
"""A small study with the package of a wheel: runs, comparisons, a sweep, a picture, errors. Usage: wheel_study.py PROGRAM LAUNCHER, where
PROGRAM is the path at which the package must find the program, and LAUNCHER starts ranks."""

import sys

import heddle

program, launcher = sys.argv[1:]


def check(what, holds):
    if not holds:
        sys.exit(f"{what} does not hold")


def refused(kind, words, call):
    try:
        call()
    except heddle.ProgramError as error:
        check(f"{kind.__name__} and not {error!r}", type(error) is kind and words in str(error))
    else:
        sys.exit(f"no {kind.__name__}")


check(f"{heddle.find_program()} is {program}", heddle.find_program() == program)
fabric = heddle.Topology("spectrum-x", gpus=16, oversubscription=1, bandwidth="100Gbps")
ring = heddle.Workload.collective("AllReduce", "1MiB", group="DP")
one, two = heddle.run(fabric, ring), heddle.run(fabric, ring, ranks=2, launcher=launcher)
check("the same on two ranks", heddle.compare(one, two))
check("flows", one.complete and len(one.flows()) == one.attributes["flows_finished"] > 0)
other = heddle.run(fabric, ring, CC_MODE=3, output="other.h5")
check("another congestion control is different", not heddle.compare(one, other))

table = heddle.sweep(fabric, ring, vary={"CC_MODE": {"DCQCN": 1, "HPCC": 3}})
check("two rows that are done", list(table.state) == ["done", "done"])
check("the same as alone", heddle.compare(table.result[0], one) and heddle.compare(table.result[1], other))
one.plot_completion_times().figure.savefig("times.png")
with open("times.png", "rb") as file:
    check("a picture", file.read(4) == b"\x89PNG")

refused(heddle.UsageError, "unknown option 'pases'; the nearest is 'passes' (exit code 2)", lambda: heddle.run(fabric, ring, pases=2))
refused(heddle.InputError, "MIN_RATE", lambda: heddle.run(fabric, ring, rate_minimum="100"))
refused(heddle.InputError, "/nowhere", lambda: heddle.run(fabric, "/nowhere", ranks=2, launcher=launcher))
refused(heddle.FileError, "other.h5: exists", lambda: heddle.run(fabric, ring, output="other.h5"))
