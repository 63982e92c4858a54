#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Samples do not depend on where a run was cut: checkpoints around the end of the traffic, flushes at every window, and a restart from
# each of these checkpoints give the samples of the run without a cut. Here the traffic ends within an interval of the monitors, at
# 40.676 us, and the GPUs compute until 41.179 us: what is sampled at 41 us belongs to the end of the traffic.
# Usage: cut_samples.sh HEDDLE SPY MPIRUN...: the library file_spy.cc
set -u
heddle=$1 spy=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo AlibabaHPN-SinglePlane -g 32 -gt A100 -bw 400Gbps -o topo.txt > /dev/null 2>&1 || { echo "no topology"; exit 1; }
cat > work.txt << 'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 4 pp: 1 vpp: 1 ga: 1 all_gpus: 32 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0
1
l0 -1 1000 ALLTOALL 3000001 0 ALLGATHER 3000001 500 NONE 4096 1
END
input=(-q -n "$work/topo.txt" -w "$work/work.txt" --set algorithm.allreduce=ring --set monitor.kinds=all)

# on RANKS ARGUMENTS...: heddle run on this number of ranks.
on() {
  local ranks=$1 launch=()
  shift
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  timeout 300 "${launch[@]}" "$heddle" run "${input[@]}" "$@" > "$work/out.txt" 2>&1 < /dev/null
}
# same NAME: x.h5 has the result of the run without a cut.
same() {
  "$heddle" compare "$work/$whole.h5" x.h5 > "$work/out.txt" 2>&1 || { fail "$1: another result"; tail -3 "$work/out.txt"; }
  cuts=$((cuts + 1))
}
# restarted NAME TIME RANKS FLAGS...: the run is killed when its result is whole and has no name yet, so that the checkpoint of this time
# is there; a restart goes on from it.
restarted() {
  local name=$1 time=$2 ranks=$3
  shift 3
  mkdir -p killed && cd killed && rm -f ./*
  LD_PRELOAD=$spy FILE_SPY_FOLDER=$PWD FILE_SPY_KILL=$rename on 1 "$@" -o x.h5 --checkpoint-at "$time" 2> /dev/null
  [ $? = 137 ] && [ -e x.h5.ckpt ] && [ ! -e x.h5 ] || { fail "$name: not killed with a checkpoint"; tail -3 "$work/out.txt"; }
  on "$ranks" "$@" -o x.h5 --restart auto || { fail "$name: exit code $?"; tail -3 "$work/out.txt"; }
  same "$name"
  cd "$work" || exit 1
}

cuts=0
for whole in intervals change; do
  flags=()
  [ $whole = intervals ] || flags=(--set monitor.on_change=true)
  on 1 "${flags[@]}" -o $whole.h5 || { fail "the run without a cut: exit code $?"; tail -3 out.txt; end; }
  for ranks in 1 2; do
    on $ranks "${flags[@]}" -o x.h5 --force --flush 1us || fail "flushes: exit code $?"
    same "flushes on $ranks ranks, $whole"
    for time in 39.9us 40us 40.5us 40.65us 40.7us 41us 41.1us every:300ns; do
      on $ranks "${flags[@]}" -o x.h5 --force --checkpoint-at $time || fail "$time: exit code $?"
      same "a checkpoint at $time on $ranks ranks, $whole"
    done
  done
  # The number of the call that renames the result, after a checkpoint.
  mkdir -p watched && cd watched && rm -f ./*
  LD_PRELOAD=$spy FILE_SPY_FOLDER=$PWD FILE_SPY_LOG=$work/calls on 1 "${flags[@]}" -o x.h5 --checkpoint-at 40.7us || fail 'the watched run'
  cd "$work" || exit 1
  rename=$(grep -n '^rename x.h5.part x.h5$' calls | cut -d : -f 1)
  rm calls
  for time in 40.65us 40.7us 41.1us; do
    for ranks in 1 2; do restarted "a restart at $time on $ranks ranks, $whole" $time $ranks "${flags[@]}"; done
  done
done
echo "$cuts ways of cutting"
end
