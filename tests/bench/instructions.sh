#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Instructions a packet-hop of one program, or of two side by side: callgrind counts, so that the load of the machine does not matter.
# A longer run less a shorter one of the same fabric leaves set-up out. Two programs: the gate of a change that must cost nothing.
# Usage: instructions.sh FABRIC_BENCH [OTHER_FABRIC_BENCH]
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  sed -n '/^# Usage/s/^# //p' "$0" >&2
  exit 2
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# count BENCH HOSTS GBPS MIB: "instructions hops" of one run.
count() {
  local text
  text=$(valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$@" 2> "$folder/err") || {
    tail -5 "$folder/err" >&2
    return 1
  }
  printf '%s %s\n' "$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$folder/err")" \
    "$(sed -n 's/.*, \([0-9]*\) hops exactly.*/\1/p' <<<"$text")"
}

# per_hop BENCH HOSTS GBPS SHORT LONG
per_hop() {
  local short long
  short=$(count "$1" "$2" "$3" "$4") || return 1
  long=$(count "$1" "$2" "$3" "$5") || return 1
  awk -v s="$short" -v l="$long" 'BEGIN { split(s, a, " "); split(l, b, " "); printf "%.2f", (b[1] - a[1]) / (b[2] - a[2]) }'
}

for shape in "128 100 0.5 1.5" "15360 400 0.03125 0.0625"; do
  read -r hosts gbps short long <<<"$shape"
  first=$(per_hop "$1" "$hosts" "$gbps" "$short" "$long")
  printf '%6s hosts: %s instructions a packet-hop' "$hosts" "$first"
  if [ $# -eq 2 ]; then
    second=$(per_hop "$2" "$hosts" "$gbps" "$short" "$long")
    printf ' and %s, %+.2f %%' "$second" "$(awk -v a="$first" -v b="$second" 'BEGIN { print 100 * (b / a - 1) }')"
  fi
  printf '\n'
done
