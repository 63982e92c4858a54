#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Ranks killed with -9 at any moment, some while a checkpoint is written: the other ranks end within ten seconds, the result of heddle
# recover contains all flushed rows, and --restart auto writes the same file as the run that was not killed.
# Usage: kills.sh HEDDLE KILLS MPIRUN...
set -u
heddle=$1 wanted=$2
shift 2
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
. "$here/ranks.sh"
python=/usr/bin/python3
"$python" -c 'import h5py' 2> /dev/null || { echo "!!! python3-h5py is not installed: rows are NOT compared !!!"; python=; }

make_long_run 2 --set monitor.kinds=links
input=("${long_run[@]}")

# Two numbers of checkpoints among the pieces: one is whole, the other is being written.
writes_checkpoint() {
  local pieces=(x.h5.ckpt.*.rank*) numbers='' piece number
  for piece in "${pieces[@]}"; do
    number=${piece#x.h5.ckpt.}
    number=${number%.rank*}
    [ -z "$numbers" ] || [ "$numbers" = "$number" ] || return 0
    numbers=$number
  done
  [ -e x.h5.ckpt.new ]
}
# moment NAME: returns when it has come, or the run has ended.
moment() {
  case $1 in
    start) sleep_share $((RANDOM % 20)) ;;
    flush) wait_for x.h5.part.totals; sleep_share $((RANDOM % 60)) ;;
    checkpoint) wait_for x.h5.ckpt; until writes_checkpoint || ! alive "$leader"; do :; done ;;
    end) until [ -e x.h5.part ] || ! alive "$leader"; do sleep 0.005; done ;;
  esac
}
# kill_one RANKS VICTIM MOMENT: kills one rank then; fails if the run had ended.
kill_one() {
  rm -f x.h5* rescued.h5 seen.totals
  start "$1" "$heddle" "${input[@]}" -o x.h5 --flush 100ms --checkpoint-every 150ms
  wait_for_ranks "$1"
  moment "$3"
  cp x.h5.part.totals seen.totals 2> /dev/null || rm -f seen.totals
  kill -9 "${members[$2]}" 2> /dev/null && [ ! -e x.h5 ]
}
# check NAME: what a kill has left.
check() {
  ended 10 || { fail "$1: processes were left after ten seconds"; return; }
  [ "$code" = 137 ] || { fail "$1: mpirun's exit code is $code, not that of a killed process"; tail -5 out.txt; }
  grep -q 'signal 9' out.txt || { fail "$1: mpirun does not tell of the kill"; tail -5 out.txt; }
  grep -q 'internal error\|Segmentation' out.txt && { fail "$1: the others crashed"; cat out.txt; }
  writes_checkpoint && torn=$((torn + 1))
  if [ -e seen.totals ]; then
    "$heddle" recover x.h5 -o rescued.h5 > out.txt 2>&1 || { fail "$1: recover ended with $?"; cat out.txt; }
    [ -z "$python" ] || "$python" "$here/recovered_rows.py" whole.h5 rescued.h5 seen.totals > out.txt 2>&1 || { fail "$1: other rows"; tail -3 out.txt; }
    rescued=$((rescued + 1))
  fi
  [ -e x.h5.ckpt ] && saved=$((saved + 1))
}
# go_on NAME RANKS: to the end, on another number of ranks.
go_on() {
  timeout 900 "${mpirun[@]}" -n "$2" "$heddle" "${input[@]}" -o x.h5 --restart auto > out.txt 2>&1 ||
    { fail "$1: the restart on $2 ranks ended with $?"; tail -3 out.txt; return; }
  "$heddle" compare whole.h5 x.h5 > out.txt 2>&1 || { fail "$1: another result after the restart"; tail -5 out.txt; }
  ls x.h5.* > /dev/null 2>&1 && fail "$1: left behind: $(ls x.h5.*)"
}

moments=(flush checkpoint start checkpoint flush checkpoint end flush checkpoint flush)
kills=0 torn=0 rescued=0 saved=0
for ((try = 0; kills < wanted && try < 2 * wanted + 4; ++try)); do
  RANDOM=$((7919 * try + 1))  # the same choices every time; when they come to be is another matter
  ranks=$((2 + try % 3)) victim=$((RANDOM % ranks)) name=${moments[try % 10]}
  kill_one $ranks $victim "$name" || { ended 30; continue; }
  kills=$((kills + 1))
  name="kill $kills, rank $victim of $ranks, $name"
  check "$name"
  go_on "$name" $((1 + RANDOM % 3))
done
echo "$kills kills: $rescued after a flush, $saved after a checkpoint, $torn while one was written"
[ $kills -ge "$wanted" ] || fail "only $kills of $wanted runs could be killed before their end"
[ $rescued -ge $((wanted / 2)) ] || fail "only $rescued of $kills kills came after a flush"
[ $saved -ge $((wanted / 3)) ] || fail "only $saved of $kills kills came after a checkpoint"
[ "$wanted" -lt 20 ] || [ $torn -ge 1 ] || fail "no kill came while a checkpoint was written"
end
