#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Inputs and outputs that are not separate regular files: pipes, which can be read only once; names of open files; an output that the
# same command reads. Usage: odd_files.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
# refused NAME CODE PATTERN COMMAND...
refused() {
  local name=$1 expected=$2 pattern=$3 code
  shift 3
  timeout 900 "$@" > out.txt 2>&1
  code=$?
  [ $code = "$expected" ] && grep -Eq "$pattern" out.txt || { fail "$name: exit code $code, expected $expected and /$pattern/"; head -3 out.txt; }
}

"$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1
printf 'timestamp_ns,src,dst,size_bytes\n0,0,9,100000\n0,1,10,100000\n' > trace.csv
run=("$heddle" run -n topo.txt -q)
"${run[@]}" --trace trace.csv -o plain.h5 --record flows=all || exit 1

# ---- inputs that can be read only once -------------------------------------------------------------------------------------
mkfifo pipe
cat trace.csv > pipe &
timeout 900 "${run[@]}" --trace pipe -o pipe.h5 || fail "a named pipe: exit code $?"
timeout 900 "${run[@]}" --trace <(cat trace.csv) -o substituted.h5 || fail "a pipe of the shell's: exit code $?"
for file in pipe.h5 substituted.h5; do
  "$heddle" validate -q $file || fail "$file is not valid"
  "$heddle" export $file --fct - | cmp -s - <("$heddle" export plain.h5 --fct -) || fail "$file has other flows"
  "$heddle" compare plain.h5 $file > out.txt
  grep -q 'read once' out.txt || { fail "$file says nothing of its input"; cat out.txt; }
done
cat trace.csv > pipe &
feeder=$!
refused 'a restart with a pipe' 2 'can be read only once' "${run[@]}" --trace pipe -o x.h5 --restart auto
kill $feeder 2> /dev/null
"${run[@]}" --trace trace.csv -c /dev/null -o x.h5 --restart auto || fail 'nothing, from /dev/null'

# ---- outputs: names for open files ---------------------------------------------------------------------------------------------
"$heddle" export plain.h5 --fct fct.txt || fail 'export'
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
  "$heddle" export plain.h5 --fct $name > out.txt || fail "export to $name: exit code $?"
  cmp -s fct.txt out.txt || fail "$name is another file than standard output"
done
"$heddle" export plain.h5 --fct /dev/fd/3 3> three.txt && cmp -s fct.txt three.txt || fail 'export to /dev/fd/3'
[ -c /dev/null ] && [ -L /dev/stdout ] || fail '/dev is not what it was'
"${run[@]}" --trace trace.csv --json-log /dev/stdout > log.ndjson || fail "a log to /dev/stdout: exit code $?"
grep -q '"event":"end"' log.ndjson || fail 'a log to /dev/stdout'

# ---- outputs over inputs -------------------------------------------------------------------------------------------------------
cp plain.h5 kept.h5
refused 'an export over its result' 3 'is another file of this command' "$heddle" export plain.h5 --fct ./plain.h5
refused 'an analysis over its result' 3 'is another file of this command' "$heddle" analyze collisions plain.h5 --csv plain.h5
refused 'a drawing over its topology' 3 'is another file of this command' "$heddle" topo show topo.txt --dot topo.txt
cmp -s plain.h5 kept.h5 || fail 'the result is not what it was'
"${run[@]}" --trace trace.csv --profile profile.json > /dev/null || fail '--profile'
cp profile.json kept.json
refused 'a log over a profile' 3 'another file of this command \(--weights\)' "${run[@]}" --trace trace.csv --weights profile.json \
  --json-log profile.json --force
refused 'a profile over a log' 3 'another file of this command' "${run[@]}" --trace trace.csv --profile a.json --json-log a.json --force
refused 'a path log over a log' 3 'another file of this command \(--json-log\)' "${run[@]}" --trace trace.csv --json-log a.json --force \
  --set controller.enable=true --set controller.log=a.json
cmp -s profile.json kept.json || fail 'the profile is not what it was'

# ---- a folder that only others may read: one message, and no rank waits -----------------------------------------------------------
ln -s loop loop
for ranks in 1 2; do
  refused "a loop of links, $ranks ranks" 6 'loop' "$here/../all_end.sh" "${mpirun[@]}" -n $ranks "${run[@]}" --trace trace.csv --json-log log2.ndjson --force -o loop/x.h5
done
end
