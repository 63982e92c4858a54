#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Launchers do not hand environment variables to other machines: all ranks heed those of rank 0, whatever their own are.
# Usage: root_environment.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AS_SEND_LAT NCCL_ALGO NCCL_PROTO
failures=0
"$heddle" topo Spectrum-X -g 16 -psn 2 -o fabric.txt > /dev/null
printf '1 ALLREDUCE 400000 TP\n1 ALLREDUCE 800000 DP\n' > work.txt
digest() { grep '^digest of flows' | awk '{print $4}'; }

alone=$(AS_SEND_LAT=2 NCCL_ALGO=Tree "$heddle" run -n fabric.txt -w work.txt | digest)
plain=$("$heddle" run -n fabric.txt -w work.txt | digest)
mixed=$("${mpirun[@]}" -n 1 env AS_SEND_LAT=2 NCCL_ALGO=Tree "$heddle" run -n fabric.txt -w work.txt : \
  -n 1 env AS_SEND_LAT=9 NCCL_PROTO=LL "$heddle" run -n fabric.txt -w work.txt | digest)
[ -n "$alone" ] && [ "$alone" != "$plain" ] || { echo "FAILED  the variables have no effect"; failures=1; }
[ "$mixed" = "$alone" ] || { echo "FAILED  rank 1 has a mind of its own: $mixed instead of $alone"; failures=1; }
echo "$failures failures"
exit $failures
