#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle analytical by itself: where SimAI's analytical program is wrong or crashes there is the right answer, or an error that names the
# flag, or the file and line. Usage: analytical.sh HEDDLE DATA: tests/data
set -u
heddle=$1 data=$2
commands=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$commands/../common.sh"
micro=$data/workloads/microAllReduce.txt

# answers PATTERN ARGUMENTS...: exit code 0, and each line of PATTERN in the text.
answers() {
  local patterns=$1 pattern
  shift
  "$heddle" analytical "$@" > out.txt 2> err.txt || { fail "$*: exit code $?"; cat err.txt; return; }
  ! grep -qiE '\b(nan|inf)\b|-1\b' out.txt || fail "$*: no number in the answer"
  while read -r pattern; do
    grep -Eq -- "$pattern" out.txt || { fail "$*: no /$pattern/ in"; cat out.txt; }
  done <<< "$patterns"
}
warns() { grep -qF -- "$1" err.txt || { fail "no warning '$1' in"; cat err.txt; }; }
# refuses CODE PATTERN ARGUMENTS...
refuses() {
  local code=$1 pattern=$2 found
  shift 2
  "$heddle" analytical "$@" > out.txt 2> err.txt
  found=$?
  { [ $found = "$code" ] && [ "$(wc -l < err.txt)" = 1 ] && grep -Eq -- "$pattern" err.txt; } || { fail "$*: exit code $found"; cat err.txt; }
  [ ! -e results ] || { fail "$*: has written"; rm -r results; }
}
# header TP EP PP GA VPP: the first two lines of a workload of one row
header() {
  echo "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: $1 ep: $2 pp: $3 vpp: $5 ga: $4 all_gpus: 64 checkpoints: 0 checkpoint_initiates: 0"
  echo 1
}
row() { printf 'a -1 1 %s 1 %s 1 %s 100\n' "$1" "$2" "$3"; }

# ---- what SimAI leaves without a value -----------------------------------------------------------------------------------
# 16 MiB and 64 MiB on eight A100: LL128, 14 + 14 x 1.9 us; Simple, 8.4 + 14 x 3.4 us.
answers 'TP +ALLREDUCE +16777216 .* 171\.089
TP +ALLREDUCE +67108864 .* 545\.335
network 48\.50 GB/s' -w "$micro" -g 8                                       # no sizes of servers, no types, no name (d01 to d03, d15)
answers 'job +8 GPUs' -w "$micro"                                            # no -g: all_gpus (d04)
printf 'x\nTP:\nallreduce,: 100\n' > bus.yaml
answers 'TP +ALLREDUCE +67108864 +1 +8 RING +SIMPLE given' -w "$micro" -g 8 -busbw bus.yaml  # (d05)
refuses 3 'none\.yaml: cannot be read' -w "$micro" -g 8 -busbw none.yaml
printf 'x\nTP:\nbroadcast,: 100\n' > wrong.yaml
refuses 3 '^heddle: wrong\.yaml:3: ' -w "$micro" -g 8 -busbw wrong.yaml
refuses 2 '--gpus' -w "$micro" -g 8 -g 16                                    # (d29)
refuses 3 "--nic-type: 'cx8'" -w "$micro" -g 8 -nic_t cx8                    # (d13)
refuses 3 "--gpu-type: 'B200'" -w "$micro" -g 8 -g_type B200                 # (d12)
refuses 2 "unknown argument '--bus-band'.*--bus-bandwidth" -w "$micro" -g 8 --bus-band 8
refuses 2 '--dp-overlap' -w "$micro" -g 8 -dp_o 2                            # (d21)
refuses 3 'cannot be read' -w nothing.txt -g 8                               # (d18)
refuses 3 'TP 8 x PP 1 does not divide 100 GPUs' -w "$micro" -g 100          # (d22)

# ---- inputs that it cannot run -------------------------------------------------------------------------------------------
answers 'DP +ALLGATHER +1073741824 +1 +8 RING +SIMPLE NVLink +3946\.88' -w "$data/workloads/all_gather.txt" -g 8  # MICRO (d30)
answers 'DP +ALLTOALL +1073741824 +1 +128 DIRECT' -w "$data/workloads/all_to_all.txt" -g 128                 # (d32)
answers 'PP 1$' -w "$data/workloads/L65B-M1-C05_Llama65B_megatron_tp8_pp1_mbs1_A100.txt" -g 128              # no pp: (d35)
warns 'no ep:, pp:, vpp:, ga: there: each is taken for 1'
warns 'announces 839 rows and has 33'
{ header 8 1 1 1 1; echo 'a -1 2147483648 ALLREDUCE 16777216 1 NONE 0 1 NONE 0 100'; } > long.txt
answers 'computing +2147\.484 ms' -w long.txt -g 8                           # 2^31 ns (d06)
{ header 8 1 1 1 1; row 'ALLGATHER 17200000000' 'NONE 0' 'NONE 0'; } > large.txt
answers 'TP +ALLGATHER +17200000000 .* NVLink' -w large.txt -g 8 --calibration simai-1.6  # above 16 GiB (d07)
{ header 1 1 1 1 1; row 'ALLREDUCE 16777216' 'NONE 0' 'ALLREDUCE 16777216'; } > tp1.txt
answers 'DP +ALLREDUCE +16777216 +1 +8 ' -w tp1.txt -g 8                     # TP 1 (d08)
! grep -q '^  TP ' out.txt || fail 'a collective of one rank takes time'

# ---- groups --------------------------------------------------------------------------------------------------------------
{ header 4 2 1 1 1; row 'ALLREDUCE_DP_EP 67108864' 'NONE 0' 'ALLTOALL_EP 67108864'; } > groups.txt
answers 'DP_EP ALLREDUCE +67108864 +1 +8 
EP +ALLTOALL +67108864 +1 +2 ' -w groups.txt -g 64                           # their own ranks (d10)
{ header 8 1 1 1 1; row 'NONE 0' 'NONE 0' 'ALLREDUCE 1073741824'; } > data.txt
# Four NICs for eight GPUs: half of 48.5 for each, 16 ranks on 16 servers (d25).
answers 'network 24\.25 GB/s
DP +ALLREDUCE +1073741824 +1 +16 RING +SIMPLE NIC .* 24\.' -w data.txt -g 128 -n_p_s 4 --algorithm ring
{ header 2 1 1 1 1; row 'NONE 0' 'NONE 0' 'ALLREDUCE 1073741824'; } > inside.txt
answers 'DP +ALLREDUCE +1073741824 +1 +4 RING +SIMPLE NVLink' -w inside.txt -g 8 --algorithm ring  # one server (a45)
answers 'NVLS +SIMPLE NVLink' -w "$micro" -g 8 -g_type H100
{ header 8 1 1 1 1; row 'BROADCAST 67108864' 'NONE 0' 'NONE 0'; } > broadcast.txt
answers 'TP +BROADCAST +67108864 +1 +8 RING' -w broadcast.txt -g 8

# ---- stages ----------------------------------------------------------------------------------------------------------------
{
  header 8 1 4 2 2 | sed 's/$/ pp_comm: 67108864/; 2s/.*/2/'
  for _ in 1 2; do echo 'embedding_layer -1 1000000 NONE 0 2000000 NONE 0 3000000 NONE 0 100'; done
} > stages.txt
# 6 ms a micro-batch, of which there are two. Two chunks: 3 x 6 / 2. Messages of 67108864 / 48.5e9 s + 22.4 us: eight hidden, six that fill and drain.
answers 'computing +12\.000 ms
exposed PP +8\.437 ms .* of 19\.685 ms
bubble +9\.000 ms' -w stages.txt -g 64
answers 'bubble +18\.000 ms' -w stages.txt -g 64 --schedule 1f1b
# Gradients of inputs reach the first stage at 10 ms; it then does 2 + 3 ms twice: 20 ms instead of 12.
answers 'bubble +8\.000 ms' -w stages.txt -g 64 --schedule zb-h1
answers 'schedule +zb-h1' -w stages.txt -g 64 --schedule zb-h1
answers 'schedule +interleaved, 2 chunks \(vpp\), by formula' -w stages.txt -g 64
printf 'stages 4\nmicro_batches 2\n' > mine.txt
for stage in 0 1 2 3; do echo "stage $stage: F0 F1 B1 B0" >> mine.txt; done
answers 'bubble +18\.000 ms
schedule +mine.txt' -w stages.txt -g 64 --schedule file:mine.txt
refuses 3 'stages.txt: pipeline.schedule=dualpipe: 2 micro-batches \(ga\) on 4 pipeline stages \(pp\). Expected: an even number from 8 on, such as 8' -w stages.txt -g 64 --schedule dualpipe
refuses 3 'stages.txt: pipeline.schedule=interleaved: 2 micro-batches \(ga\) in groups of 4 .* Expected: 4 micro-batches or more' -w stages.txt -g 64 --chunks 2
refuses 2 "schedule: 'zb1'. Did you mean 'zb-h1'" -w stages.txt -g 64 --schedule zb1
refuses 2 'chunks: --schedule is 1f1b. Expected: interleaved, or no --chunks' -w stages.txt -g 64 --schedule 1f1b --chunks 2
refuses 2 'group: no number of chunks. Expected: --chunks N too' -w stages.txt -g 64 --group 4
# 12 ms of waiting for the slowest, and 6 x (5 - 2).
answers 'bubble +30\.000 ms' -w stages.txt -g 64 --schedule 1f1b --stage-weights 1,1,1,2
# Seven messages of 67108864 / 83e9 s + 22.4 us: three forward, three back, one for which the last stage is held.
answers 'exposed PP +5\.817 ms' -w stages.txt -g 64 -pp_o 0 -nv 360 -nic 83 --schedule 1f1b
refuses 3 'stage-weights: found 2 weights. Expected: 4' -w stages.txt -g 64 --stage-weights 1,2

# ---- files -----------------------------------------------------------------------------------------------------------------
answers 'step time' -w stages.txt -g 64 -r s- -v 1 -l ja
[ "$(ls results)" = "$(printf 's-EndToEnd.csv\ns-chart.html')" ] || fail 'files of -r and -v'
[ "$(wc -l < results/s-EndToEnd.csv)" = 5 ] || fail 'rows of the CSV'
! grep -q http results/s-chart.html || fail 'the chart needs the internet'
grep -q '^s-, 0\.000 (0\.00%), .* 9000\.000 (.*%), 12000\.000' results/s-EndToEnd.csv || { fail 'sums of the CSV'; cat results/s-EndToEnd.csv; }

# ---- a fabric's links in place of flags, priced as heddle run --backend analytical -------------------------------------------
rm -r results
"$heddle" topo Spectrum-X -g 32 -gps 8 --oversubscription 1 -o fabric.txt > /dev/null 2>&1
printf 'MICRO\n2\na -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 67108864 0\nb -1 0 NONE 0 0 NONE 0 0 ALLGATHER 33554432 0\n' > two.txt
answers "bandwidths +of the fabric's links: NVLinks 360\.00, network 50\.00 GB/s" -w two.txt -n fabric.txt
"$heddle" run -n fabric.txt -w two.txt --backend analytical -o run.h5 > run.txt 2> /dev/null || fail 'a run by closed forms'
"$heddle" export run.h5 --nccl-tests run.nccl
answers 'DP +ALLREDUCE +67108864 +1 +32 ' -w two.txt -n fabric.txt -o step.h5
"$heddle" export step.h5 --nccl-tests step.nccl
diff run.nccl step.nccl || fail 'prices differ from those of the backend'
"$heddle" validate step.h5 > check.txt 2>&1 || { fail 'no valid result'; cat check.txt; }
"$heddle" compare run.h5 step.h5 > compare.txt 2>&1
grep -q '^/collectives: 2 rows in both' compare.txt || { fail 'compare'; cat compare.txt; }
"$heddle" report run.h5 step.h5 -o step.html > /dev/null 2> report.err || { fail 'report'; cat report.err; }
sed -n 's/.*ALLREDUCE  *67108864  *1  *32 [A-Z]* *[A-Z0-9]* *[A-Za-z]* *\([0-9.]*\) .*/\1/p' out.txt > packed.us
answers 'job +32 GPUs' -w two.txt -n fabric.txt --placement random
sed -n 's/.*ALLREDUCE  *67108864  *1  *32 [A-Z]* *[A-Z0-9]* *[A-Za-z]* *\([0-9.]*\) .*/\1/p' out.txt > random.us
awk 'NR == FNR {packed = $1; next} {exit !($1 > packed && packed > 0)}' packed.us random.us || { fail 'a random placement is not slower'; cat packed.us random.us; }
printf 'x\nDP:\nallreduce,: 100\n' > bus.yaml
answers 'DP +ALLREDUCE +67108864 +1 +32 RING +[A-Z0-9]+ +given' -w two.txt -n fabric.txt -busbw bus.yaml
answers 'DP +ALLREDUCE +67108864 +1 +8 RING +SIMPLE NVLink' -w two.txt -n fabric.txt -g 8 --algorithm ring
answers 'DP +ALLREDUCE +67108864 +1 +8 TREE' -w two.txt -n fabric.txt -g 8 --set algorithm.allreduce=tree
refuses 2 '^heddle: --nvlink: fabric.txt says it itself' -w two.txt -n fabric.txt -nv 360
refuses 2 '^heddle: --placement: there is no fabric' -w two.txt -g 8 --placement random
refuses 2 '^heddle: --calibration: simai-1.6 has parts of bandwidths' -w two.txt -n fabric.txt --calibration simai-1.6
refuses 3 '^heddle: -g: 64 GPUs, and fabric.txt has 32' -w two.txt -n fabric.txt -g 64
refuses 3 '^heddle: two\.txt:1: ' -w two.txt -n two.txt
# By flags there is a result too, on a fabric that the flags stand for.
answers 'result +flags\.h5' -w stages.txt -g 64 -o flags.h5
"$heddle" validate flags.h5 > check.txt 2>&1 || { fail 'no valid result by flags'; cat check.txt; }
"$heddle" report flags.h5 -o flags.html > /dev/null 2>&1 || fail 'report by flags'
refuses 6 'flags\.h5: exists' -w stages.txt -g 64 -o flags.h5
mkdir results

# ---- the example of 9,216 GPUs: more than a second would be another algorithm ------------------------------------------------
python3 -B - "$commands" "$data" << 'END' || fail 'the workload of the example'
import sys
sys.path.insert(0, sys.argv[1])
import analytical_cases
analytical_cases.write_files(sys.argv[2] + "/analytical/workloads.txt", ".")
END
began=$(date +%s%N)
answers 'job +9216 GPUs: TP 2, EP 16, DP 384, PP 12' -w workload_analytical.txt -g 9216 -nv 360 -nic 48.5 -n_p_s 8 -g_p_s 8
took=$((($(date +%s%N) - began) / 1000000))
[ $took -lt 1000 ] || fail "9,216 GPUs took $took ms"
end
