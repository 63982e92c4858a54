# SPDX-License-Identifier: GPL-2.0-only
# For scripts that kill or stop ranks of a run: sourced after common.sh; needs `heddle`, and `mpirun`, words that start ranks.
# shellcheck shell=bash
# A run of some seconds: cables of four kilometres make windows long, so that ranks progress even if they share cores.
# make_long_run SECONDS ARGUMENTS...: topo.txt, trace.csv; `long_run` has the arguments, whole.h5 is the result. The number of
# flows is chosen so that two ranks take this time on this machine, measured as the shorter of two tries, and one rank half of it, for
# ranks that share their cores with others take longer than they will.
# `long_ms` is the measured time [ms].
make_long_run() {
  local least=$1 duration began try took
  for duration in 60ms 120ms 240ms 480ms 960ms 1920ms; do
    make_traffic $duration "${@:2}"
    long_ms=1000000
    for try in 1 2; do
      began=${EPOCHREALTIME/[.,]/}
      timeout 900 "${mpirun[@]}" -n 2 "$heddle" "${long_run[@]}" -o whole.h5 --force || exit 1
      took=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
      [ $took -lt $long_ms ] && long_ms=$took
      [ $long_ms -lt $((least * 1000)) ] && continue 2
    done
    began=${EPOCHREALTIME/[.,]/}
    timeout 900 "$heddle" "${long_run[@]}" -o whole.h5 --force || exit 1
    [ $(((${EPOCHREALTIME/[.,]/} - began) / 1000)) -lt $((least * 500)) ] && continue
    return
  done
}
# make_run DURATION ARGUMENTS...: the same with so much simulated time, and `long_ms` on one rank: 120ms take about a second.
make_run() {
  local began
  make_traffic "$@"
  began=${EPOCHREALTIME/[.,]/}
  timeout 900 "$heddle" "${long_run[@]}" -o whole.h5 || exit 1
  long_ms=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
}
# make_traffic DURATION ARGUMENTS...: topo.txt, trace.csv, `long_run`.
make_traffic() {
  "$heddle" topo Spectrum-X -g 32 -gt A100 -bw 100Gbps -o topo.txt --force > /dev/null || exit 1
  sed -i 's/ 0.0005ms/ 0.02ms/' topo.txt
  "$heddle" trace --arrival poisson --rate 500000 --duration "$1" --kv-size 128KiB -n topo.txt --out trace.csv --force > /dev/null || exit 1
  long_run=(run -n topo.txt --trace trace.csv --record flows=all -q --set switch.buffer=400 "${@:2}")
}
# sleep_share PERCENT: of the time that the long run takes.
sleep_share() {
  local ms=$((long_ms * $1 / 100))
  sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}
# start RANKS WORDS...: in the background; $leader is mpirun's process, its words go to out.txt. `members` are the ranks' processes,
# once wait_for_ranks has found them.
start() {
  local ranks=$1
  shift
  members=()
  "${mpirun[@]}" -n "$ranks" "$@" > out.txt 2>&1 &
  leader=$!
}
# process_of RANK: its process; nothing if there is none (any more).
process_of() {
  local process
  for process in $(pgrep -P "$leader"); do
    grep -qzx "OMPI_COMM_WORLD_RANK=$1" "/proc/$process/environ" 2> /dev/null && { echo "$process"; return; }
  done
}
# wait_for_ranks RANKS: until all have been started.
wait_for_ranks() {
  local rank process
  for ((rank = 0; rank < $1; ++rank)); do
    for _ in {1..500}; do process=$(process_of "$rank") && [ -n "$process" ] && break; sleep 0.01; done
    members[rank]=$process
  done
}
# wait_for FILE: until it is there; fails after 20 s.
wait_for() { for _ in {1..1000}; do [ -e "$1" ] && return 0; sleep 0.02; done; return 1; }
alive() { [ -n "$1" ] && [ -e "/proc/$1/stat" ] && ! grep -q ') Z ' "/proc/$1/stat" 2> /dev/null; }
# ended SECONDS: whether mpirun and all ranks are gone within that; $code is then mpirun's exit code. Those that are not are killed.
ended() {
  local process left
  for ((left = $1 * 20; left >= 0; --left)); do
    for process in "$leader" "${members[@]}"; do alive "$process" && { sleep 0.05; continue 2; }; done
    wait "$leader" 2> /dev/null
    code=$?
    return 0
  done
  kill -9 "$leader" "${members[@]}" 2> /dev/null
  wait "$leader" 2> /dev/null
  code=hung
  return 1
}
# kill_session: kills $leader and its ranks, which have process groups of their own, and waits until all are gone: a rank that is still
# ending holds its files.
kill_session() {
  local process processes
  processes=$(pgrep -s "$leader")
  pkill -9 -s "$leader"
  wait "$leader" 2> /dev/null
  for process in $processes; do
    for _ in {1..1000}; do alive "$process" || break; sleep 0.01; done
  done
}
