#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs end with the command that started them, also if it is killed (SIGKILL): alone, under mpirun, and under launchers that leave only
# one of the two means (core/system/child_process.h). The same command again in the same folder then goes through.
# Usage: killed_parent.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Processes of runs whose working folder is this one, and their launchers. Without a process of its own, to be quick.
runs() {
  local process words
  for process in /proc/[0-9]*; do
    [ "$process/cwd" -ef . ] && mapfile -t -d '' words 2> /dev/null < "$process/cmdline" || continue
    [[ "${words[*]}" == *"$heddle run "* ]] && echo "${process#/proc/}"
  done 2> /dev/null
}
# until_true COMMAND...: at most a minute.
until_true() { for _ in {1..1200}; do "$@" && return 0; sleep 0.05; done; return 1; }
under_way() { [ -n "$(find . -name '*.part.totals')" ] && [ -n "$(runs)" ]; }
all_gone() { [ -z "$(runs)" ]; }

# killed NAME COMMAND...: in a folder of its own.
killed() {
  local name=$1 leader left result open
  shift
  mkdir "$work/$name" && cd "$work/$name" || exit 1
  cp "$work"/*.txt "$work"/*.toml .
  "$@" > out.txt 2>&1 < /dev/null &
  leader=$!
  until_true under_way || { fail "$name: no run under way"; cat out.txt; }
  kill -KILL $leader 2> /dev/null
  wait $leader 2> /dev/null
  [ $? = 137 ] || { fail "$name: had ended before it was killed"; cat out.txt; }
  open=$(find . -name '*.part.totals')
  until_true all_gone || {
    left=$(runs)
    fail "$name: runs outlive the command: $(for process in $left; do tr '\0' ' ' < "/proc/$process/cmdline"; done)"
    kill -KILL $left 2> /dev/null
  }
  [ -n "$open" ] || fail "$name: no run was under way"
  # Those that were under way ended before their end.
  for result in $open; do [ ! -e "${result%.part.totals}" ] || fail "$name: ${result%.part.totals} was made after the kill"; done
  timeout 600 "$@" > out.txt 2>&1 < /dev/null || { fail "$name: again: exit code $?"; cat out.txt ./*/*.log; }
  all_gone || fail "$name: the second command left $(runs)"
  cd "$work" || exit 1
  count=$((count + 1))
}

"$heddle" topo Spectrum-X -g 32 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1
# Runs of some seconds.
echo '1 ALLTOALL 1073741824 DP' > work.txt
cat > table.toml << 'END'
[run]
topology = "topo.txt"
workload = "work.txt"
engine.replay = "off"
[vary]
seed = [1, 2]
END
long=(--set engine.replay=off)
count=0
killed bench "$heddle" bench alltoall -n topo.txt -b 512MiB -e 1GiB -j 2 -- "${long[@]}"
killed bench_ranks "$heddle" bench alltoall -n topo.txt -b 1GiB -e 1GiB --ranks 2 -- "${long[@]}"
killed compare-fabrics "$heddle" compare-fabrics spectrum-x dcn-singletor -g 16 --collective alltoall --sizes 1GiB -- "${long[@]}"
killed accuracy "$heddle" accuracy -n topo.txt -w work.txt "${long[@]}"
killed demo "$heddle" demo
killed sweep "$heddle" sweep table.toml --local --jobs 2
killed sweep_row "$heddle" sweep table.toml --local --row 1
killed sweep_ranks "$heddle" sweep table.toml --local --row 1 --ranks 2 --launcher "${mpirun[*]}"
# A launcher that ignores the signal, and is not replaced by the run: the pipe alone is left.
printf '#!/bin/sh\ntrap "" TERM\nshift 2\n"$@"\n' > pipe_only.sh
# A launcher that hands no standard input on, and is replaced by the run: the signal alone is left.
printf '#!/bin/sh\nshift 2\nexec "$@" < /dev/null\n' > signal_only.sh
chmod +x pipe_only.sh signal_only.sh
for means in pipe_only signal_only; do killed $means "$heddle" sweep table.toml --local --jobs 2 --launcher "$work/$means.sh"; done
cat pipe_only/table/*.log | grep -q 'ends, because the process that started it has ended' || fail 'the log does not say why the run ended'

# A standard input that ends is no reason to end where nobody asked for the watch, nor without the token.
"$heddle" run -n topo.txt -w work.txt -q -o alone.h5 < <(:) || fail 'an input that ends'
HEDDLE_PARENT_PIPE=stdin "$heddle" run -n topo.txt -w work.txt -q -o token.h5 < <(:) || fail 'a pipe without the token'
echo "$count commands killed"
end
