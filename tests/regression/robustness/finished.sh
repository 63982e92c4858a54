#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A command with --restart that is given again when its result is complete: it ends as before, tidies up what an earlier start left,
# and changes nothing; a complete result of another run is refused. heddle recover says that nothing is missing.
# Usage: finished.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null 2>&1 || exit 1
printf 'timestamp_ns,src,dst,size_bytes\n0,0,9,100000\n0,1,10,100000\n' > trace.csv
# ends NAME CODE PATTERN COMMAND...
ends() {
  local name=$1 expected=$2 pattern=$3 code
  shift 3
  timeout 900 "$@" > out.txt 2>&1 < /dev/null
  code=$?
  [ $code = "$expected" ] && { [ -z "$pattern" ] || grep -Eq -- "$pattern" out.txt; } || { fail "$name: exit code $code. Expected: $expected and /$pattern/"; head -3 out.txt; }
}
unchanged() { cmp -s x.h5 kept.h5 || { fail "$1: the result changed"; cp kept.h5 x.h5; }; }
tidy() { [ "$(echo x.h5*)" = x.h5 ] || { fail "$1: left behind: $(echo x.h5*)"; rm -f x.h5.*; }; }

run=("$heddle" run -n topo.txt --trace trace.csv -o x.h5 --restart auto)
extra=(--set controller.enable=true --set controller.log=cc.csv --profile profile.json)
again=("${run[@]}" "${extra[@]}")
ends 'the first time' 0 'digest' "${again[@]}"
cp x.h5 kept.h5 && cp cc.csv kept.csv
ends 'the second time' 0 'x.h5, complete already' "${again[@]}" --json-log log.ndjson
grep -q '"event":"end",.*"exit_code":0' log.ndjson || { fail 'its log'; cat log.ndjson; }
ends 'on two ranks' 0 'x.h5, complete already' "${mpirun[@]}" -n 2 "${again[@]}" --partition metis
ends 'with --force' 0 'x.h5, complete already' "${again[@]}" --force
ends 'moved inputs' 0 'x.h5, complete already' "${again[@]/#trace.csv/$PWD/trace.csv}"
unchanged 'the same command'
named=("${again[@]/#auto/x.h5.ckpt}")
ends 'by its checkpoint' 0 'x.h5, complete already' "${named[@]}"
ends 'by its checkpoint, two ranks' 0 'x.h5, complete already' "${mpirun[@]}" -n 2 "${again[@]/#auto/$PWD/./x.h5.ckpt}"
unchanged 'by its checkpoint'
rm cc.csv
ends 'without its path log' 0 'complete already' "${again[@]}"
cmp -s cc.csv kept.csv || fail 'the path log is not written again'

# ---- what an earlier start could not delete any more -------------------------------------------------------------------------
for left in part.totals part.rank0 part.rank1 part.rank1.sorted ckpt.new ckpt.3.rank0 part.lock; do
  echo rest > "x.h5.$left"
  [ "$left" != part.rank1.sorted ] || echo rest > x.h5.part.rank1
  ends "a rest, $left" 0 'complete already' "${again[@]}"
  tidy "a rest, $left"
  echo rest > "x.h5.$left"
  [ "$left" != part.rank1.sorted ] || echo rest > x.h5.part.rank1
  ends "a rest, $left, by the checkpoint" 0 'complete already' "${named[@]}"
  tidy "a rest, $left, by the checkpoint"
done
for left in part.totals part.rank0 part.rank1 ckpt.new ckpt.3.rank0; do echo rest > "x.h5.$left"; done
ends 'all rests' 0 'complete already' "${again[@]}"
tidy 'all rests'
unchanged 'tidying up'

# ---- other runs ----------------------------------------------------------------------------------------------------------------
ends 'another seed' 6 'x.h5: is the complete result of another run: it has seed 1; this run has 2' "${again[@]}" --seed 2
ends 'another option' 6 'option transport.congestion_control 1; this run has 3' "${again[@]}" --set CC_MODE=3
ends 'other records' 6 'is the complete result of another run: it was made by ' "${again[@]}" --record timeline=none
head -2 trace.csv > fewer.csv
ends 'another trace' 6 'flows_input_digest' "${again[@]/#trace.csv/fewer.csv}"
ends 'no --restart' 6 'x.h5: exists' "$heddle" run -n topo.txt --trace trace.csv -o x.h5
ends 'another checkpoint' 3 'y.h5.ckpt: is not the checkpoint of the result -o x.h5' "${again[@]/#auto/y.h5.ckpt}"
ends 'another seed, by the checkpoint' 3 'x.h5.ckpt: .*No such file' "${named[@]}" --seed 2
unchanged 'refusals'
tidy 'refusals'
ends 'another seed, with --force' 0 '' "${again[@]}" --seed 2 --force -q
cmp -s x.h5 kept.h5 && fail '--force has not replaced the result of another run'
echo text > x.h5
ends 'no result' 6 'x.h5: exists' "${run[@]}"
rm x.h5

# ---- runs of workloads, on other numbers of ranks; a run that stalls --------------------------------------------------------------
echo '1 ALLREDUCE 65536 DP' > w.txt
jobs=("$heddle" run -n topo.txt -o x.h5 --restart auto --job workload=w.txt,gpus=0-7 --job workload=w.txt,gpus=8-15,passes=2 --set nic.qps_per_connection=2)
ends 'two jobs on three ranks' 0 '' "${mpirun[@]}" -n 3 "${jobs[@]}"
ends 'two jobs again' 0 'complete already' "${jobs[@]}"
rm x.h5
echo '1us,link_down,0,16' > down.csv
awk 'NR > 2 && ($1 == 0 || $2 == 0) && $2 >= 18 { print "1us,link_down," $1 "," $2 }' topo.txt > down.csv
ends 'a run that stalls' 4 'did not finish' "${run[@]}" --failures down.csv
ends 'a run that stalls, again' 4 'x.h5: is complete already, and the run had stalled: 1 of 2 flows' "${run[@]}" --failures down.csv
rm x.h5

# ---- recover --------------------------------------------------------------------------------------------------------------------
"${again[@]}" --force -q || fail 'the run anew'
ends 'recover' 0 'x.h5: complete already, nothing to recover' "$heddle" recover x.h5
ends 'recover to another file' 0 'x.h5: complete already, copied to y.h5' "$heddle" recover x.h5 -o y.h5
cmp x.h5 y.h5 || fail 'recover made no copy'
ends 'recover to a file that exists' 6 'y.h5' "$heddle" recover x.h5 -o y.h5
rm y.h5
"$heddle" trace --arrival poisson --rate 2000000 --duration 20ms --kv-size 32KiB -n topo.txt --out long.csv
"$heddle" run -n topo.txt --trace long.csv -q -o k.h5 --flush 20ms & leader=$!
for _ in {1..500}; do [ -e k.h5.part.totals ] && break; sleep 0.01; done
kill -9 $leader && wait $leader 2> /dev/null
ends 'recover of a killed run' 0 'everything up to' "$heddle" recover k.h5 -o saved.h5
rm k.h5.part.rank0
ends 'totals alone' 3 'the row logs beside it are gone' "$heddle" recover k.h5 -o y.h5
[ ! -e y.h5 ] || fail 'a file without flows'
end
