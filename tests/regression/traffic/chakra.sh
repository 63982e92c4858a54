#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Traces of Chakra: what trace show says, times worked out by hand, the same result on one to three ranks, by another engine and from
# checkpoints, jobs beside workloads, files packed by gzip, stalls with exit code 4, refusals. Usage: chakra.sh HEDDLE CHAKRA_MAKER MPIRUN...
set -u
heddle=$1 maker=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Eight hosts at two ToR switches below one switch, cables of 1 us at 100 Gb/s (as in htsim.sh).
printf '%s\n' 'Nodes 8' 'Tiers 2' 'Podsize 8' '' 'Tier 0' 'Downlink_speed_Gbps 100' 'Radix_Down 4' 'Radix_Up 1' 'Oversubscribed 4' \
  'Downlink_Latency_ns 1000' '' 'Tier 1' 'Downlink_speed_Gbps 100' 'Radix_Down 2' 'Downlink_Latency_ns 1000' > two.topo
# A ring of four NPUs of ASTRA-sim 2: 50 GB/s, 500 ns.
printf '%s\n' 'topology: [ Ring ]' 'npus_count: [ 4 ]' 'bandwidth: [ 50.0 ]' 'latency: [ 500.0 ]' > ring.yml
names='"all-reduce-implementation": ["ring"], "all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"]'
printf '{"scheduling-policy": "FIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 1, %s, %s}\n' \
  "$names" '"all-to-all-implementation": ["ring"], "collective-optimization": "baseline", "local-mem-bw": 1600' > ring.json
astra=(--astra-network ring.yml --astra-system ring.json --set chakra.slots=astra-sim --set scale_up.congestion=false)
run() { timeout 300 "$heddle" run "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }

# ---- what trace show says ----------------------------------------------------------------------------------------------------------------
printf '%s\n' 'ranks 4' '*: 1 comp 10 name gemm' '*: 2 coll ALL_REDUCE 1048576 after 1' '0: 3 send 1048576 to 1 tag 7 after 1' \
  '1: 3 recv 1048576 from 0 tag 7' '*: 4 comp 5 after 2' '0: 9 comp 1 after 77' | "$maker" step || fail 'chakra_maker'
"$heddle" trace show step > show.txt || fail 'trace show'
grep -q '^trace  *step: Chakra, 4 ranks, version 1\.0\.0$' show.txt || { fail 'head of trace show'; cat show.txt; }
grep -q '^nodes  *15: 9 computations, 4 collectives, 1 send, 1 receive; 9 dependencies$' show.txt || { fail 'nodes of trace show'; cat show.txt; }
grep -q '^chain  *15,000 ns (15\.000 us) of computations that wait for each other, on rank 0$' show.txt || { fail 'chain of trace show'; cat show.txt; }
grep -q '^odd  *1 data dependency is on a node that is not there, and counts as satisfied; the first is node 9 of step\.0\.et$' show.txt ||
  { fail 'what is odd'; cat show.txt; }

# ---- times by hand, as ASTRA-sim's: a message takes 500 + trunc(1048576 / 53.687) = 20031 ns, an all-reduce on the ring 6 x (500 + 4882)
# ns and what is between its messages, 33829 ns in all -----------------------------------------------------------------------------------------
printf '%s\n' 'ranks 4' '0: 1 comp 10' '0: 2 send 1048576 to 1 tag 7 after 1' '1: 1 recv 1048576 from 0 tag 7' '1: 2 comp 10 after 1' \
  '2: 1 comp 1' '3: 1 comp 0' | "$maker" message
run "${astra[@]}" --chakra message -o message.h5 --json
"$heddle" validate message.h5 > /dev/null || fail 'the result is not valid'
grep -q '"rank_end_ps": *\[' out || fail 'ends of ranks in JSON'
run "${astra[@]}" --chakra message
grep -q '^ranks  *4 of 4 of job 0 ended: the first is rank 3 at 0\.001 us, the last rank 1 at 40\.031 us$' out || { fail 'ends of ranks'; cat out; }
# One communication at a time: the send waits for the all-reduce of the lower id. As streams they overlap.
printf '%s\n' 'ranks 4' '*: 1 coll ALL_REDUCE 1048576' '0: 2 send 1048576 to 1 tag 7' '1: 3 recv 1048576 from 0 tag 7' | "$maker" both
run "${astra[@]}" --chakra both
grep -q 'the first is rank 2 at 33\.829 us, the last rank 1 at 53\.860 us$' out || { fail 'one communication at a time'; cat out; }
run "${astra[@]}" --set chakra.slots=streams --chakra both
grep -q 'the first is rank 0 at 33\.829 us, the last rank 3 at 33\.829 us$' out || { fail 'communication that overlaps'; cat out; }

# ---- the same result on all ranks -------------------------------------------------------------------------------------------------------------
# mixed STEPS: collectives of overlapping groups, messages in rings, computing on CPU and GPU, forward references.
mixed() {
  awk -v steps="$1" 'BEGIN {
    n = 8; print "ranks " n
    for (r = 0; r < n; ++r) {
      for (s = 0; s < steps; ++s) {
        b = 10 * s + 1
        print r ": " b " comp " (1 + (r * 37 + s * 911) % 30) " name work" s % 3 (s > 0 ? " after " b - 6 " " b - 10 : "")
        print r ": " b + 1 " coll ALL_REDUCE " (s % 3 == 0 ? 400000 : 20000) " group " (s % 2 ? "0" : r < 4 ? "1" : "2") " after " b
        print r ": " b + 2 " send " (10000 + s % 4) " to " (r + 1 + s % 3) % n " tag " s % 2 " after " b + 6
        print r ": " b + 3 " recv " (10000 + s % 4) " from " (r + 2 * n - 1 - s % 3) % n " tag " s % 2
        print r ": " b + 4 " comp 3 cpu after " b + 3 " " b + 1
        print r ": " b + 6 " comp 2 cpu control " b
        if (s % 4 == 3) print r ": " b + 5 " coll ALL_TO_ALL 80000 group " (r % 2 ? "odd" : "even") " control " b
      }
    }
  }'
}
mixed 8 | "$maker" mixed
printf '{"1": [0, 1, 2, 3], "2": [7, 6, 5, 4], "even": [0, 2, 4, 6], "odd": [1, 3, 5, 7]}\n' > groups.json
given=(-n two.topo --chakra mixed --chakra-groups groups.json)
check() {
  local name=$1
  shift
  run "${given[@]}" "$@" -o whole.h5 --force
  "$heddle" validate whole.h5 > /dev/null || fail "$name: the result is not valid"
  for ranks in 1 2 3; do
    "${mpirun[@]}" -n $ranks "$heddle" run -q "${given[@]}" "$@" --grain 1 -o ranks.h5 --force 2> err || { fail "$name: $ranks ranks"; cat err; }
    "$heddle" compare -q whole.h5 ranks.h5 || fail "$name: another result on $ranks ranks"
  done
}
check acked
check received --set flow.completion=received
check astra-sim --set chakra.slots=astra-sim
check phases --set phases.collectives=baseline --set phases.dimensions=8
check analytical --backend analytical
run "${given[@]}" -o whole.h5 --force
"${mpirun[@]}" -n 2 "$heddle" run -q "${given[@]}" --engine ns3-null --grain 1 -o ranks.h5 --force || fail 'another engine'
"$heddle" compare -q whole.h5 ranks.h5 || fail 'another result by another engine'

# A window of the trace is held, and the rest is in a file: the same result, also with free nodes far behind and references forward.
for window in 1 40; do
  run "${given[@]}" --set chakra.window=$window -o window.h5 --force
  "$heddle" compare -q whole.h5 window.h5 || fail "another result with a window of $window nodes"
done
"${mpirun[@]}" -n 2 "$heddle" run -q "${given[@]}" --set chakra.window=1 --grain 1 -o window.h5 --force || fail 'a window on 2 ranks'
"$heddle" compare -q whole.h5 window.h5 || fail 'another result with a window on 2 ranks'
TMPDIR=/no/such/folder "$heddle" run -q "${given[@]}" --set chakra.window=1 > out 2> err < /dev/null
[ $? = 6 ] && grep -q '/no/such/folder' err || { fail 'no folder for a window'; cat err; }

# Packed files are the same trace; as a job on listed GPUs it runs beside a workload.
for file in mixed.*.et; do gzip < "$file" > "packed.${file#mixed.}.gz"; done
run -n two.topo --chakra packed --chakra-groups groups.json -o packed.h5
"$heddle" compare whole.h5 packed.h5 > compare.txt
grep -q '^different: [12] attributes\? and 1 of [0-9]* tables' compare.txt || { fail 'another result of packed files'; cat compare.txt; }
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 100000 0\n' > one.work
"${mpirun[@]}" -n 2 "$heddle" run -q -n two.topo --job workload=message,gpus=4-7,start=5us --job workload=one.work,gpus=0-3 --grain 1 -o jobs.h5 ||
  fail 'a trace beside a workload'
run -n two.topo --job workload=message,gpus=4-7,start=5us --job workload=one.work,gpus=0-3 -o jobs1.h5
"$heddle" compare -q jobs.h5 jobs1.h5 || fail 'another result of jobs'

# ---- an algorithm of a file, for all members of a group the same: each sends its chunk, two pieces of 512 KiB, to three --------------------
{
  echo '<algo name="direct" proto="Simple" nchannels="1" nchunksperloop="4" ngpus="4" coll="allgather" inplace="1">'
  for gpu in 0 1 2 3; do
    echo "<gpu id=\"$gpu\" i_chunks=\"1\" o_chunks=\"4\" s_chunks=\"0\">"
    block=0
    for peer in 0 1 2 3; do
      [ $peer = $gpu ] && continue
      echo "<tb id=\"$block\" send=\"$peer\" recv=\"$peer\" chan=\"0\">"
      rest='cnt="1" depid="-1" deps="-1" hasdep="0"/>'
      echo "<step s=\"0\" type=\"s\" srcbuf=\"o\" srcoff=\"$gpu\" dstbuf=\"o\" dstoff=\"$gpu\" $rest"
      echo "<step s=\"1\" type=\"r\" srcbuf=\"o\" srcoff=\"$peer\" dstbuf=\"o\" dstoff=\"$peer\" $rest</tb>"
      block=$((block + 1))
    done
    echo '</gpu>'
  done
  echo '</algo>'
} > direct.xml
printf '%s\n' 'ranks 4' '*: 1 comp 10' '*: 2 coll ALL_GATHER 1048576 after 1' | "$maker" gather
direct=(-n two.topo --chakra gather --set algorithm.allgather=file:direct.xml --grain 1)
run "${direct[@]}" -o direct.h5
grep -q '^  *ALLGATHER  *LISTED  *CUSTOM  *4  *4\.00 MiB  *1 ' out || { fail 'an algorithm of a file'; cat out; }
grep -q '^flows  *24 of 24 finished$' out || { fail 'messages of an algorithm of a file'; cat out; }
digest=$(grep '^digest' out)
"${mpirun[@]}" -n 2 "$heddle" run "${direct[@]}" > out 2> err < /dev/null
[ "$(grep '^digest' out)" = "$digest" ] || { fail 'an algorithm of a file on two ranks'; cat out err; }

# ---- checkpoints: stopped by the clock again and again, on other numbers of ranks -------------------------------------------------------
mixed 400 | "$maker" mixed
run "${given[@]}" --grain 1 -o long.h5
legs=0 limit=300 ranks=1
while :; do
  "${mpirun[@]}" -n $ranks "$heddle" run -q "${given[@]}" --grain 1 -o legs.h5 --max-wall ${limit}ms --restart auto > leg.txt 2>&1
  code=$?
  [ $code = 85 ] || break
  legs=$((legs + 1)) limit=$((limit + 100)) ranks=$((ranks % 3 + 1))
  [ $legs -lt 40 ] || break
done
[ $code = 0 ] || { fail "restarts: exit code $code"; cat leg.txt; }
[ $legs -gt 0 ] || fail 'the run was not stopped'
"$heddle" compare -q long.h5 legs.h5 || fail 'another result after restarts'

# ---- what a workload is, as a trace: each rank ends at the same picosecond, of a step with stages, gradients that overlap, updates ----------
printf '%s\n' 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 100000' \
  2 'a -1 2000 ALLREDUCE 60000 2000 ALLREDUCE 60000 2000 NONE 0 1' 'b -1 1001 ALLGATHER 30000 1000 REDUCESCATTER 30000 1000 ALLREDUCE 90000 1' > stages.work
printf '%s\n' DATA 3 'a -1 1500 NONE 0 1000 NONE 0 700 ALLREDUCE 200000 100' 'b -1 300 NONE 0 200 NONE 0 100 ALLREDUCE 60000 100' \
  'c -1 300 NONE 0 200 NONE 0 100 ALLREDUCE 4000 100' > data.work
for step in stages data one; do
  "$heddle" export -n two.topo -w $step.work --passes 2 --chakra $step || fail "export of $step"
  file=() && [ ! -f $step.groups.json ] || file=(--chakra-groups $step.groups.json)
  for way in "-w $step.work --passes 2" "--chakra $step ${file[*]}"; do
    # shellcheck disable=SC2086  # words
    "$heddle" run -n two.topo $way --json > out.json || fail "run $way"
    grep -A 1000 '"rank_end_ps"' out.json | sed '/]/q' | tr -d ' \n' >> ends.txt
    echo >> ends.txt
  done
  [ "$(sort -u ends.txt | wc -l)" = 1 ] && grep -q '[0-9]\{6\}' ends.txt || { fail "$step: the trace is not the workload"; cat ends.txt; }
  rm ends.txt
done
"$heddle" export -n two.topo -w one.work --chakra one > /dev/null 2>&1
[ $? = 6 ] || fail 'an export replaces files'

# ---- runs that do not end ----------------------------------------------------------------------------------------------------------------
printf '%s\n' 'ranks 2' '0: 12 recv 8 from 1 tag 1' '0: 13 send 8 to 1 tag 1 after 12' '1: 812 recv 8 from 0 tag 1' \
  '1: 813 send 8 to 0 tag 1 after 812' | "$maker" dead
for ranks in 1 2; do
  "${mpirun[@]}" -n $ranks "$heddle" run -q -n two.topo --chakra dead --grain 1 -o dead.h5 --force > out 2> err < /dev/null
  [ $? = 4 ] || fail "a stall on $ranks ranks: another exit code"
  grep -q '^  GPU 1 (job 0, rank 1) waits for a receive from 0, tag 1, node 812 of dead\.1\.et; 2 of its 2 nodes have not ended$' err ||
    { fail "who waits on $ranks ranks"; cat err; }
  "$heddle" validate dead.h5 > /dev/null || fail "the result of a stall on $ranks ranks is not valid"
done
# Two collectives of different groups in another order, one at a time.
printf '%s\n' 'ranks 2' '*: 1 comp 1 name c' '0: 2 coll ALL_REDUCE 8 group a' '0: 3 coll ALL_REDUCE 8 group b after 2' '1: 2 coll ALL_REDUCE 8 group b' \
  '1: 3 coll ALL_REDUCE 8 group a after 2' | "$maker" order
printf '{"a": [0, 1], "b": [1, 0]}\n' > ab.json
timeout 60 "$heddle" run -q -n two.topo --chakra order --chakra-groups ab.json > out 2> err < /dev/null
[ $? = 4 ] || fail 'collectives in another order: another exit code'
grep -q '^  GPU 0 (job 0, rank 0) waits for ALLREDUCE of group a, node 2 of order\.0\.et; ' err || { fail 'who waits for which group'; cat err; }

# ---- refusals ----------------------------------------------------------------------------------------------------------------------------
refuses() {
  local name=$1 code=$2 pattern=$3 status
  shift 3
  timeout 60 "$heddle" run "$@" > out 2> err < /dev/null
  status=$?
  [ $status = "$code" ] || fail "$name: exit code $status"
  grep -qE "^heddle: $pattern" err || { fail "$name"; cat err; }
}
# bad NAME CODE PATTERN LINE...: a trace of two ranks with these lines.
bad() {
  local name=$1 code=$2 pattern=$3
  shift 3
  rm -f bad.*.et
  { echo 'ranks 2'; printf '%s\n' "$@"; } | "$maker" bad
  refuses "$name" "$code" "$pattern" -n two.topo --chakra bad
}
bad 'a receive without a send' 3 'node 5 of bad\.1\.et: a receive from 0, tag 7 of 8 bytes without a send; there are 0 such sends and 1' \
  '1: 5 recv 8 from 0 tag 7'
bad 'sizes that differ' 3 'node 5 of bad\.1\.et: a receive from 0, tag 7 of 8 bytes without a send; node 3 of bad\.0\.et has 9 bytes; there' \
  '1: 5 recv 8 from 0 tag 7' '0: 3 send 9 to 1 tag 7'
bad 'a rank that does not come' 3 'node 5 of bad\.0\.et: an ALL_REDUCE of all ranks, the 1st of .*, to which 1 of its 2 ranks do not come, such as rank 1' \
  '0: 5 coll ALL_REDUCE 8'
bad 'ranks that disagree' 3 'node 5 of bad\.0\.et is an ALL_REDUCE of all ranks with 8 bytes, and node 6 of bad\.1\.et is an ALL_REDUCE of all ranks with 9' \
  '0: 5 coll ALL_REDUCE 8' '1: 6 coll ALL_REDUCE 9'
bad 'other kinds' 3 'node 5 of bad\.0\.et is an ALL_REDUCE .*, and node 6 of bad\.1\.et is a REDUCE ' '0: 5 coll ALL_REDUCE 8' '1: 6 coll REDUCE 8'
bad 'a cycle' 3 'bad\.0\.et: nodes wait for each other: 1 for 2 for 1\. Expected: ' '0: 1 comp 1 after 2' '0: 2 comp 1 control 1'
"$heddle" run -q -n two.topo --chakra bad --set chakra.control=ignore || fail 'without control dependencies it runs'
bad 'a gather' 3 'node 1 of bad\.0\.et: a GATHER of all ranks, which is not simulated' '*: 1 coll GATHER 8'
bad 'an unknown group' 3 'node 1 of bad\.0\.et: an ALL_REDUCE of group x, and nothing says which ranks that group has' '*: 1 coll ALL_REDUCE 8 group x'
bad 'no remote memory' 3 'node 1 of bad\.0\.et: an access of 8 bytes of memory, and there is no remote memory\. Expected: chakra\.remote_bandwidth' '0: 1 load 8'
bad 'no tag' 3 'node 1 of bad\.0\.et: a send to 1, tag 0 without comm_tag\. Expected: ' '0: 1 send 8 to 1'
rm bad.0.et
refuses 'a missing rank' 3 'bad: 1 of 2 ranks have no file, the first is bad\.0\.et' -n two.topo --chakra bad
(echo 'ranks 9'; echo '*: 1 comp 1') | "$maker" nine
refuses 'more ranks than GPUs' 3 'job 0 \(nine\): 9 GPUs\. Expected: at most what is free, 8 of 8 GPUs' -n two.topo --chakra nine
head -c 40 packed.0.et.gz > cut.0.et
refuses 'a packed file that is cut off' 3 'cut\.0\.et: a gzip file that is cut off' -n two.topo --chakra cut
refuses 'no file' 3 'none: there is no file none\.0\.et\. Expected: ' -n two.topo --chakra none
refuses 'two kinds of traffic' 2 '-w and --chakra were both given' -n two.topo --chakra mixed -w one.work
refuses 'groups of nothing' 2 '--chakra-groups: names the groups of a trace' -n two.topo -w one.work --chakra-groups groups.json
refuses 'real traffic' 3 '--backend physical: real traffic follows no trace of Chakra yet' -n two.topo --chakra message --backend physical

# ---- what is odd and runs: every collective that there is, memory, a roofline, the CPU's side of a collective -----------------------------
rm -f bad.*.et
printf '%s\n' 'ranks 4' '*: 1 coll BROADCAST 1000' '*: 2 coll REDUCE 1000' '*: 3 coll BARRIER 0' '*: 4 coll REDUCE_SCATTER_BLOCK 1000' \
  '*: 5 coll ALL_GATHER 100' '*: 6 load 4000 after 5' '*: 7 store 4000 after 5' '*: 8 coll ALL_REDUCE 8 cpu took 9' '*: 9 type 12 after 8' \
  '0: 10 send 8 to 0 tag 1' '0: 11 recv 8 from 0 tag 1' '*: 12 comp 0 ops 1000000 bytes 1000 after 9' | "$maker" all
run -n two.topo --chakra all --set chakra.remote_bandwidth=4 --set chakra.remote_latency=10ns --set chakra.compute=roofline \
  --set chakra.peak=100 --set chakra.memory_bandwidth=1000 -o all.h5
"$heddle" validate all.h5 > /dev/null || fail 'the result of all kinds is not valid'
grep -q 'all: 4 nodes have the unknown type 12, and take no time; the first is node 9 of all\.0\.et' err || { fail 'unknown types'; cat err; }
grep -q 'all: 4 communications are the CPU.s side of others' err || { fail 'CPU sides'; cat err; }
end
