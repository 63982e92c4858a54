#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle-plot draws a result correctly: eight flows of which four share a spine two by two (850 us and 1693 us, as
# tests/validation/controller_demo_test.cc proves), the same run again byte for byte, and the same flows with eight queue
# pairs each. Unusable input gives its exit code and one line, never a traceback.
# Usage: plots.sh HEDDLE HEDDLE_PLOT     (exit code 77: skipped, /usr/bin/python3 lacks the packages)
# shellcheck disable=SC2015,SC2016  # || after set -uset -u is meant, and so is the dollar
set -u
heddle=$1 plot=$2
/usr/bin/python3 -c 'import h5py, matplotlib' 2> /dev/null || { echo "skipped: no python3-h5py or python3-matplotlib"; exit 77; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
unset AS_SEND_LAT CC_ENABLE DISPLAY
export MPLCONFIGDIR=$work

# ---- results -------------------------------------------------------------------------------------------------------
"$heddle" topo DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 -apbw 100Gbps -app 2 \
  -o topology.txt 2> /dev/null || exit 1
{
  echo timestamp_ns,src,dst,size_bytes
  for gpu in {0..7}; do echo "0,$gpu,$((gpu + 8)),10485760"; done
} > trace.csv
"$heddle" run -q -n topology.txt --trace trace.csv -o one.h5 || exit 1
"$heddle" run -q -n topology.txt --trace trace.csv -o many.h5 --set nic.qps_per_connection=8 || exit 1
printf 'time,event,a,b\n1us,link_down,0,18\n' > failures.csv
"$heddle" run -q -n topology.txt --trace trace.csv --failures failures.csv -o stalled.h5 2> /dev/null
[ $? = 4 ] && [ -f stalled.h5 ] || fail "no result with an unfinished flow"
echo "1 ALLREDUCE 65536 TP" > workload.txt
"$heddle" run -q -n topology.txt -w workload.txt --record flows=none -o no_records.h5 || exit 1

# ---- pictures and numbers ------------------------------------------------------------------------------------------
for name in two again; do
  "$plot" fct one.h5 many.h5 --label 'without $x' with -o $name.svg 2> err || { fail "$name.svg: exit code $?"; cat err; }
done
cmp two.svg again.svg || fail "the same results give another SVG"
grep -q "$work" two.svg && fail "the SVG has a path of this machine"
[ "$(grep -c 'id="curve-' two.svg)" = 2 ] || fail "the SVG has $(grep -c 'id="curve-' two.svg) curves, not 2"
[ "$(grep -c 'id="bar-0-' two.svg)" = 8 ] && [ "$(grep -c 'id="bar-1-' two.svg)" = 64 ] || fail "not a bar a flow"
# calls: lines for plot_calls.py on standard input.
calls() { /usr/bin/python3 "$here/plot_calls.py" "$plot" > calls.log || { fail 'calls'; cat calls.log; }; }
cat > words << 'END'
0 picture fct one.h5 -o picture.png --slowdown
0 replaced fct one.h5 -o replaced.png
0 replaced fct one.h5 -o replaced.png --force
0 document fct one.h5 many.h5 -o PICTURE.PDF
0 spines spines one.h5 -o spines.svg
0 times fct one.h5 --table
0 slowdowns fct one.h5 --table --slowdown
0 spine_bytes spines one.h5 --table
0 busbw busbw no_records.h5 --table -o busbw.svg
0 left_out fct one.h5 stalled.h5 --table -o left_out.svg
END
calls < <(tr ' ' '\t' < words)
for name in picture replaced; do
  [ "$(head -c 8 $name.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || fail "$name.png is no PNG"
  [ "$(wc -c < $name.png)" -gt 10000 ] || fail "$name.png has only $(wc -c < $name.png) bytes"
done
[ "$(head -c 5 PICTURE.PDF)" = %PDF- ] || fail "PICTURE.PDF is no PDF"
grep -q '</svg>' spines.svg || fail "spines.svg is no SVG"

# The numbers are those that heddle export writes: column 7 of fct.txt, cut to ns.
"$heddle" export one.h5 --fct fct.txt
diff <(awk 'NR > 1 {printf "%d\n", int($3 * 1000 + 0.0001)}' times.out) <(awk '{print $7}' fct.txt | sort -n) || fail "other times than fct.txt"
awk -F '\t' 'NR > 1 && $4 != sprintf("%.6f", $2 / 8) {bad = 1} END {exit bad || NR != 9}' times.out || fail "another distribution than k / 8"
awk 'NR > 1 && ($3 < 840 || $3 > 860) && ($3 < 1680 || $3 > 1700) {bad = 1} END {exit bad}' times.out || fail "neither 850 nor 1693 us"
awk 'NR > 1 && NR < 6 && ($3 < 0.98 || $3 > 1.03) || NR > 5 && ($3 < 1.95 || $3 > 2.05) {bad = 1} END {exit bad || NR != 9}' slowdowns.out ||
  fail "slowdowns are not 1 and 2"
# One collective: the bandwidth that the run's table has.
"$heddle" export no_records.h5 --nccl-tests - 2> /dev/null | awk '$1 == 65536 { print $8 }' > rate.txt
awk -F'\t' 'NR == FNR { rate = $1; next } FNR == 2 { ok = $2 == "ALLREDUCE TP" && $3 == 65536 && $4 - rate < 0.006 && rate - $4 < 0.006 } END { exit !(ok && FNR == 2) }' \
  rate.txt busbw.out || { fail 'bus bandwidth'; cat rate.txt busbw.out; }
grep -q 'id="busbw-0-0"' busbw.svg || fail 'no curve of bus bandwidths'
# Two spines carry two flows each: more than 20 MB.
[ "$(awk 'NR > 1 && $3 > 20 {printf "%s ", $2}' spine_bytes.out)" = '21 24 ' ] ||
  { fail "not spines 21 and 24 carry two flows each"; cat spine_bytes.out; }
[ "$(wc -l < left_out.err)" = 1 ] && grep -q '^heddle-plot: stalled.h5: 1 of 8 flows did not finish and are left out$' left_out.err ||
  { fail "no note of the unfinished flow"; cat left_out.err; }
[ "$(grep -c '^stalled' left_out.out)" = 7 ] || fail "$(grep -c '^stalled' left_out.out) finished flows, not 7"
"$plot" fct many.h5 --table 2> err | head -1 > /dev/null
[ ! -s err ] || { fail "complains when its reader stops"; cat err; }

# ---- what it refuses -----------------------------------------------------------------------------------------------
# refuse CODE WORDS ARGUMENTS...: tried at the end, all in one process.
refuse() { local IFS=$'\t'; printf '%s\n' "$*" >> refusals; }
/usr/bin/python3 - << 'END'
import shutil, zlib, h5py
def seal(name):  # as heddle does (docs/formats/result.md)
    data = open(name, "rb").read() + b"hddlseal"
    open(name, "wb").write(data + zlib.crc32(data).to_bytes(4, "little"))
def change(name, edit):
    shutil.copy("one.h5", name)
    with h5py.File(name, "r+") as f:
        edit(f)
    seal(name)
def empty(f):
    for column in list(f["flows"]):
        kind = f["flows"][column].dtype
        del f["flows"][column]
        f["flows"].create_dataset(column, (0,), kind)
def shorter(f):
    values = f["flows/fct_ps"][:3]
    del f["flows/fct_ps"]
    f["flows/fct_ps"] = values
change("no_rows.h5", empty)
change("uneven.h5", shorter)
change("unfinished_run.h5", lambda f: f.attrs.__delitem__("complete"))
change("other_type.h5", lambda f: f.attrs.__setitem__("filetype", "heddle part"))
change("untyped.h5", lambda f: f.attrs.__delitem__("filetype"))
change("version_2.h5", lambda f: f.attrs.__setitem__("format_version", [2, 1]))
change("no_flows.h5", lambda f: f.__delitem__("flows"))
change("no_state.h5", lambda f: f.__delitem__("flows/state"))
change("no_shape.h5", lambda f: f.__delitem__("topology/shape"))
change("no_ports.h5", lambda f: f.__delitem__("ports"))
END
: > nothing.h5
head -c 20000 one.h5 > cut.h5
{ head -c 20000 one.h5; printf x; tail -c +20002 one.h5; } > damaged.h5
mkdir folder
refuse 3 'missing.h5: no such file' fct missing.h5 -o new.svg
for file in nothing.h5 trace.csv folder; do refuse 3 "$file: cannot be read as HDF5" fct $file -o new.svg; done
refuse 3 'untyped.h5: HDF5, but not a result' fct untyped.h5 -o new.svg
refuse 3 'other_type.h5: HDF5, but not a result' fct other_type.h5 -o new.svg
refuse 3 'cut.h5: no seal at its end' fct cut.h5 -o new.svg
refuse 3 'damaged.h5: damaged, its bytes do not have the checksum' fct damaged.h5 -o new.svg
refuse 3 'version_2.h5: format version 2, this program reads 3' fct version_2.h5 -o new.svg
refuse 3 'unfinished_run.h5: not complete' fct one.h5 unfinished_run.h5 -o new.svg
refuse 3 'no_flows.h5: has no table /flows' fct no_flows.h5 -o new.svg
refuse 3 'no_state.h5: table /flows has no column state' fct no_state.h5 -o new.svg
refuse 3 'no_shape.h5: has no table /topology/shape' fct no_shape.h5 -o new.svg
refuse 3 'has no table /collectives' busbw one.h5 -o new.svg
refuse 3 'no_ports.h5: has no table /ports' spines no_ports.h5 -o new.svg
refuse 3 'uneven.h5: columns of table /flows differ' fct uneven.h5 -o new.svg
refuse 3 'no_rows.h5: no flow in /flows' fct one.h5 no_rows.h5 -o new.svg
refuse 3 'no_records.h5: no flow in /flows .*--record flows=all' fct no_records.h5 -o new.svg
refuse 3 "new.gif: the picture's name must end in .png, .svg or .pdf" fct one.h5 -o new.gif
refuse 3 "new: the picture's name must end in" fct one.h5 -o new
refuse 6 'two.svg: exists; --force replaces it' fct one.h5 -o two.svg
refuse 6 'nowhere/new.svg: its folder does not exist' fct one.h5 -o nowhere/new.svg
refuse 2 'usage:'
refuse 2 'invalid choice' draw one.h5 -o new.svg
refuse 2 'required: RESULT' fct -o new.svg
refuse 2 'give -o FILE' fct one.h5
refuse 2 '1 labels for 2 results' fct one.h5 many.h5 --label one -o new.svg
refuse 2 'unrecognized arguments: --slowdown' spines one.h5 --slowdown -o new.svg
calls < refusals
cmp two.svg again.svg || fail "a refusal changed the picture"
# Without the packages: a folder that is found first has none that work.
mkdir -p broken/h5py && echo 'raise ImportError("No module named h5py")' > broken/h5py/__init__.py
PYTHONPATH=broken "$plot" fct one.h5 -o new.svg 2> err
[ $? = 6 ] && grep -q 'No module named h5py; install the packages python3-h5py and python3-matplotlib' err || { fail "without packages"; cat err; }
end
