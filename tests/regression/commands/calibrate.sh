#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle calibrate: fits of a result with packets and of nccl-tests' output, what takes them, and what refuses them.
# Usage: calibrate.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo Spectrum-X -g 16 -gps 8 --oversubscription 1 -o fabric.txt > /dev/null 2>&1 || exit 1
says() { grep -qE -- "$1" "$2" || { fail "no '$1' in"; cat "$2"; }; }
# within PERCENT A B: two numbers are that near.
within() { awk -v m="$1" -v a="$2" -v b="$3" 'BEGIN {e = 100 * (a / b - 1); exit !(e <= m && e >= -m)}' || fail "$2 is not within $1 % of $3"; }
# simulated ARGUMENTS...: the time of a run [us].
simulated() { "$heddle" run -n fabric.txt "$@" 2> /dev/null | sed -n 's/^simulated *\([0-9.]*\) us$/\1/p'; }

# ---- a result with packets ---------------------------------------------------------------------------------------------
{
  printf 'MICRO\n8\n'
  for size in 1 4 8 16 24 32 64 96; do echo "a$size -1 0 NONE 0 0 NONE 0 0 ALLREDUCE $((size << 20)) 0"; done
} > sizes.txt
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 12582912 0\n' > between.txt
"$heddle" run -q -n fabric.txt -w sizes.txt -o packets.h5 || fail 'no result'
"$heddle" calibrate packets.h5 -o fit.txt > fit.out 2> fit.err || { fail 'calibrate'; cat fit.err; }
says '^ALLREDUCE TREE LL128, 16 ranks on 2 servers: [0-9.]+ to [0-9.]+ times the closed form$' fit.out
says '^ +16\.00 MiB +1 +[0-9.]+ +[0-9.]+ +[+-][0-9.]+ +[0-9.]+ +[+-][0-9.]+$' fit.out
says '^by the others  mean error [0-9.]+ %, largest [0-9.]+ %$' fit.out
[ "$(head -n 1 fit.txt)" = '# heddle calibration 2' ] || fail 'the first line of the file'
says '^ALLREDUCE,TREE,LL128,16,2,' fit.txt
# Sizes that were left out are met as well as the closed form meets those here, which are the same model's.
read -r formed predicted <<< "$(awk '/^closed forms /{print $5} /^by the others /{print $6}' fit.out | tr '\n' ' ')"
awk -v f="$predicted" -v c="$formed" 'BEGIN {exit !(f > 0 && f < 5 && c < 5)}' || fail "the other sizes predict with $predicted %, the closed form with $formed %"
analytical=(-w between.txt --backend analytical)
packets=$(simulated -w between.txt)
within 10 "$(simulated "${analytical[@]}" --calibration fit.txt)" "$packets"
"$heddle" run -n fabric.txt "${analytical[@]}" --calibration fit.txt -o calibrated.h5 > head.txt 2>&1 || { fail 'a run'; cat head.txt; }
says '^calibrated       ALLREDUCE \(16 ranks\); others by their closed form$' head.txt
"$heddle" validate calibrated.h5 > out.txt 2>&1 || { fail 'no valid result'; cat out.txt; }
# Other digits, another run: no result is taken for its own.
sed 's/^# from.*/# other/' fit.txt > other.txt
"$heddle" run -q -n fabric.txt "${analytical[@]}" --calibration other.txt -o calibrated.h5 --restart auto > out.txt 2>&1 && fail 'another calibration, the same result'
says 'calibration_digest' out.txt

# ---- nccl-tests --------------------------------------------------------------------------------------------------------
cat > perf.txt <<'END'
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 16 minBytes 1048576 maxBytes 67108864 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1
#  Rank  0 Group  0 Pid  71 on  node1 device  0 [0x07] NVIDIA H100
#  Rank 15 Group  0 Pid  99 on  node2 device  7 [0x0a] NVIDIA H100
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
node1:71:99 [0] NCCL INFO Using network IB
     1048576        262144     float     sum      -1    152.1    6.89   12.93      0    151.0    6.94   13.02      0
     4194304       1048576     float     sum      -1    203.5   20.61   38.65      0    201.9   20.77   38.95      0
    16777216       4194304     float     sum      -1    341.9   49.07   92.01      0    340.0   49.34   92.52      0
    67108864      16777216     float     sum      -1    812.7   82.57  154.82      0    810.1   82.84  155.33      0
# Avg bus bandwidth    : 74.7
END
"$heddle" calibrate perf.txt -n fabric.txt -o perf.fit > perf.out 2> perf.err || { fail 'nccl-tests'; cat perf.err; }
says '^ +4\.00 MiB +2 +202\.700 ' perf.out  # the mean of both halves
"$heddle" calibrate perf.txt -n fabric.txt --times out-of-place > out_of_place.out || fail '--times out-of-place'
says '^ +4\.00 MiB +1 +203\.500 ' out_of_place.out
"$heddle" calibrate perf.txt -n fabric.txt --in-place > in_place.out || fail '--in-place'
says '^ +4\.00 MiB +1 +201\.900 ' in_place.out
within 8 "$(simulated "${analytical[@]}" --calibration perf.fit)" 295
# Several files; the operation by a command line of one of them.
sed 's/^# Collective test starting.*/mpirun -np 16 .\/build\/all_gather_perf -b 1M -e 64M/' perf.txt > gather.txt
"$heddle" calibrate perf.txt gather.txt -n fabric.txt -o both.fit > both.out || fail 'two files'
{ says '^ALLREDUCE ' both.out && says '^ALLGATHER ' both.out; }
says '^# from gather\.txt$' both.fit
"$heddle" export packets.h5 --nccl-tests exported.txt && "$heddle" calibrate exported.txt -n fabric.txt > exported.out || fail 'the export'
within 5 "$(awk '/^closed forms /{print $5}' exported.out)" "$(awk '/^closed forms /{print $5}' fit.out)"  # times have fewer digits there

# ---- heddle analytical -------------------------------------------------------------------------------------------------
printf 'MICRO\n2\na -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 16777216 0\nb -1 0 NONE 0 0 NONE 0 0 ALLGATHER 16777216 0\n' > two.txt
"$heddle" analytical -w two.txt -g 16 --calibration perf.fit > analytical.txt 2> /dev/null || fail 'heddle analytical'
says '^calibrated        ALLREDUCE ' analytical.txt
says '^  DP +ALLREDUCE +16777216 +1 +16 (TREE|RING) ' analytical.txt
"$heddle" analytical -w two.txt -g 16 > plain.txt 2> /dev/null
diff <(grep ALLGATHER plain.txt) <(grep 'DP .*ALLGATHER' analytical.txt) > /dev/null || fail 'what is not calibrated has changed'

# ---- refusals ----------------------------------------------------------------------------------------------------------
# refuses CODE PATTERN ARGUMENTS...
refuses() {
  "$heddle" "${@:3}" > out.txt 2> err.txt
  local code=$?
  { [ $code = "$1" ] && [ "$(wc -l < err.txt)" = 1 ] && grep -qE -- "$2" err.txt; } || { fail "${*:3}: exit code $code"; cat err.txt; }
}
refuses 2 '^heddle: -n: a text of nccl-tests' calibrate perf.txt
refuses 2 '^heddle: MEASURED: packets\.h5 is a result, perf\.txt is none' calibrate perf.txt packets.h5 -n fabric.txt
refuses 3 'exported\.txt: has no times in place' calibrate exported.txt -n fabric.txt --in-place
refuses 3 '^heddle: missing\.txt: ' calibrate missing.txt
refuses 3 '^heddle: fabric\.txt:1: .*it looks like a topology' calibrate fabric.txt
refuses 2 'is a result, which says it itself. Expected: no -n' calibrate packets.h5 -n fabric.txt
"$heddle" topo Spectrum-X -g 8 -gps 8 -o small.txt > /dev/null 2>&1
refuses 3 'perf\.txt: 16 ranks, and small\.txt has 8 GPUs' calibrate perf.txt -n small.txt
refuses 3 'calibrated\.h5: was made by closed forms' calibrate calibrated.h5
refuses 3 '^heddle: fabric\.txt:1: [0-9]+ columns.*it looks like a topology' calibrate fabric.txt -n fabric.txt
refuses 2 '--calibration: the backend packet makes the times of collectives from links' run -n fabric.txt -w two.txt --calibration perf.fit
sed 's/,TREE,/,TREES,/; s/,RING,/,TREES,/' perf.fit > wrong.fit
refuses 3 "^heddle: wrong\.fit:[0-9]+: algorithm \"TREES\"" run -n fabric.txt "${analytical[@]}" --calibration wrong.fit
refuses 3 "^heddle: wrong\.fit:[0-9]+: algorithm \"TREES\"" analytical -w two.txt -g 16 --calibration wrong.fit
refuses 3 '^heddle: perf\.txt:1: first line ' run -n fabric.txt "${analytical[@]}" --calibration perf.txt
refuses 3 "perf\.fit:4: .*it looks like a calibration" run -n fabric.txt -w perf.fit
refuses 2 "--calibration: 'simai-1.7' is no file.*simai-1.6" analytical -w two.txt -g 16 --calibration simai-1.7
printf '8 2 float sum -1 9.5 0 0 0 8.5 0 0 0\n' > bare.txt
refuses 3 'does not say which test' calibrate bare.txt -n fabric.txt
refuses 3 'does not say how many ranks' calibrate bare.txt -n fabric.txt --operation allreduce
"$heddle" calibrate bare.txt -n fabric.txt --operation allreduce --ranks 2 > /dev/null || fail '--operation and --ranks'
end
