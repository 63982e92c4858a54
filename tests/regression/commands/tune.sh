#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# NCCL's choice: what `heddle collective --tune` says that a run takes is what a run takes. Usage: tune.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
unset NCCL_ALGO NCCL_PROTO NCCL_NVLS_ENABLE NCCL_PAT_ENABLE NCCL_COLLNET_ENABLE NCCL_COLLNET_NODE_THRESHOLD
"$heddle" topo spectrum-x -g 16 -gt H100 --oversubscription 1 -o h100.txt > /dev/null 2>&1 || exit 1
"$heddle" topo spectrum-x -g 16 -gt A100 --oversubscription 1 -o a100.txt > /dev/null 2>&1 || exit 1
command -v h5dump > /dev/null || echo '!!! h5dump is not installed (apt-get install hdf5-tools): protocols are NOT tested !!!'

# taken OPERATION SIZE FLAG...: "TREE LL" by prediction.
taken() { "$heddle" collective "$1" -b "$2" --tune --format csv "${@:3}" | awk -F, '$8 == 1 { print $2, $3 }'; }
# ran FABRIC OPERATION SIZE GROUP FLAG...: the same of a run, of a group of all GPUs or of a type.
ran() {
  if [ "$4" = all ]; then
    printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "${2^^}" "$3" > work.txt
  else
    printf '1 %s %s %s\n' "${2^^}" "$3" "$4" > work.txt
  fi
  "$heddle" run -n "$1" -w work.txt --set algorithm.choice=nccl "${@:5}" -o out.h5 --force > run.txt 2> run.err || { cat run.err; return; }
  local algorithm protocol='?'
  algorithm=$(awk -v op="${2^^}" '$1 == op { print $3 }' run.txt)
  algorithm=${algorithm/NVLS_COLLNET/NVLS}  # which NCCL calls so
  algorithm=${algorithm/_MULTIMEM/}
  command -v h5dump > /dev/null && protocol=$(h5dump -y -d /collectives/protocol -s 0 -c 1 out.h5 | sed -n 's/^ *"\([A-Z0-9]*\).*/\1/p' | head -1)
  echo "$algorithm $protocol"
}
# same WHAT PREDICTED RAN
same() {
  [ -n "$2" ] || fail "$1: nothing is predicted"
  [ "$3" = "$2" ] || [ "$3" = "${2% *} ?" ] || { fail "$1: predicted $2, run $3"; cat run.txt; }
}

chosen=
for size in 8192 524288 67108864; do
  for operation in allreduce allgather broadcast; do
    for type in h100 a100; do
      predicted=$(taken $operation $size -r 16 --gpu-type ${type^^})
      same "$operation of $size on $type" "$predicted" "$(ran $type.txt $operation $size all)"
      chosen+="$operation $type $predicted;"
    done
  done
done
for what in 'allreduce h100 TREE' 'allreduce h100 NVLS_TREE SIMPLE' 'allreduce a100 RING' 'allgather h100 RING LL;' 'broadcast a100 RING SIMPLE'; do
  case $chosen in *"$what"*) ;; *) fail "never chosen: $what, but $chosen" ;; esac
done
same 'NVLS in a server' "$(taken allreduce 67108864 -r 8)" "$(ran h100.txt allreduce 67108864 TP)"
same 'a rail of two' "$(taken allgather 67108864 -r 2 --gpus-per-server 1)" "$(ran h100.txt allgather 67108864 DP)"

# Variables and settings count alike; CollNet is taken where switches add.
export NCCL_ALGO=Ring,Tree NCCL_PROTO=^LL
same 'variables' "$(taken allreduce 67108864 -r 16)" "$(ran h100.txt allreduce 67108864 all)"
[ "$(taken allreduce 8192 -r 16)" = 'TREE LL128' ] || fail "variables: $(taken allreduce 8192 -r 16)"
unset NCCL_ALGO NCCL_PROTO
export NCCL_COLLNET_ENABLE=1
"$heddle" collective allgather -r 16 -b 64MiB --tune > tune.txt || fail 'CollNet'
grep -q '^not simulated  NVLS ' tune.txt || { fail 'AllGather by NVLS with CollNet is simulated'; cat tune.txt; }
for size in 524288 67108864; do
  same 'with CollNet' "$(taken allreduce $size -r 16)" "$(ran h100.txt allreduce $size all --set aggregation.switches=all)"
done
case $(taken allreduce 524288 -r 16) in COLLNET_* | NVLS\ *) ;; *) fail "CollNet is not taken: $(taken allreduce 524288 -r 16)" ;; esac
case $(ran h100.txt allreduce 524288 all) in *COLLNET*) fail 'CollNet without switches that add' ;; esac
grep -q "^choice           NCCL's tuner, .*; no switch adds" run.txt || { fail 'a run does not say so'; cat run.txt; }
NCCL_COLLNET_NODE_THRESHOLD=3 "$heddle" collective allreduce -r 16 -b 64MiB --tune > tune.txt || fail 'a threshold'
grep -q '^off  *NVLS .*2 servers, collective.collnet_servers=3' tune.txt || { fail 'a threshold'; cat tune.txt; }
unset NCCL_COLLNET_ENABLE

# The choice alone changes a run, and only if it is asked for.
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 67108864 0\n' > work.txt
"$heddle" run -n h100.txt -w work.txt --set algorithm.choice=simccl > usual.txt 2>&1
grep -q '^choice' usual.txt && fail "SimCCL's choice is announced"
awk '$1 == "ALLREDUCE" && $3 == "RING" { found = 1 } END { exit !found }' usual.txt || { fail "SimCCL's choice"; cat usual.txt; }
"$heddle" run -n h100.txt -w work.txt --backend analytical --set algorithm.choice=nccl > closed.txt 2>&1
awk '$1 == "ALLREDUCE" && $3 == "NVLS_TREE_MULTIMEM" { found = 1 } END { exit !found }' closed.txt || { fail 'closed forms'; cat closed.txt; }
end
