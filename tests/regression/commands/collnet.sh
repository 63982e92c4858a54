#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Switches that add: a run by CollNet, its results, and what is refused. Usage: collnet.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo spectrum-x -g 32 -gt H100 --oversubscription 1 -o fabric.txt > /dev/null 2>&1 || exit 1
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 8388608 0\n' > work.txt

# ran OUTPUT FLAG...
ran() { "$heddle" run -n fabric.txt -w work.txt --set aggregation.switches=all "${@:2}" -o "$1.h5" --force > "$1.txt" 2> "$1.err"; }
# busbw OUTPUT: in GB/s
busbw() { awk '$1 == "ALLREDUCE" { for (i = 1; i <= NF; ++i) if ($i == "GB/s") print $(i - 1) }' "$1.txt" | head -1; }
for form in direct chain; do
  ran $form --set algorithm.allreduce=collnet_$form || { fail "$form: exit $?"; cat $form.err; }
  grep -q "COLLNET_${form^^}" $form.txt || { fail "$form: another algorithm"; cat $form.txt; }
  "$heddle" validate $form.h5 > check.txt 2>&1 || { fail "$form: validate"; cat check.txt; }
done
ran ring --set algorithm.allreduce=ring || fail 'ring'

# A slice of 1 MiB goes out of each of 32 NICs and into it, and once each way over the links of the switches: nothing else.
"$heddle" export direct.h5 --fct direct.fct > /dev/null 2>&1 || fail 'export'
"$heddle" report direct.h5 -o report > /dev/null 2>&1 || fail 'report'
for tool in 'analyze links' 'analyze step'; do
  "$heddle" $tool direct.h5 > analysis.txt 2>&1 || { fail "$tool"; cat analysis.txt; }
done
"$heddle" compare direct.h5 ring.h5 > compare.txt 2>&1
[ $? -le 1 ] || { fail 'compare'; cat compare.txt; }
"$heddle" run -n fabric.txt -w work.txt --set aggregation.switches=all --set algorithm.allreduce=collnet_direct --backend analytical > closed.txt 2>&1 \
  || { fail 'closed form'; cat closed.txt; }
grep -q COLLNET_DIRECT closed.txt || fail 'closed form of another algorithm'

# AllGather and ReduceScatter: a rail of 1 MiB over each NIC one way, a block of 256 KiB the other.
for operation in ALLGATHER REDUCESCATTER; do
  printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 %s 8388608 0\n' $operation > work.txt
  ran parts --set algorithm.allgather=collnet_direct --set algorithm.reducescatter=collnet_direct || { fail "$operation: exit $?"; cat parts.err; }
  grep -q COLLNET_DIRECT parts.txt || { fail "$operation: another algorithm"; cat parts.txt; }
  "$heddle" validate parts.h5 > check.txt 2>&1 || { fail "$operation: validate"; cat check.txt; }
done
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 8388608 0\n' > work.txt

# Two jobs below the same leaves: the second finds no stream, says so, and takes the next best; with two streams both have trees.
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 524288 0\n' > small.txt
jobs=(--job workload=small.txt,gpus=0-15 --job workload=small.txt,gpus=16-31)
for streams in 1 2; do
  "$heddle" run -n fabric.txt "${jobs[@]}" --set aggregation.switches=all --set aggregation.streams=$streams --set algorithm.choice=nccl \
    --set collective.collnet=true -o jobs.h5 --force > jobs.txt 2>&1 || { fail "two jobs: exit $?"; cat jobs.txt; }
  [ $(grep -c 'ALLREDUCE .*COLLNET' jobs.txt) -ge 1 ] || { fail "two jobs, $streams streams: none by CollNet"; cat jobs.txt; }
  grep -q '^aggregation  *job 0: trees for 1 of 1 DP groups over several servers$' jobs.txt || { fail "trees of job 0"; cat jobs.txt; }
  case $streams in
    1) grep -q '^aggregation  *job 1: trees for 0 of 1 DP groups over .*no stream left: DP group 0 of job 0 holds it (aggregation.streams=1))' jobs.txt || { fail 'no word of the second job'; cat jobs.txt; } ;;
    2) grep -q '^aggregation  *job 1: trees for 1 of 1 DP groups over several servers$' jobs.txt || { fail 'two streams'; cat jobs.txt; } ;;
  esac
  "$heddle" validate jobs.h5 > check.txt 2>&1 || { fail "two jobs: validate"; cat check.txt; }
done

# Low-latency mode: no stream is taken, and few operations under way carry less.
lower() { "$heddle" run -n fabric.txt "${jobs[@]}" --set aggregation.switches=all --set aggregation.mode=low-latency --set algorithm.allreduce=collnet_direct "$@" -o low.h5 --force > low.txt 2>&1; }
lower || { fail "low latency: exit $?"; cat low.txt; }
[ $(grep -c '^aggregation  *job [01]: trees for 1 of 1 DP groups over several servers$' low.txt) = 2 ] || { fail 'low latency: trees'; cat low.txt; }
"$heddle" validate low.h5 > check.txt 2>&1 || { fail 'low latency: validate'; cat check.txt; }
many=$(busbw low)
lower --backend analytical
closed=$(busbw low)
awk "BEGIN { exit !($closed > $many / 2 && $closed < $many * 2) }" || fail "low latency: closed form $closed GB/s, $many in packets"
lower --set aggregation.operations=1
few=$(busbw low)
awk "BEGIN { exit !($few * 2 < $many) }" || fail "low latency: $few GB/s by one operation, $many by 64"

# What one rank of each kind does.
"$heddle" collective allreduce -r 16 -b 1MiB --set algorithm.allreduce=collnet_direct > list.txt || fail 'list'
grep -q COLLNET_UP list.txt && grep -q COLLNET_DOWN list.txt || { fail 'the list has no switches'; head -20 list.txt; }

# Refused, with the reason and what there is instead.
refused() { # CODE TEXT COMMAND...
  "${@:3}" > refused.txt 2>&1
  local code=$?
  [ $code -eq "$1" ] || { fail "exit $code instead of $1: ${*:3}"; cat refused.txt; }
  grep -q -- "$2" refused.txt || { fail "no '$2': ${*:3}"; cat refused.txt; }
}
refused 3 "the fabric's switches do not add (aggregation.switches=all" "$heddle" run -n fabric.txt -w work.txt --set algorithm.allreduce=collnet_direct
printf '1 ALLREDUCE 1000 TP\n' > inside.txt
refused 3 'all of them are in one server' "$heddle" run -n fabric.txt -w inside.txt --set aggregation.switches=all --set algorithm.allreduce=collnet_chain
refused 3 'no stream left: DP group 0 of job 0 holds it (aggregation.streams=1). With algorithm.choice=nccl' "$heddle" run -n fabric.txt "${jobs[@]}" --set aggregation.switches=all --set algorithm.allreduce=collnet_direct
refused 3 'aggregation.streams' "$heddle" run -n fabric.txt -w work.txt --set aggregation.switches=all --set aggregation.streams=0
refused 3 'switches add what comes by RoCE only' "$heddle" run -n fabric.txt -w work.txt --set aggregation.switches=all --set transport.protocol=uec
refused 3 'switches are in low-latency mode (aggregation.mode), which serves ALLREDUCE by collnet_direct and collnet_chain only' "$heddle" run \
  -n fabric.txt -w work.txt --set aggregation.switches=all --set aggregation.mode=low-latency --set algorithm.allreduce=nvls_collnet
refused 3 'aggregation.operation_bytes' "$heddle" run -n fabric.txt -w work.txt --set aggregation.operation_bytes=0
refused 3 'aggregation.switches' "$heddle" run -n fabric.txt -w work.txt --set aggregation.switches=some
refused 3 'Expected: auto' "$heddle" run -n fabric.txt -w work.txt --set algorithm.allgather=collnet_chain
end
