#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs that are stopped (by the clock, by signals, by kill -9) and restarted from their checkpoint, with other numbers of ranks and other
# partitioners, write the same file as the run that was not stopped; checkpoints that do not fit are rejected with the reason.
# Usage: restart.sh HEDDLE CASES MPIRUN...
set -u
heddle=$1
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 32 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1
"$heddle" trace --arrival poisson --rate 2000000 --duration 20ms --kv-size 32KiB -n topo.txt --out trace.csv > /dev/null || exit 1
input=(-n topo.txt --trace trace.csv --set monitor.kinds=links,queues --flush 100ms -q)
now() { echo $(($(date +%s%N) / 1000000)); }
begun=$(now)
timeout 900 "$heddle" run "${input[@]}" -o whole.h5 || { fail "the whole run ended with $?"; exit 1; }
trace_takes=$(($(now) - begun))

# on RANKS ARGUMENTS...: heddle run on this number of ranks.
on() {
  local ranks=$1 launch=()
  shift
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  timeout 900 "${launch[@]}" "$heddle" run "$@" > out.txt 2>&1
}
# same NAME FILE [WHOLE]: the file equals the one of the run that was not stopped, and nothing is left beside it.
same() {
  "$heddle" compare "${3:-whole.h5}" "$2" > out.txt 2>&1 || { fail "$1: another result"; tail -5 out.txt; }
  if command -v h5diff > /dev/null; then
    h5diff --exclude-path /run "${3:-whole.h5}" "$2" > out.txt 2>&1 || { fail "$1: h5diff finds a difference"; head -5 out.txt; }
  fi
  ls "$2".* > /dev/null 2>&1 && fail "$1: left behind: $(ls "$2".*)"
}
# wait_for FILE: until it is there.
wait_for() { for _ in {1..400}; do [ -e "$1" ] && return 0; sleep 0.02; done; return 1; }
# begin ARGUMENTS...: one rank in the background; $leader is its process.
begin() { rm -f x.h5*; "$heddle" run "${input[@]}" -o x.h5 "$@" > out.txt 2>&1 & leader=$!; }

# ---- checkpoints disturb nothing, and are gone at the end ----------------------------------------------------------------
on 1 "${input[@]}" -o x.h5 --checkpoint-at 3ms --checkpoint-at every:7ms || fail "checkpoints on the way: exit code $?"
same 'checkpoints on the way' x.h5

# ---- a limit of time, again and again: other ranks, other partitioners --------------------------------------------------
# legs NAME WHOLE MILLISECONDS ARGUMENTS...: for a run that takes this long. The first checkpoint is taken to need a second, so that
# a first leg simulates for a quarter of that time, on a machine of any speed. Legs grow, so that a slow machine comes to the end.
legs() {
  local name=$1 whole=$2 limit=$((1000 + $3 / 4)) leg code
  shift 3
  rm -f x.h5*
  local ranks=(1 2 3 2 1) partitioners=(block random metis pod block)
  for leg in {0..99}; do
    on "${ranks[$((leg % 5))]}" "$@" -o x.h5 --partition "${partitioners[$((leg % 5))]}" --max-wall "$((limit + limit * leg / 4))ms" --restart auto
    code=$?
    [ $code = 85 ] || break
    [ -e x.h5.ckpt ] || fail "$name: exit code 85 and no checkpoint"
  done
  [ $code = 0 ] || { fail "$name: leg $leg ended with $code"; tail -3 out.txt; return; }
  [ "$leg" -ge 1 ] || fail "$name: was never stopped"
  same "$name" x.h5 "$whole"
  echo "$name: stopped $leg times"
}
legs 'a trace in legs' whole.h5 "$trace_takes" "${input[@]}"
cat > w.txt <<'EOF'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 16
2
attention -1 100000 ALLREDUCE 4194304 100000 NONE 0 100000 ALLREDUCE 8388608 100
mlp -1 100000 ALLREDUCE 4194304 100000 NONE 0 100000 REDUCESCATTER 8388608 100
EOF
jobs=(-n topo.txt --job 'workload=w.txt,gpus=0-15,passes=40' --job 'workload=w.txt,gpus=16-31,start=50us,placement=random,passes=40' -q
  --set controller.enable=true --set CC_MODE=3 --record timeline=all --flush 100ms)
begun=$(now)
if on 1 "${jobs[@]}" -o jobs.h5; then
  legs 'two jobs in legs' jobs.h5 $(($(now) - begun)) "${jobs[@]}"
else
  fail "two jobs: exit code $?"; tail -3 out.txt
fi

# ---- signals ---------------------------------------------------------------------------------------------------------
begin
wait_for x.h5.part.totals && sleep 0.1
kill -USR1 "$leader"
wait_for x.h5.ckpt || fail 'SIGUSR1: no checkpoint'
wait "$leader" || fail "SIGUSR1: exit code $?"
same 'SIGUSR1' x.h5
for signal in TERM USR2; do
  rm -f log.ndjson
  begin --json-log log.ndjson
  wait_for x.h5.part.totals && sleep 0.1
  kill -$signal "$leader"
  wait "$leader"
  [ $? = 85 ] && grep -q 'restart auto' out.txt || { fail "SIG$signal: not exit code 85"; cat out.txt; }
  cp -r . ../"${work##*/}.saved" 2> /dev/null
  printf '{"event": "cut sh' >> log.ndjson  # as a rank that is killed leaves it
  on 2 "${input[@]}" -o x.h5 --json-log log.ndjson --restart auto || fail "SIG$signal: the restart ended with $?"
  same "SIG$signal" x.h5
  events=$(grep -o '^{"event":"[a-z]*"' log.ndjson | grep -E 'start|end' | tr -d '\n')
  [ "$events" = '{"event":"start"{"event":"end"{"event":"start"{"event":"end"' ] || fail "SIG$signal: the log has $events"
  [ $signal = TERM ] && mkdir saved && cp ../"${work##*/}.saved"/x.h5.* saved/
  rm -rf ../"${work##*/}.saved"
done
# mpirun hands SIGUSR2 on to all ranks.
rm -f x.h5*
"${mpirun[@]}" -n 2 "$heddle" run "${input[@]}" -o x.h5 > out.txt 2>&1 &
leader=$!
wait_for x.h5.part.totals && sleep 0.1
kill -USR2 "$leader"
wait "$leader"
[ $? = 85 ] && [ -e x.h5.ckpt ] || { fail 'SIGUSR2 to mpirun: not exit code 85'; cat out.txt; }
on 1 "${input[@]}" -o x.h5 --restart auto || fail "SIGUSR2 to mpirun: the restart ended with $?"
same 'SIGUSR2 to mpirun' x.h5
begin
wait_for x.h5.part.totals && sleep 0.1
kill -INT "$leader"
wait "$leader"
[ $? = 130 ] && grep -q 'heddle recover x.h5' out.txt || { fail 'SIGINT: not exit code 130'; cat out.txt; }
"$heddle" recover x.h5 > out.txt 2>&1 && "$heddle" validate x.h5 > out.txt 2>&1 || { fail 'SIGINT: nothing to recover'; cat out.txt; }

# ---- killed: between checkpoints, while one is written -------------------------------------------------------------------
killed=0
for pause in 0 0.05 0.1 0.2; do
  begin --checkpoint-every 50ms
  wait_for x.h5.ckpt || fail 'no checkpoint by the clock'
  sleep $pause
  kill -9 "$leader" 2> /dev/null
  wait "$leader" 2> /dev/null
  [ -e x.h5 ] && continue  # it had ended
  killed=$((killed + 1))
  head -c 1000 x.h5.part.rank0 > x.h5.ckpt.999.rank0  # as a rank that was killed while it wrote leaves it
  head -c 100 x.h5.ckpt > x.h5.ckpt.new
  on 3 "${input[@]}" -o x.h5 --restart x.h5.ckpt --partition metis || { fail "killed: the restart ended with $?"; tail -3 out.txt; }
  same "killed after $pause s" x.h5
done
[ $killed -gt 0 ] || fail 'all runs had ended before they were killed'
rm -f x.h5*
on 1 "${input[@]}" -o x.h5 --restart auto || fail "--restart auto without a checkpoint: exit code $?"
same '--restart auto without a checkpoint' x.h5

# ---- refused, with the reason -------------------------------------------------------------------------------------------
fresh() { rm -f x.h5*; cp saved/x.h5.* .; }
# refused NAME PATTERN ARGUMENTS...
refused() {
  local name=$1 pattern=$2 code
  shift 2
  on 1 "$@"
  code=$?
  [ $code = 3 ] && grep -Eq "^heddle: .*($pattern)" out.txt || { fail "$name: exit code $code, without /$pattern/:"; tail -3 out.txt; }
  [ -e x.h5 ] && fail "$name: a result was written"
}
again=("${input[@]}" -o x.h5 --restart auto)
# A look at what is there so far costs nothing.
fresh
"$heddle" recover x.h5 -o look.h5 > out.txt 2>&1 && grep -q 'x.h5.ckpt still needs' out.txt || { fail 'recover with a checkpoint'; cat out.txt; }
"$heddle" validate --complete -q look.h5
[ $? = 1 ] || fail 'validate --complete of a run that did not end'
"$heddle" validate --complete -q whole.h5 || fail 'validate --complete of a run that ended'
# An older result that --force was to replace: without it nothing is deleted.
fresh; rm x.h5.ckpt; cp look.h5 x.h5
on 1 "${again[@]}"
[ $? = 6 ] && [ -e x.h5.part.rank0 ] || { fail 'parts were deleted before the refusal'; cat out.txt; }
rm x.h5
damage() { printf '\x5a' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
fresh
pieces=$(ls x.h5.ckpt.*.rank0)
for file in x.h5.ckpt "$pieces"; do
  size=$(stat -c %s "$file")
  for at in 0 1 7 8 20 31 32 33 $((size / 3)) $((size / 2)) $((size - 1)); do
    fresh; head -c "$at" "saved/$file" > "$file"
    refused "$file cut to $at" 'ckpt' "${again[@]}"
    fresh; damage "$file" "$at"
    cmp -s "$file" "saved/$file" || refused "$file damaged at $at" 'ckpt' "${again[@]}"
  done
done
fresh; rm "$pieces"
refused 'a missing file of pieces' 'cannot be read' "${again[@]}"
fresh; rm x.h5.part.rank0
refused 'a missing log' 'part.rank0 is missing' "${again[@]}"
fresh; head -c 500 saved/x.h5.part.rank0 > x.h5.part.rank0
refused 'a log that is too short' 'rests on results' "${again[@]}"
fresh
sed 's/0.0005ms/0.0006ms/' topo.txt > other.txt
refused 'another topology' 'topology_digest' "${again[@]/topo.txt/other.txt}"
head -n -1 trace.csv > fewer.csv
refused 'another trace' 'flows_input_digest' "${again[@]/trace.csv/fewer.csv}"
refused 'another option' 'option transport.congestion_control 1; this run has option transport.congestion_control 3' "${again[@]}" --set CC_MODE=3
refused 'another seed' 'seed' "${again[@]}" --seed 2
refused 'another grain' 'domains' "${again[@]}" --grain 5
refused 'other records' 'record' "${again[@]}" --record flows=sample:7
cp x.h5.ckpt y.ckpt
refused 'the checkpoint of another result' 'not the checkpoint' "${input[@]}" -o x.h5 --restart y.ckpt
refused 'a file that is not there' 'not the checkpoint' "${input[@]}" -o x.h5 --restart nothing.ckpt
on 1 "${input[@]}" -o x.h5 --engine ns3 --restart auto
[ $? = 2 ] && grep -q 'cannot be saved' out.txt || fail "ns-3's engine is not refused"
on 1 "${input[@]}" -o x.h5
[ $? = 6 ] && grep -q 'restart auto' out.txt || { fail 'what is left is not thrown away unasked'; cat out.txt; }
on 2 "${again[@]}" || { fail "after all refusals: exit code $?"; cat out.txt; }
same 'after all refusals' x.h5
# Where an input lies is not what counts.
fresh
mkdir elsewhere
cp trace.csv elsewhere/
on 2 "${again[@]/trace.csv/$PWD/elsewhere/trace.csv}" || { fail "inputs that were moved: exit code $?"; cat out.txt; }
"$heddle" compare whole.h5 x.h5 > out.txt || { fail 'inputs that were moved: another result'; tail -5 out.txt; }
end
