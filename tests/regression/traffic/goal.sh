#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Schedules in GOAL: what trace show says, times of single messages by the formula of htsim_uec, text and binary alike, the same result on
# one to three ranks and from checkpoints, LogGOPS' ideal network, stalls with exit code 4, refusals. Usage: goal.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Eight hosts at two ToR switches below one switch, cables of 1 us at 100 Gb/s (as in htsim.sh).
printf '%s\n' 'Nodes 8' 'Tiers 2' 'Podsize 8' '' 'Tier 0' 'Downlink_speed_Gbps 100' 'Radix_Down 4' 'Radix_Up 1' 'Oversubscribed 4' \
  'Downlink_Latency_ns 1000' '' 'Tier 1' 'Downlink_speed_Gbps 100' 'Radix_Down 2' 'Downlink_Latency_ns 1000' > two.topo
uec=(--transport uec --set flow.send_latency=0us)
run() { timeout 300 "$heddle" run "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }

# ---- one message: it is handed over at 1000 ns, starts 10 ns later, and needs t(65 B) + t(64 B) on two cables and four latencies ----------
printf '%s\n' 'num_ranks 2' 'rank 0 {' 'a: calc 1000' 'b: send 1b to 1 tag 7' 'b requires a' '}' 'rank 1 {' 'a: recv 1b from 0 tag 7' \
  'b: calc 500' 'b requires a' '}' > one.goal
"$heddle" trace show one.goal > show.txt || fail 'trace show'
grep -q '^operations  4: 1 send, 1 receive, 2 calcs; 2 dependencies$' show.txt || { fail 'what trace show says'; cat show.txt; }
run -n two.topo --goal one.goal "${uec[@]}" -o one.h5
# 2 (5.2 + 5.12) ns + 4 us of the way there and back are 4020.64 ns, 5.2 ns until the byte has left.
grep -q '^ranks  *2 of 2 ended: the first is rank 0 at 1\.015 us, the last rank 1 at 5\.531 us$' out || { fail 'ends of ranks'; cat out; }
grep -q '^schedule  *one.goal: 2 ranks, 4 operations, 1 flows, 1 B' out || { fail 'announcement'; cat out; }
"$heddle" validate one.h5 > /dev/null || fail 'the result is not valid'

# The same as txt2bin writes it.
le() { local n=$1 i; for ((i = 0; i < $2; ++i)); do printf '%b' "\\x$(printf %02x $((n >> 8 * i & 255)))"; done; }
# operation WAITS TYPE PEER SIZE TAG DEPENDENTS
operation() { le "$1" 4; le "$2" 1; le "$3" 4; le "$4" 8; le "$5" 4; le 0 2; le "$6" 4; le 0 12; }
{
  le 4223 8; le 2 4; le 0 2; le 38 8; le 132 8; le 132 8; le 226 8
  le 2 4; le 1 4; le 0 4; operation 0 3 0 1000 0 1; operation 1 1 1 1 7 0; le 1 4
  le 2 4; le 1 4; le 0 4; operation 0 2 0 1 7 1; operation 1 3 0 500 0 0; le 1 4
} > one.bin
"$heddle" trace show one.bin | grep -q '^schedule  *one.bin: GOAL, binary, 2 ranks$' || fail 'trace show of the binary file'
diff <("$heddle" trace show one.goal | tail -n +2) <("$heddle" trace show one.bin | tail -n +2) || fail 'the binary file is another schedule'
run -n two.topo --goal one.bin "${uec[@]}" -o bin.h5
"$heddle" compare one.h5 bin.h5 > compare.txt
grep -q '^different: 1 attribute and 0 of [0-9]* tables$' compare.txt || { fail 'another result of the binary file'; cat compare.txt; }

# ---- the same result on all ranks: an exchange in a ring with calcs, any sources, messages that overtake --------------------------------
awk 'BEGIN {
  n = 8; print "num_ranks " n
  for (r = 0; r < n; ++r) {
    print "rank " r " {"
    for (s = 0; s < 12; ++s) {
      print "c" s ": calc " (200 + r * 37 + s * 911) % 3000 " cpu " s % 2
      print "s" s ": send " (s % 3 == 0 ? 200000 : 3000 + s) "b to " (r + 1 + s % 3) % n " tag " s % 2
      print "r" s ": recv " (s % 3 == 0 ? 200000 : 3000 + s) "b from " (s % 4 == 3 ? "-1 tag -1" : "-1 tag " s % 2) " cpu 1"
      print "s" s " requires c" s
      if (s > 1) print "c" s " requires r" s - 2
      if (s > 0) print "r" s " irequires c" s - 1
    }
    print "}"
  } }' > ring.goal
for completion in acked received; do
  set="flow.completion=$completion"
  run -n two.topo --goal ring.goal --set "$set" -o "whole_$completion.h5"
  "$heddle" validate "whole_$completion.h5" > /dev/null || fail "$completion: the result is not valid"
  for ranks in 1 2 3; do
    "${mpirun[@]}" -n $ranks "$heddle" run -q -n two.topo --goal ring.goal --set "$set" --grain 1 -o ranks.h5 --force ||
      fail "$completion: $ranks ranks"
    "$heddle" compare -q "whole_$completion.h5" ranks.h5 || fail "$completion: another result on $ranks ranks"
  done
  "${mpirun[@]}" -n 2 "$heddle" run -q -n two.topo --goal ring.goal --set "$set" --engine ns3-null --grain 1 -o ranks.h5 --force ||
    fail "$completion: another engine"
  "$heddle" compare -q "whole_$completion.h5" ranks.h5 || fail "$completion: another result by another engine"
done

# ---- a window: operations in a file without a name, text, binary and from a pipe; the same result ----------------------------------------
run -n two.topo --goal ring.goal -o whole.h5
for window in 1 100 287; do
  run -n two.topo --goal ring.goal --set goal.window=$window -o window.h5 --force
  "$heddle" compare -q whole.h5 window.h5 || fail "another result with a window of $window operations"
  diff <("$heddle" loggops ring.goal --set goal.window=$window) <("$heddle" loggops ring.goal --set goal.window=0) ||
    fail "another end of ranks with a window of $window operations"
done
"${mpirun[@]}" -n 2 "$heddle" run -q -n two.topo --goal ring.goal --set goal.window=1 --grain 1 -o window.h5 --force || fail 'a window on 2 ranks'
"$heddle" compare -q whole.h5 window.h5 || fail 'another result with a window on 2 ranks'
run -n two.topo --job goal=ring.goal --set goal.window=1 -o job.h5
run -n two.topo --job goal=ring.goal -o whole_job.h5
"$heddle" compare -q whole_job.h5 job.h5 || fail 'another result of a job with a window'
run -n two.topo --goal one.bin --set goal.window=1 "${uec[@]}" -o window.h5 --force
"$heddle" compare -q bin.h5 window.h5 || fail 'another result of a binary file with a window'
for file in one.bin one.goal; do
  diff <("$heddle" loggops <(cat $file)) <("$heddle" loggops $file) || fail "another schedule from a pipe: $file"
done
TMPDIR=/no/such/folder "$heddle" run -q -n two.topo --goal ring.goal --set goal.window=1 > out 2> err < /dev/null
[ $? = 6 ] && grep -q '/no/such/folder.*goal\.window=0' err || { fail 'no folder for a window'; cat err; }
head -c 300 ring.goal > cut.goal
head -c 200 one.bin > cut.bin
for file in cut.goal cut.bin; do
  timeout 60 "$heddle" run -q -n two.topo --goal $file --set goal.window=1 > out 2> err < /dev/null
  [ $? = 3 ] && grep -q "^heddle: $file:" err || { fail "$file is taken"; cat err; }
done

# ---- checkpoints: stopped by the clock again and again, on other numbers of ranks, with other windows -------------------------------------------------------
awk 'BEGIN {
  n = 8; print "num_ranks " n
  for (r = 0; r < n; ++r) {
    print "rank " r " {"
    for (s = 0; s < 300; ++s) {
      print "c" s ": calc " (200 + r * 37 + s * 911) % 3000
      print "s" s ": send 100000b to " (r + 1 + s % 3) % n " tag " s % 2
      print "r" s ": recv 100000b from -1 tag " s % 2 " cpu 1"
      print "s" s " requires c" s
      if (s > 1) print "c" s " requires r" s - 2
    }
    print "}"
  } }' > long.goal
run -n two.topo --goal long.goal --grain 1 -o long.h5
legs=0 limit=300 ranks=1
while :; do
  "${mpirun[@]}" -n $ranks "$heddle" run -q -n two.topo --goal long.goal --grain 1 --set goal.window=$((legs * 50)) -o legs.h5 --max-wall ${limit}ms --restart auto > leg.txt 2>&1
  code=$?
  [ $code = 85 ] || break
  legs=$((legs + 1)) limit=$((limit + 100)) ranks=$((ranks % 3 + 1))
  [ $legs -lt 40 ] || break
done
[ $code = 0 ] || { fail "restarts: exit code $code"; cat leg.txt; }
[ $legs -gt 0 ] || fail 'the run was not stopped'
"$heddle" compare -q long.h5 legs.h5 || fail 'another result after restarts'

# ---- an ideal network: a pipeline of four ranks, times of ATLAHS' LogGOPSim ---------------------------------------------------------------
{
  echo 'num_ranks 4'
  for r in 0 1 2 3; do
    echo "rank $r {"
    for s in 1 2 3 4; do
      [ $r = 0 ] || echo "r$s: recv 16384b from $((r - 1)) tag 0"
      [ $r = 3 ] || echo "s$s: send 16384b to $((r + 1)) tag 0"
      [ $r = 0 ] || [ $r = 3 ] || echo "s$s requires r$s"
    done
    echo '}'
  done
} > pipeline.goal
# ideal ENDS ARGUMENTS...
ideal() {
  local expected=$1 found
  shift
  found=$("$heddle" loggops pipeline.goal "$@" | awk '/^rank/ { printf "%s ", $3 }')
  [ "$found" = "$expected " ] || fail "loggops $*: $found"
}
ideal '299394 404192 508990 612288'
ideal '65932 165930 249395 283411' -L 1000 -o 100 -g 50 -G 1 -O 1
ideal '69652 90140 110628 110628' -L 3700 -o 200 -g 5 -G 1 -O 0 -S 0
ideal '6740 11500 16260 16260' -L 3700 -o 200 -g 5 -G 0.04 -O 0 -S 0
ideal '32000 77948 107896 121844' -L 3000 -o 8000 -g 0 -G 0.18 -O 0 -S 256000
ideal '0 0 0 0' -L 0 -o 0 -g 0 -G 0 -O 0 -S 1000000000

# ---- runs that do not end ----------------------------------------------------------------------------------------------------------------
printf '%s\n' 'num_ranks 2' 'rank 0 {' 'a: recv 8b from 1 tag 1' 'b: send 8b to 1 tag 1' 'b requires a' '}' 'rank 1 {' \
  'a: recv 8b from 0 tag 1' 'b: send 8b to 0 tag 1' 'b requires a' '}' > dead.goal
for ranks in 1 2; do
  "${mpirun[@]}" -n $ranks "$heddle" run -q -n two.topo --goal dead.goal --grain 1 -o dead.h5 --force > out 2> err < /dev/null
  [ $? = 4 ] || fail "a stall on $ranks ranks: another exit code"
  grep -q '^heddle: 2 ranks of 2 did not come to their end:$' err || { fail "stall on $ranks ranks"; cat err; }
  grep -q '^  rank 1 waits for a receive from 0, tag 1, dead\.goal:8; 2 of its 2 operations have not ended$' err ||
    { fail "who waits on $ranks ranks"; cat err; }
  "$heddle" validate dead.h5 > /dev/null || fail "the result of a stall on $ranks ranks is not valid"
done
"$heddle" loggops dead.goal > out 2> err
[ $? = 4 ] || fail 'a stall on an ideal network: another exit code'
grep -q '^  rank 0 waits for a receive from 1, tag 1, dead\.goal:3; 2 of its 2 operations have not ended$' err || { fail 'who waits on an ideal network'; cat err; }
printf 'time,event,a,b\n1us,link_down,1,8\n' > cut.csv
timeout 300 "$heddle" run -q -n two.topo --goal one.goal --failures cut.csv > out 2> err < /dev/null
[ $? = 4 ] || fail 'a cut cable: another exit code'
grep -q '^  rank 1 waits for a receive from 0, tag 7, one\.goal:8; ' err || { fail 'who waits behind a cut cable'; cat err; }

# ---- jobs: placed elsewhere, later, beside a workload and another schedule ----------------------------------------------------------------
run -n two.topo --job goal=one.goal,gpus=6-6+5-5,placement=list,start=3us "${uec[@]}" -o placed.h5
# As above, 3 us later.
grep -q '^ranks  *2 of 2 ended: the first is rank 0 at 4\.015 us, the last rank 1 at 8\.531 us$' out || { fail 'ends of a placed schedule'; cat out; }
grep -q '^job 0  *one.goal: 2 GPUs (list), a schedule of 4 operations, from 3us$' out || { fail 'announcement of a job'; cat out; }
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 200000 0\n' > reduce.txt
jobs=(-n two.topo --job goal=ring4.goal,gpus=0-0+4-4+1-1+5-5,placement=list,priority=4 --job workload=reduce.txt,gpus=2-2+6-6+3-3 --job goal=one.goal,gpus=7-7)
awk 'BEGIN {
  n = 4; print "num_ranks " n
  for (r = 0; r < n; ++r) {
    print "rank " r " {"
    for (s = 0; s < 6; ++s) {
      print "c" s ": calc " (200 + r * 37 + s * 911) % 3000
      print "s" s ": send 30000b to " (r + 1 + s % 2) % n " tag " s % 2
      print "r" s ": recv 30000b from -1 tag " s % 2
      print "s" s " requires c" s
      if (s > 1) print "c" s " requires r" s - 2
    }
    print "}"
  } }' > ring4.goal
refuses_job() { timeout 60 "$heddle" run "$@" > out 2> err < /dev/null; }
refuses_job "${jobs[@]}"
[ $? = 3 ] && grep -q '^heddle: one\.goal: 2 ranks on 1 GPUs\. Expected: ' err || { fail 'too few GPUs of a schedule'; cat err; }
jobs=("${jobs[@]:0:6}" --job goal=one.goal,gpus=2-2+7-7)
refuses_job "${jobs[@]}"
[ $? = 3 ] && grep -q 'GPU 2, which job ' err || { fail 'a GPU of two jobs'; cat err; }
jobs=("${jobs[@]:0:4}" --job workload=reduce.txt,gpus=2-2+6-6 --job goal=one.goal,gpus=3-3+7-7)
run "${jobs[@]}" -o beside.h5 --grain 1
grep -q '^ranks  *4 of 4 of ring4\.goal ended: ' out && grep -q '^ranks  *2 of 2 of one\.goal ended: ' out || { fail 'ends of two schedules'; cat out; }
grep -q '^job 0  *reduce.txt: 2 GPUs' out && grep -q '^job 2  *one.goal: 2 GPUs' out || { fail 'numbers of jobs'; cat out; }
"$heddle" validate beside.h5 > /dev/null || fail 'the result of jobs and schedules is not valid'
"$heddle" analyze step beside.h5 > /dev/null || fail 'analyze step beside schedules'
for ranks in 2 3; do
  "${mpirun[@]}" -n $ranks "$heddle" run -q "${jobs[@]}" --grain 1 -o ranks.h5 --force || fail "jobs: $ranks ranks"
  "$heddle" compare -q beside.h5 ranks.h5 || fail "jobs: another result on $ranks ranks"
done
refuses_job -n two.topo --job goal=one.goal,gpus=0-1 --job workload=reduce.txt,gpus=2-3 --backend analytical
[ $? = 3 ] && grep -q 'closed forms have no messages' err || { fail 'closed forms beside a schedule'; cat err; }
refuses_job -n two.topo --job goal=dead.goal,gpus=0-1 --job workload=reduce.txt,gpus=2-3
[ $? = 4 ] && grep -q '^heddle: 2 ranks of 2 did not come to their end:$' err || { fail 'a stalled schedule beside a job'; cat err; }

# ---- refusals ----------------------------------------------------------------------------------------------------------------------------
refuses() {
  local name=$1 code=$2 pattern=$3 status
  shift 3
  timeout 60 "$heddle" run "$@" > out 2> err < /dev/null
  status=$?
  [ $status = "$code" ] || fail "$name: exit code $status"
  grep -qE "^heddle: $pattern" err || { fail "$name"; cat err; }
}
sed 's/num_ranks 2/num_ranks 3/' one.goal > missing.goal
refuses 'a missing rank' 3 'missing\.goal: 1 of 3 ranks are missing, the first is 2\. Expected: ' -n two.topo --goal missing.goal
sed 's/send 1b to 1 tag 7/send 1b to 1 tag 8/' one.goal > tags.goal
refuses 'a receive without a send' 3 'tags\.goal:8: rank 1 has a receive from 0, tag 7 without a send; there are 1 such receives and 1' \
  -n two.topo --goal tags.goal
"$heddle" trace show tags.goal | grep -q '^odd  *1 receive has no send; the first is at tags\.goal:8: rank 1 has ' || fail 'what is odd'
sed 's/^b requires a$/a requires a/' one.goal > cycle.goal
refuses 'a cycle' 3 'cycle\.goal:3: rank 0: the operation waits for itself' -n two.topo --goal cycle.goal
sed 's/calc 1000/put 1b to 1 tag 3/' one.goal > put.goal
refuses 'another dialect' 3 'put\.goal:3: "put", an operation of LogGOPSim2.s dialect' -n two.topo --goal put.goal
(printf 'num_ranks 9\n'; for r in 0 1 2 3 4 5 6 7 8; do printf 'rank %d {\n}\n' $r; done) > nine.goal
refuses 'more ranks than GPUs' 3 'nine\.goal: 9 ranks, and the topology has 8 GPUs\. Expected: ' -n two.topo --goal nine.goal
printf '\x26\x09\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00' > used.bin
refuses 'a consumed file' 3 'used\.bin: byte 0: 2342: a run of LogGOPSim with --save-mem has consumed the file' -n two.topo --goal used.bin
refuses 'a controller' 3 '--goal: the central controller gives no paths' -n two.topo --goal one.goal --set controller.enable=true
refuses 'closed forms' 3 '--backend analytical: ' -n two.topo --goal one.goal --backend analytical
refuses 'two kinds of traffic' 2 '--goal and -w were both given' -n two.topo --goal one.goal -w one.goal
sed 's/recv 1b/recv 2b/' one.goal > size.goal
run -n two.topo --goal size.goal
grep -q 'size\.goal:8: rank 1 has a receive from 0, tag 7 of 2 bytes, and the send has 1 bytes; sends decide' err || { fail 'other sizes'; cat err; }
# ---- out again: a workload as a schedule, in text and in binary, that takes as long ----------------------------------------------------
"$heddle" topo Spectrum-X -g 16 -gps 8 --oversubscription 1 -o rails.txt > /dev/null 2>&1 || fail topo
cat > step.txt <<'STEP'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 300000
2
one -1 20000 ALLREDUCE 800000 20000 ALLREDUCE 800000 20000 ALLREDUCE 3000000 100
two -1 30000 ALLGATHER 900000 30000 REDUCESCATTER 900000 30000 ALLREDUCE 2000000 100
STEP
how=(-n rails.txt --like simai --set flow.completion=received)
"$heddle" export "${how[@]}" -w step.txt --passes 2 --goal step.goal 2> err || { fail 'export --goal'; cat err; }
"$heddle" export "${how[@]}" -w step.txt --passes 2 --goal step.bin 2> err || { fail 'export --goal, binary'; cat err; }
"$heddle" trace show step.goal | tail -n +2 > text.show || fail 'trace show of the export'
"$heddle" trace show step.bin | tail -n +2 > binary.show || fail 'trace show of the binary export'
diff text.show binary.show > /dev/null || fail 'text and binary are two schedules'
run "${how[@]}" -w step.txt --passes 2 -o direct.h5
run "${how[@]}" --goal step.goal -o exported.h5
simulated() { /usr/bin/python3 -c "import h5py, sys; print(h5py.File(sys.argv[1]).attrs['simulated_ps'])" "$1"; }
direct=$(simulated direct.h5) exported=$(simulated exported.h5)
awk -v a="$direct" -v b="$exported" 'BEGIN { exit !(b > a * 0.99 && b < a * 1.01) }' || fail "a step of $direct ps takes $exported ps as a schedule"
"$heddle" loggops step.goal -L 1000 -o 100 -g 0 -G 0.02 > loggops.txt 2>&1 || { fail 'loggops of the export'; cat loggops.txt; }
"$heddle" loggops -n rails.txt -w step.txt --passes 2 --set like=simai --set flow.completion=received -L 1000 -o 100 -g 0 -G 0.02 > direct.txt 2>&1
diff loggops.txt direct.txt || fail 'loggops of the workload is not that of its export'
"$heddle" loggops > out 2>&1
[ $? -eq 2 ] && grep -q 'Expected: FILE, or -n FABRIC -w WORKLOAD' out || { fail 'loggops of nothing'; cat out; }
"$heddle" export -n rails.txt -w step.txt --like nccl --set algorithm.allreduce=nvls --goal nvls.goal > out 2>&1
[ $? -eq 3 ] && grep -q 'its messages end at NVSwitches' out || { fail 'NVLS in GOAL'; cat out; }
"$heddle" export -n rails.txt --goal empty.goal > out 2>&1
[ $? -eq 2 ] || { fail 'no workload'; cat out; }
"$heddle" export -n rails.txt -w step.txt --goal step.goal > out 2>&1
[ $? -ne 0 ] || fail 'an existing file was replaced'

end
