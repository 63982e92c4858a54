#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle run --backend flow --set flow.detail=streams: one answer on any number of ranks, domains and engines, and after a kill, on other
# ranks too; as closed forms where nothing meets; near packets where hashes collide and jobs meet; refusals.
# Usage: flow_streams.sh HEDDLE MPIRUN...
set -u
heddle=$1
mpirun=("${@:2}")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo FatTree --gpus 64 -gps 8 --oversubscription 1 -o tree.txt > /dev/null 2>&1 || exit 1
"$heddle" topo Spectrum-X -g 64 -gps 8 --oversubscription 1 -o rails.txt > /dev/null 2>&1 || exit 1
cat > step.txt <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 2 pp: 2 vpp: 1 ga: 2 all_gpus: 64 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 2097152
3
attention -1 400000 ALLGATHER 8388608 300000 REDUCESCATTER 8388608 200000 ALLREDUCE 33554432 100
mlp -1 500000 ALLREDUCE 4194304 300000 ALLREDUCE 4194304 250000 ALLGATHER 16777216 100
experts -1 300000 ALLTOALL_EP 2097152 200000 ALLTOALL_EP 2097152 100000 REDUCESCATTER_DP_EP 16777216 100
END
streams=(--like nccl --backend flow --set flow.detail=streams)
steps=(run -n tree.txt -w step.txt "${streams[@]}" --quiet)
run() { "${@:2}" -o "$1.h5" > "$1.txt" 2> "$1.err" || { fail "$1: exit code $?"; cat "$1.err"; }; }
same() { "$heddle" compare "$1.h5" "$2.h5" > compare.txt 2>&1 || { fail "$1 and $2 differ"; cat compare.txt; }; }

# ---- one answer ------------------------------------------------------------------------------------------------------
run one "$heddle" "${steps[@]}"
run engine "$heddle" "${steps[@]}" --engine ns3
same one engine
run grain "$heddle" "${steps[@]}" --grain 0
same one grain
for ranks in 2 3 4; do
  run "ranks$ranks" "${mpirun[@]}" -n $ranks "$heddle" "${steps[@]}"
  same one "ranks$ranks"
done
"$heddle" validate one.h5 > check.txt 2>&1 || { fail 'not a valid result'; cat check.txt; }
"$heddle" report one.h5 -o one.html > /dev/null 2> report.err || { fail 'no report'; cat report.err; }
run head "$heddle" run -n tree.txt -w step.txt "${streams[@]}"
grep -q '^transport  *flow: whole collectives as fluids' head.txt || { fail 'the head does not name the grain'; cat head.txt; }
grep -q '^shares  *[0-9]* times computed, for [0-9.]* collectives each' head.txt || { fail 'no shares'; cat head.txt; }
grep -q 'leaf [0-9]* to spine [0-9]*: [0-9]* collectives took' head.txt || { fail 'the summary does not name the links'; cat head.txt; }

# ---- stopped in its middle, and gone on with on other ranks ----------------------------------------------------------
moved=0
# moves FROM TO AT: stopped by a signal on FROM ranks after a checkpoint, where it saves itself, and ended on TO ranks.
moves() {
  rm -f moved.h5*
  "${mpirun[@]}" -n "$1" "$heddle" "${long[@]}" -o moved.h5 --checkpoint-at "$3" > stop.txt 2>&1 &
  local pid=$!
  for _ in {1..6000}; do
    [ -e moved.h5.ckpt ] && break
    kill -0 $pid 2> /dev/null || break
    sleep 0.01
  done
  kill -USR2 $pid 2> /dev/null
  wait $pid 2> /dev/null
  [ -e moved.h5.ckpt ] || { echo "ended before it was stopped: $*"; return; }
  moved=$((moved + 1))
  run moved "${mpirun[@]}" -n "$2" "$heddle" "${long[@]}" --restart auto
  same long moved
}
long=("${steps[@]}" --passes 60)
run long "$heddle" "${long[@]}"
moves 1 3 3ms
moves 2 1 30ms
[ $moved -gt 0 ] || fail 'no run was stopped on its way'

# ---- beside closed forms and packets ---------------------------------------------------------------------------------
end_of() { sed -n 's/^simulated *\([0-9.]*\) us$/\1/p' "$1"; }
# within NAME PERCENT REFERENCE OTHER: the files' ends
within() {
  awk -v a="$(end_of "$3")" -v b="$(end_of "$4")" -v most="$2" 'BEGIN {error = 100 * (b / a - 1); exit !(a > 0 && error <= most && error >= -most)}' ||
    fail "$1: $(end_of "$3") us and $(end_of "$4") us"
}
# by NAME FLAG...: runs of NAME.packet, NAME.closed and NAME.streams
by() {
  "$heddle" run --like nccl "${@:2}" > "$1.packet" 2>&1 || { fail "$1 by packets"; cat "$1.packet"; }
  "$heddle" run --like nccl --backend analytical "${@:2}" > "$1.closed" 2>&1 || { fail "$1 in closed form"; cat "$1.closed"; }
  "$heddle" run "${streams[@]}" "${@:2}" > "$1.streams" 2>&1 || { fail "$1 as streams"; cat "$1.streams"; }
}
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLGATHER 67108864 0\n' > gather.txt
by rails -n rails.txt -w gather.txt
within 'nobody meets on rails' 1 rails.closed rails.streams
by tree -n tree.txt -w gather.txt
within 'rings meet on a fat tree' 10 tree.packet tree.streams
awk -v a="$(end_of tree.packet)" -v b="$(end_of tree.closed)" 'BEGIN {exit !(b < 0.8 * a)}' || fail 'closed forms know collisions'
by step -n tree.txt -w step.txt
within 'a step on a fat tree' 5 step.packet step.streams
# Two jobs in halves of every server, one behind the other's AllToAll.
halves() { local s list=(); for s in {0..7}; do list+=("$((8 * s + $1))-$((8 * s + $1 + 3))"); done; (IFS=+; echo "${list[*]}"); }
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 134217728 0\n' > reduce.txt
by two -n tree.txt --job workload=reduce.txt,gpus="$(halves 0)" --job workload=gather.txt,gpus="$(halves 4)"
within 'two jobs on a fat tree' 15 two.packet two.streams

# ---- refusals --------------------------------------------------------------------------------------------------------
refuses() {
  "$heddle" run "${streams[@]}" "${@:2}" > refused.txt 2>&1
  local code=$?
  [ $code = 3 ] || fail "${*:2}: exit code $code"
  grep -q -- "$1" refused.txt || { fail "${*:2}: no '$1' in"; cat refused.txt; }
}
printf 'timestamp_ns,src,dst,size_bytes\n0,0,8,1000\n' > trace.csv
printf 'time,event,a,b\n20us,node_down,leaf 0,\n' > dead.csv
refuses 'flow.detail=streams: the run has flows' -n rails.txt --trace trace.csv
refuses 'there are link failures, which streams do not know' -n tree.txt -w step.txt --failures dead.csv
refuses 'there is no path to reserve' -n rails.txt -w step.txt --set controller.enable=true
refuses 'scale-up' -n rails.txt -w step.txt --set nvlink.layer=credits
"$heddle" run -n rails.txt -w step.txt --backend flow --set flow.detail=some > refused.txt 2>&1 && fail 'flow.detail=some'
grep -q 'messages, streams' refused.txt || { fail 'flow.detail=some: no words'; cat refused.txt; }
end
