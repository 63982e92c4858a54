#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What do switches that add bring? AllReduce of 64 KiB to 1 GiB on 128 and 1,024 GPUs by ring, trees, NVLS-Tree and CollNet; AllGather
# and ReduceScatter by ring, PAT and CollNet; AllReduce over one GPU a server, as published of SHARP; two jobs that share leaves with one
# stream a switch and with two. docs/studies/in_network_reduction.md explains.
# Usage: in_network_reduction.sh [--quick|--large] [BUILD_DIR [OUTPUT_DIR]]
#   --quick   to 4 MiB
#   --large   also 15,360 GPUs of AlibabaHPN, to 16 MiB with packets, and 256 MiB of 1,024 GPUs
# Results that are there already are kept, so a study that was stopped goes on. One run at a time.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
small="64KiB 512KiB 4MiB" middle="32MiB" big="256MiB" biggest="1GiB" large=0
case ${1:-} in
  --quick) middle='' big='' biggest=''; shift ;;
  --large) large=1; shift ;;
esac
begin in_network_reduction "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE

# Rails of two and of four leaves, as many links above a leaf as GPUs below, and a spine for every rail's root.
rails() { "$heddle" topo Spectrum-X -g "$2" -npa "$3" -psn "$3" -app "$4" -asn "$4" "${@:5}" -o "$1.txt" --force > /dev/null; }
rails rails-128 128 8 16 -bw 400Gbps -apbw 400Gbps
rails rails-1024 1024 32 32 -bw 400Gbps -apbw 400Gbps
rails hdr-128 128 8 16 -bw 200Gbps -apbw 200Gbps

# quoted WORD...: as a list of TOML.
quoted() { printf '"%s", ' "$@"; }

# An algorithm is a label, what algorithm.OPERATION is set to, and algorithm.nvls.
allreduce="ring:ring:simai tree:tree:simai nvls_tree-simai:nvls_tree:simai nvls_tree:nvls_tree:multimem
  collnet_direct:collnet_direct:simai nvls_collnet:nvls_collnet:multimem"
# part NAME FABRIC BACKEND OPERATION ALGORITHMS SIZE...: results NAME/ALGORITHM_SIZE.h5. OPERATION: with DP, over one GPU a server.
part() {
  local name=$1 fabric=$2 backend=$3 operation=$4 algorithms=$5 size entry fields labels=() names=() forms=() files=() key
  shift 5
  [ $# -gt 0 ] || return 0
  say "$name: $*"
  read -r key _ <<< "${operation,,}"
  mkdir -p inputs
  for size in "$@"; do
    files+=("inputs/${operation// /-}-$size.txt")
    if [[ $operation = *" DP" ]]; then
      printf '1 %s %s DP\n' "${operation% DP}" "$(bytes "$size")" > "${files[-1]}"
    else
      printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$operation" "$(bytes "$size")" > "${files[-1]}"
    fi
  done
  for entry in $algorithms; do
    IFS=: read -ra fields <<< "$entry"
    labels+=("${fields[0]}") names+=("${fields[1]}") forms+=("${fields[2]}")
  done
  cat > "$name.toml" << END
output = "$name"
[run]
topology = "$fabric.txt"
backend = "$backend"
like = "nccl"
collective.latency = "nccl"
algorithm.choice = "simccl"
record = "flows=none,timeline=none"
aggregation.switches = "all"
[[zip]]
algorithm.$key = [$(quoted "${names[@]}")]
algorithm.nvls = [$(quoted "${forms[@]}")]
label = [$(quoted "${labels[@]}")]
[[zip]]
workload = [$(quoted "${files[@]}")]
label = [$(quoted "$@")]
END
  "$heddle" sweep "$name.toml" --local --jobs 1 > "$name.txt" || { cat "$name.txt" >&2; die "heddle sweep $name.toml failed"; }
}
bytes() {
  case $1 in
    *KiB) echo $((${1%KiB} << 10)) ;;
    *MiB) echo $((${1%MiB} << 20)) ;;
    *GiB) echo $((${1%GiB} << 30)) ;;
  esac
}

# shellcheck disable=SC2086  # lists of words
{
  part packets-128 rails-128 packet ALLREDUCE "$allreduce" $small $middle $big $biggest
  part closed-128 rails-128 analytical ALLREDUCE "$allreduce" $small $middle $big $biggest
  part packets-1024 rails-1024 packet ALLREDUCE "$allreduce" $small $middle
  part closed-1024 rails-1024 analytical ALLREDUCE "$allreduce" $small $middle $big $biggest
  # 200 Gbps, as HDR has it.
  part hdr hdr-128 packet "ALLREDUCE DP" "ring:ring:simai tree:tree:simai collnet_direct:collnet_direct:simai" \
    $small $middle $big $biggest
  for operation in ALLGATHER REDUCESCATTER; do
    name=${operation,,}
    gather="ring:ring:simai pat:pat:simai collnet_direct:collnet_direct:simai"
    part "$name-16" rails-128 packet "$operation DP" "$gather" $small $middle $big
    part "$name-128" rails-1024 packet "$operation DP" "$gather" $small $middle
    part "$name-all" rails-128 packet "$operation" "ring:ring:simai collnet_direct:collnet_direct:simai" $small $middle $big
  done
  if [ $large = 1 ]; then
    "$heddle" topo AlibabaHPN-DualPlane -g 15360 -gt H100 -o hpn-15360.txt --force > /dev/null
    part packets-15360 hpn-15360 packet ALLREDUCE "${allreduce#* }" 64KiB 1MiB 16MiB
    part closed-15360 hpn-15360 analytical ALLREDUCE "$allreduce" 64KiB 1MiB 16MiB 256MiB
    part packets-1024 rails-1024 packet ALLREDUCE "$allreduce" $small $middle $big
  fi
}

# trial NAME WORDS SETTING...: NAME.h5, unless it is there, and a row of trials.tsv: what bounds large AllReduces over one GPU a server?
trial() {
  local settings=() setting
  for setting in "${@:3}"; do settings+=(--set "$setting"); done
  if [ ! -e "$1.h5" ]; then
    "$heddle" run -q -n hdr-128.txt -w inputs/trial.txt --like nccl --set collective.latency=nccl --record flows=none --record timeline=none --set aggregation.switches=all \
      --set algorithm.allreduce=collnet_direct "${settings[@]}" -o "$1.part.h5" --force
    mv "$1.part.h5" "$1.h5"
  fi
  printf '%s\t%s\n' "$1" "$2" >> trials.tsv
}
say "trials"
: > trials.tsv
printf '1 ALLREDUCE %s DP\n' "$(bytes 64MiB)" > inputs/trial.txt
trial trial-16 "16 channels, as NCCL" collective.collnet_channels=16
trial trial-32 "32 channels" collective.collnet_channels=32
trial trial-64 "64 channels" collective.collnet_channels=64
trial trial-nothing "16 channels, no latency of software" collective.latency=send_lat flow.send_latency=0us

# Two jobs of 64 GPUs on rails-128, servers in turn, so that each leaf has GPUs of both; or one after the other, a leaf of each rail each.
servers() {
  local server list=''
  for server in "$@"; do list+="+$((8 * server))-$((8 * server + 7))"; done
  echo "${list#+}"
}
even=$(servers 0 2 4 6 8 10 12 14) odd=$(servers 1 3 5 7 9 11 13 15)
# jobs NAME FLAG...: NAME.h5, unless it is there, and what was printed of trees in NAME.log.
jobs() {
  [ ! -e "$1.h5" ] || return 0
  "$heddle" run -n rails-128.txt --like nccl --set collective.latency=nccl --record flows=none --record timeline=none --set algorithm.choice=nccl \
    --set algorithm.nvls=multimem --set collective.collnet=true --set aggregation.switches=all "${@:2}" -o "$1.part.h5" --force \
    > "$1.log" 2>&1 ||
    { cat "$1.log" >&2; die "heddle run ended with an error"; }
  mv "$1.part.h5" "$1.h5"
}
say "two jobs"
shared_sizes=(1MiB)
[ -z "$middle" ] || shared_sizes+=(64MiB)
for size in "${shared_sizes[@]}"; do
  printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE %s 0\n' "$(bytes "$size")" > "inputs/job-$size.txt"
  first="workload=inputs/job-$size.txt,gpus=$even" second="workload=inputs/job-$size.txt,gpus=$odd"
  jobs "alone-$size" --job "$second"
  jobs "hosts-$size" --job "$second" --set aggregation.switches=none
  jobs "one-$size" --job "$first" --job "$second"
  jobs "two-$size" --job "$first" --job "$second" --set aggregation.streams=2
  jobs "apart-$size" --job "workload=inputs/job-$size.txt,gpus=0-63" --job "workload=inputs/job-$size.txt,gpus=64-127"
done

# What NCCL's tuner expects.
for ranks in 128 1024; do
  "$heddle" collective allreduce -r "$ranks" -b 64KiB -e 1GiB -f 2 --tune --set collective.collnet=true --json > "tuner-$ranks.json"
done
/usr/bin/python3 "$studies/in_network_reduction_tables.py"
