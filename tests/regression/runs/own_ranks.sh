#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle run --ranks: the run starts itself under mpirun, with the same result; "auto" says how many and why; refusals.
# Usage: own_ranks.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 64 -gps 8 --oversubscription 1 -o rails.txt > /dev/null 2>&1 || fail topo
"$heddle" trace --arrival poisson --rate 400000 --duration 500us --kv-size 32KiB -n rails.txt --out trace.csv > /dev/null || fail trace
run() { timeout 300 "$heddle" run -n rails.txt --trace trace.csv "$@" > out 2> err < /dev/null; }

run -o one.h5 || fail 'one rank'
for ranks in 2 3; do
  run -o many.h5 --force --ranks $ranks || { fail "--ranks $ranks: exit code $?"; cat err; }
  grep -q "^engine .*$ranks ranks" out || { fail "it did not run on $ranks ranks"; cat out; }
  "$heddle" compare -q one.h5 many.h5 || fail "another result on $ranks ranks"
done
run --ranks=1 -o many.h5 --force || fail '--ranks=1'
run --ranks auto -o many.h5 --force || { fail '--ranks auto'; cat err; }
grep -Eq '^heddle: note: [0-9]+ ranks?: (about [0-9.e+-]+ s, on [0-9]+ ranks? [0-9.e+-]+ s|this machine has one core)$' err || { fail 'why auto takes so many'; cat err; }
"$heddle" compare -q one.h5 many.h5 || fail 'another result with auto'
run --ranks auto -q -o many.h5 --force || fail '--ranks auto -q'
[ ! -s err ] || { fail 'with -q it says something'; cat err; }

refuses() { # NAME CODE PATTERN WORDS...
  run "${@:4}"
  local code=$?
  [ $code = "$2" ] && grep -Eq "$3" err || { fail "$1: exit code $code"; cat err; }
}
refuses 'no number' 2 "^heddle: --ranks: found 'some'\. Expected: auto, or a number of processes$" --ranks some
refuses 'no ranks' 2 "^heddle: --ranks: found '0'\. Expected: " --ranks 0
refuses 'too many' 2 '^heddle: --ranks 100000: this machine has [0-9]+ cores?\. Expected: at most ' --ranks 100000
refuses 'no value' 2 '^heddle: --ranks needs a value\. Expected: ' --ranks
timeout 300 "$heddle" run -n rails.txt --trace none.csv --ranks auto > out 2> err < /dev/null
[ $? = 3 ] && grep -q '^heddle: none\.csv: ' err || { fail 'an input that is not there'; cat err; }
timeout 300 "${mpirun[@]}" -n 2 "$heddle" run -n rails.txt --trace trace.csv --ranks 2 > out 2> err < /dev/null
grep -q 'heddle: --ranks within mpirun, which has started 2 processes\. Expected: one of the two' err || { fail 'within mpirun'; cat err; }

end
