#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What results cost: runs without a result, and with one that has all flows (goal: less than 5 % of the time), in turn, on one rank.
# Prints seconds of the whole program, the middle of five. Usage: write_cost.sh BUILD_DIRECTORY
set -u
heddle=$1/heddle
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AS_SEND_LAT CC_ENABLE CC_LOG_FILE TRACE_INJECT_FILE
"$heddle" topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1

seconds() {
  local start=$EPOCHREALTIME
  timeout 300 "$heddle" run -q -n topo.txt "$@" --force > /dev/null || echo FAILED >&2
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.3f\n", b - a}'
}
middle() { sort -g "$1" | sed -n 3p; }

# cost NAME TRAFFIC...
cost() {
  local name=$1 size flows
  shift
  rm -f without with
  for _ in 1 2 3 4 5; do
    seconds "$@" --record flows=none >> without
    seconds "$@" --record flows=all -o x.h5 >> with
  done
  size=$(stat -c %s x.h5)
  flows=$(h5dump -a /flows_finished x.h5 2> /dev/null | sed -nE 's/.*\(0\): ([0-9]+).*/\1/p')
  awk -v name="$name" -v a="$(middle without)" -v b="$(middle with)" -v size="$size" -v flows="${flows:-0}" 'BEGIN {
    printf "%-52s %7.3f s without, %7.3f s with %d flows in %.1f MiB: %+.1f %%", name, a, b, flows, size / 1048576, 100 * (b / a - 1)
    if (flows > 0) printf ", %.2f us a flow", (b - a) / flows * 1e6
    print ""}'
}
# SimAI's MICRO policy: all 128 GPUs are one data parallel group.
printf 'MICRO\n1\nring -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 16777216 0\n' > ring.txt
echo "1 ALLREDUCE 67108864 DP" > dp.txt
"$heddle" trace --arrival poisson --rate 400000 --duration 100ms --kv-size 1MiB -n topo.txt --out kv.csv > /dev/null
cost "AllReduce of 64 MiB along rails, 16 passes" -w dp.txt --passes 16
cost "KV transfers of 1 MiB at random" --trace kv.csv
cost "ring AllReduce of 16 MiB, 9 packet-hops a flow" -w ring.txt --passes 4
