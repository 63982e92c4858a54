#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle compare: exit codes, and its output for two results that differ in one option, in their flows, or only in the run's attributes.
# Usage: compare.sh HEDDLE MPIRUN...    (MPIRUN: words that start ranks, without -n)
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 -apbw 100Gbps -app 2 \
  -o topology.txt 2> /dev/null || exit 1
{
  echo timestamp_ns,src,dst,size_bytes
  for gpu in {0..7}; do echo "0,$gpu,$((gpu + 8)),10485760"; done
} > trace.csv
run() { "$heddle" run -q -n topology.txt "${@:2}" -o "$1.h5" || fail "$1: exit code $?"; }
run one --trace trace.csv
"${mpirun[@]}" -n 2 "$heddle" run -q -n topology.txt --trace trace.csv -o two.h5 || fail "two ranks"
run hpcc --trace trace.csv --set CC_MODE=3
head -8 trace.csv > fewer.csv
run fewer --trace fewer.csv

# compare CODE REGEX ARGUMENTS...: each regular expression of a line, separated by "//".
compare() {
  local expected=$1 patterns=$2 code pattern
  shift 2
  "$heddle" compare "$@" > out 2> err
  code=$?
  [ $code = "$expected" ] || { fail "$*: exit code $code, expected $expected"; head out err; }
  while [ -n "$patterns" ]; do
    pattern=${patterns%%//*}
    patterns=${patterns:${#pattern}}
    patterns=${patterns#//}
    cat out err | grep -qE -- "$pattern" || { fail "$*: no line '$pattern' in"; cat out err; }
  done
}
compare 0 '^equal: one.h5 and two.h5 \([0-9]+ tables, [0-9,]+ rows\)$' one.h5 two.h5
compare 1 '^different: //^  /run@ranks +1 \| 2$//^/run/ranks: 1 row in both, 1 only in B' one.h5 two.h5 --with-run
compare 1 '^different: //^  option transport.congestion_control +1 \| 3//^  flows_digest //^FCT mean +[0-9.]+ us +[0-9.]+ us$//^/flows: 8 rows in both$//^  fct_ps: 8 rows differ, by up to //^    src 0, number 0  ' one.h5 hpcc.h5
sed 's/^/  /' out
compare 1 '^/flows: 7 rows in both, 1 only in A \(first: src 7, number 0\)$//^flows finished +8 of 8 +7 of 7$' one.h5 fewer.h5
compare 1 '^/flows: 7 rows in both, 1 only in B' fewer.h5 one.h5
compare 1 '^/flows: 8 rows in both$' one.h5 hpcc.h5 --worst 0
compare 0 '^equal' one.h5 one.h5 --ignore flows --ignore seed --ignore transport.congestion_control --ignore ports/pauses
compare 2 'neither result has it.*nearest is flows/fct_ps' one.h5 hpcc.h5 --ignore flows/fct_p
compare 2 '--tolerance' one.h5 hpcc.h5 --tolerance 2
compare 2 'required' one.h5
compare 3 '^heddle: missing.h5: ' one.h5 missing.h5
compare 3 '^heddle: trace.csv: ' trace.csv one.h5
compare 1 '' one.h5 hpcc.h5 --quiet
[ ! -s out ] || fail "--quiet says something"
end
