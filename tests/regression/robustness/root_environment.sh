#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Launchers may not pass environment variables to other machines: all ranks use those of rank 0, whatever their own are.
# Usage: root_environment.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo Spectrum-X -g 16 -psn 2 -o fabric.txt > /dev/null
printf '1 ALLREDUCE 400000 TP\n1 ALLREDUCE 800000 DP\n' > work.txt
digest() { grep '^digest of flows' | awk '{print $4}'; }

alone=$(AS_SEND_LAT=2 NCCL_ALGO=Tree "$heddle" run -n fabric.txt -w work.txt | digest)
plain=$("$heddle" run -n fabric.txt -w work.txt | digest)
mixed=$("${mpirun[@]}" -n 1 env AS_SEND_LAT=2 NCCL_ALGO=Tree "$heddle" run -n fabric.txt -w work.txt : \
  -n 1 env AS_SEND_LAT=9 NCCL_PROTO=LL "$heddle" run -n fabric.txt -w work.txt | digest)
[ -n "$alone" ] && [ "$alone" != "$plain" ] || { echo "FAILED  the variables have no effect"; failures=1; }
[ "$mixed" = "$alone" ] || { echo "FAILED  rank 1 has a mind of its own: $mixed instead of $alone"; failures=1; }

# The ECMP controller's variables: whether there is a controller, its path log, the trace.
# To another rail, so that there is a choice of path.
for gpu in {0..15}; do echo "0,$gpu,$(((gpu + 9) % 16)),300000"; done > trace.csv
echo "0,0,8,300000" > other.csv
mkdir elsewhere paths
run=("$heddle" run -n "$work/fabric.txt")
plain=$(TRACE_INJECT_FILE=trace.csv "${run[@]}" | digest)
alone=$(CC_ENABLE=1 CC_LOG_FILE=alone.csv TRACE_INJECT_FILE=trace.csv "${run[@]}" | digest)
[ -n "$alone" ] && [ "$alone" != "$plain" ] || fail "the controller has no effect"
# The other rank has another folder too, in which what rank 0 writes has no place.
mixed=$("${mpirun[@]}" -n 1 env CC_ENABLE=1 CC_LOG_FILE=paths/mixed.csv TRACE_INJECT_FILE="$work/trace.csv" "${run[@]}" : \
  -n 1 -wdir "$work/elsewhere" env CC_ENABLE=0 CC_LOG_FILE=own.csv TRACE_INJECT_FILE="$work/other.csv" "${run[@]}" | digest)
[ "$mixed" = "$alone" ] || fail "rank 1 has a mind of its own about the controller: $mixed instead of $alone"
cmp alone.csv paths/mixed.csv || fail "the path logs differ"
[ -z "$(ls elsewhere)" ] || fail "rank 1 wrote $(ls elsewhere)"
mixed=$("${mpirun[@]}" -n 1 env TRACE_INJECT_FILE="$work/trace.csv" "${run[@]}" : \
  -n 1 env CC_ENABLE=1 CC_LOG_FILE=own.csv "${run[@]}" | digest)
[ "$mixed" = "$plain" ] || fail "rank 1 has a controller of its own: $mixed instead of $plain"
[ -e own.csv ] && fail "rank 1 wrote a path log"
echo "$failures failures"
exit $failures
