#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# AllReduce and AllToAll of 2, 4 and 8 ranks of this machine, measured; half of the sizes fit a calibration, which predicts the other
# half. docs/studies/measured.md explains. Usage: measured.sh [BUILD_DIR [OUTPUT_DIR]]
# Half a minute on two cores, two if others run meanwhile, which they should not.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin measured "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE
read -r -a mpirun <<< "${MPIRUN:-mpirun --oversubscribe}"
repeat=${REPEAT:-40}

# work NAME OPERATION BYTES...: a workload of each size, many times in a row, as the first of a size waits for ranks that are late from
# the size before.
work() {
  local name=$1 operation=$2 bytes
  shift 2
  for bytes in "$@"; do echo "$repeat $operation $bytes TP"; done > "$name.txt"
}
# About what a rank of this machine gets: the rate that efficiencies are shares of.
rate=${RATE:-40Gbps}
fitted=(4096 65536 1048576 16777216)
predicted=(16384 262144 4194304)
settings=(--set algorithm.allreduce=ring --set collective.protocol=simple --like nccl)
echo "| operation | ranks | size | measured: least, mean, p99 [us] | predicted [us] | error of the mean |"
echo "|---|---:|---:|---:|---:|---:|"
for operation in ALLREDUCE ALLTOALL; do
  for ranks in 2 4 8; do
    "$heddle" topo Spectrum-X -g "$ranks" -gps "$ranks" -gt A100 -nvbw "$rate" -o fabric.txt --force > /dev/null 2>&1
    for part in fitted predicted; do
      declare -n sizes=$part
      work $part $operation "${sizes[@]}"
      say "$operation, $ranks ranks, $part"
      "${mpirun[@]}" -n "$ranks" "$heddle" run -q -n fabric.txt -w $part.txt "${settings[@]}" --backend physical --set physical.warmup=1 -o $part.h5 --force
    done
    "$heddle" calibrate fitted.h5 -o "$operation-$ranks.calibration" --force > /dev/null
    for part in fitted predicted; do
      "$heddle" run -q -n fabric.txt -w $part.txt "${settings[@]}" --backend analytical --calibration "$operation-$ranks.calibration" \
        -o closed_$part.h5 --force
      /usr/bin/python3 "$studies/measured_rows.py" $part.h5 closed_$part.h5 $part
    done
  done
done
