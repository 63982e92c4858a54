#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle run --backend flow: one answer on any number of ranks, domains and engines, after a kill, and on other ranks from its middle on;
# lone messages as with packets to the picosecond; sharing close to packets where no congestion control acts; refusals of what fluids do not know.
# Usage: flow_backend.sh HEDDLE MPIRUN...
set -u
heddle=$1
mpirun=("${@:2}")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo FatTree --gpus 32 -gps 8 --oversubscription 2 -o tree.txt > /dev/null 2>&1 || exit 1
"$heddle" topo Spectrum-X -g 32 -gps 8 --oversubscription 1 -o rails.txt > /dev/null 2>&1 || exit 1
cat > step.txt <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 2 pp: 2 vpp: 1 ga: 2 all_gpus: 32 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 2097152
3
attention -1 400000 ALLGATHER 8388608 300000 REDUCESCATTER 8388608 200000 ALLREDUCE 33554432 100
mlp -1 500000 ALLREDUCE 4194304 300000 ALLREDUCE 4194304 250000 ALLGATHER 16777216 100
experts -1 300000 ALLTOALL_EP 2097152 200000 ALLTOALL_EP 2097152 100000 REDUCESCATTER_DP_EP 16777216 100
END
flow=(run -n tree.txt -w step.txt --like nccl --backend flow)
run() { "${@:2}" -o "$1.h5" > "$1.txt" 2> "$1.err" || { fail "$1: exit code $?"; cat "$1.err"; }; }
same() { "$heddle" compare "$1.h5" "$2.h5" > compare.txt 2>&1 || { fail "$1 and $2 differ"; cat compare.txt; }; }

# ---- one answer ------------------------------------------------------------------------------------------------------
run one "$heddle" "${flow[@]}"
run engine "$heddle" "${flow[@]}" --engine ns3
same one engine
run grain "$heddle" "${flow[@]}" --grain 0
same one grain
# Ranks meet at every edge of a window of 12.5 ns, which is slow where they share processors: a short run.
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 262144 0\n' > small.txt
short=(run -n tree.txt -w small.txt --like nccl --backend flow --quiet)
run short "$heddle" "${short[@]}"
for ranks in 2 3 4; do
  run "ranks$ranks" "${mpirun[@]}" -n $ranks "$heddle" "${short[@]}"
  same short "ranks$ranks"
done
grep -q '^transport  *flow: ' one.txt || fail 'the head does not name the backend'
grep -q '^shares  *[0-9]* times computed' one.txt || { fail 'the summary does not name the shares'; cat one.txt; }
"$heddle" "${flow[@]}" --estimate > estimate.txt 2>&1 || { fail 'no estimate'; cat estimate.txt; }
"$heddle" validate one.h5 > check.txt 2>&1 || { fail 'not a valid result'; cat check.txt; }
"$heddle" report one.h5 -o one.html > /dev/null 2> report.err || { fail 'no report'; cat report.err; }
"$heddle" export one.h5 --nccl-tests nccl.txt 2> export.err && grep -q ALLTOALL nccl.txt || { fail 'no table of collectives'; cat export.err nccl.txt; }

# ---- links that fail: one answer too, and after a kill ----------------------------------------------------------------
printf 'time,event,a,b,rate\n20us,link_down,leaf 0,spine 0,\n30us,link_rate,leaf 1,spine 1,100Gbps\n60us,link_up,leaf 0,spine 0,\n80us,link_down,leaf 1,spine 0,\n' > failures.csv
failing=("${short[@]}" --failures failures.csv --set failure.convergence=15us)
for set in balance.weighted=true balance.ports=adaptive; do
  run "failing_$set" "$heddle" "${failing[@]}" --set $set
  for ranks in 2 3; do
    run "failing_$set$ranks" "${mpirun[@]}" -n $ranks "$heddle" "${failing[@]}" --set $set
    same "failing_$set" "failing_$set$ranks"
  done
done
run failing "$heddle" "${failing[@]}"
run failing_engine "$heddle" "${failing[@]}" --engine ns3
same failing failing_engine
"$heddle" compare short.h5 failing.h5 > compare.txt 2>&1 && fail 'failures change nothing'
printf 'time,event,a,b\n20us,node_down,leaf 0,\n' > dead.csv
"$heddle" "${short[@]}" --failures dead.csv > dead.txt 2>&1
[ $? = 4 ] || { fail 'a run whose hosts are cut off does not stall'; cat dead.txt; }
grep -q 'no route' dead.txt || { fail 'no reason'; cat dead.txt; }

# ---- killed after a checkpoint, and gone on with ---------------------------------------------------------------------
# survives FLAG...: a run that is killed after a checkpoint ends as one that is not.
survives() {
  local long=("${flow[@]}" --passes 10 --quiet "$@" --force)
  rm -f killed.h5*
  run whole "$heddle" "${long[@]}"
  "$heddle" "${long[@]}" -o killed.h5 --checkpoint-at every:3ms > /dev/null 2>&1 &
  local pid=$!
  for _ in {1..3000}; do
    [ -e killed.h5.ckpt ] && break
    kill -0 $pid 2> /dev/null || break
    sleep 0.01
  done
  kill -9 $pid 2> /dev/null
  wait $pid 2> /dev/null
  [ -e killed.h5.ckpt ] || echo "ended before it was killed"
  if [ -e killed.h5.ckpt ]; then
    "$heddle" "${long[@]}" -o killed.h5 --restart auto > restart.txt 2>&1 || { fail "no restart: $*"; cat restart.txt; }
  fi
  same whole killed
}
survives
# The cut is while routes do not follow, or after they have.
printf 'time,event,a,b,rate\n1ms,link_rate,leaf 1,spine 1,100Gbps\n2900us,link_down,leaf 0,spine 0,\n8ms,link_up,leaf 0,spine 0,\n' > slow.csv
survives --failures slow.csv --set failure.convergence=200us --set balance.weighted=true

# ---- saved on some ranks, and gone on with on others ------------------------------------------------------------------
moved=0
# moves FROM TO FLAG...: stopped by a signal on FROM ranks after a checkpoint, where it saves itself, and ended on TO ranks.
moves() {
  local many=("${short[@]}" --passes 12 "${@:3}" --force)
  rm -f moved.h5*
  "${mpirun[@]}" -n "$1" "$heddle" "${many[@]}" -o moved.h5 --checkpoint-at 400us > /dev/null 2>&1 &
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
  run moved "${mpirun[@]}" -n "$2" "$heddle" "${many[@]}" --restart auto
  same stays moved
}
stays() { run stays "$heddle" "${short[@]}" --passes 12 "$@" --force; }
stays
moves 1 4
moves 4 3
moves 3 1
# Between the failure of a link and the new routes, with marks at short queues.
early=(--set ecn.kmin=20KB --set ecn.kmax=100KB --set ecn.pmax=0.5)
printf 'time,event,a,b,rate\n100us,link_rate,leaf 1,spine 1,100Gbps\n390us,link_down,leaf 0,spine 0,\n700us,link_up,leaf 0,spine 0,\n' > between.csv
stays --failures between.csv --set failure.convergence=200us "${early[@]}"
moves 2 3 --failures between.csv --set failure.convergence=200us "${early[@]}"
[ $moved -gt 0 ] || fail 'no run was stopped on its way'

# ---- lone messages, on fabrics of all kinds --------------------------------------------------------------------------
lone() {
  "$heddle" topo "$@" -o lone.txt --force > /dev/null 2>&1 || { fail "no fabric $1"; return; }
  local backend
  for backend in packet flow; do
    "$heddle" run -n lone.txt --trace lone.csv --like nccl --backend $backend -o lone_$backend.h5 --force > lone.out 2>&1 ||
      { fail "$1: $backend"; cat lone.out; }
  done
  /usr/bin/python3 -c "
import h5py
packet, flow = (h5py.File(f'lone_{name}.h5') for name in ('packet', 'flow'))
for column in packet['flows']:
    # The ACK of a packet that is shorter than itself waits for the one before.
    most = 1000 if column == 'fct_ps' else 0
    assert abs(packet['flows'][column][:].astype('i8') - flow['flows'][column][:]).max() <= most, column
for column in ('node', 'port', 'sent_packets', 'sent_bytes'):
    assert (packet['ports'][column][:] == flow['ports'][column][:]).all(), column" || fail "$1: a lone message takes another time, or other ports"
}
{
  echo 'timestamp_ns,src,dst,size_bytes'
  time=0
  for size in 1 9000 9001 1000000 98765432; do
    for pair in 0,1 0,8 3,30 17,5; do
      echo "$time,$pair,$size"
      time=$((time + 40000 + size / 10))
    done
  done
} > lone.csv
lone Spectrum-X -g 32 -gps 8 --oversubscription 1
lone AlibabaHPN-DualPlane --gpus 32 -gps 8 -bw 200Gbps --oversubscription 1
lone FatTree --gpus 32 -gps 8 --oversubscription 2
lone DCN-SingleToR --gpus 32 -gps 8 --oversubscription 1
lone Torus -dims 4x4x2
lone DragonflyPlus --gpus 32 -gps 8

# ---- DCQCN by marks --------------------------------------------------------------------------------------------------
{
  echo 'timestamp_ns,src,dst,size_bytes'
  for source in {8..23}; do echo "0,$source,0,1000000"; done
} > incast.csv
incast=(run -n rails.txt --trace incast.csv --like nccl --backend flow)
run cut "$heddle" "${incast[@]}"
grep -q '^transport  *flow: .*DCQCN by marks' cut.txt || { fail 'the head does not name the marks'; cat cut.txt; }
grep -q '^congestion  *[1-9][0-9]* rates cut for marks at 1 of' cut.txt && grep -q 'to server 0 / GPU 0: [0-9]* cuts' cut.txt ||
  { fail 'the summary does not name the link'; cat cut.txt; }
grep -q '^ECN marks .*server 0 / GPU 0' cut.txt || { fail 'no marks are counted'; cat cut.txt; }
for ranks in 2 3; do
  run "cut$ranks" "${mpirun[@]}" -n $ranks "$heddle" "${incast[@]}"
  same cut "cut$ranks"
done
run cut_engine "$heddle" "${incast[@]}" --engine ns3 --grain 0
same cut cut_engine
run other_seed "$heddle" "${incast[@]}" --seed 2
"$heddle" compare cut.h5 other_seed.h5 > compare.txt 2>&1 && fail 'marks do not depend on the seed'
run full "$heddle" "${incast[@]}" --set flow.congestion=none
grep -q '^congestion' full.txt && fail 'marks without congestion control'
run packets "$heddle" run -n rails.txt --trace incast.csv --like nccl
end_of() { sed -n 's/^simulated *\([0-9.]*\) us$/\1/p' "$1.txt"; }
# Marks are random, with packets too: a fifth of the time is within their spread.
awk -v full="$(end_of full)" -v cut="$(end_of cut)" -v packets="$(end_of packets)" \
  'BEGIN {exit !(full < 0.9 * packets && cut > 0.8 * packets && cut < 1.2 * packets)}' ||
  fail "an incast takes $(end_of packets) us with packets, $(end_of cut) us with marks, $(end_of full) us without"
refuses_value() { "$heddle" "${incast[@]}" --set "$1" > refused.txt 2>&1 && fail "$1"; grep -q 'none, marks' refused.txt || { fail "$1: no words"; cat refused.txt; }; }
refuses_value flow.congestion=some
run early "$heddle" "${flow[@]}" "${early[@]}"
grep -q '^congestion  *[1-9][0-9]* rates cut' early.txt || { fail 'no marks in the run that is killed'; cat early.txt; }
survives "${early[@]}"

# ---- beside packets without congestion control -----------------------------------------------------------------------
# within FABRIC OPERATION BYTES PERCENT FLAG...: the two backends differ by at most so much.
within() {
  printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$2" "$3" > micro.txt
  local backend times=()
  for backend in packet flow; do
    "$heddle" run -n "$1" -w micro.txt --like nccl --set CC_MODE=0 --backend $backend "${@:5}" > micro.out 2>&1 || { fail "$backend $2"; cat micro.out; return; }
    times+=("$(sed -n 's/^simulated *\([0-9.]*\) us$/\1/p' micro.out)")
  done
  awk -v p="${times[0]}" -v f="${times[1]}" -v most="$4" 'BEGIN {error = 100 * (f / p - 1); exit !(error <= most && error >= -most)}' ||
    fail "$2 of $3 on $1: ${times[0]} us with packets, ${times[1]} us as fluids"
}
printf 'time,event,a,b,rate\n100us,link_rate,leaf 0,spine 0,100Gbps\n400us,link_rate,leaf 2,spine 1,200Gbps\n' > slower.csv  # no packet is lost
within tree.txt ALLTOALL 33554432 1.2 --set collective.pxn=false
within rails.txt ALLTOALL 33554432 0.5 --set collective.pxn=false
within tree.txt ALLTOALL 33554432 1.2 --set collective.pxn=false --failures slower.csv
within tree.txt ALLTOALL 33554432 3
within rails.txt ALLGATHER 67108864 5
within rails.txt ALLREDUCE 67108864 4
within tree.txt REDUCESCATTER 67108864 5

# ---- refusals --------------------------------------------------------------------------------------------------------
refuses() {
  "$heddle" run --backend flow "${@:2}" > refused.txt 2>&1
  local code=$?
  [ $code = 3 ] || fail "${*:2}: exit code $code"
  grep -q -- "$1" refused.txt || { fail "${*:2}: no '$1' in"; cat refused.txt; }
}
refuses 'there is a central controller' -n rails.txt -w step.txt --set controller.enable=true
refuses 'the transport is not RoCE (transport.protocol=uec)' -n rails.txt -w step.txt --set transport.protocol=uec
refuses 'messages are divided into requests' -n rails.txt -w step.txt --set requests.scheduler=round-robin --set nic.qps_per_connection=2
refuses 'scale-up links' -n rails.txt -w step.txt --set nvlink.layer=credits
refuses 'a monitor samples' -n rails.txt -w step.txt --set monitor.kinds=queues -o refused.h5
refuses 'switches add' -n rails.txt -w step.txt --set aggregation.switches=all
refuses 'links lose packets' -n rails.txt -w step.txt --set link.error_rate=0.001
end
