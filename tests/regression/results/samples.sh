#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# --record flows= keeps the same sample on any number of ranks, a subset of all flows, with the same digest; and which commands report it.
# Usage: samples.sh HEDDLE CASES MPIRUN...
set -u
heddle=$1 cases=$2
shift 2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
topology=$cases/f_sx128_rail_cc1/topo.txt
"$heddle" trace -n "$topology" --arrival poisson --kv-size 16KiB --interval-ns 50 --flows 2000 --out trace.csv || exit 1

# run NAME RANKS FLOWS: NAME.out, NAME.h5, NAME.csv (its flows), NAME.err (what the export says).
run() {
  local launch=()
  [ "$2" = 1 ] || launch=("${mpirun[@]}" -n "$2")
  timeout 900 "${launch[@]}" "$heddle" run -n "$topology" --trace trace.csv --record flows="$3" -o "$1.h5" > "$1.out" 2> "$1.log" ||
    fail "$1: exit code $?"
  "$heddle" export "$1.h5" --flows-csv "$1.csv" 2> "$1.err" || fail "$1: export: exit code $?"
}
mpirun=("$@")
run all 1 all
run auto 1 auto
run some 1 sample:7
run more 2 sample:7
run none 1 none
for name in auto some more none; do
  [ "$(grep '^digest' $name.out)" = "$(grep '^digest' all.out)" ] || fail "$name: another digest than of all flows"
done
cmp -s all.csv auto.csv || fail "auto: not all of 2000 flows"
cmp -s some.csv more.csv || fail "sample:7: other flows on two ranks"
kept=$(($(wc -l < some.csv) - 1))
{ [ $kept -gt 200 ] && [ $kept -lt 400 ]; } || fail "sample:7: $kept flows of 2000"
# The first column counts rows.
cut -d, -f2- all.csv > all.rows
cut -d, -f2- some.csv | grep -Fxvqf all.rows && fail "sample:7: a flow that is not among all"
[ "$(wc -l < none.csv)" = 1 ] || fail "none: a flow that finished has a row"

# expect NAME SUFFIX REGEX: one line of NAME.SUFFIX matches.
expect() { [ "$(grep -Ec "$3" "$1.$2")" = 1 ] || { fail "$1.$2: not one line '$3'"; cat "$1.$2"; }; }
[ -s all.err ] && fail "the export of all flows warns"
expect some err '^heddle: warning: some\.h5: /flows has one in 7 of the flows that finished; all of them: .*--record flows=all$'
expect none err '^heddle: warning: none\.h5: /flows has only flows that did not finish; '
expect all out '^flows +[^,]*: 2000 flows, [0-9.]+ MiB$'
expect some out '^flows .* 2000 flows, .*, one in 7 kept$'
expect none out '^flows .* 2000 flows, .*, not kept one by one \(--record flows=all\)$'
expect all out '^result +about [0-9.]+ KiB \(2000 flows\), while running [0-9.]+ KiB beside it$'
expect some out '^result +about [0-9.]+ KiB \(286 flows\), while running [0-9.]+ KiB beside it$'
expect none out '^result +about [0-9.]+ KiB \(0 flows\)$'
for name in all some none; do expect $name out '^slowdown +p50 [0-9.]+x   p90 [0-9.]+x   p99 [0-9.]+x   worst [0-9.]+x$'; done
[ "$(grep '^slowdown' some.out)" = "$(grep '^slowdown' none.out)" ] || fail "the slowdown depends on the sample"
[ "$(awk '/^slowdown/ {print $NF}' some.out)" = "$(awk '/^slowdown/ {print $NF}' all.out)" ] || fail "another worst slowdown than of all flows"
"$heddle" analyze collisions some.h5 > some.text 2> some.err || fail "analysis of a sample: exit code $?"
expect some err '^heddle: warning: some\.h5: /flows has one in 7 '
end
