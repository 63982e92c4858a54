#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# step_time.sh HEDDLE: the time of a step adds up to 100 % on the screen, in the report, and not to more in SimAI's table, with and without
# pipeline stages and experts; the report and the screen say the same; no cell of the table is nan.
set -u
heddle=$1
. "$(dirname "$0")/../common.sh"
"$heddle" topo Spectrum-X -g 16 -psn 4 -o fabric.txt >&2 || exit 1

# layers OPERATION GA: what AICB writes of one stage.
layers() {
  echo $(($2 * 2 + 3))
  echo 'grad_gather -1 1 NONE 0 1 NONE 0 1 ALLGATHER 4194304 100'
  echo 'grad_param_comm -1 1 NONE 0 1 NONE 0 1 REDUCESCATTER 8388608 100'
  for ((m = 0; m < $2; ++m)); do
    echo 'embedding_layer -1 1000 ALLREDUCE 1048576 1000 NONE 0 1 NONE 0 100'
    echo "mlp -1 100000 $1 1048576 120000 $1 1048576 90000 NONE 0 100"
  done
  echo 'optimizer1 -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 100'
}
workload() { echo "HYBRID_TRANSFORMER_FWD_IN_BCKWD $1 all_gpus: 16" && layers "$2" "$3"; }
workload 'model_parallel_NPU_group: 8' ALLREDUCE 1 > dense.txt
workload 'model_parallel_NPU_group: 2 ep: 8' ALLTOALL_EP 1 > experts.txt
workload 'model_parallel_NPU_group: 2 pp: 4 vpp: 8 ga: 8 pp_comm: 1048576' ALLREDUCE 8 > stages.txt
workload 'model_parallel_NPU_group: 1 ep: 4 pp: 4 ga: 4 pp_comm: 1048576.0' ALLTOALL_EP 4 > moe.txt
workload 'model_parallel_NPU_group: 2 pp: 4 mode: 1 ga: 1 pp_comm: 1048576' ALLREDUCE 1 > inference.txt

# shares TEXT: the percentages in it, added up.
shares() { grep -oE '[0-9.]+ ?%' <<< "$1" | tr -d ' %' | awk '{ sum += $1 } END { printf "%.2f", sum }'; }
is_whole() { awk -v sum="$1" 'BEGIN { exit !(sum > 99.95 && sum < 100.05) }'; }

for name in dense experts stages moe inference; do
  "$heddle" run -n fabric.txt -w $name.txt -o $name.h5 > $name.log 2>&1 || { fail "$name: $(tail -2 $name.log)"; continue; }
  line=$(grep 'us; its GPUs' $name.log)
  is_whole "$(shares "$line")" || fail "$name: the shares are $(shares "$line") %: $line"
  "$heddle" export $name.h5 --end-to-end $name.csv
  grep -q nan $name.csv && fail "$name: $(grep -m1 nan $name.csv)"
  # Of one GPU, without changes of state and what SimAI leaves out: at most the whole. The last but one is a sum of others.
  sum=$(shares "$(sed -n 2p $name.csv | cut -d, -f1-8)")
  awk -v sum="$sum" 'BEGIN { exit !(sum > 0 && sum < 100.05) }' || fail "$name: --end-to-end adds up to $sum %"
  "$heddle" report $name.h5 -o $name.html > /dev/null || fail "$name: no report"
  page=$(grep -oE '"name":"computed","share":[0-9.e-]+' $name.html | head -1)
  screen=$(grep -oE 'computed [0-9.]+' <<< "$line" | cut -d' ' -f2)
  awk -v page="${page##*:}" -v screen="$screen" 'BEGIN { exit !(page != "" && 100 * page - screen < 0.006 && screen - 100 * page < 0.006) }' ||
    fail "$name: the screen says $screen %, the report ${page##*:}"
done
# Receivers' waiting for senders is not in the times of messages: 1 MiB within a server or over a NIC of 400 Gbps, and 6 us, not the stages' computing.
grep -q 'before, waited us' stages.log || fail "stages: no column of waiting: $(grep collectives stages.log)"
grep -q 'sender late us' dense.log && fail "dense: a column of waiting without messages between two"
"$heddle" export stages.h5 --end-to-end - 2>&1 > /dev/null | grep . && fail "stages: a note on a bubble of all collectives"
"$heddle" run -n fabric.txt -w inference.txt -o few.h5 --record collectives=none -q || fail "inference without collectives"
"$heddle" export few.h5 --end-to-end - 2>&1 > /dev/null | grep -q 'note: the run recorded collectives=none: "bubble time"' ||
  fail "no note on a bubble without collectives"
mean=$(grep SENDRECV stages.log | awk '{ print $9 }')
awk -v mean="$mean" 'BEGIN { exit !(mean > 8 && mean < 40) }' || fail "stages: messages take $mean us"
end
