#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Logs of NCCL: what trace show says, the same run as a trace of Chakra with the same collectives, on one to three ranks, in one file or a
# folder, beside a workload, refusals. Usage: nccl_log.sh HEDDLE CHAKRA_MAKER MPIRUN...
set -u
heddle=$1 maker=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Eight hosts at two ToR switches below one switch, cables of 1 us at 100 Gb/s (as in htsim.sh).
printf '%s\n' 'Nodes 8' 'Tiers 2' 'Podsize 8' '' 'Tier 0' 'Downlink_speed_Gbps 100' 'Radix_Down 4' 'Radix_Up 1' 'Oversubscribed 4' \
  'Downlink_Latency_ns 1000' '' 'Tier 1' 'Downlink_speed_Gbps 100' 'Radix_Down 2' 'Downlink_Latency_ns 1000' > two.topo
run() { timeout 300 "$heddle" run "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }

# log RANK: eight processes, rank R of the world is rank R / 2 of one of two halves; messages in a ring, launched with the one before.
log() {
  awk -v r="$1" 'BEGIN {
    head = "node" int(r / 4) ":" 100 + r ":" 200 + r " [" r % 4 "] NCCL INFO "
    print "NCCL version 2.27.3+cuda12.9"
    printf "%scomm 0x7%d rank %d nranks 8 cudaDev %d busId 1a000 commId 0xabc - Init COMPLETE\n", head, r, r, r % 4
    printf "%sncclCommSplit comm 0x8%d rank %d nranks 4 cudaDev %d busId 1a000 parent 0x7%d splitCount 1 color %d key 0 - Init START\n",
      head, r, int(r / 2), r % 4, r, r % 2
    print head "Using network IB"
    for (s = 0; s < 6; ++s) {
      call("AllReduce", s, 50000 + s, 7, 0, 7, 8)
      call("AllGather", s, 5000, 9, 0, 8, 4)
      call("ReduceScatter", 10 + s, 3000, 7, 0, 8, 4)
      call("Broadcast", 20 + s, 4000, 1, 3, 8, 4)
      call("Send", 30 + s, 9000, 7, (r + 1) % 8, 7, 8)
      call("Recv", 30 + s, 9000, 7, (r + 7) % 8, 7, 8)
    }
  }
  function call(name, op, count, type, root, comm, ranks) {
    printf "%s%s: opCount %x sendbuff 0x10 recvbuff 0x20 count %d datatype %d op 0 root %d comm 0x%d%d [nranks=%d] stream 0x51\n",
      head, name, op, count, type, root, comm, r, ranks
  }'
}
mkdir logs
for r in 0 1 2 3 4 5 6 7; do log $r > "logs/nccl.$((7 - r))"; done
cat logs/nccl.* > all.log

# ---- what trace show says ----------------------------------------------------------------------------------------------------------------
"$heddle" trace show logs > show.txt || fail 'trace show'
grep -q '^trace  *logs: logs of NCCL, 8 ranks, version 2\.27\.3+cuda12\.9$' show.txt || { fail 'head of trace show'; cat show.txt; }
grep -q '^nodes  *328: 192 collectives, 48 sends, 48 receives, 40 nodes of no time; ' show.txt || { fail 'nodes of trace show'; cat show.txt; }
grep -q '^collective  ALL_REDUCE of all ranks: 48 calls, ' show.txt || { fail 'collectives of all'; cat show.txt; }
grep -q '^collective  BROADCAST of 2 groups of 4 ranks: 48 calls, ' show.txt || { fail 'collectives of groups'; cat show.txt; }
grep -q '^odd' show.txt && { fail 'odd lines'; cat show.txt; }
"$heddle" trace show all.log --json > show.json || fail 'trace show --json'
grep -q '"format": *"nccl log"' show.json || fail 'the format in JSON'

# ---- the same as a trace of Chakra says it (whose roots are first ranks, so without broadcasts) -------------------------------------------
mkdir plain
for r in 0 1 2 3 4 5 6 7; do grep -v Broadcast "logs/nccl.$r" > "plain/nccl.$r"; done
awk 'BEGIN {
  print "ranks 8"
  for (r = 0; r < 8; ++r)
    for (s = 0; s < 6; ++s) {
      b = 10 * s; g = r % 2 ? "odd" : "even"
      print r ": " b + 1 " coll ALL_REDUCE " 4 * (50000 + s) (s ? " after " b - 6 " " b - 5 : "")
      print r ": " b + 2 " coll ALL_GATHER 10000 group " g " after " b + 1
      print r ": " b + 3 " coll REDUCE_SCATTER 48000 group " g " after " b + 2
      print r ": " b + 4 " send 36000 to " (r + 1) % 8 " tag 1 after " b + 3
      print r ": " b + 5 " recv 36000 from " (r + 7) % 8 " tag 1 after " b + 3
    }
}' | "$maker" same || fail 'chakra_maker'
printf '{"even": [0, 2, 4, 6], "odd": [1, 3, 5, 7]}\n' > groups.json
run -n two.topo --nccl-log plain -o log.h5
run -n two.topo --chakra same --chakra-groups groups.json -o chakra.h5
"$heddle" validate log.h5 > /dev/null || fail 'the result is not valid'
ends() { /usr/bin/python3 -c "import h5py, sys; print(h5py.File(sys.argv[1])['ranks/end_ps'][:].tolist())" "$1"; }
[ "$(ends log.h5)" = "$(ends chakra.h5)" ] || fail 'other ends than those of the trace of Chakra'

# ---- one file or a folder, ranks of MPI, jobs ----------------------------------------------------------------------------------------------
run -n two.topo --nccl-log logs -o whole.h5
run -n two.topo --nccl-log all.log -o file.h5
[ "$(ends whole.h5)" = "$(ends file.h5)" ] || fail 'another result of one file'
for ranks in 2 3; do
  "${mpirun[@]}" -n $ranks "$heddle" run -q -n two.topo --nccl-log logs --grain 1 -o ranks.h5 --force || fail "$ranks ranks"
  "$heddle" compare -q whole.h5 ranks.h5 || fail "another result on $ranks ranks"
done
"$heddle" analyze step whole.h5 > step.txt || fail 'analyze step'
grep -v 'Recv: \|Send: ' logs/nccl.7 | sed 's/nranks=8/nranks=1/; s/nranks 8/nranks 1/; /nranks.4/d' > one.log
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 100000 0\n' > one.work
run -n two.topo --job nccl-log=one.log,gpus=5-5 --job workload=one.work,gpus=0-3 -o jobs.h5

# ---- refusals ----------------------------------------------------------------------------------------------------------------------------
refuses() {
  local name=$1 code=$2 pattern=$3 status
  shift 3
  timeout 60 "$heddle" run "$@" > out 2> err < /dev/null
  status=$?
  [ $status = "$code" ] || fail "$name: exit code $status"
  grep -qE "^heddle: $pattern" err || { fail "$name"; cat err; }
}
mkdir some
cp logs/nccl.[01345] some
refuses 'missing ranks' 3 'line 2 of some/nccl\.0: communicator 0xabc has 8 ranks, and the logs have 5 of them; missing: 0, 1, 5\. Expected: ' \
  -n two.topo --nccl-log some
"$heddle" trace show some | grep -q '^odd  *a run is refused: line 2 of some/nccl\.0: ' || fail 'trace show of missing ranks'
sed '0,/AllReduce/s/count 50000/count 50001/' logs/nccl.0 > some/nccl.0
mkdir other
cp logs/nccl.[1-7] some/nccl.0 other
refuses 'ranks that disagree' 3 'node [0-9]* of .* is an ALL_REDUCE of all ranks with 200004 bytes' -n two.topo --nccl-log other
refuses 'more ranks than GPUs' 3 '.*8 GPUs\. Expected: at most what is free' -n two.topo --job nccl-log=logs,gpus=8 --job workload=one.work,gpus=0-3
refuses 'no log' 3 'two\.topo: no call of NCCL\. Expected: ' -n two.topo --nccl-log two.topo
refuses 'groups' 2 '--chakra-groups: ' -n two.topo --nccl-log logs --chakra-groups groups.json
refuses 'passes' 2 '--job: passes with ' -n two.topo --job nccl-log=logs,passes=2

end
