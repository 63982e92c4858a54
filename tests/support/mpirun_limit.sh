#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs mpirun, and ends it if it outlives its ranks: now and then Open MPI's launcher waits for ever at its own end, and a test with it.
# The launcher keeps this process's number and files, so that signals and pipes reach it. HEDDLE_MPIRUN_GRACE: seconds that it may take
# after its last rank (60). Usage: mpirun_limit.sh MPIRUN ARGUMENT...

# watch PID: ends the process when it has had no living child for that long.
watch() {
  local pid=$1 grace=${HEDDLE_MPIRUN_GRACE:-60} alone=0 other child state
  while sleep 1 && kill -0 "$pid" 2> /dev/null; do
    child=no
    for other in $(cat "/proc/$pid/task/$pid/children" 2> /dev/null); do
      state=$(sed 's/.*) \(.\).*/\1/' "/proc/$other/stat" 2> /dev/null)
      [ -z "$state" ] || [ "$state" = Z ] || child=yes
    done
    if [ $child = yes ]; then alone=0; else alone=$((alone + 1)); fi
    if [ $alone -ge "$grace" ]; then
      echo "mpirun_limit.sh: the launcher has not ended $alone s after its last rank: killed" > "/proc/$pid/fd/2"
      kill -KILL "$pid"
      return
    fi
  done 2> /dev/null
}
( (watch $$ < /dev/null > /dev/null 2>&1 &) )
exec "$@"
