#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# AlibabaHPN's dual plane with 15,360 GPUs, and less of it: set-up, packet-hops a second, two ranks against one. A line each,
# with its goal. HEDDLE_LONG_BENCH=1 adds the runs of minutes: the AllReduce of the study, and GPT-13B. Exit code 1 if a run fails.
# Usage: hpn_bench.sh BUILD_DIRECTORY WORKLOADS MPIRUN...    (WORKLOADS: tests/data/workloads)
set -u
heddle=$(cd "$1" && pwd)/heddle
workloads=$(cd "$2" && pwd)
shift 2
mpirun=("$@")
failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AS_SEND_LAT CC_ENABLE CC_LOG_FILE NCCL_ALGO NCCL_PROTO TRACE_INJECT_FILE

# run RANKS SECONDS ARGUMENTS...: heddle run into run.log; bounded by time, and by the shell's own limits.
run() {
  local ranks=$1 bound=$2 launch=()
  shift 2
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  timeout "$bound" "${launch[@]}" "$heddle" run --like simai "$@" --record flows=none --record timeline=none > run.log 2>&1 ||
    { echo "FAILED with exit code $?, on $ranks ranks: heddle run $*"; tail -3 run.log; failures=$((failures + 1)); }
}
rate() { sed -nE 's/^speed +([0-9.]+) M packet-hops.*/\1/p' run.log; }                               # [M/s]
seconds() { sed -nE 's/^speed .* in ([0-9.]+) s, set-up ([0-9.]+) s\)$/\1 \2/p' run.log | awk '{print $1 + $2}'; }
memory() { sed -nE 's/^memory by rank +(.*) MiB$/\1/p' run.log | awk '{for (i = 1; i <= NF; ++i) sum += $i; print sum}'; }  # [MiB]
# say NAME GOAL MEASURED
say() { printf '%-60s goal %-22s measured %s\n' "$1" "$2" "$3"; }
# elapsed COMMAND...: its seconds
elapsed() {
  local start=$EPOCHREALTIME
  "$@" > /dev/null 2>&1
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN {printf "%.2f", b - a}'
}
# permutation GPUS BYTES: each GPU sends to one half the fabric and three rails on
permutation() {
  awk -v n="$1" -v size="$2" 'BEGIN {
    print "timestamp_ns,src,dst,size_bytes"
    for (i = 0; i < n; ++i) print "0," i "," (i + n / 2 + 3) % n "," size }'
}
# middle RANKS GPUS: sets `middle` to the median rate of three runs of the permutation on this number of GPUs
middle() {
  local rates=()
  for _ in 1 2 3; do
    run "$1" 200 -n "hpn-$2.txt" --trace "permutation-$2.csv"
    rates+=("$(rate)")
  done
  middle=$(printf '%s\n' "${rates[@]}" | sort -g | sed -n 2p)
}

generate=$(elapsed "$heddle" topo AlibabaHPN-DualPlane -o hpn-15360.txt)
for gpus in 128 1024; do "$heddle" topo AlibabaHPN-DualPlane -g $gpus -o hpn-$gpus.txt > /dev/null 2>&1; done
permutation 128 80000000 > permutation-128.csv
permutation 1024 10000000 > permutation-1024.csv
permutation 15360 2000000 > permutation-15360.csv

echo 0,0,8000,1000 > one.csv
whole=$(elapsed "$heddle" run -n hpn-15360.txt --trace one.csv)
run 1 60 -n hpn-15360.txt --trace one.csv
say 'set-up of 15,360 GPUs: file written, and a run of one flow' '4 s, 1024 MiB' \
  "$(awk -v a="$generate" -v b="$whole" 'BEGIN {print a + b}') s ($generate + $whole), $(memory) MiB"
declare -A one=()
for gpus in 128 1024 15360; do
  middle 1 $gpus
  one[$gpus]=$middle
done
say 'permutation on 15,360 GPUs, one rank' '3 M packet-hops/s' "${one[15360]} M packet-hops/s"
say 'permutation on 128 GPUs, one rank' '5 M packet-hops/s' "${one[128]} M packet-hops/s"
for gpus in 1024 15360; do
  middle 2 $gpus
  times=$(awk -v a="${one[$gpus]}" -v b="$middle" 'BEGIN {printf "%.2f", (a > 0 ? b / a : 0)}')
  say "permutation on $gpus GPUs, 2 ranks against 1" '1.8 times' "$times times ($middle against ${one[$gpus]} M packet-hops/s)"
done
echo '1 ALLREDUCE 67108864 DP' > allreduce.txt
# predict NAME RANKS ARGUMENTS...: efficiency on a cluster (2 us, 10 GB/s), from a profile of 15 s of the run
predict() {
  local name=$1 ranks=$2
  shift 2
  timeout 120 "$heddle" run -n hpn-15360.txt --like simai "$@" --profile profile.json --profile-for 15s --force > run.log 2>&1
  timeout 120 "$heddle" partition hpn-15360.txt --predict profile.json --weights profile.json -r "$ranks" --json > predicted.json ||
    { echo "FAILED: prediction of $name"; failures=$((failures + 1)); }
  say "$name on $ranks ranks, predicted" 'efficiency 0.8' \
    "$(awk -F '[:,]' '/"efficiency"/ {printf "%.2f", $2; exit}' predicted.json)"
}
permutation 15360 8000000 > permutation-long.csv
for ranks in 60 64; do
  predict 'permutation on 15,360 GPUs' $ranks --trace permutation-long.csv
  predict 'DP AllReduce of 64 MiB, 15,360 GPUs' $ranks -w allreduce.txt
done
if [ "${HEDDLE_LONG_BENCH:-0}" = 1 ]; then
  run 2 1500 -n hpn-15360.txt -w allreduce.txt
  say 'DP AllReduce of 64 MiB, 15,360 GPUs, 2 ranks' '360 s, 3072 MiB in all' "$(seconds) s, $(memory) MiB"
  "$heddle" topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -o a100.txt > /dev/null 2>&1
  for goal in '1 240' '2 130'; do
    read -r ranks bound <<< "$goal"
    run "$ranks" 900 -n a100.txt -w "$workloads/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt"
    say "an iteration of GPT-13B on 128 A100, ranks: $ranks" "$bound s" "$(seconds) s, $(memory) MiB"
  done
fi
exit $((failures > 0))
