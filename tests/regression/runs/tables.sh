#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Forwarding tables in runs and in static congestion: made and read ones are the same, on any number of ranks; flows take their ways; a
# dead entry drops; loops, holes and the controller are refused by name. Usage: tables.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo DCN-SingleToR -g 32 -gps 4 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 8 -npa 4 -psn 4 -apbw 100Gbps -o fabric.txt > /dev/null 2>&1 || exit 1
for gpu in {0..31}; do echo "0,$gpu,$(((gpu + 13) % 32)),2000000"; done | sed '1i timestamp_ns,src,dst,size_bytes' > trace.csv
run() { timeout 900 "$heddle" run -n fabric.txt --trace trace.csv "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }

digests=
for routing in minhop updown dmodk random random:2; do
  "$heddle" topo route fabric.txt $routing -o tables.txt --force > route.txt || fail "topo route $routing"
  grep -q '^ports between switches: ' route.txt || fail "topo route $routing says nothing"
  "$heddle" topo route fabric.txt --check tables.txt > /dev/null || fail "--check of $routing"
  run --routing $routing -o made.h5 --force
  digests+="$(sed -n 's/^digest of flows *//p' out) "
  run --tables tables.txt -o read.h5 --force
  "$heddle" compare made.h5 read.h5 > diff.txt
  grep -v 'digest\|routing\|command_line' diff.txt | grep -q '^/flows' && { fail "$routing: read tables are others"; cat diff.txt; }
  "$heddle" validate -q made.h5 || fail "$routing: not valid"
done
[ "$(tr ' ' '\n' <<< "$digests" | sort -u | grep -c .)" -ge 3 ] || fail "routings make no difference: $digests"
run -o equal.h5
run --routing dmodk -o one.h5
"${mpirun[@]}" -n 2 "$heddle" run -q -n fabric.txt --trace trace.csv --routing dmodk -o two.h5 || fail 'two ranks'
"$heddle" compare one.h5 two.h5 > diff.txt || { fail 'two ranks have another result'; cat diff.txt; }
cmp -s <("$heddle" export one.h5 --paths -) <("$heddle" export equal.h5 --paths -) && fail 'the tables change no path'

# A port of one switch is all that a destination has: every flow to it from beyond passes the same spine.
"$heddle" export one.h5 --paths - | awk '$3 == 20 && NF > 8' > paths.txt
[ -s paths.txt ] || fail 'no path to GPU 20'
# count ARGUMENTS...: static congestion, without the line that says which routes were counted.
count() { "$heddle" congestion fabric.txt -n 50 "$@" | grep -v '^routes '; }
count --routing dmodk > static.txt || fail 'congestion --routing'
"$heddle" topo route fabric.txt dmodk -o tables.txt --force > /dev/null
count --tables tables.txt | cmp - static.txt || fail 'congestion --tables'
count | cmp -s - static.txt && fail 'tables change no congestion'

# refuses CODE PATTERN ARGUMENTS...
refuses() {
  local expected=$1 pattern=$2 code
  shift 2
  timeout 900 "$heddle" "$@" > out 2> err < /dev/null
  code=$?
  [ $code = "$expected" ] && grep -Eq -- "$pattern" out err || { fail "$*: exit code $code. Expected: $expected and /$pattern/"; cat out err; }
}
with=(run -n fabric.txt --trace trace.csv -q)
refuses 3 "Did you mean 'dmodk'" "${with[@]}" --routing dmodc
refuses 3 'one of them' "${with[@]}" --routing dmodk --tables tables.txt
refuses 3 'controller.enable' "${with[@]}" --routing dmodk --set controller.enable=true
refuses 3 'nowhere' "${with[@]}" --tables nowhere
refuses 3 '^heddle: trace.csv:1: ' "${with[@]}" --tables trace.csv
refuses 3 'nowhere' topo route nowhere.txt dmodk
refuses 2 'ROUTING is missing' topo route fabric.txt
switches=$(awk 'NR == 1 {print $1 - 1}' fabric.txt)
sed "s/^$switches 0 \(.*\) [0-9]*\$/$switches 0 \1 3/" tables.txt > loop.txt
cmp -s loop.txt tables.txt && fail 'the loop is none'
refuses 3 'loop.* (leaf|spine) [0-9]+ .* -> .* for server' "${with[@]}" --tables loop.txt
refuses 3 '(leaf|spine) [0-9]+( .*)? -> (leaf|spine)' topo route fabric.txt --check loop.txt
grep -v "^$switches " tables.txt > hole.txt
refuses 3 'pairs of GPUs without a way' topo route fabric.txt --check hole.txt
refuses 0 'pairs of GPUs have no way, the first is server' congestion fabric.txt --tables hole.txt
end
