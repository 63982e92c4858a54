#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Ranks whose traffic is real are killed and stopped at random times: the run ends within seconds, says who, where and what the others
# waited for, leaves no process, and what was flushed can be recovered. Usage: physical_faults.sh HEDDLE TIMES MPIRUN...
set -u
heddle=$1
times=$2
mpirun=("${@:3}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
. "$here/ranks.sh"
# Ranks that are told to end may need more than a second to say what they waited for, where cores are busy.
export OMPI_MCA_odls_base_sigkill_timeout=2
RANDOM=${SEED:-$((times * 7 + 1))}
host=$(hostname)
"$heddle" topo Spectrum-X -g 4 -gps 4 -gt A100 -o four.txt > /dev/null 2>&1 || exit 1
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 20000 ALLREDUCE 40000 0\n' > reduce.txt
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 20000 ALLTOALL 4000000 0\n' > all_to_all.txt

silent=0
for ((round = 0; round < times; ++round)); do
  workload=$([ $((round % 3)) = 2 ] && echo all_to_all.txt || echo reduce.txt)
  fault=$([ $((round % 2)) = 0 ] && echo KILL || echo STOP)
  victim=$((RANDOM % 4))
  what="round $round: SIG$fault of rank $victim in $workload"
  rm -f x.h5*
  start 4 "$heddle" run -n four.txt -w $workload --backend physical --passes 1000000 --record timeline=none -o x.h5 --flush 200ms --patience 2s -q
  wait_for_ranks 4
  wait_for x.h5.part.totals || fail "$what: no first flush"
  sleep "$((times > 2 ? RANDOM % 2 : 0)).$((RANDOM % 90 + 10))"
  kill -$fault "${members[$victim]}"
  ended 60 || fail "$what: processes were left after 60 seconds"
  if [ $fault = KILL ]; then
    [ "$code" = 137 ] || fail "$what: exit code $code, not 137"
    grep -q "rank $victim with PID .* on node $host exited on signal 9" out.txt || { fail "$what: the launcher does not name it"; cat out.txt; }
    if ! grep -Eq "^heddle: rank [0-3]: on $host: was asked to end .*GPU [0-3] .*waits for pass" out.txt; then
      # Ranks that read from the dead one's memory are stuck in MPI; if it is all of them, nobody can speak. Rare: another try tells.
      if [ $((++silent)) -lt 3 ]; then ((--round)); continue; fi
      fail "$what: no rank says what it waited for"
      cat out.txt
    fi
  else
    [ "$code" = 8 ] || fail "$what: exit code $code, not 8"
    # The one that gives up, and ranks that the launcher ends.
    [ "$(grep -c '^heddle: .* did not answer' out.txt)" = 1 ] || { fail "$what: not one message"; cat out.txt; }
    grep -Eq "^heddle: rank [0-3] \(on $host\) waited .* and rank $victim \(on $host\) did not answer.*GPU [0-3] .*waits for pass" out.txt ||
      { fail "$what: who, where, what for?"; cat out.txt; }
  fi
  silent=0
  [ -e x.h5 ] && fail "$what: there is a result"
  "$heddle" recover x.h5 > recover.txt 2>&1 && "$heddle" validate x.h5 > check.txt 2>&1 || { fail "$what: recover"; cat recover.txt check.txt; }
done

# A rank that is slow, and answers: twice the patience.
start 4 "$heddle" run -n four.txt -w reduce.txt --backend physical --passes 1000000 --patience 1s -q
wait_for_ranks 4
(for _ in {1..200}; do kill -STOP "${members[2]}" 2> /dev/null || exit; sleep 0.9; kill -CONT "${members[2]}" 2> /dev/null; sleep 0.01; done) &
slower=$!
sleep 2.2
alive "$leader" || { fail 'a rank that is stopped for less than the patience ends the run'; cat out.txt; }
kill $slower 2> /dev/null
wait $slower 2> /dev/null
kill -CONT "${members[2]}" 2> /dev/null
kill -TERM "$leader"
ended 30 || fail 'processes were left after SIGTERM to mpirun'
end
