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

# As few calls as have one of each kind: four GPUs; two checkpoints, as the second replaces the first; a path log.
"$heddle" topo DCN-SingleToR -g 4 -gps 2 -gt A100 -bw 100Gbps -asn 2 -npa 2 -psn 2 -apbw 100Gbps -app 2 -o topo.txt > /dev/null 2>&1 || exit 1
"$heddle" trace --arrival poisson --rate 500000 --duration 100us --kv-size 32KiB -n topo.txt --out trace.csv > /dev/null || exit 1
command=("$heddle" run -n "$work/topo.txt" --trace "$work/trace.csv" -q --set controller.enable=true --set controller.log=cc.csv -o x.h5
  --checkpoint-at 30us --checkpoint-at 60us --restart auto)
# A process alone starts faster without mpirun's daemon; ranks that wait leave the processor to the others; and mpirun kills the other
# ranks at once, which would wait two seconds for the dead one.
export OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_odls_base_sigkill_timeout=0
mkdir whole && cd whole && "${command[@]}" && cd "$work" || { fail 'the whole run'; end; }

# on RANKS COMMAND...
on() {
  local ranks=$1 launch=()
  shift
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  timeout 900 "${launch[@]}" "$@" > ../out.txt 2>&1 < /dev/null
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
    [ $code = 0 ] && grep -q 'x.h5: complete already, copied' ../out.txt && cmp -s x.h5 ../saved.h5 ||
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
  on 1 "$heddle" compare "$work/whole/x.h5" x.h5 || { fail "$name: another result"; tail -3 ../out.txt; }
  cmp -s "$work/whole/cc.csv" cc.csv || fail "$name: another path log"
  [ "$(echo *)" = 'cc.csv x.h5' ] || fail "$name: left behind: $(echo *)"
}
# chosen STEP CALLS: numbers of calls: every so many, and all from the result's rename on.
chosen() { awk -v step="$1" '$0 == "rename x.h5.part x.h5" { step = 1 } NR % step == 0 { print NR }' "$2"; }
# kill_at RANKS RANK CALLS AT: kills this rank before this call, and if it writes, within it, too.
kill_at() {
  local ranks=$1 rank=$2 at=$4 kind within code
  kind=$(sed -n "${at}p" "$3")
  for within in '' yes; do
    [ -z "$within" ] || [ "${kind%% *}" = write ] || continue
    rm -f ./*
    { spied "$ranks" "$rank" "FILE_SPY_KILL=$at" "FILE_SPY_WITHIN=$within"; } 2> /dev/null  # the shell's word of the kill
    code=$?
    [ $code = 137 ] || { fail "rank $rank of $ranks, call $at ($kind): not killed, exit code $code"; tail -3 ../out.txt; continue; }
    killed=$((killed + 1))
    check "rank $rank of $ranks, ${within:+within }call $at ($kind)" $((1 + at % 2 * (ranks - 1)))
  done
}
# Processes of this test that kill at the same time, each in a folder of its own: a start of MPI waits more than it computes.
workers=8
# kills RANKS RANK STEP: kills this rank at these of its calls.
kills() {
  local ranks=$1 rank=$2 step=$3 calls=$work/calls_$1_$2 worker numbers position
  mkdir -p "$work/first/out" && cd "$work/first/out" && rm -f ./*
  spied "$ranks" "$rank" "FILE_SPY_LOG=$calls" || { fail "the watched run ended with $?"; tail -3 ../out.txt; return; }
  [ "$(wc -l < "$calls")" -gt 20 ] || fail "only $(wc -l < "$calls") calls of rank $rank"
  mapfile -t numbers < <(chosen "$step" "$calls")
  for ((worker = 0; worker < workers; ++worker)); do
    (
      trap - EXIT
      mkdir -p "$work/worker_$worker/out" && cd "$work/worker_$worker/out" || exit 1
      failures=0 killed=0 recovered=0 after=0
      # What killed ranks leave of MPI's own.
      export TMPDIR=$work/worker_$worker OMPI_MCA_btl_vader_backing_directory=$work/worker_$worker
      for ((position = worker; position < ${#numbers[@]}; position += workers)); do
        kill_at "$ranks" "$rank" "$calls" "${numbers[position]}"
      done
      echo "$failures $killed $recovered $after" > ../sums
    ) &
  done
  wait
  for ((worker = 0; worker < workers; ++worker)); do
    read -r -a sums < "$work/worker_$worker/sums" || { fail "worker $worker died"; continue; }
    rm "$work/worker_$worker/sums"
    failures=$((failures + sums[0])) killed=$((killed + sums[1])) recovered=$((recovered + sums[2])) after=$((after + sums[3]))
  done
  echo "rank $rank of $ranks: ${#numbers[@]} of $(wc -l < "$calls") calls, $killed kills so far, after $SECONDS s"
}

killed=0 recovered=0 after=0
if [ "$how" = all ]; then
  kills 1 0 1
  kills 2 0 1
  kills 2 1 1
else
  kills 1 0 47
  kills 2 1 12
fi
echo "$killed kills: $recovered times rows were recovered, $after times the result was there"
[ $recovered -ge 3 ] || fail "only $recovered of $killed kills left anything to recover"
[ $after -ge 5 ] || fail "only $after of $killed kills came after the result"
cd "$work" || exit 1
end
