#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A long schedule in GOAL, binary and text: operations read and run a second, and the most memory of a process that holds all of it or a
# window, and whether the results are the same. Usage: goal_window.sh BUILD_DIRECTORY [RANKS [STEPS]], three operations a step of each rank
# (default: 1024 ranks, 300 steps). HEDDLE: another program than that of the build.
set -u
heddle=${HEDDLE:-$1/heddle} maker=$1/goal_bench ranks=${2:-1024} steps=${3:-300}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$maker" ring "$ranks" "$steps" || exit 1
operations=$((3 * ranks * steps))
echo "$operations operations of $ranks ranks; $(stat -c %s ring.bin) bytes in binary, $(stat -c %s ring.goal) in text"
# measure NAME ARGUMENTS...: seconds and MiB of a process. Its output is NAME.txt, which the windows of one kind share.
measure() {
  local name=$1 to=$2
  shift 2
  /usr/bin/python3 - "$name" "$operations" "$to" "$heddle" "$@" <<'PYTHON'
import resource, subprocess, sys
with open(sys.argv[3], "w") as to:
    done = subprocess.run(sys.argv[4:], stdout=to)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
print(f"{sys.argv[1]:<40} {seconds:7.2f} s of a core, {int(sys.argv[2]) / seconds / 1e6:5.2f} M operations/s {used.ru_maxrss / 1024:7.0f} MiB at most"
      + ("" if done.returncode == 0 else f"  FAILED ({done.returncode})"))
PYTHON
}
for kind in bin goal; do
  measure "trace show, ring.$kind" show.txt trace show ring.$kind
  measure "loggops, ring.$kind, all held" all.txt loggops ring.$kind --set goal.window=0
  measure "loggops, ring.$kind, 100,000 held" some.txt loggops ring.$kind --set goal.window=100000
  cmp -s all.txt some.txt || echo "the results of ring.$kind differ"
done
