#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle analyze step: runs whose cause is known name it, and the pieces of every critical path add up to the job's time.
# Usage: analyze_step.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Four leaves of eight GPUs, a GPU a server, NICs of 100 Gbps; as many cables up as down.
"$heddle" topo DCN-SingleToR -g 32 -gps 1 -bw 100Gbps -asn 4 -npa 8 -psn 4 -apbw 200Gbps -app 4 -o even.topo > /dev/null 2>&1 || exit 1
micro() { printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$1" "$2"; }
micro ALLREDUCE 67108864 > ring.work
micro ALLTOALL 16777216 > all.work

# explain NAME ARGUMENTS...: runs, and writes NAME.txt and NAME.csv; the pieces of each job must follow each other without a gap.
explain() {
  local name=$1
  "$heddle" run -q "${@:2}" -o "$name.h5" > run.out 2>&1 || { fail "$name: exit code $?"; tail -5 run.out; return; }
  "$heddle" analyze step "$name.h5" > "$name.txt" 2> err || { fail "$name: no analysis"; cat err; return; }
  "$heddle" analyze step "$name.h5" --csv "$name.csv" > /dev/null || { fail "$name: no CSV"; return; }
  awk -F, -v name="$name" 'NR == 1 {next} $1 in end && end[$1] != $2 {print name ": a gap at " $2; bad = 1} {end[$1] = $3}
    END {exit bad || NR < 2}' "$name.csv" || fail "$name: pieces do not follow each other"
  diff <(awk -F, 'NR > 1 {end[$1] = $3} END {for (job in end) printf "job %d: %.1f\n", job, end[job] / 1e6}' "$name.csv" | sort) \
    <(sed -n "s/^\(job [0-9]*\) .*: \([0-9.]*\) us, .*/\1: \2/p" "$name.txt") || fail "$name: the pieces do not end with the jobs"
}
# says NAME PATTERN
says() { grep -Eq -- "$2" "$1.txt" || { fail "$1: no /$2/ in"; cat "$1.txt"; }; }
# share NAME CAUSE: of the time, in percent
share() { awk -F, -v cause="$2" 'NR > 1 {all += $3 - $2; if ($4 == cause) part += $3 - $2} END {printf "%.2f", 100 * part / all}' "$1.csv"; }
# most NAME CAUSE PERCENT: at least so much
most() { awk -v a="$(share "$1" "$2")" -v b="$3" 'BEGIN {exit !(a + 0 >= b)}' || { fail "$1: $2 is $(share "$1" "$2") %. Expected: $3 or more"; cat "$1.txt"; }; }

# ---- line rate, and software latency where messages are small --------------------------------------------------------
explain ring -n even.topo -w ring.work
most ring 'messages at line rate' 80
micro ALLREDUCE 1024 > small.work
explain small -n even.topo -w small.work
most small 'software latency' 50

# ---- one slow link: half of the rate of the others of its tier --------------------------------------------------------
sed -E 's/^(2 [0-9]+) 100Gbps/\1 50Gbps/' even.topo > slow.topo
cmp -s even.topo slow.topo && fail 'no link was made slow'
explain slow -n slow.topo -w ring.work
most slow 'slow link' 40
says slow 'slow link \([0-9.]+ on (GPU 2 -> leaf 0|leaf 0 -> GPU 2)\)'

# ---- one collision: two of four flows between two leaves of two spines on one cable ----------------------------------
"$heddle" topo DCN-SingleToR -g 4 -gps 1 -bw 100Gbps -asn 2 -npa 2 -psn 2 -apbw 100Gbps -app 2 -o two.topo > /dev/null 2>&1 || exit 1
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 8388608 0\n' > pair.work
named=0
for seed in 1 2 3 4 5 6; do
  explain "pair$seed" -n two.topo --job workload=pair.work,gpus=0-0+2-2 --job workload=pair.work,gpus=1-1+3-3 --seed $seed --set nic.source_ports=random
  if [ "$(awk -v s="$(share "pair$seed" collisions)" 'BEGIN {print (s > 20)}')" = 1 ]; then
    named=$((named + 1))
    says "pair$seed" 'collisions on leaf [01] -> spine [01] \('
    says "pair$seed" 'with GPU [0-3] to GPU [0-3]'
  fi
done
[ $named -ge 1 ] || fail 'no seed makes the two jobs collide'

# ---- a timeout: an uplink dies, and routes change two milliseconds later ----------------------------------------------
printf 'time,event,a,b\n100us,link_down,64,68\n' > failures.csv
explain dead -n even.topo -w ring.work --failures failures.csv --set failure.convergence=2ms
most dead 'retransmission timeouts' 25
says dead '^note: links failed or changed'

# ---- many senders: a message of an all-to-all waits for the others of its sender first --------------------------------
explain all -n even.topo -w all.work
most all 'messages of one sender at once' 30

# ---- a pipeline: the other stage computes ----------------------------------------------------------------------------
cat > stages.work <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 1048576
2
one -1 100000 NONE 0 100000 NONE 0 50000 ALLREDUCE 1048576 100
two -1 900000 NONE 0 100000 NONE 0 50000 ALLREDUCE 1048576 100
END
explain stages -n two.topo -w stages.work
most stages computing 50
says stages 'other stages'

# ---- without messages collectives stay whole --------------------------------------------------------------------------
explain bare -n even.topo -w ring.work --record flows=none
most bare collectives 90
says bare '^note: .*--record flows=all'

# ---- what cannot be analysed -------------------------------------------------------------------------------------------
refuses() {
  "$heddle" analyze step "${@:2}" > refused.txt 2>&1
  local code=$?
  [ $code = 3 ] || fail "${*:2}: exit code $code"
  grep -q -- "$1" refused.txt || { fail "${*:2}: no '$1' in"; cat refused.txt; }
}
printf 'timestamp_ns,src,dst,size_bytes\n0,0,2,1000\n' > trace.csv
"$heddle" run -q -n two.topo --trace trace.csv -o trace.h5 || exit 1
refuses '^heddle: trace.h5: no table jobs: the run had no workload' trace.h5
"$heddle" run -q -n two.topo -w pair.work --record timeline=none -o untimed.h5 || exit 1
refuses '^heddle: untimed.h5: no table steps: the run kept no time lines.*--record timeline=all' untimed.h5
refuses '^heddle: missing.h5: ' missing.h5
for command in 'step ring.h5 --top' 'interference ring.h5 --top' 'links ring.h5 --top' 'failures ring.h5 --top' 'paths ring.h5 --worst' \
  'collisions ring.h5 --worst' 'collisions ring.h5 --most-pairs'; do
  for number in -1 1.5 many; do
    # shellcheck disable=SC2086
    "$heddle" analyze $command $number > refused.txt 2>&1
    [ $? = 2 ] || fail "analyze $command $number is taken"
    [ "$(wc -l < refused.txt)" = 1 ] && grep -q 'Expected: a whole number from' refused.txt || { fail "analyze $command $number"; cat refused.txt; }
  done
done
end
