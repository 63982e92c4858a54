#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle accuracy: runs of two backends beside each other, again from what is there, and after an input has changed.
# Usage: accuracy.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo Spectrum-X -g 16 -gps 8 -o fabric.txt > /dev/null 2>&1 || exit 1
printf 'MICRO\n2\na -1 0 NONE 0 0 NONE 0 0 ALLGATHER 8388608 0\nb -1 0 NONE 0 0 NONE 0 0 ALLTOALL 1048576 0\n' > step.txt
accuracy() { "$heddle" accuracy -n fabric.txt -w step.txt "$@" > out.txt 2> err.txt; }
says() { grep -qE -- "$1" out.txt err.txt || { fail "no '$1' in"; cat out.txt err.txt; }; }

accuracy --csv rows.csv || { fail 'exit code'; cat out.txt err.txt; }
says '^fabric_step_packet: done$'
says '^step.txt on fabric.txt: analytical beside packet$'
says '^  ALLGATHER +DP +16 +8\.00 MiB +1 +[0-9.]+ +[0-9.]+ +[+-][0-9.]+ +'
[ "$(wc -l < rows.csv)" = 4 ] || { fail 'a head, the step and two kinds'; cat rows.csv; }
# The two results say the same: 16 GPUs, so the closed form of an uncongested ring is near.
awk -F, '$5 == "ALLGATHER" && ($12 > 0.1 || $12 < -0.1) {print "FAILED  error of AllGather: " $12; exit 1}' rows.csv || failures=$((failures + 1))
# With what the packets of the same run have measured, the closed forms are nearer.
error() { sed -n 's/^collectives  mean error \([0-9.]*\) %.*/\1/p' out.txt; }
plain=$(error)
"$heddle" calibrate accuracy/fabric_step_packet.h5 -o fit > /dev/null || fail 'calibrate'
accuracy --calibration fit -o fitted || fail '--calibration'
awk -v fitted="$(error)" -v plain="$plain" 'BEGIN {exit !(fitted < plain && fitted < 1)}' || { fail "mean error $(error) %, $plain % without"; cat out.txt; }
before=$(stat -c %Y.%i accuracy/fabric_step_packet.h5)
accuracy || fail 'again'
[ "$before" = "$(stat -c %Y.%i accuracy/fabric_step_packet.h5)" ] || fail 'what was there was run again'
printf 'MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 ALLGATHER 4194304 0\n' > step.txt
accuracy && fail 'a changed workload was compared with results of the old one'
says 'accuracy/fabric_step_packet.h5: the result .*Expected: the same inputs, --force'
accuracy --force || fail '--force'
says '^  ALLGATHER +DP +16 +4\.00 MiB'
cp step.txt other.txt
accuracy -w other.txt -o more || fail 'two workloads'
says '^other.txt on fabric.txt: analytical beside packet$'
end
