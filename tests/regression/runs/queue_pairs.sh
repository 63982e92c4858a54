#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Requests and CAST on several queue pairs: what a run says of them before and while it goes, results of runs that stall, and
# heddle analyze paths.
# Usage: queue_pairs.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
for variable in $(compgen -e); do case $variable in NCCL_*) unset "$variable" ;; esac; done
"$heddle" topo DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 -apbw 100Gbps -app 2 -o fabric.txt > out 2> err || exit 1
# Two messages of each GPU to the other server; the second begins when the first is long over.
{ echo timestamp_ns,src,dst,size_bytes; for t in 0 6000000; do for gpu in {0..7}; do echo "$t,$gpu,$((gpu + 8)),8388608"; done; done; } > trace.csv
printf '1 ALLREDUCE 33554432 DP\n' > work.txt
# run NAME ARGUMENTS...: its text in NAME.txt.
run() { "$heddle" run -n fabric.txt "${@:2}" > "$1.txt" 2> "$1.err" || { fail "$*: exit code $?"; cat "$1.err"; }; }
says() { grep -qE -- "$2" "$1" || { fail "$1: no '$2' in"; cat "$1"; }; }
silent() { ! grep -E -- "$2" "$1" || fail "$1 says '$2'"; }

# ---- what a run says -------------------------------------------------------------------------------------------------
cast=(--set requests.scheduler=cast-stripe --set nic.qps_per_connection=4)
run none --trace trace.csv
silent none.txt 'requests of|CAST'
run stripe --trace trace.csv --set requests.scheduler=stripe --set nic.qps_per_connection=4 -o stripe.h5
says stripe.txt '^transport +requests of 512\.00 KiB .*, 8 in flight; stripe over 4 queue pairs$'
silent stripe.txt CAST
run cast --trace trace.csv "${cast[@]}" --set cast.update_interval=20us --set monitor.kinds=queue_pairs -o cast.h5
says cast.txt '^transport +requests of .*; cast-stripe over 4 queue pairs$'
silent cast.txt 'CAST is idle'
run one --trace trace.csv --set requests.scheduler=cast-stripe
says one.txt '^transport +CAST is idle: a connection has one queue pair \(nic\.qps_per_connection'
run high --trace trace.csv "${cast[@]}" --set cast.split_min=1MiB
says high.txt '^transport +CAST is idle: requests of 512\.00 KiB over 4 queue pairs have 128\.00 KiB each, below cast\.split_min, 1\.00 MiB'
run ended -w work.txt "${cast[@]}" --set collective.connections=message
says ended.txt "^transport +messages have source ports of their own, so CAST's weights are of paths .*collective\.connections=lasting"
run lasting -w work.txt "${cast[@]}" --set collective.connections=lasting -o lasting.h5
silent lasting.txt 'source ports of their own'
NCCL_IB_QPS_PER_CONNECTION=4 NCCL_IB_SPLIT_DATA_ON_QPS=1 NCCL_IB_QP_SCHED_ENABLE=1 NCCL_IB_QP_SCHED_UPDATE_INTERVAL=20 \
  run variables --trace trace.csv
[ "$(grep '^digest' cast.txt)" = "$(grep '^digest' variables.txt)" ] || fail "NCCL's variables do something else"

# ---- while it goes, and at its end -----------------------------------------------------------------------------------
run log --trace trace.csv "${cast[@]}" --set cast.update_interval=20us --json-log log.ndjson -o log.h5 --flush 500us
[ "$(grep '^digest' cast.txt)" = "$(grep '^digest' log.txt)" ] || fail 'flushing changes the flows'
"$heddle" validate log.h5 stripe.h5 lasting.h5 > out 2>&1 || { fail 'results are not valid'; cat out; }
python3 - log.ndjson << 'END' || fail 'the log counts more flows than there are'
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
seen = [e for e in events if "flows_finished" in e and "flows" in e]
assert all(e["flows_finished"] <= e["flows"] for e in seen if not isinstance(e["flows"], dict)), seen
END
# Half the links fail for good: messages stop in the middle, and what was never posted has rows.
{ echo time,event,a,b; echo 100us,node_down,18,; } > failures.csv
"$heddle" run -q -n fabric.txt --trace trace.csv "${cast[@]}" --failures failures.csv -o stalled.h5 > out 2> err
[ $? = 4 ] || { fail "a run that stalls ends with another code"; cat err; }
"$heddle" validate stalled.h5 > out 2>&1 || { fail 'the result of a run that stalled is not valid'; cat out; }

# ---- heddle analyze paths --------------------------------------------------------------------------------------------
"$heddle" analyze paths cast.h5 --against stripe.h5 --worst 1 > paths.txt 2> err || { fail 'analyze paths'; cat err; }
says paths.txt '^connections +16 that sent on several queue pairs, over [0-9.]+ different paths'
says paths.txt '^gain +\+[0-9.]+ % over stripe\.h5, mean of 8 connections'
says paths.txt '^(server [0-9]+ / )?GPU [0-9]+ to (server [0-9]+ / )?GPU [0-9]+: 8\.00 MiB in 1 message'
says paths.txt '^ +10004 +[0-9.]+ % +[0-9.]+ [KM]iB +leaf 0:[0-9]+, spine [0-9]+:1, leaf 1:[0-9]'
says paths.txt '^(server [0-9]+ / )?GPU [0-9]+ to (server [0-9]+ / )?GPU [0-9]+, connection [0-9]+: weights at the last of [0-9]+ updates'
"$heddle" analyze paths lasting.h5 --csv shares.csv > paths.txt 2> err || { fail 'analyze paths of collectives'; cat err; }
says paths.txt '^(server [0-9]+ / )?GPU [0-9]+ to (server [0-9]+ / )?GPU [0-9]+, channel [0-9]+: .* in [0-9]+ messages'
# The shares of each connection sum to 1, and its bytes are the CSV's.
awk -F, 'NR > 1 { sum[$1 "," $2 "," $3 "," $4 "," $5] += $10; n++ } END { for (k in sum) if (sum[k] < 0.9999 || sum[k] > 1.0001) exit 1; exit !(n > 8) }' shares.csv ||
  { fail 'shares do not sum to 1'; head shares.csv; }
"$heddle" run -q -n fabric.txt --trace trace.csv "${cast[@]}" --record flows=none -o unrecorded.h5 > out 2> err
"$heddle" analyze paths unrecorded.h5 > out 2> err
[ $? = 3 ] || fail 'a result without flows and weights is analysed'
says err 'neither its flows nor weights of queue pairs\. Expected: .*--record flows=all.*--set monitor\.kinds=cast'
"$heddle" analyze paths cast.h5 --against lasting.h5 > out 2> err
[ $? = 3 ] || fail 'a result of other traffic is compared'
says err '^heddle: lasting\.h5: other traffic than cast\.h5'
# Queue pairs that send nothing leave gaps in the numbers of flows.
run single --trace trace.csv --set requests.scheduler=single --set nic.qps_per_connection=4 -o single.h5
"$heddle" analyze collisions single.h5 > out 2> err || { fail 'collisions of requests'; cat err; }
[ $failures = 0 ] && head -4 paths.txt
exit $((failures > 0))
