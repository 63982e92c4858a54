#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Plans whose ranks share the positions of a sequence: packets, flows and closed forms agree on a fabric without collisions, each of
# Megatron-LM's exchanges runs, a search tries them, and what is not legal is refused. Usage: context_parallel.sh HEDDLE
set -u
heddle=$1
. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/../common.sh"

"$heddle" topo spectrum-x -g 16 -gt H100 --oversubscription 1 -o fabric.txt > /dev/null 2>&1 || fail 'a fabric'
cat > long.toml << 'END'
model = "llama3-8b"
layers = 2
gpus = 16
tp = 2
cp = 4
sequence = 8192
global_batch = 2
END

# step WORDS...: the simulated microseconds of a run.
step() { "$heddle" run -n fabric.txt -w long.toml -o run.h5 --force "$@" 2> err.txt | sed -n 's/^simulated  *\([0-9.]*\) us.*/\1/p'; }
# near A B SHARE WHAT
near() {
  awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a > 0 && b > 0 && d <= s * a) }' ||
    fail "$4: $1 and $2 us"
}
for how in p2p a2a allgather; do
  packets=$(step --plan cp_comm_type="$how")
  [ -n "$packets" ] || { fail "$how"; cat err.txt; }
  near "$packets" "$(step --plan cp_comm_type="$how" --backend flow)" 0.005 "$how by flows"
  near "$packets" "$(step --plan cp_comm_type="$how" --backend analytical)" 0.01 "$how by closed forms"
done
"$heddle" validate run.h5 > validate.txt 2>&1 || { fail 'a result'; cat validate.txt; }
# Keys and values that go round under attention cost less than those that are gathered before it.
awk -v a="$(step --plan cp_comm_type=p2p --backend analytical)" -v b="$(step --plan cp_comm_type=allgather --backend analytical)" \
  'BEGIN { exit !(a < b) }' || fail 'a ring is not faster'

refuse() { # WORDS TEXT
  "$heddle" run -n fabric.txt -w long.toml --plan "$1" -o bad.h5 > out.txt 2>&1
  local code=$?
  { [ $code = 3 ] || [ $code = 2 ]; } && grep -qF -- "$2" out.txt || { fail "$1: exit code $code, not \"$2\""; cat out.txt; }
}
refuse cp=3 'gpus: found 16, which TP x CP x PP = 6 does not divide. Expected: 12 or 18'
refuse sequence=8190 'cp: found 4, whose two slices a rank do not divide the sequence of 8190. Expected: 3 or 5'
refuse tp=3 'which TP x CP x PP = 12 does not divide. Expected: 12 or 24'
refuse cp_comm_type=ring "cp_comm_type: unknown name 'ring'"
refuse cp_comm=p2p 'the nearest is cp_comm_type'
"$heddle" workload long.toml --plan cp_comm_type=a2a --plan tp=4 > out.txt 2>&1
grep -qF 'cp: found 4, which does not divide the key heads of a GPU by a2a = 2. Expected: 2' out.txt || { fail 'heads'; cat out.txt; }
"$heddle" workload long.toml > out.txt 2>&1 && fail "SimAI's text"
grep -qF "cp = 4: SimAI's text has no place for it" out.txt || { fail "SimAI's text: another message"; cat out.txt; }
"$heddle" workload long.toml --as-plan -o again.toml > out.txt 2>&1 || { fail 'a plan of a plan'; cat out.txt; }
grep -q '^cp = 4$' again.toml || { fail 'a plan without its CP'; cat again.toml; }
grep -q '^           CP  .* collectives' out.txt || { fail 'bytes of CP'; cat out.txt; }

# A search tries CP, and its plans say it.
"$heddle" plan search -n fabric.txt -w long.toml --plan cp=1 --most-cp 4 --top 3 -o found --check analytical > out.txt 2>&1 || { fail 'a search'; cat out.txt; }
grep -q ' TP  *CP  *PP ' out.txt || { fail 'no column'; cat out.txt; }
grep -q '^cp = ' found/*_cp4*.toml || { fail 'a plan that does not say its CP'; ls found; }
"$heddle" plan search -n fabric.txt -w long.toml --plan cp=1 --most-cp 0 -o bad > out.txt 2>&1 && fail '--most-cp 0'
end
