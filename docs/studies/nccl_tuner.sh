#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# AllReduce of all GPUs of 1, 2 and 16 servers of eight H100, 8 KiB to 1 GiB, as `like nccl` with the tuner's own latencies
# (collective.latency=nccl) simulates it by ring, by tree and as it chooses, beside what NCCL's tuner predicts. docs/studies/nccl_tuner.md explains.
# Usage: nccl_tuner.sh [--quick] [BUILD_DIR [OUTPUT_DIR]]
#   --quick   to 32 MiB
# Results that are there already are kept, so a study that was stopped goes on. Without --quick four minutes.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
sizes="8192 65536 524288 4194304 33554432 268435456 1073741824"
if [ "${1:-}" = --quick ]; then
  sizes="8192 65536 524288 4194304 33554432"
  shift
fi
begin nccl_tuner "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE

# fabric NAME SERVERS [FLAG...]
fabric() {
  "$heddle" topo Spectrum-X -g $((8 * $2)) -gt H100 -bw 400Gbps --oversubscription 1 "${@:3}" -o "$1.txt" --force > /dev/null 2>&1
}
# simulate RESULT FABRIC BYTES [SETTING...]: unless the result is there.
simulate() {
  [ ! -e "$1.h5" ] || return 0
  local settings=() setting
  for setting in "${@:4}"; do settings+=(--set "$setting"); done
  printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE %s 0\n' "$3" > "$1.txt"
  timeout 1800 "$heddle" run -q -n "$2.txt" -w "$1.txt" --like nccl \
    --set collective.latency=nccl --set algorithm.choice=simccl --record flows=none --record timeline=none \
    "${settings[@]}" -o "$1.part.h5" --force
  mv "$1.part.h5" "$1.h5"
}

rows=()
for servers in 1 2 16; do
  fabric "servers$servers" "$servers"
  for size in $sizes; do
    say "$servers servers, $size bytes"
    for algorithm in fastest ring tree; do
      simulate "$algorithm-$servers-$size" "servers$servers" "$size" "algorithm.allreduce=$algorithm"
    done
    rows+=("$servers-$size")
  done
done

# Trials: what makes the simulation slower or faster than the prediction?
# trial WORDS SERVERS BYTES FABRIC ALGORITHM [SETTING...]: a row of trials.tsv.
trial() {
  local name=trial-$4-$3-$5-${*:6}
  name=${name//[ =]/-}
  simulate "$name" "$4" "$3" "algorithm.allreduce=$5" "${@:6}"
  printf '%s\t%s\t%s\t%s\t%s\n' "$2" "$3" "$5" "$1" "$name" >> trials.tsv
}
say "trials"
: > trials.tsv
for servers in 2 16; do fabric "near$servers" "$servers" -l 0.000001ms -nl 0.000001ms; done
ll128=collective.protocol=ll128
trial "messages end when received" 2 8192 servers2 tree flow.completion=received
trial "no delay of links" 2 8192 near2 tree
trial "messages end when received" 16 8192 servers16 tree flow.completion=received
trial "no delay of links" 16 8192 near16 tree
trial "pieces of 18,000 bytes" 16 524288 servers16 tree $ll128 collective.chunk_bytes=18000
trial "pieces of 18,000 bytes, no delay of links" 16 524288 near16 tree $ll128 collective.chunk_bytes=18000
trial "pieces of 18,000 bytes" 16 4194304 servers16 tree $ll128 collective.chunk_bytes=18000
trial "pieces of 72,000 bytes" 16 33554432 servers16 tree $ll128 collective.chunk_bytes=72000
trial "messages end when received" 2 524288 servers2 ring flow.completion=received
trial "no delay of links" 2 524288 near2 ring
trial "no delay of links, no PXN" 2 524288 near2 ring collective.pxn=false
trial "messages end when received" 16 4194304 servers16 ring flow.completion=received
trial "no delay of links" 16 4194304 near16 ring
trial "no delay of links, no PXN" 16 4194304 near16 ring collective.pxn=false
if [[ $sizes == *268435456* ]]; then
  trial "no latencies" 16 268435456 servers16 ring $ll128 collective.latency=send_lat flow.send_latency=0us
fi
/usr/bin/python3 "$studies/nccl_tuner_tables.py" "${rows[@]}"
