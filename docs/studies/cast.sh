#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What does weighing queue pairs by congestion (Broadcom's CAST) gain? Four servers of eight GPUs, four queue pairs, uplinks 2:1, 1:1 and
# 1:2, one spine with trunks or many spines; four collectives, four ways of scheduling, thirty draws of source ports. docs/studies/cast.md explains.
# Usage: cast.sh [--quick] [BUILD_DIR [OUTPUT_DIR]]
#   --quick   five draws of AllReduce and AllToAll, no other sizes and settings: two minutes
# Results that are there already are kept, so a study that was stopped goes on. Two runs at a time.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
quick=0
if [ "${1:-}" = --quick ]; then
  quick=1
  shift
fi
begin cast "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE
export heddle

# A leaf a server, so that all traffic between servers goes through spines. spines-U: U spines. trunk-U: one spine, U cables to each leaf.
for uplinks in 4 8 16; do
  "$heddle" topo DCN-SingleToR -g 32 -gps 8 -bw 400Gbps -npa 8 -psn "$uplinks" -apbw 400Gbps -app 4 -o "spines-$uplinks.txt" --force > /dev/null
  /usr/bin/python3 - "spines-$uplinks.txt" > "trunk-$uplinks.txt" << 'END'
import sys
head, switches, *links = open(sys.argv[1]).read().strip().split("\n")
nodes, servers, nvswitches, others, count, gpu = head.split()
spine = int(nodes) - int(others) + 4  # after four leaves
print(spine + 1, servers, nvswitches, 5, count, gpu)
print(" ".join(switches.split()[:int(nvswitches) + 5]))
for link in links:
    a, b, *rest = link.split()
    print(min(int(a), spine), min(int(b), spine), *rest)
END
done

# simulate FABRIC OPERATION MIB SCHEDULER QUEUE_PAIRS SEED [KEY=VALUE,...]: a line of times.tsv, unless it is there. MIB: of all 32 GPUs. A
# collective by rings runs on each of eight rails, with an eighth of the bytes.
simulate() {
  local fabric=$1 operation=$2 mib=$3 scheduler=$4 pairs=$5 seed=$6 settings=${7:-} arguments=() work time
  local key="$fabric"$'\t'"$operation"$'\t'"$mib"$'\t'"$scheduler"$'\t'"$pairs"$'\t'"$seed"$'\t'"${settings:--}"
  grep -qF "$key"$'\t' times.tsv && return 0
  work="$operation-$mib.txt"
  if [ ! -f "$work" ]; then
    if [ "$operation" = ALLTOALL ]; then
      printf 'MICRO\n1\nalltoall -1 0 NONE 0 0 NONE 0 0 ALLTOALL %d 0\n' $((mib << 20)) > "$work.$seed"
    else
      printf '1 %s %d DP\n' "$operation" $((mib << 17)) > "$work.$seed"
    fi
    mv "$work.$seed" "$work"
  fi
  for setting in ${settings//,/ }; do arguments+=(--set "$setting"); done
  time=$("$heddle" run -n "$fabric.txt" -w "$work" --like simai --seed "$seed" --set nic.source_ports=random --set collective.connections=lasting \
    --set "nic.qps_per_connection=$pairs" --set "requests.scheduler=$scheduler" --record flows=none "${arguments[@]}" 2> "log.$scheduler.$seed" |
    sed -n 's/^simulated *\([0-9.]*\) us.*/\1/p')
  [ -n "$time" ] || { cat "log.$scheduler.$seed" >&2; return 1; }
  rm -f "log.$scheduler.$seed"
  printf '%s\t%s\n' "$key" "$time" >> times.tsv
}
export -f simulate
touch times.tsv

# plan FABRICS OPERATIONS SIZES SCHEDULERS QUEUE_PAIRS SEEDS [SETTINGS]
plan() {
  local fabric operation mib scheduler pairs seed
  for fabric in $1; do for operation in $2; do for mib in $3; do for scheduler in $4; do for pairs in $5; do
    for ((seed = 1; seed <= $6; ++seed)); do echo "simulate $fabric $operation $mib $scheduler $pairs $seed ${7:-}"; done
  done; done; done; done; done
}
modes="stripe cast-stripe round-robin cast-wrr"
fabrics="trunk-4 spines-4 trunk-8 spines-8 trunk-16 spines-16"
seeds=30 operations="ALLREDUCE ALLGATHER REDUCESCATTER"
if [ $quick = 1 ]; then seeds=5 operations=ALLREDUCE; fi
{
  plan "$fabrics" "$operations" 1024 "$modes" 4 $seeds
  plan "$fabrics" ALLTOALL 256 "$modes" 4 $seeds
  if [ $quick = 0 ]; then
    plan spines-8 "ALLREDUCE ALLTOALL" "1 4 16 64 256 1024" "$modes" 4 10
    plan spines-8 ALLREDUCE "4096 16384" "$modes" 4 3
    plan spines-8 ALLTOALL 4096 "$modes" 4 3
    plan spines-8 ALLTOALL 16384 "$modes" 4 1
    plan spines-8 ALLREDUCE 1024 "stripe cast-stripe" "1 2 8 16" 10
    plan spines-8 ALLTOALL 256 "stripe cast-stripe round-robin cast-wrr" 4 10 requests.send_recv_size=524288
    for settings in cast.metric=paper cast.weights=inverse cast.weight=0.1 cast.weight=0.5 cast.weight=1 cast.update_interval=10us \
      cast.update_interval=1000us cast.poll_interval=10us cast.poll_jitter=exponential,cast.poll_jitter_time=10us \
      cast.poll_jitter=exponential,cast.poll_jitter_time=10us,cast.weights=inverse cast.reset_interval=1000us requests.in_flight=2 \
      transport.window=false transport.congestion_control=0; do
      plan spines-8 ALLREDUCE 1024 "stripe cast-stripe" 4 10 "$settings"
    done
  fi
} > runs.txt
say "$(wc -l < runs.txt) runs, $(wc -l < times.tsv) are there"
xargs -P 2 -d '\n' -n 1 bash -c < runs.txt
# What even and the best parts could give on the same ways, counted (docs/models/static_congestion.md).
for fabric in $fabrics; do
  for pattern in rail_rings:8 alltoall; do
    "$heddle" congestion "$fabric.txt" -p $pattern --placement in-order -n $seeds --queue-pairs 4 |
      awk -v key="$fabric $pattern" '{gsub(/,/, "")} /^even parts/ {even = $3} /^best parts/ {best = $3} /^gain/ {print key, even, best, $2, $4, $6}'
  done
done > bounds.txt
# shellcheck disable=SC2154  # common.sh sets it
/usr/bin/python3 "$studies/cast_tables.py" times.tsv bounds.txt
say "times are in $PWD/times.tsv"
