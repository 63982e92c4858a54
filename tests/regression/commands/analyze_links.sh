#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle analyze links: what is known of two flows over one spine is what it prints, and totals agree with the result's.
# Usage: analyze_links.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# GPUs 0 and 1 under leaf 0, 2 and 3 under leaf 1, one spine: both flows cross the same two cables.
"$heddle" topo DCN-SingleToR -g 4 -gps 1 -bw 100Gbps -asn 2 -npa 2 -psn 1 -apbw 100Gbps -app 2 -o one.topo > /dev/null 2>&1 || exit 1
printf 'timestamp_ns,src,dst,size_bytes\n0,0,2,1000000\n40000,1,3,1000000\n' > two.csv
"$heddle" run -q -n one.topo --trace two.csv --set CC_MODE=0 -o two.h5 > run.txt 2>&1 || { fail 'run'; cat run.txt; }

run() { "$heddle" analyze links "$@" > out.txt 2> err.txt; code=$?; }
says() { grep -Eq -- "$1" out.txt err.txt || { fail "$2: no /$1/"; cat out.txt err.txt; }; }

run two.h5
[ $code = 0 ] || fail "exit code $code"
says '^ +9[0-9]\.[0-9] %.* 2 .*leaf 0 -> spine 0 \(leaf to spine, 100Gbps\)' 'the shared link'
says 'GPU 0 to GPU 2 \(1 flow, 976.56 KiB\), GPU 1 to GPU 3' 'its users'
run two.h5 --tier 'leaf to spine' --top 1
[ "$(grep -c 'leaf to spine' out.txt)" = 1 ] || { fail 'one tier, one line'; cat out.txt; }
run two.h5 --at 20us
says '^ .* 1 .*leaf 0 -> spine 0' 'one flow at 20 us'
says 'GPU 0 to GPU 2 \(1 flow' 'and whose'
grep -q 'GPU 1 to GPU 3' out.txt && fail 'a flow that has not begun'
run two.h5 --csv all.csv --top 1000
/usr/bin/python3 - << 'END' || fail 'the CSV'
import csv

import h5py

rows = list(csv.DictReader(open("all.csv")))
ports = h5py.File("two.h5")["ports"]
assert sum(int(r["sent_bytes"]) * int(r["alike"]) for r in rows) == int(ports["sent_bytes"][:].sum()), rows
for r in rows:
    if int(r["flows"]) > 0:
        assert int(r["busy_ps"]) > 0 and float(r["over_run"]) <= float(r["while_busy"]) <= 1, r
    else:
        assert int(r["busy_ps"]) == 0 and 0 < float(r["over_run"]) < 0.01, r  # acknowledgements
END

# What cannot be.
run two.h5 --tier leef
[ $code = 3 ] || fail "an unknown tier: exit code $code"
says "no tier 'leef'. Expected: one of NVLink, host to leaf" 'an unknown tier'
run two.h5 --at 1s
[ $code = 3 ] || fail "after the end: exit code $code"
run two.h5 --at x
[ $code = 2 ] || fail "no time: exit code $code"
run one.topo
[ $code = 3 ] || fail "no result: exit code $code"
"$heddle" run -q -n one.topo --trace two.csv --record flows=none -o none.h5 > run.txt 2>&1
run none.h5
says 'busy times and users are not known: the result does not have all flows' 'no flows'
run none.h5 --at 20us
[ $code = 3 ] || fail "--at without flows: exit code $code"
end
