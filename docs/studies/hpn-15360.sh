#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# AlibabaHPN with 15,360 GPUs against Spectrum-X and DCN+ of the same size: an AllReduce over all servers, an AllToAll of 512
# GPUs, KV transfers between pods, and half of the leaves or spines failing. docs/studies/hpn-15360.md explains.
# Usage: hpn-15360.sh [--quick] [--ring] [--allreduce BYTES] [--ranks N] [--only FABRICS] [BUILD_DIR [OUTPUT_DIR]]
#   --quick            1,024 GPUs, with a quarter of the ports a switch: two minutes in place of thirty
#   --ring             the AllReduce by rings (59 million flows) in place of trees
#   --allreduce BYTES  its size (default: 33554432; --quick: 16777216)
#   --ranks N          MPI processes of a run (default: 2, on one core 1)
#   --only FABRICS     some of them, with commas: hpn-dual,spectrum-x
# Results that are there already are kept, so a study that was stopped goes on.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

quick=0 algorithm=tree bytes='' only='' ranks=$(($(nproc) > 1 ? 2 : 1))
while [[ ${1:-} == --* ]]; do
  case $1 in
    --quick) quick=1 ;;
    --ring) algorithm=ring ;;
    --allreduce | --ranks | --only)
      [ $# -ge 2 ] || die "$1 lacks its value"
      case $1 in
        --allreduce) bytes=$2 ;;
        --ranks) ranks=$2 ;;
        --only) only=$2 ;;
      esac
      shift ;;
    *) die "unknown flag $1. Expected: --quick, --ring, --allreduce BYTES, --ranks N or --only FABRICS" ;;
  esac
  shift
done
if [ $quick = 1 ]; then
  name=hpn-1024 gpus=1024 part=4 some=128 some_bytes=33554432 bytes=${bytes:-16777216}
else
  name=hpn-15360 gpus=15360 part=1 some=512 some_bytes=67108864 bytes=${bytes:-33554432}
fi
begin $name "$@"
# SimAI's collectives, but not the settings of the controller's studies.
unset AS_SEND_LAT AS_NVLS_ENABLE
heddle_run=("$heddle" run -q --like simai)
[ "$ranks" = 1 ] || heddle_run=(mpirun --oversubscribe -n "$ranks" "${heddle_run[@]}")

# What a fabric is: template, NIC ports a GPU, spines. Leaves have 25.6 Tbps to GPUs, by --quick a quarter of it.
declare -A template=([hpn-dual]=AlibabaHPN-DualPlane [hpn-single]=AlibabaHPN-SinglePlane [spectrum-x]=Spectrum-X
  [dcn-dual]=DCN-DualToR [dcn-single]=DCN-SingleToR [spectrum-x-4096]=Spectrum-X)
declare -A nics=([hpn-dual]=2 [hpn-single]=2 [spectrum-x]=1 [dcn-dual]=2 [dcn-single]=1 [spectrum-x-4096]=1)
declare -A spines=([hpn-dual]=120 [hpn-single]=120 [spectrum-x]=64 [dcn-dual]=60 [dcn-single]=60 [spectrum-x-4096]=64)
fabrics=(hpn-dual hpn-single spectrum-x dcn-dual dcn-single)
# Spectrum-X as large as its template has it, too.
[ $quick = 1 ] || fabrics+=(spectrum-x-4096)
gpus_of() { if [ "$1" = spectrum-x-4096 ]; then echo 4096; else echo $gpus; fi; }
if [ -n "$only" ]; then
  IFS=, read -ra fabrics <<< "$only"
  for fabric in "${fabrics[@]}"; do
    [ -n "${template[$fabric]:-}" ] || die "unknown fabric '$fabric'. Expected: ${!template[*]}"
  done
fi

# make_fabric NAME: NAME.txt
make_fabric() {
  "$heddle" topo "${template[$1]}" -g "$(gpus_of "$1")" -npa $((64 * ${nics[$1]} / part)) -psn $((${spines[$1]} / part)) -app 240 \
    -o "$1.txt" --force 2> /dev/null
}

# fail_half NAME TIME leaves|spines: NAME-leaves.csv or NAME-spines.csv. Leaves: the second leaf of every GPU, which is one plane of
# leaves; where GPUs have only one leaf each, the first leaf of all. Spines: the second half, which is one plane of the dual plane.
fail_half() {
  local nodes nvswitches switches size leaves first last
  size=$(gpus_of "$1")
  leaves=$((size * part / 64))
  read -r nodes _ nvswitches switches _ < "$1.txt"
  if [ "$3" = spines ]; then
    first=$((nodes - (switches - leaves) / 2)) last=$((nodes - 1))
  else
    first=$((size + nvswitches)) last=$((size + nvswitches))
    if [ "${nics[$1]}" = 2 ]; then first=$((first + leaves / 2)) last=$((last + leaves - 1)); fi
  fi
  for ((node = first; node <= last; ++node)); do echo "$2,node_down,$node"; done > "$1-$3.csv"
}

# simulate NAME CASE ARGUMENTS...: NAME-CASE.h5, unless it is there. A fabric in pieces may stall, which is a result too.
simulate() {
  local result=$1-$2.h5 code=0 start=$SECONDS
  [ ! -f "$result" ] || { say "$result is there"; return; }
  "${heddle_run[@]}" -n "$1.txt" "${@:3}" --record timeline=none -o "$result" --force 2> "$1-$2.log" || code=$?
  case $code in
    0) say "$result, $((SECONDS - start)) s" ;;
    4) say "$result, $((SECONDS - start)) s: stalled" ;;
    *) cat "$1-$2.log" >&2; die "heddle run ended with exit code $code" ;;
  esac
}

# spread NAME: one server in so many of the whole fabric, as a list of GPUs.
spread() {
  local size list='' gpu step
  size=$(gpus_of "$1")
  step=$((8 * size / some))
  for ((gpu = 0; gpu < size; gpu += step)); do list+="+$gpu-$((gpu + 7))"; done
  echo "${list#+}"
}

echo "1 ALLREDUCE $bytes DP" > allreduce.txt
printf 'MICRO\n1\nalltoall -1 0 NONE 0 0 NONE 0 0 ALLTOALL %d 0\n' $some_bytes > alltoall.txt
# Prompts are read by one pod and answered by the next: 10 MiB of cache a request, half of what the NICs of the first can send.
pod=$((128 / part)) rate=$((1024 * 25000000000 / 10485760 / part))
"$heddle" trace --arrival poisson --rate $rate --duration 2ms --kv-mb 10 --servers $((gpus / 8)) --prefill-servers 0-$((pod - 1)) \
  --decode-servers $pod-$((2 * pod - 1)) -o kv.csv --force

# trees NAME CASE [ARGUMENTS...]
trees() { simulate "$1" "$2" -w allreduce.txt --set "algorithm.allreduce=$algorithm" --record flows=none "${@:3}"; }
case=allreduce-$algorithm-$bytes
for fabric in "${fabrics[@]}"; do
  make_fabric "$fabric"
  simulate "$fabric" kv --trace kv.csv --record flows=all
  for what in leaves spines; do
    fail_half "$fabric" 1ms $what
    simulate "$fabric" kv-$what --trace kv.csv --failures "$fabric-$what.csv" --record flows=all
  done
done
for fabric in "${fabrics[@]}"; do trees "$fabric" "$case"; done
# Half-way through the AllReduce; on 15,360 GPUs only on the fabric that was built for it. And with a short timeout.
for fabric in "${fabrics[@]}"; do
  [ $quick = 1 ] || [ "$fabric" = hpn-dual ] || continue
  end=$(/usr/bin/python3 "$studies/fabric_tables.py" end "$fabric=$fabric-$case.h5")
  fail_half "$fabric" "$((end / 2))ns" leaves
  trees "$fabric" "$case-leaves" --failures "$fabric-leaves.csv"
  [ "${nics[$fabric]}" = 1 ] ||
    trees "$fabric" "$case-leaves-250us" --failures "$fabric-leaves.csv" --set reliability.timeout=250us
done
for fabric in "${fabrics[@]}"; do
  simulate "$fabric" alltoall-packed --job "workload=alltoall.txt,gpus=0-$((some - 1))" --record flows=none
  simulate "$fabric" alltoall-spread --job "workload=alltoall.txt,gpus=$(spread "$fabric")" --record flows=none
done

# results CASE: NAME=FILE of those that are there
results() {
  local fabric
  for fabric in "${fabrics[@]}"; do if [ -f "$fabric-$1.h5" ]; then echo "$fabric=$fabric-$1.h5"; fi; done
}
# collisions CASE: how many of its flows met on a link between leaf and spine
collisions() {
  local fabric
  echo
  echo '| fabric | pairs of flows on a link at once | links with two or more | most on a link | fullest spine, of the mean |'
  echo '|---|---:|---:|---:|---:|'
  for fabric in "${fabrics[@]}"; do
    "$heddle" analyze collisions "$fabric-$1.h5" | awk -v fabric="$fabric" '
      /^  pairs of flows that share a link/ { pairs = $NF }
      /^  links with two or more flows/ { links = $NF }
      /^  most flows on a link/ { most = $NF }
      /^spine switches/ { sub(/.*fullest has /, ""); fullest = $1 }
      END { printf "| %s | %s | %s | %s | %s |\n", fabric, pairs, links, most, fullest }'
  done
}
# show CASE TABLES...: all tables of a case
show() {
  local kind case=$1
  [ -n "$(results "$case")" ] || return 0
  printf '\n### %s\n' "$case"
  for kind in "${@:2}"; do
    echo
    # shellcheck disable=SC2046  # one word a result
    /usr/bin/python3 "$studies/fabric_tables.py" "$kind" $(results "$case")
  done
}
for case in "$case" "$case-leaves" "$case-leaves-250us" alltoall-packed alltoall-spread; do show "$case" collective links cost; done
for case in kv kv-leaves kv-spines; do show $case transfers links cost; done
collisions kv
say "inputs, results and logs are in $PWD"
