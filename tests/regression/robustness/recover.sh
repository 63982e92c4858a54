#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A run killed with -9 at any moment leaves its flushed rows: heddle recover makes a readable result of them with exactly the flows that
# had ended by the flush, with the same rows as in the run that was not killed. (kills.sh kills at fifty moments.)
# Usage: recover.sh HEDDLE CASES MPIRUN...
set -u
heddle=$1
shift 2
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
. "$here/ranks.sh"

make_run 120ms --set monitor.kinds=links --flush 20ms
input=("${long_run[@]:1}")

same=$here/recovered_rows.py
python=/usr/bin/python3
"$python" -c 'import h5py' 2> /dev/null || { echo "!!! python3-h5py is not installed: rows are NOT compared !!!"; python=; }

# killed RANKS PERCENT: of the time that the run takes, behind its first flush; whether there was anything to recover.
killed() {
  local ranks=$1 percent=$2 launch=()
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  rm -f x.h5*
  setsid "${launch[@]}" "$heddle" run "${input[@]}" -o x.h5 > /dev/null 2>&1 &
  local leader=$!
  wait_for x.h5.part.totals
  sleep_share "$percent"
  kill_session
  [ -e x.h5 ] && { echo "ended before it was killed"; return 1; }
  [ -e x.h5.part.totals ] || { echo "killed before the first flush"; return 1; }
  "$heddle" recover x.h5 > out.txt 2>&1 || { fail "$ranks ranks, $percent %: recover ended with $?"; cat out.txt; return 1; }
  "$heddle" validate x.h5 > out.txt 2>&1 || { fail "$ranks ranks, $percent %: the file is not valid"; cat out.txt; }
  [ -z "$python" ] || "$python" "$same" whole.h5 x.h5 || fail "$ranks ranks, $percent %: other rows"
  return 0
}
recovered=0
for percent in 0 25; do
  for ranks in 1 2; do killed $ranks $percent && recovered=$((recovered + 1)); done
done
[ $recovered -ge 2 ] || fail "only $recovered of 4 kills left anything to recover"

# A workload that was killed before its second flush: the tables of its jobs are there, with the steps and collectives so far or
# without.
echo '1000 ALLREDUCE 1048576 TP' > workload.txt
for ranks in 1 2; do
  rm -f w.h5*
  launch=()
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  setsid "${launch[@]}" "$heddle" run -q -n topo.txt -w workload.txt --passes 100 --set switch.buffer=400 -o w.h5 \
    --flush 1000s > /dev/null 2>&1 &
  leader=$!
  wait_for w.h5.part.totals
  sleep 0.1
  kill_session
  [ ! -e w.h5 ] || { fail "workload, $ranks ranks: ended before it was killed"; continue; }
  "$heddle" recover w.h5 > out.txt 2>&1 || { fail "workload, $ranks ranks: recover ended with $?"; cat out.txt; continue; }
  grep -q 'up to 0s (flush 1)' out.txt || { fail "workload, $ranks ranks: not the first flush"; cat out.txt; }
  "$heddle" validate w.h5 > out.txt 2>&1 || { fail "workload, $ranks ranks: the file is not valid"; cat out.txt; }
done

# Totals with a flipped bit are not recovered.
rm -f x.h5*
setsid "$heddle" run "${input[@]}" -o x.h5 > /dev/null 2>&1 &
leader=$!
wait_for x.h5.part.totals
kill_session
cp x.h5.part.totals totals
for place in 100 2000 10000 20000; do
  { head -c $place totals; printf '\252'; tail -c +$((place + 2)) totals; } > x.h5.part.totals
  cmp -s totals x.h5.part.totals && continue
  "$heddle" recover x.h5 -o flipped.h5 --force > out.txt 2>&1
  [ $? = 3 ] && grep -q '^heddle: x.h5.part.totals: ' out.txt || { fail "byte $place of the totals"; cat out.txt; }
done

# What is left is not thrown away unasked.
rm -f x.h5*
setsid "$heddle" run "${input[@]}" -o x.h5 > /dev/null 2>&1 &
leader=$!
for _ in {1..200}; do [ -s x.h5.part.rank0 ] && [ "$(stat -c %s x.h5.part.rank0)" -gt 100000 ] && break; sleep 0.02; done
kill_session
"$heddle" run "${input[@]}" -o x.h5 > out.txt 2>&1
code=$?
[ $code = 6 ] && grep -q 'heddle recover x.h5' out.txt || { fail "parts that are left: exit code $code"; cat out.txt; }
[ -e x.h5.part.rank0 ] || fail "the parts are gone"
"$heddle" recover x.h5 -o elsewhere.h5 > /dev/null && [ -e elsewhere.h5 ] || fail "recover -o"
"$heddle" recover x.h5 -o elsewhere.h5 > out.txt 2>&1
[ $? = 6 ] || fail "recover replaced a file without --force"

# A log that was cut or damaged afterwards: what is whole before that is used, or an error says what is wrong; never a crash.
cp x.h5.part.rank0 log
size=$(stat -c %s log)
for cut in 1 1000 $((size / 2)) $((size - 10)) $((size - 1)) "$size"; do
  head -c $((size - cut)) log > x.h5.part.rank0
  "$heddle" recover x.h5 -o cut.h5 --force > out.txt 2>&1
  code=$?
  if [ $code = 0 ]; then
    "$heddle" validate cut.h5 > out.txt 2>&1 || { fail "cut by $cut: not valid"; cat out.txt; }
  else
    [ $code = 3 ] || [ $code = 6 ] || fail "cut by $cut: exit code $code"
    grep -q '^heddle: .*x.h5.part' out.txt || { fail "cut by $cut: no plain message"; cat out.txt; }
  fi
done
cp log x.h5.part.rank0
: > x.h5.part.totals
"$heddle" recover x.h5 --force > out.txt 2>&1
[ $? = 3 ] && grep -q '^heddle: .*part.totals' out.txt || { fail "empty totals"; cat out.txt; }
"$heddle" recover nothing.h5 > out.txt 2>&1
[ $? = 3 ] || fail "nothing to recover"
"$heddle" run "${input[@]}" -o x.h5 --force || fail "a run with --force over parts"
ls x.h5.part* > /dev/null 2>&1 && fail "parts are left behind a run that ended"
echo "$recovered recovered, $failures failures"
exit $((failures > 0))
