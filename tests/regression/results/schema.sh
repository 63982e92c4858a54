#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every kind of run writes what docs/formats/result.md says: traces and workloads, all monitors, PFC, drops, failures, the
# central controller, on one rank and on two. heddle validate finds no error in them, and finds damage; independently
# of heddle, h5py finds a unit and a description at every dataset.
# Usage: schema.sh HEDDLE MPIRUN...    (MPIRUN: words that start ranks, without -n)
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# ---- results -------------------------------------------------------------------------------------------------------
"$heddle" topo DCN-DualToR -g 32 -gps 8 -npa 8 -psn 8 -app 8 -o topology.txt 2> /dev/null || exit 1
{
  echo timestamp_ns,src,dst,size_bytes
  for gpu in {0..31}; do echo "0,$gpu,$(((gpu + 8) % 32)),$((1000 + 37000 * gpu))"; done
  for gpu in {8..31}; do echo "1000,$gpu,0,200000"; done
} > trace.csv
printf '1 ALLREDUCE 300000 TP\n1 ALLREDUCE 700000 DP\n1 ALLTOALL 500000 EP\n' > workload.txt
# run NAME CODE ARGUMENTS...
run() {
  local name=$1 expected=$2 code
  shift 2
  timeout 900 "$heddle" run -q -n topology.txt "$@" -o "$name.h5" 2> err
  code=$?
  [ $code = "$expected" ] || { fail "$name: exit code $code, expected $expected"; head -3 err; }
}
run trace 0 --trace trace.csv
run none 0 --trace <(echo timestamp_ns,src,dst,size_bytes; echo 0,0,8,1)
run incast 0 --trace trace.csv --set monitor.kinds=all --set monitor.on_change=true --set switch.alpha_shift=10 --set CC_MODE=1
# Samples on the grid after the last event.
printf 'timestamp_ns,src,dst,size_bytes\n0,0,8,50000\n' > short.csv
run grid 0 --trace short.csv --set monitor.kinds=queues,links,rates,cnps --set monitor.queue_interval=13us \
  --set monitor.link_interval=17us --set monitor.pair_interval=19us
# Ports from 32768 on have the highest bit of 16.
printf '2\n0 5 3 32768 1000 0\n1 9 3 65535 1000 0\n' > flows.txt
run ports 0 --flows flows.txt
run intervals 0 --trace trace.csv --set monitor.kinds=queues,links,rates,cnps --set monitor.link_interval=2us
run drops 4 --trace trace.csv --set switch.buffer=1 --set pfc.enabled=false --set reliability.retry_limit=0
run controller 0 --trace trace.csv --set controller.enable=true --set controller.latency=4us
run pairs 0 --trace trace.csv --set nic.qps_per_connection=4
printf 'time,event,a,b\n5us,node_down,0\n' > failures.csv
run stalled 4 --trace trace.csv --failures failures.csv
run workload 0 -w workload.txt
run unrecorded 0 -w workload.txt --record flows=none --record timeline=none --record collectives=none
run sampled 0 -w workload.txt --passes 20 --record flows=none --record collectives=sample:4
run jobs 0 --job workload=workload.txt,gpus=0-15 --job workload=workload.txt,gpus=16-31,placement=random,start=20us \
  --set controller.enable=true
timeout 900 "${mpirun[@]}" -n 2 "$heddle" run -q -n topology.txt --trace trace.csv -o ranks.h5 || fail "two ranks"

# ---- heddle validate -----------------------------------------------------------------------------------------------
"$heddle" validate ./*.h5 > out 2> err || { fail "validate: exit code $?"; grep -v ': valid' out; cat err; }
[ "$(grep -c ': valid (format 3' out)" = 15 ] || fail "$(grep -c ': valid' out) of 15 results are valid"
for name in trace grid ports incast intervals controller pairs ranks workload; do
  grep -q "^./$name.h5: .*digest of flows checked" out || fail "$name: its digest was not checked"
done
grep -q '^./unrecorded.h5: .*digest' out && fail "unrecorded: a digest of flows that are not there was checked"
# Collectives of a sample are those of all, and exports say what is missing.
run passes 0 -w workload.txt --passes 20 --record flows=none
all=$("$heddle" export passes.h5 --nccl-tests - | grep -c .)
"$heddle" export sampled.h5 --nccl-tests - > out 2> err
grep -q 'note: .*one operation in 4' err || { fail "no note of the sample"; cat err; }
[ "$(grep -c . out)" -le "$all" ] || fail "more kinds of collectives in a sample"
"$heddle" export unrecorded.h5 --nccl-tests - > out 2> err
[ $? = 3 ] || fail "an export without collectives: not exit code 3"
grep -q 'no collectives.*--record collectives=all' err || { fail "no word of --record collectives"; cat err; }
"$heddle" validate -q trace.h5 > out 2>&1 || fail "--quiet: exit code $?"
[ ! -s out ] || fail "--quiet says something"
sed 's/^/  /' <("$heddle" validate trace.h5 incast.h5 jobs.h5)

# ---- h5py, and what is damaged -------------------------------------------------------------------------------------
if ! /usr/bin/python3 -c 'import h5py' 2> /dev/null; then
  echo "!!! no python3-h5py: datasets are NOT looked at apart from heddle, nor damaged !!!"
  exit $((failures > 0))
fi
/usr/bin/python3 - ./*.h5 << 'END' || fail "h5py finds something"
import sys, h5py
bad = 0
for path in sys.argv[1:]:
    datasets = []
    def look(name, thing):
        global bad
        attributes = ["unit", "description"] if isinstance(thing, h5py.Dataset) else []
        if isinstance(thing, h5py.Group) and any(isinstance(thing[member], h5py.Dataset) for member in thing):
            attributes = ["description"]
        for attribute in attributes:
            value = thing.attrs.get(attribute)
            if not isinstance(value, bytes) or not value.decode().strip():
                print(f"{path}: {name}: {attribute} is {value!r}")
                bad += 1
        datasets.append(name)
    with h5py.File(path, "r") as f:
        f.visititems(look)
    if len(datasets) < 60:
        print(f"{path}: only {len(datasets)} groups and datasets")
        bad += 1
sys.exit(bad > 0)
END
/usr/bin/python3 - << 'END'
import shutil, zlib, h5py
def seal(name):  # as heddle does (docs/formats/result.md)
    data = open(name, "rb").read() + b"hddlseal"
    open(name, "wb").write(data + zlib.crc32(data).to_bytes(4, "little"))
def change(name, edit):
    shutil.copy("trace.h5", name)
    with h5py.File(name, "r+") as f:
        edit(f)
    shutil.copy(name, "unsealed_" + name)
    seal(name)
def shorter(f):
    values, about = f["flows/state"][:3], dict(f["flows/state"].attrs)  # the last column, and it stays that
    del f["flows/state"]
    f["flows/state"] = values
    f["flows/state"].attrs.update(about)
def cut(f):
    f.attrs["complete"] = 0
    f.attrs["until_ps"] = 1000000
change("uneven.h5", shorter)
change("cut.h5", cut)
change("no_unit.h5", lambda f: f["ports/sent_bytes"].attrs.__delitem__("unit"))
change("no_complete.h5", lambda f: f.attrs.__delitem__("complete"))
change("old.h5", lambda f: f.attrs.__setitem__("format_version", [1, 3]))
END
head -c 20000 trace.h5 > short.h5
# invalid FILE REGEX
invalid() {
  "$heddle" validate "$1" > out 2>&1
  [ $? = 3 ] || fail "$1: not exit code 3"
  grep -qE -- "$2" out || { fail "$1: no '$2' in"; cat out; }
}
invalid uneven.h5 '^  /flows: column state of table flows has 3 rows, column src has 56\. Expected: '
invalid no_unit.h5 "^  /ports/sent_bytes: unit ''\. Expected: 'byte'"
invalid no_complete.h5 '^  attribute complete: missing'
invalid old.h5 '^  format version 1\.3\. Expected: version 3\.x'
invalid short.h5 'invalid, 1 finding'
invalid missing.h5 'cannot be read'
"$heddle" validate cut.h5 > out || fail "a result of a run that was cut: exit code $?"
grep -q '^cut.h5: note: the run did not end; all up to 1us is here' out || { fail "no note of the cut"; cat out; }
# A changed file is read by no command until it is checked, in a process of its own, and sealed again.
invalid unsealed_cut.h5 'no seal at its end: .* heddle validate --reseal'
"$heddle" export unsealed_cut.h5 --fct - > out 2>&1
[ $? = 3 ] || fail "an export of a file without a seal: not exit code 3"
"$heddle" validate --reseal unsealed_no_unit.h5 > out 2>&1
[ $? = 3 ] || fail "--reseal of an invalid file: not exit code 3"
grep -q "unit ''" out || { fail "--reseal of an invalid file does not say what is wrong"; cat out; }
invalid unsealed_no_unit.h5 'no seal at its end'
"$heddle" validate --reseal unsealed_cut.h5 > out || fail "--reseal: exit code $?"
grep -q '^unsealed_cut.h5: sealed$' out || { fail "--reseal says nothing of the seal"; cat out; }
"$heddle" validate -q unsealed_cut.h5 || fail "a file that was sealed again is not valid"
cp trace.h5 sealed.h5
"$heddle" validate -q --reseal sealed.h5 && cmp -s trace.h5 sealed.h5 || fail "--reseal changes a file with a seal"
{ head -c 20000 trace.h5; printf x; tail -c +20002 trace.h5; } > damaged.h5
invalid damaged.h5 'damaged: its bytes do not have the checksum at its end'
"$heddle" validate -q --reseal damaged.h5
[ $? = 3 ] || fail "--reseal of a damaged file: not exit code 3"
if command -v h5repack > /dev/null; then
  h5repack trace.h5 repacked.h5 && "$heddle" validate -q --reseal repacked.h5 || fail "h5repack and --reseal"
  "$heddle" compare -q trace.h5 repacked.h5 || fail "h5repack changed values"
fi
"$heddle" validate -q trace.h5 short.h5
[ $? = 3 ] || fail "one of two is damaged, and the exit code is not 3"
end
