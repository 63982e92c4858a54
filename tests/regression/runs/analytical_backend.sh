#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle run --backend analytical: one answer on any number of ranks, domains and engines, and after a kill; close to packets where
# nothing collides; refusals of what no closed form knows.
# Usage: analytical_backend.sh HEDDLE MPIRUN...
set -u
heddle=$1
mpirun=("${@:2}")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo Spectrum-X -g 32 -gps 8 -o fabric.txt > /dev/null 2>&1 || exit 1
cat > step.txt <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 2 pp: 2 vpp: 1 ga: 2 all_gpus: 32 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 2097152
3
attention -1 400000 ALLGATHER 8388608 300000 REDUCESCATTER 8388608 200000 ALLREDUCE 33554432 100
mlp -1 500000 ALLREDUCE 4194304 300000 ALLREDUCE 4194304 250000 ALLGATHER 16777216 100
experts -1 300000 ALLTOALL_EP 2097152 200000 ALLTOALL_EP 2097152 100000 REDUCESCATTER_DP_EP 16777216 100
END
# With latencies that do not depend on sizes, which a calibration takes for such.
latency=(--set collective.latency=nccl --set algorithm.choice=simccl --set algorithm.allreduce=fastest)
analytical=(run -n fabric.txt -w step.txt --backend analytical "${latency[@]}")
run() { "${@:2}" -o "$1.h5" > "$1.txt" 2> "$1.err" || { fail "$1: exit code $?"; cat "$1.err"; }; }
same() { "$heddle" compare "$1.h5" "$2.h5" > compare.txt 2>&1 || { fail "$1 and $2 differ"; cat compare.txt; }; }

# ---- one answer ------------------------------------------------------------------------------------------------------
run one "$heddle" "${analytical[@]}"
run engine "$heddle" "${analytical[@]}" --engine ns3
same one engine
run grain "$heddle" "${analytical[@]}" --grain 0
same one grain
for ranks in 2 3 4; do
  run "ranks$ranks" "${mpirun[@]}" -n $ranks "$heddle" "${analytical[@]}" --quiet
  same one "ranks$ranks"
done
grep -q '^transport  *analytical: ' one.txt || fail 'the head does not name the backend'
grep -E 'flows|packet-hops|^expected|^estimate was' one.txt && fail 'lines about packets, flows or estimates'
"$heddle" "${analytical[@]}" --estimate > estimate.txt 2>&1 || { fail 'no estimate'; cat estimate.txt; }
grep -E '^flows|packet-hops' estimate.txt && fail 'an estimate of packets'
"$heddle" validate one.h5 > check.txt 2>&1 || { fail 'not a valid result'; cat check.txt; }
"$heddle" report one.h5 -o one.html > /dev/null 2> report.err || { fail 'no report'; cat report.err; }
"$heddle" export one.h5 --nccl-tests nccl.txt 2> export.err && grep -q ALLTOALL nccl.txt || { fail 'no table of collectives'; cat export.err nccl.txt; }

# ---- killed after a checkpoint, and gone on with ---------------------------------------------------------------------
long=("${analytical[@]}" --passes 60 --quiet)
run whole "$heddle" "${long[@]}"
"$heddle" "${long[@]}" -o killed.h5 --checkpoint-at every:20ms > /dev/null 2>&1 &
pid=$!
for _ in {1..3000}; do
  [ -e killed.h5.ckpt ] && break
  kill -0 $pid 2> /dev/null || break
  sleep 0.01
done
kill -9 $pid 2> /dev/null
wait $pid 2> /dev/null
[ -e killed.h5.ckpt ] || echo "ended before it was killed"
if [ -e killed.h5.ckpt ]; then
  "${mpirun[@]}" -n 2 "$heddle" "${long[@]}" -o killed.h5 --restart auto > restart.txt 2>&1 || { fail 'no restart'; cat restart.txt; }
fi
same whole killed

# ---- results of two backends ------------------------------------------------------------------------------------------
run packets "$heddle" run -n fabric.txt -w step.txt "${latency[@]}"
"$heddle" compare packets.h5 one.h5 > compare.txt 2>&1
[ $? = 1 ] || fail 'packets and closed forms are equal'
for line in '^backends     A: packet, B: analytical$' '^step         analytical [0-9.]+ us, packet [0-9.]+ us: [+-][0-9.]+ %$' \
  '^  ALLGATHER +TP +4 +8\.00 MiB +[0-9]+ +[0-9.]+ +[0-9.]+ +[+-][0-9.]+' '^  backend +- \| analytical$'; do
  grep -qE "$line" compare.txt || { fail "compare: no '$line' in"; cat compare.txt; }
done
grep -q '^/flows' compare.txt && fail 'compare shows the flows that closed forms have not'
"$heddle" report packets.h5 one.h5 -o both.html > /dev/null 2> report.err || { fail 'no report of both'; cat report.err; }
grep -q '"label":"Backend","value":"analytical"' both.html || fail 'the page does not name the backend'
grep -q '"label":"Flows planned"' one.html && fail 'the page has figures of flows that are not there'

# ---- trees of switches that add: within 10 % of packets, where pieces share ports and where they do not -----------------------------------
"$heddle" topo Spectrum-X -g 16 -gps 4 --oversubscription 1 -o rails.txt > /dev/null 2>&1 || fail 'no rails'
for case in collnet_direct:1:4194304 collnet_direct:4:16777216 collnet_chain:1:16777216 collnet_chain:4:4194304 nvls_collnet:1:8388608; do
  IFS=: read -r algorithm tensor bytes <<< "$case"
  printf '%s\n' "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: $tensor ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0" 1 \
    "one -1 0 NONE 0 0 NONE 0 0 ALLREDUCE $bytes 0" > trees.txt
  trees=(run -n rails.txt -w trees.txt --like nccl --set "algorithm.allreduce=$algorithm" --set aggregation.switches=all --force)
  run tree_packets "$heddle" "${trees[@]}"
  run tree_closed "$heddle" "${trees[@]}" --backend analytical
  /usr/bin/python3 -c "
import h5py
a, b = (float(h5py.File(name)['collectives']['time_ps'][0]) for name in ('tree_packets.h5', 'tree_closed.h5'))
print('$case', a, b, round(100 * (b - a) / a, 1), '%')
raise SystemExit(abs(b - a) > 0.1 * a)" || fail "$case: closed form and packets are more than 10 % apart"
done

# ---- with measured values: one answer too, and nearer to what they were measured by, where it is far off -------------------
"$heddle" calibrate packets.h5 -o measured.values > fit.out 2>&1 || { fail 'no calibration'; cat fit.out; }
run fit "$heddle" "${analytical[@]}" --calibration measured.values
run fit3 "${mpirun[@]}" -n 3 "$heddle" "${analytical[@]}" --calibration measured.values --quiet
same fit fit3
error_of() { "$heddle" compare packets.h5 "$1.h5" 2> /dev/null | sed -n "s/^collectives  mean error \([0-9.]*\) %; 99 of 100 are within \([0-9.]*\) %.*/\\$2/p"; }
awk -v fitted="$(error_of fit 2)" -v plain="$(error_of one 2)" -v mean="$(error_of fit 1)" 'BEGIN {exit !(fitted < 0.8 * plain && mean < 10)}' ||
  fail "99 of 100 collectives are within $(error_of fit 2) % with measured values, $(error_of one 2) % without"

# ---- beside packets --------------------------------------------------------------------------------------------------
# within OPERATION BYTES PERCENT: the two backends differ by at most so much.
within() {
  printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$1" "$2" > micro.txt
  local backend times=()
  for backend in packet analytical; do
    "$heddle" run -n fabric.txt -w micro.txt --backend $backend > micro.out 2>&1 || { fail "$backend $1"; cat micro.out; return; }
    times+=("$(sed -n 's/^simulated *\([0-9.]*\) us$/\1/p' micro.out)")
  done
  awk -v p="${times[0]}" -v a="${times[1]}" -v most="$3" 'BEGIN {error = 100 * (a / p - 1); exit !(error <= most && error >= -most)}' ||
    fail "$1 of $2: ${times[0]} us with packets, ${times[1]} us by closed forms"
}
within ALLGATHER 16777216 3
within REDUCESCATTER 16777216 3
within ALLREDUCE 67108864 10  # NVLS-Tree

# ---- refusals --------------------------------------------------------------------------------------------------------
refuses() {
  "$heddle" run --backend analytical "${@:2}" > refused.txt 2>&1
  local code=$?
  [ $code = 3 ] || fail "${*:2}: exit code $code"
  grep -q -- "$1" refused.txt || { fail "${*:2}: no '$1' in"; cat refused.txt; }
}
printf 'timestamp_ns,src,dst,size_bytes\n0,0,8,1000\n' > trace.csv
printf 'time,event,a,b\n1ms,link_down,0,36\n' > failures.csv
refuses 'has flows and no collectives. Expected: --backend packet' -n fabric.txt --trace trace.csv
refuses 'no path to reserve' -n fabric.txt -w step.txt --set controller.enable=true
refuses 'link failures, which closed forms do not know' -n fabric.txt -w step.txt --failures failures.csv
end
