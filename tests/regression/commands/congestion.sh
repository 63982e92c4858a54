#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle congestion: the same text on any number of ranks, other runs by another seed, what a user gets wrong.
# Usage: congestion.sh HEDDLE NETWORKS PYTHON MPIRUN...: NETWORKS is the folder tests/data/orcs, PYTHON is io/python.
set -u
heddle=$1 networks=$2 python=$3
shift 3
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"

"$heddle" topo Spectrum-X -g 32 -gt A100 -bw 100Gbps -o topo.txt > /dev/null 2>&1 || exit 1
cp "$networks/kary64.dot" net.dot

# same ARGUMENTS...
same() {
  "$heddle" congestion "$@" > 1.txt || fail "$*: exit code $?"
  for ranks in $counts; do
    timeout 900 "${mpirun[@]}" -n $ranks "$heddle" congestion "$@" > $ranks.txt || fail "$*, $ranks ranks: exit code $?"
    cmp 1.txt $ranks.txt || fail "$*: $ranks ranks give another text"
  done
}
counts=3
same net.dot -n 100
counts=2
same net.dot -p ptrnvsptrn:tree::rand -z 24 -s 50 -n 31 --seed 7
same topo.txt -p recvs_all_src:5,80,10 -n 20 --fixed-subset
counts=3
same --compat orcs-2.0 -i net.dot -p bruck -n 6 --seed 3
cp "$networks/ft16.dot" ft16.dot
for metric in sum_max_cong hist_max_cong hist_acc_band dep_max_delay get_cable_cong; do
  counts=$((5 - counts))  # two and three in turn
  same --compat orcs-1.1 -i ft16.dot -p bisect_fb_sym -n 12 --metric=$metric
done
counts=2
same --compat orcs-1.1 -i ft16.dot --routequal
counts=3
same --compat orcs-2.0 -i ft16.dot --routequal
same --compat orcs-2.0 -i ft16.dot -p ptrnvsptrn -a null::bruck -z 3 -n 6  # only the first run has messages
same --compat orcs-2.0 -i ft16.dot -p ptrnvsptrn -a tree::bruck -z 3 -l 1 -n 6
same --compat orcs-2.0 -i ft16.dot -p tree --version
"$heddle" congestion --compat orcs-1.1 -i ft16.dot -n 12 | sed 's/^Runs: 12/Runs: 10/' > 1.txt  # rounded up as by ORCS
timeout 900 "${mpirun[@]}" -n 3 "$heddle" congestion --compat orcs-1.1 -i ft16.dot -n 10 | cmp - 1.txt || fail '10 runs on 3 ranks are not 12'
"$heddle" congestion net.dot -n 100 --seed 2 > other.txt
"$heddle" congestion net.dot -n 100 > first.txt
cmp -s other.txt first.txt && fail 'the seed changes nothing'
grep -Eq '^bandwidth +0\.6[0-9]{3} \+- 0\.0' first.txt || fail 'no bandwidth of a 4-ary 3-tree'

# Queue pairs: what is known of four servers on four leaves with eight spines (docs/models/static_congestion.md).
"$heddle" topo DCN-SingleToR -g 32 -gps 8 -bw 400Gbps -npa 8 -psn 8 -apbw 400Gbps -app 4 -o four.txt > /dev/null 2>&1 || exit 1
counts=2
same four.txt -p rail_rings:8 --placement in-order -n 60 --queue-pairs 4
awk '/^even parts/ {even = $3 + 0} /^best parts/ {best = $3 + 0; sub(/.*at most /, ""); more = $1}
  END {exit !(even > 0.46 && even < 0.52 && best > 0.9 && best < 0.97 && more <= 0.5)}' 1.txt || { fail 'queue pairs: other shares'; cat 1.txt; }
"$heddle" congestion four.txt -p rail_rings:8 --placement in-order -n 20 --queue-pairs 1 > one.txt
grep -Eq '^gain +0\.0 %, 0\.0 to 0\.0 %' one.txt || { fail 'one queue pair gains'; cat one.txt; }

# Cables of half the rate count half, but for --unit-links.
sed 's/400Gbps/200Gbps/' four.txt | awk 'NR < 3 || !/^[0-9]+ 3[2-9] / {print; next} {sub(/200Gbps/, "400Gbps"); print}' > uneven.txt
share() { "$heddle" congestion "$@" -p rail_rings:8 --placement in-order -n 4 --queue-pairs 4 | sed -n 's/^even parts *\([0-9.]*\).*/\1/p'; }
[ "$(share uneven.txt)" != "$(share four.txt)" ] || fail 'queue pairs: rates count nothing'
[ "$(share uneven.txt --unit-links)" = "$(share four.txt --unit-links)" ] || fail 'queue pairs: --unit-links changes nothing'
[ -n "$(share uneven.txt --unit-links)" ] || fail 'queue pairs: no share with --unit-links'
# In the result, byte for byte on any number of ranks.
queue_pairs=(four.txt -p rail_rings:8 --placement in-order -n 5 --queue-pairs 4)
"$heddle" congestion "${queue_pairs[@]}" -o q1.h5 > q1.txt || fail "queue pairs, result: exit code $?"
timeout 900 "${mpirun[@]}" -n 3 "$heddle" congestion "${queue_pairs[@]}" -o q3.h5 > /dev/null || fail "queue pairs, 3 ranks: exit code $?"
cmp q1.h5 q3.h5 || fail 'results of queue pairs of 1 and 3 ranks differ'
"$heddle" validate q1.h5 > out.txt || { fail 'a result of queue pairs is not valid'; cat out.txt; }
if /usr/bin/python3 -c 'import h5py' 2> err.txt; then
  /usr/bin/python3 - q1.h5 "$(sed -n 's/^even parts *\([0-9.]*\),.*/\1/p' q1.txt)" << 'END' || fail 'the result has other shares than the text'
import sys, h5py
file = h5py.File(sys.argv[1])
table = file["congestion/queue_pairs"]
assert file.attrs["queue_pairs"] == 4 and list(table["run"]) == list(range(5))
assert abs(table["even_parts"][:].mean() - float(sys.argv[2])) < 1e-4
assert (table["best_parts"][:] >= table["even_parts"][:]).all()
END
fi

# Results: equal to the byte on any number of ranks, valid, read by report and Python, refused where packets are asked for.
"$heddle" congestion topo.txt -p collective:allreduce --placement servers -n 8 -o a.h5 --svg a.svg --dot a.dot > /dev/null || fail "result: exit code $?"
timeout 900 "${mpirun[@]}" -n 3 "$heddle" congestion topo.txt -p collective:allreduce --placement servers -n 8 -o b.h5 > /dev/null || fail "3 ranks: exit code $?"
cmp a.h5 b.h5 || fail 'results of 1 and 3 ranks differ'
"$heddle" congestion net.dot -n 50 -o net.h5 --dot net_load.dot > /dev/null || fail "net.h5: exit code $?"
"$heddle" validate a.h5 net.h5 > out.txt || { fail 'a result is not valid'; cat out.txt; }
[ "$(grep -c ': valid' out.txt)" = 2 ] || fail 'not two valid results'
grep -q '</svg>' a.svg && grep -q 'GPU 0 -&gt; leaf\|GPU 0 -> leaf' a.svg || fail 'no cable in the drawing'
grep -q '^digraph' a.dot && grep -q 'congestion=1.000000' net_load.dot || fail 'no coloured graph'
"$heddle" compare a.h5 net.h5 2> err.txt && fail 'compare takes static congestion'
grep -q 'static congestion, without a simulated packet' err.txt || { fail 'compare does not say why'; cat err.txt; }
"$heddle" congestion net.dot -n 5 -o net.h5 2> err.txt > /dev/null && fail 'an existing result is replaced'
"$heddle" congestion net.dot -n 5 -o net.dot --force 2> err.txt > /dev/null && fail 'the input is replaced'
printf 'source,destination,level\n0,1\n2,3,1\n0,3,1\n' > pairs.csv
"$heddle" congestion net.dot -p pairs:pairs.csv -n 2 -s 4 | grep -q '^messages *6 with a way' || fail 'pairs of a file'
# A run of ORCS 2.0 with a random pattern, on the hosts and with the pairs that it printed.
echo 'H3 H1 H14 H15 H2 H5 H9 H10 H16 H13 H8 H7 H4 H12 H11 H6' > orcs_map.txt
printf '%s\n' source,destination 0,14 1,10 2,6 3,11 4,9 5,1 6,3 7,4 8,7 9,13 10,5 11,8 12,0 13,2 14,15 15,12 > orcs_pairs.csv
"$heddle" congestion ft16.dot -p pairs:orcs_pairs.csv --mappings orcs_map.txt -n 1 -s 16 > out.txt || fail "ORCS's pairs: exit code $?"
grep -q '^weight *1: 11 messages' out.txt && grep -q '^ *2: 2 messages' out.txt && grep -q '^ *3: 3 messages' out.txt || fail "ORCS's pairs: other weights"
if /usr/bin/python3 -c 'import h5py, pandas' 2> /dev/null; then
  PYTHONPATH=$python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - << 'END' || fail 'Python'
import heddle
with heddle.open("a.h5") as a:
    assert a.content == "congestion" and a.complete and a.attributes["runs"] == 8
    runs, cables = a.static("runs"), a.static("cables")
    assert abs(runs.bandwidth.mean() - a.attributes["bandwidth_mean"]) < 1e-12
    assert cables.messages.sum() == a.attributes["hops"] and len(a.static("nodes")) == cables[["from", "to"]].max().max() + 1
# Values that contradict each other are found, one file each.
import h5py, shutil
for number, (column, change) in enumerate({"congestion/cables/messages": 1, "congestion/runs/bandwidth": 0.1, "congestion/weights/messages": 1,
                                           "congestion/tiers/unused": 1, "congestion/nodes/node": 7, "congestion/runs/run": 1}.items()):
    shutil.copy("net.h5", f"wrong{number}.h5")
    with h5py.File(f"wrong{number}.h5", "r+") as f:
        f[column][0] += change
# Files from elsewhere, with a seal: a page or a message, no signal.
import numpy, struct, zlib
def seal(path):
    data = open(path, "rb").read()
    data = (data if data[-12:-4] != b"hddlseal" else data[:-12]) + b"hddlseal"
    open(path, "wb").write(data + struct.pack("<I", zlib.crc32(data)))
hostile = {"congestion/cables/from": 4294967295, "congestion/cables/to": 4294967295, "congestion/sharers/cable": 4294967295,
           "congestion/sharers/source": 4294967295, "congestion/runs/bandwidth": 1e300, "congestion/cables/messages": -2**63,
           "congestion/cables/rate_bps": -1, "congestion/nodes/level": 254, "congestion/weights/messages": 2**63 - 1}
for number, (column, value) in enumerate(hostile.items()):
    shutil.copy("net.h5", f"hostile{number}.h5")
    with h5py.File(f"hostile{number}.h5", "r+") as f:
        f[column][:] = numpy.full(f[column].shape, value, f[column].dtype)
    seal(f"hostile{number}.h5")
shutil.copy("net.h5", "hostile9.h5")
with h5py.File("hostile9.h5", "r+") as f:
    f["congestion/runs/bandwidth"][0] = float("nan")
    del f["congestion/tiers"]
seal("hostile9.h5")
END
  for file in hostile*.h5; do
    for words in "report $file -o $file.html" "validate $file"; do
      # shellcheck disable=SC2086
      timeout 900 "$heddle" $words > out.txt 2> err.txt
      code=$?
      [ $code = 0 ] || [ $code = 3 ] || { fail "$words: exit code $code"; cat err.txt; }
    done
    [ $code = 3 ] || fail "$file is valid"
  done
  for file in wrong*.h5; do
    "$heddle" validate --reseal $file > out.txt 2> err.txt && { fail "$file is taken as valid"; cat out.txt; }
    grep -q ': invalid, ' out.txt || { fail "$file: no finding"; cat out.txt err.txt; }
  done
  [ "$(ls wrong*.h5 | wc -l)" = 6 ] || fail 'not six wrong files'
fi

# Routes alone.
"$heddle" congestion net.dot --checkinputfile --routequal > out.txt || fail "routes: exit code $?"
grep -q '^routes  *0 loops, 0 pairs' out.txt && grep -q 'quality.*60 to 60, mean 60.00, sigma 0.00' out.txt || { fail 'routes of the tree'; cat out.txt; }
"$heddle" congestion topo.txt --checkinputfile > out.txt || fail "routes of a topology file: exit code $?"
printf 'digraph {\nH1 -> a [comment="*"]; H2 -> b [comment="*"]; a -> b [comment="H2"]; b -> a [comment="H2"]; a -> H1 [comment="H1"]; b -> H2; }' > loop.dot
"$heddle" congestion loop.dot --checkinputfile > out.txt 2> err.txt
[ $? = 3 ] || fail "a broken network: exit code $?"
grep -q 'loop a -> b -> a for H2' out.txt && grep -q 'no way H2 to H1' out.txt || { fail 'loop and missing route are not named'; cat out.txt; }

# The first part of ORCS 2.0 has the hosts that come first in an order: those of one switch do not meet others.
part() { "$heddle" congestion --compat orcs-2.0 -i net.dot -p ptrnvsptrn -a bisect_fb_sym::null -s 64 -z 4 -n 20 --subset guid_order_asc "$@" | grep '^BW'; }
[ "$(part --part_subset guid_order_asc)" = 'BW: 1.000000' ] || fail "part_subset: $(part --part_subset guid_order_asc)"
[ "$(part)" = 'BW: 1.000000' ] && fail 'without part_subset four of all hosts never meet'
"$heddle" congestion --compat orcs-2.0 -i net.dot -p tree --part_subset rand > /dev/null 2> err.txt && fail 'part_subset without parts'
grep -q 'has no parts' err.txt || fail 'part_subset: no reason'

# An argument beyond the ranks is named as it counts.
"$heddle" congestion net.dot -p incast:1000 -n 1 > out.txt || fail "incast:1000: exit code $?"
grep -q '^ *(as incast:63: there are 64 ranks)$' out.txt || { fail 'incast:1000 does not say what it became'; cat out.txt; }
"$heddle" congestion net.dot -p incast:63 -n 1 | grep -q 'there are' && fail 'incast:63 became another'

# Against packets: 1/weight within 3 % where nobody meets, and where three meet; the same on any number of ranks.
{
  echo 'digraph star {'
  for i in 1 2 3 4 5 6; do echo "H$i -> s [comment=\"*\", rate=\"100Gbps\"]; s -> H$i [comment=\"H$i\", rate=\"100Gbps\"];"; done
  echo '}'
} > star.dot
for pattern in bisect incast:3; do
  "$heddle" congestion star.dot -p $pattern -n 1 -s 4 --verify-with-packets 8MiB > packets.txt || fail "$pattern: exit code $?"
  "$heddle" congestion star.dot -p $pattern -n 1 -s 4 --verify-with-packets 256KiB > few.txt || fail "$pattern, 256KiB: exit code $?"
  timeout 900 "${mpirun[@]}" -n 2 "$heddle" congestion star.dot -p $pattern -n 1 -s 4 --verify-with-packets 256KiB | cmp few.txt - ||
    fail "$pattern: 2 ranks give another text"
  grep -Eq '([23]) within 3 % of 1/weight, 0 get more, 0 less' packets.txt || { fail "$pattern: packets differ"; cat packets.txt; }
done
"$heddle" congestion star.dot -p shift:1 -n 1 --verify-with-packets 8MiB | grep -q '0 within 3 %.*6 less' || fail 'both directions: windows do not matter'
"$heddle" congestion star.dot -p shift:1 -n 1 --verify-with-packets 8MiB --set HAS_WIN=0 | grep -q '6 within 3 %' || fail 'both directions without windows'
# A message alone has the host's rate on any number of queue pairs.
printf 'source,destination\n0,31\n' > lone.csv
for scheduler in message stripe cast-wrr; do
  "$heddle" congestion topo.txt -p pairs:lone.csv --placement in-order -n 1 --verify-with-packets 16MiB --set nic.qps_per_connection=4 \
    --set requests.scheduler=$scheduler > lone.txt
  grep -q '1 within 3 %' lone.txt || { fail "a message alone on four queue pairs, $scheduler"; cat lone.txt; }
done

# A network in DOT runs packet by packet, with its tables.
printf 'timestamp_ns,src,dst,size_bytes\n0,0,8,100000\n0,1,60,100000\n' > flows.csv
"$heddle" run -q -n net.dot --trace flows.csv -o run.h5 2> err.txt || fail "run of DOT: exit code $?"
grep -q 'have no rate: 100Gbps is taken' err.txt || fail 'no word of unknown rates'
timeout 900 "${mpirun[@]}" -n 2 "$heddle" run -q -n net.dot --trace flows.csv -o run2.h5 2> /dev/null || fail 'run of DOT on 2 ranks'
"$heddle" validate run.h5 > /dev/null && "$heddle" compare run.h5 run2.h5 > /dev/null || fail 'results of DOT on 1 and 2 ranks differ'
"$heddle" run -q -n star.dot --trace <(printf 'timestamp_ns,src,dst,size_bytes\n0,0,3,1000\n') --set controller.enable=true 2> err.txt && fail 'the controller takes tables'
grep -q 'one port for each destination' err.txt || { fail 'controller: no reason'; cat err.txt; }
"$heddle" run -q -n loop.dot --trace flows.csv 2> err.txt && fail 'a loop runs'
grep -q 'loop.dot: .*loops, the first' err.txt || { fail 'the loop is not named'; cat err.txt; }

# refuses CODE PATTERN ARGUMENTS...: alone, or by $launcher
refuses() {
  local expected=$1 pattern=$2 code
  shift 2
  # shellcheck disable=SC2086
  timeout 900 ${launcher-} "$heddle" congestion "$@" > out.txt 2> err.txt < /dev/null
  code=$?
  [ $code = "$expected" ] && grep -Eq -- "$pattern" err.txt || { fail "$*: exit code $code. Expected: $expected and /$pattern/"; cat err.txt; }
}
refuses 2 'NETWORK' -n 3
refuses 2 'random, servers or in-order' net.dot --placement packed
# Before the runs: nothing is printed.
for size in 0 -1 1EiB soon; do
  refuses 3 "verify-with-packets: .$size.. Expected: a size from 1B to " net.dot -n 1 --verify-with-packets $size
  [ ! -s out.txt ] || { fail "--verify-with-packets $size is refused after the runs"; cat out.txt; }
done
refuses 3 'queue-pairs: with forwarding tables all queue pairs' net.dot --queue-pairs 2
refuses 2 'queue-pairs' topo.txt --queue-pairs 0
"$heddle" topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -o large.txt > /dev/null 2>&1 || fail 'no topology of 128 GPUs'
refuses 3 'queue-pairs: .* of 1024 queue pairs have more than 10,000,000 paths. Expected: fewer ranks' large.txt -p alltoall -n 1 --queue-pairs 1024
# What a run refuses.
refuses 3 '^heddle: requests.scheduler=stripe: .*Expected: .*entropy.scheme=flow' topo.txt -n 1 --verify-with-packets \
  --set requests.scheduler=stripe --set entropy.scheme=mixed
refuses 3 '^heddle: entropy.scheme=reps: .*Expected: ' topo.txt -n 1 --verify-with-packets --set entropy.scheme=reps --set compat.simai_acks=true
refuses 3 '^heddle: controller.enable: .*with balance.ports=random' topo.txt -n 1 --verify-with-packets --set controller.enable=true \
  --set balance.ports=random
refuses 3 '^heddle: controller.enable: switches with forwarding tables' net.dot -n 1 --verify-with-packets --set controller.enable=true
refuses 3 '^heddle: monitor.kinds: .*no samples' topo.txt -n 1 --verify-with-packets --set monitor.kinds=all
refuses 3 'no_such_key' net.dot -n 1 --verify-with-packets --set no_such_key=1
[ ! -s out.txt ] || fail 'an unknown key is refused after the runs'
refuses 2 "runs: found '1e6'. Expected: a whole number from 1 to 100000000" net.dot -n 1e6
refuses 2 "queue-pairs: found '1e1'. Expected: a whole number from 1 to 1024" topo.txt --queue-pairs 1e1
refuses 2 'Did you mean .allreduce' net.dot -p collective:alreduce
refuses 3 'pairs.csv:3: destination .3.. Expected: a number from 0 to 2' net.dot -s 3 -p pairs:pairs.csv
refuses 1 'pairs:pairs.csv. is unknown' --compat orcs-2.0 -i net.dot -p pairs:pairs.csv
refuses 3 'nowhere' nowhere.txt
refuses 3 'pattern .bisct. is unknown.*bisect' net.dot -p bisct
refuses 3 'argument .0.. Expected: shift:K' net.dot -p shift:0
refuses 3 'ranks: found 65. Expected: 2 to 64' net.dot -s 65
refuses 2 'runs' net.dot -n 0
refuses 3 'first pattern' net.dot -p ptrnvsptrn:tree::rand -z 64
echo 'digraph { H1 -> s [comment="H2' > broken.dot
refuses 3 'broken.dot' broken.dot
echo 'digraph { a -> b [comment="*"]; }' > hostless.dot
refuses 3 'hostless.dot' hostless.dot
echo 'H1 H2 nobody H4' > maps.txt
refuses 3 'maps.txt:1' net.dot -s 4 --mappings maps.txt
refuses 2 'orcs-1.1 or orcs-2.0' --compat orcs-3.0 -i net.dot
refuses 1 'ambiguous' --compat orcs-2.0 -i net.dot -p bis
refuses 1 'commsize' --compat orcs-2.0 -i net.dot -s 65
refuses 6 'standard output cannot be an HDF5 file' net.dot -n 1 -o -
[ ! -e ./- ] && [ ! -e ./-.part ] || fail 'a file of the name -'
# Another process writes this result.
exec 9> held.h5.part.lock
flock 9
refuses 6 'held.h5: is being written by another process' net.dot -n 1 -o held.h5
exec 9>&-
"$heddle" congestion net.dot -n 1 -o held.h5 > /dev/null || fail 'the lock outlives its holder'
[ ! -e held.h5.part.lock ] || fail 'the lock file is left'
"$heddle" congestion net.dot -n 1 > /dev/full 2> err.txt
[ $? = 6 ] && [ "$(cat err.txt)" = 'heddle: standard output: cannot be written: No space left on device' ] || { fail 'a full output'; cat err.txt; }
launcher="${mpirun[*]} -n 2"
refuses 3 'nowhere' nowhere.txt
launcher="$here/../all_end.sh $launcher"
refuses 3 'pattern .bisct. is unknown.*bisect' net.dot -p bisct
refuses 1 'ambiguous' --compat orcs-2.0 -i net.dot -p bis
refuses 1 'commsize' --compat orcs-2.0 -i net.dot -s 65
end
