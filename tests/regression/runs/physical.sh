#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle run --backend physical: the messages of the schedules and of traces, and no others, go between 2 to 8 ranks; refusals come
# before anything is sent. "some": an example of each schedule; "all": with each number of GPUs a rank.
# Usage: physical.sh HEDDLE some|all MPIRUN...
set -u
heddle=$1 which=$2
mpirun=("${@:3}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
python=/usr/bin/python3
"$python" -c 'import h5py' 2> /dev/null || { echo "!!! python3-h5py is not installed: messages are NOT compared !!!"; python=; }
"$heddle" topo Spectrum-X -g 8 -gps 4 -gt H100 -o two.txt > /dev/null 2>&1 || exit 1
"$heddle" topo Spectrum-X -g 8 -gps 8 -gt H100 -o one.txt > /dev/null 2>&1 || exit 1
"$heddle" topo Spectrum-X -g 4 -gps 4 -gt A100 -o four.txt > /dev/null 2>&1 || exit 1

# played NAME RANKS EACH ARGUMENTS...: the same messages as with packets.
played() {
  local name=$1 ranks=$2 each=$3 flags=("${@:4}")
  "$heddle" run "${flags[@]}" --quiet --force -o simulated.h5 > simulated.txt 2>&1 || { fail "$name with packets"; cat simulated.txt; return; }
  timeout 120 "${mpirun[@]}" -n "$ranks" "$heddle" run "${flags[@]}" --backend physical --gpus-per-rank "$each" --force -o measured.h5 > "$name.out" 2>&1 ||
    { fail "$name on $ranks ranks: exit code $?"; cat "$name.out"; return; }
  [ -z "$python" ] || "$python" "$here/real_messages.py" simulated.h5 measured.h5 > out.txt 2>&1 || { fail "$name on $ranks ranks: other messages"; tail -3 out.txt; }
  "$heddle" validate measured.h5 > check.txt 2>&1 || { fail "$name: not a valid result"; cat check.txt; }
}
every() { [ "$which" = all ]; }
# micro OPERATION BYTES: a workload of one collective of all GPUs.
micro() { printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 %s %s 0\n' "$1" "$2" > "$1.txt"; }
micro ALLREDUCE 1000000
micro ALLGATHER 800000
micro REDUCESCATTER 800000
micro ALLTOALL 400000
cat > step.txt <<'END2'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 65536
2
attention -1 4000 ALLGATHER 83886 3000 REDUCESCATTER 83886 2000 ALLREDUCE 335544 100
mlp -1 5000 ALLREDUCE 41943 3000 ALLREDUCE 41943 2500 ALLGATHER 167772 100
END2
played ring 8 1 -n two.txt -w ALLREDUCE.txt --set algorithm.allreduce=ring
every && played tree 4 2 -n two.txt -w ALLREDUCE.txt --set algorithm.allreduce=tree
played chain 2 4 -n two.txt -w ALLREDUCE.txt --like nccl --set algorithm.allreduce=ring --set collective.protocol=ll --passes 3
every && played gather 3 3 -n two.txt -w ALLGATHER.txt
played pat_gather 8 1 -n two.txt -w ALLGATHER.txt --set algorithm.allgather=pat --set collective.pat_forced=true
every && played pat_scatter 2 4 -n two.txt -w REDUCESCATTER.txt --like nccl --set algorithm.reducescatter=pat --set collective.pat_forced=true --passes 2
played scatter 4 1 -n four.txt -w REDUCESCATTER.txt
every && played all_to_all 8 1 -n two.txt -w ALLTOALL.txt --set collective.pxn=false
every && played pxn 8 1 -n two.txt -w ALLTOALL.txt --set collective.pxn=true
played pxn_shared 2 4 -n two.txt -w ALLTOALL.txt --set collective.pxn=true
printf 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0\n1\nlayer -1 1000 ALLREDUCE 1000000 0 NONE 0 0 NONE 0 0\n' > nvls.txt
every && played nvls 8 1 -n one.txt -w nvls.txt --set collective.nvls=true
played nvls_shared 2 4 -n one.txt -w nvls.txt --set collective.nvls=true
played step 8 1 -n two.txt -w step.txt
played one_rank 1 8 -n two.txt -w step.txt
"$heddle" run -n two.txt -w step.txt --backend physical --gpus-per-rank 8 > alone.out 2>&1 || { fail 'without a launcher'; cat alone.out; }
grep -q '^transport  *real messages between ranks' step.out ||
  fail 'the head does not say what carries the traffic'
printf 'timestamp_ns,src,dst,size_bytes\n0,0,5,1000\n0,5,0,3000000\n1000000,1,6,70000\n2000000,6,1,1\n' > trace.csv
played trace 4 1 -n two.txt --trace trace.csv
every && played nothing_carried 4 1 -n two.txt --trace trace.csv --set physical.contents=false

# ---- computing -------------------------------------------------------------------------------------------------------
# A layer computes 30 ms; skipped, a step takes less.
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 30000000 ALLREDUCE 1000 0\n' > slow.txt
measured_us() { sed -n 's/^\(simulated\|measured\) *\([0-9.]*\) us$/\2/p' "$1"; }
for compute in sleep spin skip; do
  timeout 60 "${mpirun[@]}" -n 4 "$heddle" run -n four.txt -w slow.txt --backend physical --set physical.compute=$compute > $compute.txt 2>&1 ||
    { fail "physical.compute=$compute"; cat $compute.txt; }
done
for compute in sleep spin; do
  awk -v t="$(measured_us $compute.txt)" 'BEGIN {exit !(t >= 30000)}' || fail "$compute: $(measured_us $compute.txt) us, expected at least 30000"
done
grep -q 'computing: skip' skip.txt || fail 'the head does not say that computing is left out'

# ---- repetitions, clocks, side by side -------------------------------------------------------------------------------
printf '1 ALLREDUCE 4000000 TP\n1 ALLREDUCE 64000 TP\n' > sizes.txt
"$heddle" run -n four.txt -w sizes.txt --passes 3 -q --force -o simulated.h5 || fail 'with packets'
timeout 60 "${mpirun[@]}" -n 4 "$heddle" run -n four.txt -w sizes.txt --passes 3 --backend physical --set physical.warmup=2 --set physical.check=all --force \
  -o measured.h5 > repeated.txt 2>&1 || { fail 'repetitions'; cat repeated.txt; }
grep -Eq '^repetitions .*without 2 passes to warm up' repeated.txt && grep -Eq '^ +ALLREDUCE +TP +4 +62.50 KiB +3 ' repeated.txt || { fail 'repetitions'; cat repeated.txt; }
grep -Eq '^contents +40 results checked' repeated.txt || { fail 'not all passes were checked'; cat repeated.txt; }
grep -Eq '^clocks +agree within' repeated.txt || { fail 'clocks'; cat repeated.txt; }
"$heddle" validate measured.h5 > check.txt 2>&1 || { fail 'repetitions: not a valid result'; cat check.txt; }
if [ -n "$python" ]; then
  "$python" - measured.h5 << 'END3' || fail 'what the result says of itself'
import sys

import h5py

file = h5py.File(sys.argv[1])
assert file.attrs["backend"] == b"physical"
run = file["run"].attrs
assert 0 < run["clock_error_ns"] < 1e8 and run["clock_drift_ns"] >= 0 and b"pml" in run["mpi_transport"], dict(run)
assert sorted(set(file["collectives/pass"][:])) == [0, 1, 2, 3, 4]
assert len(set(file["run/ranks/host"][:])) == 1
END3
fi
"$heddle" compare simulated.h5 measured.h5 > both.txt
[ $? = 1 ] || fail 'compare: exit code'
grep -Eq '^times in us.* packet +physical' both.txt && grep -Eq '^pass, mean of 3 \| 3 ' both.txt && grep -Eq '^ALLREDUCE +TP +4 +62.50 KiB( +[0-9.+-]+){7}$' both.txt ||
  { fail 'compare does not put them side by side'; cat both.txt; }
"$heddle" report simulated.h5 measured.h5 -o both.html > report.txt 2>&1 && grep -q '"finished":3' both.html || { fail 'report'; cat report.txt; }

# Closed forms that are corrected by what was measured give the means back.
"$heddle" calibrate measured.h5 -o measured.calibration --force > fit.txt 2>&1 || { fail 'calibrate'; cat fit.txt; }
awk '/^ALLREDUCE/ {kinds++} /^by the others +mean error/ {ok = 1} END {exit !(kinds == 2 && ok)}' fit.txt || { fail 'calibrate says nothing of its errors'; cat fit.txt; }
"$heddle" run -n four.txt -w sizes.txt --backend analytical --calibration measured.calibration -q --force -o predicted.h5 || fail 'with a calibration'
"$heddle" compare measured.h5 predicted.h5 > both.txt
awk '$1 == "ALLREDUCE" && NF == 12 {rows++; if ($10 > 2 || $10 < -2) bad = 1} END {exit !(rows == 2 && !bad)}' both.txt ||
  { fail 'predicted times are not those that were measured'; cat both.txt; }

# ---- refusals --------------------------------------------------------------------------------------------------------
# refuses CODE TEXT RANKS ARGUMENTS...: by mpirun, and then by ranks that must all end by themselves.
launcher=("${mpirun[@]}")
refuses() {
  timeout 60 "${launcher[@]}" -n "$3" "$heddle" run --backend physical "${@:4}" > refused.txt 2>&1
  local code=$?
  [ $code = "$1" ] || fail "${*:4}: exit code $code"
  grep -q -- "$2" refused.txt || { fail "${*:4}: no '$2' in"; cat refused.txt; }
}
refuses 3 '8 GPUs take part, and 2 ranks play 1 each. Expected: mpirun -n 8, or --gpus-per-rank 4' 2 -n two.txt -w ALLREDUCE.txt
launcher=("$here/../all_end.sh" "${mpirun[@]}")
refuses 3 '8 GPUs take part, and 3 ranks play 1 each. Expected: mpirun -n 8, or --gpus-per-rank 3' 3 -n two.txt -w ALLREDUCE.txt
refuses 3 '4 GPUs take part, and 5 ranks play 1 each. Expected: mpirun -n 4' 5 -n four.txt -w ALLREDUCE.txt
refuses 3 'real machines have no central controller' 4 -n four.txt -w ALLREDUCE.txt --set controller.enable=true
refuses 3 'no queues and ports to watch' 4 -n four.txt -w ALLREDUCE.txt --set monitor.kinds=queues -o x.h5
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 687194767360 0\n' > huge.txt
refuses 7 'memory' 4 -n four.txt -w huge.txt
refuses 2 '--engine: with --backend physical no events are simulated' 1 -n four.txt -w ALLREDUCE.txt --engine ns3
refuses 2 '--max-wall: with --backend physical what is under way' 1 -n four.txt -w ALLREDUCE.txt -o x.h5 --max-wall 1h
refuses 2 '--failures: with --backend physical links' 1 -n four.txt -w ALLREDUCE.txt --failures trace.csv
[ -e x.h5 ] || [ -e x.h5.part ] && fail 'a refused run left files'
"$heddle" run -n four.txt -w ALLREDUCE.txt --gpus-per-rank 2 > refused.txt 2>&1
[ $? = 2 ] && grep -q 'Expected: --backend physical' refused.txt || { fail '--gpus-per-rank without the backend'; cat refused.txt; }
# Two ranks with other programs.
cp four.txt other.txt
timeout 60 "${mpirun[@]}" -n 2 "$heddle" run -n four.txt -w ALLREDUCE.txt --backend physical : -n 2 "$heddle" run -n four.txt -w ALLGATHER.txt --backend physical > refused.txt 2>&1
[ $? = 3 ] && grep -q 'the command line: not the same on ranks 2 and 3 as on rank 0' refused.txt || { fail 'unequal programs'; cat refused.txt; }
end
