#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A run that is killed (SIGKILL) before or within any call by which it changes a file: heddle recover makes a valid file or says why not,
# and the same command with --restart auto ends with 0, with the result and the path log of the run that was not killed, and nothing
# beside them. Usage: every_call.sh HEDDLE SPY HOW MPIRUN...: the library file_spy.cc; "all": every call, "some": a few of them, and all
# after the result has its name
set -u
heddle=$1 spy=$2 how=$3
shift 3
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null 2>&1 || exit 1
"$heddle" trace --arrival poisson --rate 500000 --duration 1ms --kv-size 32KiB -n topo.txt --out trace.csv > /dev/null || exit 1
mkdir out
command=("$heddle" run -n ../topo.txt --trace ../trace.csv -q --set controller.enable=true --set controller.log=cc.csv -o x.h5
  --checkpoint-at every:600us --restart auto)
cd out || exit 1
"${command[@]}" || { fail 'the whole run'; end; }
mkdir ../whole && mv x.h5 cc.csv ../whole/

# on RANKS COMMAND...
on() {
  local ranks=$1 launch=()
  shift
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  timeout 100 "${launch[@]}" "$@" > ../out.txt 2>&1 < /dev/null
}
# spied RANKS RANK VARIABLES...: the command on so many ranks, one of them watched.
spied() {
  local ranks=$1 rank=$2
  shift 2
  [ "$ranks" = 1 ] && rank=''
  on "$ranks" env "LD_PRELOAD=$spy" "FILE_SPY_FOLDER=$PWD" "FILE_SPY_RANK=$rank" "$@" "${command[@]}"
}
# check NAME RANKS: what the kill has left, and the restart.
check() {
  local name=$1 code
  on 1 "$heddle" recover x.h5 -o ../saved.h5
  code=$?
  if [ -e x.h5 ]; then
    [ $code = 0 ] && grep -q 'x.h5: complete already' ../out.txt && [ ! -e ../saved.h5 ] ||
      { fail "$name: recover of a complete result: exit code $code"; cat ../out.txt; }
    after=$((after + 1))
  elif [ $code = 0 ]; then
    on 1 "$heddle" validate ../saved.h5 || { fail "$name: the recovered file is not valid"; cat ../out.txt; }
    recovered=$((recovered + 1))
  else
    [ $code = 3 ] && grep -q '^heddle: .*x.h5.part' ../out.txt && [ ! -e ../saved.h5 ] || { fail "$name: recover: exit code $code"; cat ../out.txt; }
  fi
  rm -f ../saved.h5
  on "$2" "${command[@]}" || { fail "$name: the restart ended with $?"; tail -3 ../out.txt; return; }
  on 1 "$heddle" compare ../whole/x.h5 x.h5 || { fail "$name: another result"; tail -3 ../out.txt; }
  cmp -s ../whole/cc.csv cc.csv || fail "$name: another path log"
  [ "$(echo *)" = 'cc.csv x.h5' ] || fail "$name: left behind: $(echo *)"
}
# chosen STEP: numbers of calls: every so many, and all from the result's rename on. HDF5's temporary files and the files of a
# checkpoint, which nobody reads before they are renamed or named, are written in a hundred pieces: of these every eighth.
chosen() {
  awk -v step="$1" '
    $1 == "write" && $2 ~ /((x\.h5|totals)\.part|ckpt\.[0-9]+\.rank[0-9]+)$/ && ++pieces % 8 { next }
    $0 == "rename x.h5.part x.h5" { step = 1 }
    ++count % step == 0 { print NR }' ../calls
}
# kills RANKS RANK STEP: kills this rank at these of its calls.
kills() {
  local ranks=$1 rank=$2 step=$3 calls at kind within code
  rm -f ./* ../calls
  spied "$ranks" "$rank" "FILE_SPY_LOG=$work/calls" || { fail "the watched run ended with $?"; tail -3 ../out.txt; return; }
  calls=$(wc -l < ../calls)
  [ "$calls" -gt 40 ] || fail "only $calls calls of rank $rank"
  for at in $(chosen "$step"); do
    kind=$(sed -n "${at}p" ../calls)
    for within in '' yes; do
      [ -z "$within" ] || [ "${kind%% *}" = write ] || continue
      rm -f ./*
      { spied "$ranks" "$rank" "FILE_SPY_KILL=$at" "FILE_SPY_WITHIN=$within"; } 2> /dev/null  # the shell's word of the kill
      code=$?
      [ $code = 137 ] || { fail "rank $rank of $ranks, call $at ($kind): not killed, exit code $code"; tail -3 ../out.txt; continue; }
      killed=$((killed + 1))
      check "rank $rank of $ranks, ${within:+within }call $at ($kind)" $((1 + at % 2 * (ranks - 1)))
    done
  done
}

killed=0 recovered=0 after=0
if [ "$how" = all ]; then
  kills 1 0 1
  kills 2 0 4
  kills 2 1 1
else
  kills 1 0 47
  kills 2 1 15
fi
echo "$killed kills: $recovered times rows were recovered, $after times the result was there"
[ $recovered -ge 3 ] || fail "only $recovered of $killed kills left anything to recover"
[ $after -ge 5 ] || fail "only $after of $killed kills came after the result"
cd "$work" || exit 1
end
