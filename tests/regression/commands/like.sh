#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# --like nccl|simai: what it sets, what wins over it, what the run, its result, compare, explain and sweep say of it.
# Usage: like.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
for variable in $(compgen -e); do case $variable in AS_*) unset "$variable" ;; esac; done
"$heddle" topo Spectrum-X -g 32 -o rails.txt 2> /dev/null || exit 1
"$heddle" topo Dragonfly -a 2 -gl 1 -p 2 -o routers.txt 2> /dev/null || exit 1
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 4194304 0\n' > work.txt
printf 'timestamp_ns,src,dst,size_bytes\n0,0,8,1000000\n' > trace.csv
# run NAME ARGUMENTS...: runs on rails.txt, with its text in NAME.txt.
run() { "$heddle" run -n rails.txt -w work.txt "${@:2}" -o "$1.h5" > "$1.txt" 2> "$1.err" || { fail "$*: exit code $?"; cat "$1.err"; }; }
# same A B: the same flows to the bit, whatever the options say.
same() { [ "$(grep '^digest' "$1.txt")" = "$(grep '^digest' "$2.txt")" ] || fail "$1 and $2 differ"; }
differs() { [ "$(grep '^digest' "$1.txt")" != "$(grep '^digest' "$2.txt")" ] || fail "$1 and $2 are equal"; }
says() { grep -qF -- "$2" "$1" || { fail "$1: no '$2' in"; cat "$1"; }; }
run none
run simai --like simai
run nccl --like nccl
run set --set like=nccl
keys=(--set algorithm.choice=nccl --set algorithm.nvls=multimem --set collective.latency=hardware --set collective.pxn=true --set nic.ports=round-robin)
run keys "${keys[@]}" --set collective.connections=lasting
same none nccl
same nccl set
same nccl keys
differs nccl simai
says none.txt 'like             nccl (default): algorithm.choice=nccl, algorithm.nvls=multimem, collective.latency=hardware, collective.connections=lasting, collective.pxn=true, nvlink.lossless=true, nvlink.train=5, nic.ports=round-robin (heddle explain like)'
says simai.txt 'like             simai (as set) (heddle explain like)'
says nccl.txt 'like             nccl (as set): algorithm.choice=nccl, algorithm.nvls=multimem, collective.latency=hardware, collective.connections=lasting, collective.pxn=true, nvlink.lossless=true, nvlink.train=5, nic.ports=round-robin (heddle explain like)'

# The user's own value wins before and after, and so does a variable's.
run before --set collective.connections=message --like nccl
run after --like nccl --set collective.connections=message
run both --like simai "${keys[@]}"
same before after
same before both
says after.txt '; given: collective.connections=message'
NCCL_ALGO=Ring run ring --like nccl
NCCL_ALGO=Ring AS_PXN_ENABLE=0 run variable --like nccl
run without --like nccl --set collective.pxn=false --set algorithm.allreduce=ring
same variable without
differs variable ring
grep -qE 'ALLREDUCE +DP +RING' ring.txt || fail 'NCCL_ALGO=Ring is no ring'
grep -qE 'ALLREDUCE +DP +TREE' nccl.txt || fail '4 MiB over four servers is no tree'

# SimAI's inputs mean SimAI.
AS_SEND_LAT=3 run latency
says latency.txt 'like             simai (AS_SEND_LAT is set)'
echo 'CC_MODE 1' > SimAI.conf
run conf -c SimAI.conf
says conf.txt 'like             simai (-c SimAI.conf)'
run setting --set AS_SEND_LAT=3
says setting.txt 'like             simai (AS_SEND_LAT is set)'
same setting latency
run told -c SimAI.conf --like nccl
same told nccl

# SimAI 1.7's latencies by table, and its nanoseconds.
run seven --set compat.simai=1.7
says seven.txt 'like             simai (compat.simai is set)'
says seven.txt "latency          SimAI 1.7's, by algorithm, protocol and kind of link"
differs seven simai
AS_SEND_LAT=3000 run nanoseconds --set compat.simai=1.7
same nanoseconds latency
run nanoseconds_set --set AS_SEND_LAT=3000 --set compat.simai=1.7
same nanoseconds_set latency
run nanoseconds_before --set compat.simai=1.7 --set AS_SEND_LAT=3000
same nanoseconds_before latency
printf 'AS_SEND_LAT 3000\ncompat.simai 1.7\n' > seven.conf
run nanoseconds_conf -c seven.conf
same nanoseconds_conf latency
AS_SEND_LAT=3000 "$heddle" run -n rails.txt -w work.txt > ns.out 2>&1
[ $? -eq 3 ] || fail '3000 is no error'
says ns.out 'or set compat.simai=1.7'

# Servers without NVSwitches do not change rails inside.
"$heddle" run -n routers.txt -w work.txt --like nccl > routers.out 2> /dev/null || fail "routers: exit code $?"
says routers.out '; without NVSwitches no algorithm.nvls, collective.pxn'
# Traces have no collectives.
"$heddle" run -n rails.txt --trace trace.csv --like nccl > trace.out 2> /dev/null || fail "trace: exit code $?"
grep -q '^like' trace.out && fail 'a trace speaks of collectives'

# The result has it; compare warns.
"$heddle" compare nccl.h5 simai.h5 > compare.out
says compare.out 'warning: the collectives of A are like nccl, those of B like simai'
"$heddle" compare nccl.h5 none.h5 > compare.out || fail 'the default is not nccl'
"$heddle" compare nccl.h5 keys.h5 > compare.out || fail 'the same keys, another result'
"$heddle" compare before.h5 after.h5 > compare.out || fail 'before and after differ'
grep -q warning compare.out && fail 'a warning without a cause'

# heddle explain: on one screen, with each option of the table.
"$heddle" explain like > explain.out || fail 'explain'
[ "$(wc -l < explain.out)" -le 38 ] || fail "explain like: $(wc -l < explain.out) lines"
for key in collective.latency collective.connections collective.pxn algorithm.choice algorithm.nvls nic.ports; do says explain.out "  $key"; done
"$heddle" explain like -n rails.txt --set nic.kind=ib > hardware.out || fail 'explain -n'
says hardware.out 'NICs ib (nic.kind)'
says hardware.out 'gpu.nvlink_ll'
"$heddle" explain like -n rails.txt --set nic.kind=fddi > /dev/null 2> error
[ $? = 3 ] || fail 'fddi: exit code'

# heddle collective, sweeps, estimates.
"$heddle" collective allreduce -r 16 -b 8KiB --set like=nccl > messages.out || fail 'collective'
says messages.out 'TREE'
"$heddle" collective allgather -r 16 -b 1MiB --set like=nccl > messages.out || fail 'collective'
says messages.out 'RING with PXN'
printf '[run]\ntopology = "rails.txt"\nworkload = "work.txt"\n[vary]\nlike = ["simai", "nccl"]\n' > sweep.toml
"$heddle" sweep sweep.toml --local > sweep.out 2> sweep.err || { fail 'sweep'; cat sweep.err; }
"$heddle" compare sweep/nccl.h5 nccl.h5 > /dev/null || fail 'the sweep has another result'
"$heddle" run -n rails.txt -w work.txt --like nccl --estimate > /dev/null 2> estimate.err || { fail 'estimate'; cat estimate.err; }

# Refusals.
"$heddle" run -n rails.txt -w work.txt --like mpi > /dev/null 2> error
[ $? = 3 ] || fail 'mpi: exit code'
says error "option like: found 'mpi'. Expected: one of auto, nccl, simai"
"$heddle" run -n rails.txt -w work.txt --set collective.connections=lasting --set controller.enable=true > /dev/null 2> error
[ $? = 3 ] || fail 'controller: exit code'
says error 'collective.connections=lasting: the central controller'
run controller --set controller.enable=true
says controller.txt '; with the controller no collective.connections (heddle explain like)'
end
