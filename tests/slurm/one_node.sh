#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The job scripts of slurm/ in a Slurm of one node: a run, an array of four, a scaling study, the loop of time limit, requeue and
# restart to its end, exit codes of jobs that fail, scancel. Exit code 77, with a notice, where there can be no Slurm.
# A measurement between two tasks.
# Usage: one_node.sh HEDDLE SCRIPTS   (absolute paths; SCRIPTS is the folder slurm/)
set -u
heddle=$1 scripts=$2
. "$(dirname "${BASH_SOURCE[0]}")/node.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../regression/common.sh"
whole=''
clean_up() { slurm_stop; [ -z "$whole" ] || kill "$whole" 2> /dev/null; rm -rf "$work"; }
trap clean_up EXIT
trap 'exit 143' TERM INT
mkdir slurm
if ! slurm_install "$work/install.log"; then
  echo '!!! no Slurm here: the job scripts are NOT tested !!!'
  exit 77
fi
slurm_start "$work/slurm" || exit 1
echo "Slurm is up after $SECONDS s"
export HEDDLE=$heddle OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

# send ARGUMENTS OF sbatch...: sends a job; its number is in $job.
send() { job=$(sbatch --parsable "$@") && job=${job%%;*} || { fail "sbatch $*"; job=0; }; }
# field JOB NAME: of what Slurm knows of a job.
field() { scontrol show job -o "$1" 2> /dev/null | head -1 | grep -oE "(^| )$2=[^ ]*" | cut -d= -f2; }
# until_state JOB SECONDS STATES: waits until its state is one of "A|B", or fails.
until_state() {
  local end=$((SECONDS + $2))
  while ! [[ $(field "$1" JobState) =~ ^($3)$ ]]; do
    [ $SECONDS -lt $end ] || { fail "job $1 is $(field "$1" JobState) after $2 s. Expected: $3"; return 1; }
    sleep 0.3
  done
}
# ends NAME JOB SECONDS STATE CODE: the job ends in this state with this exit code (as Slurm writes it: code:signal).
ends() {
  until_state "$2" "$3" 'COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY' || { tail -n 5 ./*"-${2/_*}"[._]*log; return; }
  local found
  found="$(field "$2" JobState) $(field "$2" ExitCode)"
  [ "$found" = "$4 $5" ] || { fail "$1: job $2 ended as '$found'. Expected: '$4 $5'"; tail -n 5 ./*"-${2/_*}"[._]*log; }
}
# same NAME FILE OTHER
same() { "$heddle" compare "$2" "$3" > out.txt 2>&1 || { fail "$1: another result"; tail -5 out.txt; }; }
# figure NAME RESULT: a key figure.
figure() {
  "$heddle" sweep --figures "$2" |
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR == 2 { print $at[name] }'
}
# has NAME PATTERN FILE
has() { grep -Eq -- "$2" "$3" || { fail "$1: no /$2/ in:"; tail -20 "$3"; }; }

# ---- what scripts cannot share must not drift apart ------------------------------------------------------------------
shared() { sed -n '/^# ---- identical in/,/^# ---- until here/p' "$scripts/$1.sbatch"; }
[ "$(shared run | wc -l)" -gt 20 ] || fail 'run.sbatch has no shared part'
for script in sweep scaling; do
  [ "$(shared run)" = "$(shared $script)" ] || fail "run.sbatch and $script.sbatch differ in the shared part"
done

# ---- inputs: a short run, and one of about 40 s on one rank of this machine ------------------------------------------
"$heddle" topo Spectrum-X -g 32 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1
echo '1 ALLREDUCE 4194304 DP' > w.txt
short=(-n topo.txt -w w.txt --passes 4 --record timeline=none -q)
"$heddle" run "${short[@]}" -o short.h5 || exit 1
"$heddle" run -n topo.txt -w w.txt --passes 20 --record flows=none --record timeline=none -q -o timed.h5 || exit 1
seconds=$(figure run_seconds timed.h5)
passes=$(awk -v s="$seconds" 'BEGIN { print int(40 * 20 / s) + 1 }')
long=(-n topo.txt -w w.txt --passes "$passes" --record flows=none --record timeline=none --flush 200ms -q)
echo "a pass takes $(awk -v s="$seconds" 'BEGIN { printf "%.1f", s * 1000 / 20 }') ms: the long run has $passes"

"$heddle" run "${long[@]}" -o whole.h5 & whole=$!

# ---- time limit, requeue, restart: sent first, looked at last --------------------------------------------------------
# Slurm looks at limits every half minute, so the signal comes 5 to 35 s after the start of a job of a minute.
send --job-name=limit --ntasks=1 --time=1 --signal=B:USR1@25 "$scripts/run.sbatch" "${long[@]}"
limit=$job
until_state "$limit" 30 RUNNING
begun=$SECONDS

# ---- a run, by either launcher ---------------------------------------------------------------------------------------
declare -A jobs
send --job-name=pmix "$scripts/run.sbatch" "${short[@]}"
jobs[pmix]=$job
HEDDLE_LAUNCHER='mpirun --bind-to none' send --job-name=mpirun "$scripts/run.sbatch" "${short[@]}"
jobs[mpirun]=$job
send --job-name=wrong "$scripts/run.sbatch" -n topo.txt -w nowhere.txt
ends 'bad input' "$job" 60 FAILED 3:0
has 'bad input' 'nowhere.txt: cannot be read' "wrong-$job.log"
for name in pmix mpirun; do
  ends "$name" "${jobs[$name]}" 60 COMPLETED 0:0
  result=$name-${jobs[$name]}.h5
  same "$name" short.h5 "$result"
  [ "$(figure ranks "$result")" = 2 ] || fail "$name: $(figure ranks "$result") ranks. Expected: 2"
done

# ---- an array of four ------------------------------------------------------------------------------------------------
cat > sizes.toml << 'END'
output = "sizes"
ranks = 2
[run]
topology = "topo.txt"
collective = "ALLREDUCE DP"
[vary]
size = ["256KiB", "1MiB"]
CC_MODE = [1, 3]
END
"$heddle" sweep sizes.toml --slurm --jobs 2 > sent.txt || fail 'heddle sweep --slurm'
array=$(sed -n 's/^Submitted batch job //p' sent.txt)
for task in 0 1 2 3; do ends 'array' "${array}_$task" 90 COMPLETED 0:0; done
"$heddle" sweep sizes.toml --collect > out.txt 2>&1 || { fail 'collect'; cat out.txt; }
[ "$(grep -c ',done,' sizes/table.csv)" = 4 ] || { fail 'table.csv'; cat sizes/table.csv; }
"$heddle" sweep sizes.toml --slurm > out.txt
has 'a sweep that is done' 'nothing to do' out.txt
mv sizes array
"$heddle" sweep sizes.toml --local --ranks 1 --row 2 > out.txt 2>&1 || { fail 'heddle sweep --local'; tail -3 out.txt; }
same 'array' sizes/1MiB_dcqcn.h5 array/1MiB_dcqcn.h5
printf '0s,link_down,0,32\n0s,link_down,0,36\n' > cut.csv  # a GPU's links, to its NVSwitch and to its leaf
printf '[run]\ntopology = "topo.txt"\nworkload = "w.txt"\n[vary]\n"failures" = ["cut.csv"]\n' > wrong.toml
"$heddle" sweep wrong.toml --slurm > sent.txt
ends 'an array task that fails' "$(sed -n 's/^Submitted batch job //p' sent.txt)_0" 60 FAILED 4:0
"$heddle" sweep wrong.toml --collect > out.txt 2>&1
[ $? = 1 ] && grep -q '^cut: stalled: .*did not come to the end' out.txt || { fail 'why a task failed'; cat out.txt; }

# ---- scaling ---------------------------------------------------------------------------------------------------------
send --job-name=scaling "$scripts/scaling.sbatch" "${short[@]}"
ends 'scaling' "$job" 60 COMPLETED 0:0
[ "$(cut -d, -f1 "scaling-$job/table.csv" | tr '\n' ' ')" = 'tasks 1 2 ' ] || { fail 'scaling'; cat "scaling-$job"/*.csv; }

# ---- a measurement, by either launcher -------------------------------------------------------------------------------
"$heddle" topo Spectrum-X -g 2 -gps 2 -gt A100 -o pair.txt > /dev/null || exit 1
echo '1 ALLREDUCE 4194304 TP' > pair_work.txt
pair=(-n pair.txt -w pair_work.txt --passes 4)
"$heddle" run "${pair[@]}" -q -o simulated.h5 || exit 1
export OMPI_MCA_pml=ob1
HEDDLE_SIMULATED=$PWD/simulated.h5 HEDDLE_BINDING=none send --job-name=measured "$scripts/measure.sbatch" "${pair[@]}" --set physical.warmup=2
measured=$job
HEDDLE_LAUNCHER='mpirun --bind-to none' send --job-name=shared "$scripts/measure.sbatch" "${pair[@]}" --gpus-per-rank 1
ends 'measured' "$measured" 90 COMPLETED 0:0
ends 'measured by mpirun' "$job" 90 COMPLETED 0:0
has 'measured' '^repetitions .*without 2 passes to warm up' "measured-$measured.log"
has 'measured' '^ALLREDUCE +TP +2 ' "measured-$measured.log"
has 'measured' '^heddle: OMPI_MCA_pml=ob1' "measured-$measured.log"
"$heddle" validate "measured-$measured.h5" > out.txt || { fail 'the measured result'; cat out.txt; }
send --job-name=too-few "$scripts/measure.sbatch" -n topo.txt -w w.txt
ends 'too few tasks' "$job" 60 FAILED 3:0
has 'too few tasks' '32 GPUs take part, and 2 ranks play 1 each' "too-few-$job.log"
unset OMPI_MCA_pml

# ---- scancel: saved, not requeued, nothing left running --------------------------------------------------------------
send --job-name=cancelled "$scripts/run.sbatch" "${long[@]}"
until_state "$job" 30 RUNNING
for _ in {1..100}; do [ -s "cancelled-$job.h5.part.rank0" ] && break; sleep 0.1; done
sleep 1
scancel "$job"
until_state "$job" 20 CANCELLED
for _ in {1..100}; do pgrep -f "cancelled-$job.h5" > /dev/null || break; sleep 0.1; done
! pgrep -af "cancelled-$job.h5" || fail 'scancel: a process is left'
[ -e "cancelled-$job.h5.ckpt" ] || { fail 'scancel: no checkpoint'; ls; }
[ "$(field "$job" JobState) $(field "$job" Restarts)" = 'CANCELLED 0' ] || fail 'scancel: requeued'

# ---- the loop has come to its end ------------------------------------------------------------------------------------
ends 'time limit' "$limit" 280 COMPLETED 0:0
restarts=$(field "$limit" Restarts)
echo "the long job was requeued $restarts times and took $((SECONDS - begun)) s"
[ "${restarts:-0}" -ge 1 ] || fail 'the long job was never requeued'
requeued=$(grep -c 'goes back into the queue' "limit-$limit.log")
[ "$requeued" = "$restarts" ] || fail "the log says $requeued restarts, Slurm $restarts"
wait "$whole" || fail 'the long run without Slurm'
whole=''
same 'time limit' whole.h5 "limit-$limit.h5"
counted=$(figure restarts "limit-$limit.h5")
[ "$counted" = "$restarts" ] || fail "the result says $counted restarts, Slurm $restarts"
echo "all of it took $SECONDS s"
end
