#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The same command is started while it runs already: the second one ends at once with exit code 6 and names host and process of the first,
# which is not disturbed. Started after the end of the first, it finds the result complete. Usage: two_runs.sh HEDDLE TIMES MPIRUN...
set -u
heddle=$1 times=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 32 -gt A100 -bw 100Gbps -o topo.txt > /dev/null 2>&1 || exit 1
sed -i 's/ 0.0005ms/ 0.02ms/' topo.txt  # few windows: ranks that share their cores with others go on, too
"$heddle" trace --arrival poisson --rate 2000000 --duration 8ms --kv-size 32KiB -n topo.txt --out trace.csv > /dev/null || exit 1
command=(run -n topo.txt --trace trace.csv --set switch.buffer=400 --record flows=all -q -o x.h5 --checkpoint-at every:522us --flush 20ms --json-log log.ndjson --restart auto)
began=${EPOCHREALTIME/[.,]/}
"$heddle" "${command[@]}" || { fail "the run alone: exit code $?"; end; }
took=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
mv x.h5 whole.h5
# Open MPI's folder for sessions would have the same name for both, and the first that ends would remove it.
TMPDIR=/proc/none "$heddle" run -n topo.txt --set switch.buffer=400 --trace trace.csv -q -o lone.h5 || fail 'a lone process needs a folder of MPI'
host=$(hostname)

refused=0
for ((i = 0; i < times; ++i)); do
  first=() second=() force=()
  [ $((i % 4)) != 1 ] || first=("${mpirun[@]}" -n 2)
  [ $((i % 4)) != 2 ] || second=("${mpirun[@]}" -n 2)
  [ $((i % 2)) != 1 ] || force=(--force)
  rm -f x.h5* log.ndjson
  "${first[@]}" "$heddle" "${command[@]}" "${force[@]}" > first.txt 2>&1 & leader=$!
  if [ $((i % 5)) = 0 ] || [ "$times" -lt 5 ]; then
    for _ in {1..500}; do [ -e x.h5.part.lock ] && break; sleep 0.01; done
  else
    wait_ms=$((50 + (i * 37 % 10) * took / 10))
    sleep "$((wait_ms / 1000)).$(printf %03d $((wait_ms % 1000)))"
  fi
  "${second[@]}" "$heddle" "${command[@]}" "${force[@]}" > second.txt 2>&1
  code=$?
  if [ $code = 6 ]; then
    grep -q "^heddle: x.h5: is being written by process [0-9]* on $host" second.txt || { fail "round $i: the message"; cat second.txt; }
    refused=$((refused + 1))
  elif [ $code != 0 ]; then
    fail "round $i: the second run ended with $code"; tail -3 second.txt
  fi
  wait $leader
  code=$?
  # Under mpirun the first may have come second.
  [ $code = 0 ] || { [ $code = 6 ] && [ "${#first[@]}" -gt 0 ] && grep -q 'is being written by' first.txt; } ||
    { fail "round $i: the first run ended with $code"; tail -3 first.txt; }
  "$heddle" compare whole.h5 x.h5 > out.txt 2>&1 || { fail "round $i: another result"; tail -3 out.txt; }
  ls x.h5.* > /dev/null 2>&1 && fail "round $i: left behind: $(ls x.h5.*)"
  [ "$(grep -c '"event":"end"' log.ndjson)" = "$(grep -c '"event":"start"' log.ndjson)" ] || { fail "round $i: a log of both"; cat log.ndjson; }
done
[ $refused -ge $(((times + 3) / 4)) ] || fail "only $refused of $times second runs came while the first ran"
echo "$refused of $times second runs were refused; the run takes $took ms"

# What is there so far can be looked at, but not be put in the place of the result; a killed run holds nothing.
rm -f x.h5* log.ndjson
"$heddle" "${command[@]}" > first.txt 2>&1 & leader=$!
for _ in {1..500}; do [ -e x.h5.part.totals ] && break; sleep 0.01; done
"$heddle" recover x.h5 > out.txt 2>&1
[ $? = 6 ] && grep -q "is being written by process $leader" out.txt || { fail 'recover over a run'; cat out.txt; }
"$heddle" recover x.h5 -o look.h5 > out.txt 2>&1 && "$heddle" validate -q look.h5 || { fail 'recover beside a run'; cat out.txt; }
kill -9 $leader && wait $leader 2> /dev/null
[ -e x.h5.part.lock ] || fail 'the run was killed without its lock'
"$heddle" "${command[@]}" > first.txt 2>&1 || { fail "after a kill: exit code $?"; cat first.txt; }
"$heddle" compare whole.h5 x.h5 > out.txt 2>&1 || { fail 'another result after a kill'; tail -3 out.txt; }
end
