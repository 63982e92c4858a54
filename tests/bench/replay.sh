#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs with engine.replay off and on, one after the other: processor seconds, memory, their ratio, and the share that was not simulated
# (of it, what was skipped in cycles). The digests must be equal. With WORKLOADS, the folder of SimAI's workload files, whole iterations besides: minutes. With MPIRUN,
# two jobs on a segment each, on one rank and on two: seconds by the clock.
# Usage: replay.sh BUILD [WORKLOADS [MPIRUN...]]
set -euo pipefail
[ $# -ge 1 ] || { sed -n '/^# Usage/s/^# //p' "$0" >&2; exit 2; }
heddle=$(cd "$1" && pwd)/heddle
workloads=${2:+$(cd "$2" && pwd)}
mpirun=("${@:3}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# run NAME on|off ARGUMENTS...: "seconds KiB" of one run; its output is in NAME.on or NAME.off.
run() {
  local name=$1 replay=$2
  shift 2
  /usr/bin/time -o time.txt -f '%U %M' "$heddle" run "$@" --record flows=none --set engine.replay="$replay" -o x.h5 --force > "$name.$replay" 2> err.txt ||
    { cat err.txt >&2; return 1; }
  cat time.txt
}
# beside NAME ARGUMENTS...: one line of the table.
beside() {
  local name=$1 off on off_kib on_kib
  read -r off off_kib <<< "$(run "$1" off "${@:2}")"
  read -r on on_kib <<< "$(run "$1" on "${@:2}")"
  if [ "$(grep '^digest' "$1.off")" != "$(grep '^digest' "$1.on")" ]; then
    echo "$name: results differ" >&2
    return 1
  fi
  awk -v name="$name" -v off="$off" -v on="$on" -v off_kib="$off_kib" -v on_kib="$on_kib" \
    -v share="$(sed -n 's/^replay *\([0-9.]* %\).* \([0-9.]* %\) skipped.*/\1 (\2)/p' "$1.on")" \
    'BEGIN { printf "%-44s %8.2f s %6.0f MiB %8.2f s %6.0f MiB %6.1f times  %s\n", name, off, off_kib / 1024, on, on_kib / 1024, off / on, share }'
}
collective() { printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$2" "$3" > "$1"; }

"$heddle" topo Spectrum-X -g 128 -gps 8 -gt A100 -o rails.txt > /dev/null 2>&1
"$heddle" topo AlibabaHPN -g 64 -gt H100 -o hpn.txt > /dev/null 2>&1
"$heddle" topo DCN-SingleToR -g 64 -gt H100 -o dcn.txt > /dev/null 2>&1
collective reduce.txt ALLREDUCE 67108864
collective exchange.txt ALLTOALL 16777216
printf '%-44s %23s %23s\n' 'processor time, memory' 'off' 'on'
beside 'AllReduce of 64 MiB, 64 GPUs, HPN' -n hpn.txt -w reduce.txt
beside 'the same in one domain' -n hpn.txt -w reduce.txt --grain 0
beside 'AllReduce of 64 MiB, 64 GPUs, DCN, one domain' -n dcn.txt -w reduce.txt --grain 0
beside 'AllReduce of 64 MiB, 128 GPUs on rails' -n rails.txt -w reduce.txt
beside 'AllToAll of 16 MiB, 128 GPUs on rails' -n rails.txt -w exchange.txt
[ -n "$workloads" ] || exit 0
for file in "$workloads"/*megatron*.txt; do
  beside "$(basename "$file" | cut -c 1-40)" -n rails.txt -w "$file"
done
[ ${#mpirun[@]} -gt 0 ] || exit 0
"$heddle" topo Spectrum-X -g 256 -gps 8 -gt A100 -npa 16 -o segments.txt > /dev/null 2>&1
# both RANKS: seconds by the clock of two iterations of GPT-13B, a segment each.
both() {
  local launch=()
  [ "$1" = 1 ] || launch=("${mpirun[@]}" -n "$1")
  local job
  job=workload=$(echo "$workloads"/*GPT13B*)
  /usr/bin/time -o time.txt -f '%e' "${launch[@]}" "$heddle" run -n segments.txt --job "$job,gpus=0-127" --job "$job,gpus=128-255" \
    --record flows=none > "both.$1" 2> err.txt || { cat err.txt >&2; return 1; }
  tail -1 time.txt
}
one=$(both 1)
two=$(both 2)
[ "$(grep '^digest' both.1)" = "$(grep '^digest' both.2)" ] || { echo 'two ranks: results differ' >&2; exit 1; }
awk -v one="$one" -v two="$two" 'BEGIN { printf "%-44s %8.2f s on one rank %8.2f s on two %6.2f times\n", "GPT-13B twice, 256 GPUs, two segments", one, two, one / two }'
