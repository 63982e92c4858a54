#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The same results in the file for any way to run: 1 to 4 ranks, four partitioners and three engines, for traces with monitors, workloads,
# and the controller with failures; heddle and h5diff compare. And SimAI's own fct.txt, line for line.
# "some": each input by one or two of these ways, which take turns; "all": by all of them.
# Usage: same_file.sh HEDDLE CASES some|all MPIRUN...    (CASES: tests/data/cases; MPIRUN: words that start ranks, without -n)
set -u
heddle=$1 cases=$2 which=$3
shift 3
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
have_h5diff=1
if ! command -v h5diff > /dev/null; then
  have_h5diff=0
  echo "!!! h5diff is not installed (apt-get install hdf5-tools): the HDF5 objects are compared by heddle only !!!"
fi

# compare NAME: NAME.h5 with oracle.h5, the files and exported texts.
compare() {
  "$heddle" export --fct "$1.fct" --paths "$1.paths" "$1.h5" || { fail "$1: export"; return; }
  cmp oracle.fct "$1.fct" || fail "$1: fct.txt differs"
  cmp oracle.paths "$1.paths" || fail "$1: paths differ"
  [ -z "${CC_ENABLE:-}" ] || cmp oracle.log.csv "$1.log.csv" || fail "$1: the controller's path log differs"
  "$heddle" compare oracle.h5 "$1.h5" --ignore controller.log > diff.log || { fail "$1: the file differs"; head -40 diff.log; }
  h5diff_agrees "$1"
}

# h5diff_differences A B: what an independent program finds in all groups but /run, a line each; nothing if there is nothing. What is
# empty on both sides h5diff calls not comparable, and the name of the controller's log is the test's own.
h5diff_differences() {
  h5diff -v1 --exclude-path /run "$1" "$2" > h5diff.log 2>&1
  [ $? -le 1 ] || echo "h5diff itself fails: $(tail -1 h5diff.log)"
  awk '/^ +x? +x? +\// && NF < 3 { print "only in one: " $NF }
    /^(dataset|attribute):/ { object = $0 }
    /^[1-9][0-9]* differences found/ && object !~ /option controller.log/ { print object ": " $0 }
    /^Not comparable/ && !/is an empty dataset/ { print }
    /^Attributes status/ && !/ 0 only in obj1, 0 only in obj2/ { print object ": " $0 }
    /differences found/ { ++objects }
    END { if (objects < 20) print "h5diff compared only " objects + 0 " objects" }' h5diff.log
}
h5diff_agrees() {
  [ $have_h5diff = 1 ] || return
  h5diff_differences oracle.h5 "$1.h5" > diff.log
  [ ! -s diff.log ] || { fail "$1: h5diff finds differences"; head -20 diff.log; }
}

# same CASE RUNS SETTING...: the flows of a case.
same() {
  local case=$1 runs=$2
  shift 2
  same_runs "$case" "$runs" -n "$cases/$case/topo.txt" --flows "$cases/$case/flows.txt" -c "$cases/$case/SimAI.conf" "$@"
}

# path_log NAME: with the controller, its path log goes to NAME.log.csv.
path_log() { [ -z "${CC_ENABLE:-}" ] || export CC_LOG_FILE=$1.log.csv; }

# same_runs NAME RUNS INPUT...: one input by the runs ENGINE.RANKS.PARTITIONER (block if there is none); the serial run by heddle's own
# engine is the oracle.
same_runs() {
  local case=$1 runs=$2
  shift 2
  local input=(-q "$@")
  rm -f ./*.h5* ./*.fct ./*.paths ./*.log.csv
  oracle_code=0
  path_log oracle
  timeout 900 "$heddle" run "${input[@]}" -o oracle.h5 2> oracle.err || oracle_code=$?
  "$heddle" export --fct oracle.fct --paths oracle.paths oracle.h5 2> /dev/null || { fail "$case: no oracle"; return; }
  [ -s oracle.paths ] || fail "$case: the oracle has no paths"
  for name in $runs; do
    local engine ranks partitioner code=0 launch=()
    IFS=. read -r engine ranks partitioner <<< "$name"
    [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
    path_log $name
    timeout 900 "${launch[@]}" "$heddle" run "${input[@]}" --engine "$engine" --partition "${partitioner:-block}" -o $name.h5 > run.log 2>&1 || code=$?
    [ $code = $oracle_code ] || { fail "$case $name: exit code $code, alone $oracle_code"; tail -5 run.log; }
    if [ -f $name.h5 ]; then compare $name; else fail "$case $name: no result"; fi
  done
  echo "$case: $(wc -l < oracle.fct) finished flows, $(wc -w <<< "$runs") runs compared with the serial one: $runs (exit code $oracle_code)"
}
# ways SOME ALL: the one that was asked for.
ways() { if [ "$which" = all ]; then echo "$2"; else echo "$1"; fi; }
same f_hpndp64_rail_cc1 "$(ways 'ns3.1' 'domain.2 ns3.1 ns3-null.3')"
# With drops, so that /drops is not empty: its flows do not all end, and that is the same too.
same f_incast8_2MB_cc1 "$(ways 'domain.3' 'domain.3 ns3.2 ns3-null.2')" --set switch.buffer=1 --set pfc.enabled=false --set reliability.retry_limit=0
[ "$oracle_code" = 4 ] || fail "the incast was meant to drop"
same f_burst8_4MB_cc0 "$(ways 'domain.2 ns3-null.2' 'domain.2 domain.3 ns3.1 ns3.3 ns3-null.2')"
# Every number of ranks with another cut of the fabric, here and below.
cuts="domain.2.metis domain.3.pod domain.4.random"
same f_incast8_2MB_cc1 "$(ways domain.2.metis "$cuts")" --set monitor.kinds=all --set monitor.link_interval=20us --set monitor.queue_interval=10us
# Two jobs of a workload that share a fabric, one of them placed at random.
"$heddle" topo Spectrum-X -g 32 -psn 4 -o jobs.txt > /dev/null
printf '1 ALLREDUCE 300000 TP\n1 ALLREDUCE 700000 DP\n1 ALLTOALL 500000 EP\n' > work.txt
same_runs jobs "$(ways domain.4.random "$cuts ns3.2")" -n jobs.txt --job workload=work.txt,gpus=0-15 \
  --job workload=work.txt,gpus=16-31,placement=random,start=20us

# The central controller: many ask at once, some find nothing free, all wait a little; links fail, and paths move.
"$heddle" topo DCN-SingleToR -g 32 -asn 4 -npa 8 -psn 2 -app 4 -o few.txt > /dev/null
{
  for gpu in {0..31}; do echo "0,$gpu,$(((gpu + 8) % 32)),$((400000 + 30000 * (gpu % 3)))"; done
  for gpu in {0..31}; do echo "$((gpu / 16 * 10000)),$gpu,$(((gpu + 17) % 32)),300000"; done
} > few.csv
printf '20us,link_down,36,40\n45us,link_up,36,40\n' > few_failures.csv
export CC_ENABLE=1
same_runs controller "$(ways 'domain.3.pod ns3.2' "$cuts ns3.2")" -n few.txt --trace few.csv --failures few_failures.csv \
  --set controller.latency=4us --set controller.service=20ns --set controller.fallback=least-loaded --set failure.convergence=1us --set reliability.timeout=100us
[ -n "$(cut -d, -f1 oracle.log.csv | sort | uniq -d)" ] || fail "no flow got another path when the link failed"
same_runs controller-jobs "$(ways domain.3 'domain.2 domain.3')" -n jobs.txt --job workload=work.txt,gpus=0-15 \
  --job workload=work.txt,gpus=16-31,placement=random,start=20us
[ "$(wc -l < oracle.log.csv)" -gt 100 ] || fail "the jobs' path log is short"
unset CC_ENABLE CC_LOG_FILE

# A difference must be seen: the same flows with truncated times give another file.
"$heddle" run -q -n "$cases/f_burst8_4MB_cc0/topo.txt" --flows "$cases/f_burst8_4MB_cc0/flows.txt" \
  --set compat.truncate_ns=true -o other.h5 || fail "the truncated run"
"$heddle" compare oracle.h5 other.h5 --quiet && fail "heddle compare sees no difference at all"
[ $have_h5diff = 0 ] || [ -n "$(h5diff_differences oracle.h5 other.h5)" ] || fail "h5diff sees no difference at all"

for case in f_single_cc1 f_sizes_cc1; do
  "$heddle" run -q -n "$cases/$case/topo.txt" --flows "$cases/$case/flows.txt" -c "$cases/$case/SimAI.conf" \
    --set compat.truncate_ns=true -o $case.h5 || fail "$case: run"
  "$heddle" export --fct $case.fct $case.h5 || fail "$case: export"
  if diff "$cases/$case/fct.txt" $case.fct; then echo "$case: fct.txt equals SimAI's, $(wc -l < $case.fct) lines"
  else fail "$case: fct.txt is not SimAI's"; fi
done
ls ./*.part > /dev/null 2>&1 && fail "a .part is left"
end
