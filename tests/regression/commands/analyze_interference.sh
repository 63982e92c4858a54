#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle analyze interference: two jobs over one cable lose to each other what they took from it; alone they lose nothing.
# Usage: analyze_interference.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# GPUs 0 and 1 under leaf 0, 2 and 3 under leaf 1, one spine: job 0 has GPUs 0 and 2, job 1 GPUs 1 and 3.
"$heddle" topo DCN-SingleToR -g 4 -gps 1 -bw 100Gbps -asn 2 -npa 2 -psn 1 -apbw 100Gbps -app 2 -o one.topo > /dev/null 2>&1 || exit 1
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 8388608 0\n' > pair.work
both() { "$heddle" run -q -n one.topo --job workload=pair.work,gpus=0-0+2-2 --job "workload=pair.work,gpus=1-1+3-3$1" -o "$2" > run.txt 2>&1 || { fail "$2"; cat run.txt; }; }
both '' both.h5
both ',start=1s' apart.h5
"$heddle" analyze interference both.h5 > both.txt 2>&1 || { fail 'both'; cat both.txt; }
"$heddle" analyze interference apart.h5 > apart.txt 2>&1 || { fail 'apart'; cat apart.txt; }
[ "$(grep -c '^job [01].*: .* us (0.0 %) of its critical path' apart.txt)" = 2 ] || { fail 'jobs that never meet lose nothing'; cat apart.txt; }
for job in 0 1; do
  grep -A1 "^job $job" both.txt | grep -Eq "us behind job $((1 - job)).* on leaf [01] -> spine 0|us behind job $((1 - job)).* on spine 0 -> leaf [01]" ||
    { fail "job $job names neither the other job nor the cable"; cat both.txt; }
done
# What is lost is an estimate of what the other job costs: alone the own messages wait for each other where they waited for both.
/usr/bin/python3 - << 'END' || fail 'the loss is not what the other job costs'
import re

read = lambda file: [(float(a), float(b)) for a, b in re.findall(r": ([\d.]+) us, ([\d.]+) us \(", open(file).read())]
both, apart = read("both.txt"), read("apart.txt")
assert len(both) == len(apart) == 2
for (time, lost), (alone, nothing) in zip(both, apart):
    assert nothing == 0 and 0.5 < lost / (time - alone) < 1.5, (both, apart)
END
"$heddle" run -q -n one.topo -w pair.work -o one.h5 > run.txt 2>&1
"$heddle" analyze interference one.h5 > out.txt 2>&1
[ $? = 3 ] && grep -q 'one job alone. Expected: a run of several jobs' out.txt || { fail 'one job'; cat out.txt; }
end
