#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Pipeline schedules: the picture of a schedule and its table; runs by each, packets and closed forms beside each other; the same result on
# one to three ranks and from checkpoints; refusals. Usage: pipelines.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# shows PATTERN ARGUMENTS...: heddle pipeline has a line of the pattern.
shows() {
  local pattern=$1
  shift
  "$heddle" pipeline "$@" > out 2>&1 || { fail "pipeline $*: exit code $?"; cat out; return; }
  grep -qE -- "$pattern" out || { fail "pipeline $*: no /$pattern/"; cat out; }
}
# refuses CODE TEXT COMMAND...
refuses() {
  local code=$1 text=$2
  shift 2
  "$heddle" "$@" > out 2>&1 < /dev/null
  local found=$?
  [ $found -eq "$code" ] || { fail "$*: exit code $found"; cat out; }
  grep -qF -- "$text" out || { fail "$*: no '$text'"; cat out; }
}

# ---- the picture: times of the closed forms ----------------------------------------------------------------------------------------------
shows '^time +33, of which a stage works 24 and is idle 9 ' 1f1b
shows '^time +28.5, ' interleaved
shows '^time +26.25, ' interleaved --chunks 4
shows '^time +27, ' zb-h1
shows '^time +66, ' dualpipe -p 8 -m 20
shows '^time +34.6, ' 1f1b --message 0.1
shows '^messages +48$' zb-h1
shows '^held activations +4 3 2 1 at most' zb-h1
shows '^    1 \.\.0>0<<<1>1<<<\.\.\.\.$' 1f1b -p 2 -m 2 --columns 18
refuses 3 'an even number from 8 on, such as 8' pipeline dualpipe -p 4 -m 6
refuses 2 "Did you mean 'dualpipe'" pipeline dualpip
refuses 2 'found 1,2. Expected: three times' pipeline --times 1,2
refuses 2 '--table' pipeline --table --json

# ---- a table of one's own: printed, changed, read ----------------------------------------------------------------------------------------
"$heddle" pipeline zb-h1 -p 2 -m 4 --table > mine.txt || fail 'the table'
shows '^schedule +mine.txt$' file:mine.txt
"$heddle" pipeline zb-h1 -p 2 -m 4 | tail -n 4 > known.txt
"$heddle" pipeline file:mine.txt | tail -n 4 | cmp - known.txt || fail 'the table is another schedule'
sed 's/stage 1: F0 I0/stage 1: I0 F0/' mine.txt > wrong.txt
refuses 3 'wrong.txt: stage 1: I0 comes before its forward' pipeline file:wrong.txt

# ---- runs ----------------------------------------------------------------------------------------------------------------------------------
"$heddle" topo Spectrum-X -g 16 -gps 4 -o rails.txt > /dev/null || fail topo
{
  echo 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 4 vpp: 1 ga: 8 all_gpus: 16 pp_comm: 100000'
  echo 25
  for _ in 1 2 3 4 5 6 7 8; do
    echo 'embedding_layer -1 1000 NONE 0 1000 NONE 0 1000 NONE 0 1'
    echo 'a -1 200000 ALLREDUCE 60000 200000 ALLREDUCE 60000 200000 NONE 0 1'
    echo 'b -1 200000 ALLREDUCE 60000 200000 ALLREDUCE 60000 200000 NONE 0 1'
  done
  echo 'optimizer1 -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 400000 1'
} > step.txt
run() { timeout 300 "$heddle" run -n rails.txt -w step.txt "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }
ends() { sed -En 's/^simulated +([0-9.]+) us.*/\1/p' out; }
digest_of() { sed -n 's/^digest of flows *//p' out; }
run -o plain.h5
grep -qE '^pipeline +1f1b \(pipeline.schedule\)$' out || fail 'the summary does not say 1f1b'
before=$(ends)
for schedule in gpipe interleaved zb-h1 dualpipe dualpipev; do
  run --set pipeline.schedule=$schedule -o $schedule.h5
  grep -qE "^pipeline +$schedule" out || fail "the summary does not say $schedule"
  packets=$(ends)
  run --set pipeline.schedule=$schedule --backend analytical
  /usr/bin/python3 -c "
packets, closed, before = $packets, $(ends), $before
print('$schedule', packets, closed)
raise SystemExit(not (0.97 < closed / packets < 1.01 and ('$schedule' == 'gpipe' or packets < 0.97 * before)))" ||
    fail "$schedule: $packets by packets, $(ends) in closed form, $before by 1F1B"
done
"$heddle" compare -q plain.h5 zb-h1.h5 && fail 'zb-h1 is 1f1b'
run --set pipeline.senders=wait
/usr/bin/python3 -c "raise SystemExit(not $before + 10 < $(ends))" || fail 'senders that wait lose nothing'
refuses 3 '8 micro-batches (ga) on 4 pipeline stages (pp). Expected: 4 on 2, as the table has' run -n rails.txt -w step.txt --set pipeline.schedule=file:mine.txt
refuses 3 'found '"'zb'"'. Expected: 1f1b, interleaved' run -n rails.txt -w step.txt --set pipeline.schedule=zb
refuses 3 'in 3 chunks of the model (pipeline.chunks). Expected: a divisor, the nearest is 2' run -n rails.txt -w step.txt --set pipeline.schedule=interleaved --set pipeline.chunks=3
"$heddle" pipeline zb-h1 --table > eight.txt
run --set pipeline.schedule=zb-h1
digest=$(digest_of)
run --set pipeline.schedule=file:eight.txt -o own.h5
[ "$(digest_of)" = "$digest" ] || fail 'the file of zb-h1 is another run'
"$heddle" validate own.h5 > /dev/null || fail 'the result is not valid'

# ---- ranks, checkpoints ----------------------------------------------------------------------------------------------------------------------
for ranks in 2 3; do
  "${mpirun[@]}" -n $ranks "$heddle" run -q -n rails.txt -w step.txt --set pipeline.schedule=zb-h1 -o ranks.h5 --force > out 2>&1 < /dev/null || { fail "$ranks ranks"; cat out; }
  "$heddle" compare -q zb-h1.h5 ranks.h5 || fail "$ranks ranks give another result"
done
# With smaller messages the run would be over too soon to be stopped.
sed 's/60000/60000000/g' step.txt > long.txt
long=(-n rails.txt -w long.txt --set pipeline.schedule=file:eight.txt --set engine.replay=off)
timeout 300 "$heddle" run -q "${long[@]}" -o long.h5 > out 2>&1 || { fail 'the long run'; cat out; }
legs=0 limit=300 ranks=1
while :; do
  timeout 300 "${mpirun[@]}" -n $ranks "$heddle" run -q "${long[@]}" -o legs.h5 --max-wall ${limit}ms --restart auto > leg.txt 2>&1 < /dev/null
  code=$?
  [ $code = 85 ] || break
  if [ $legs = 0 ]; then
    cp eight.txt kept.txt
    sed -i '/^stage 3/s/W6 W7$/W7 W6/' eight.txt
    cmp -s kept.txt eight.txt && fail 'the table was not changed'
    timeout 60 "$heddle" run -q "${long[@]}" -o legs.h5 --restart auto > out 2>&1 < /dev/null
    [ $? -eq 3 ] && grep -q 'pipeline_digest' out || { fail 'a table that has changed'; cat out; }
    mv kept.txt eight.txt
  fi
  legs=$((legs + 1)) limit=$((limit + 100)) ranks=$((ranks % 3 + 1))
  [ $legs -lt 40 ] || break
done
[ $code = 0 ] || { fail "restarts: exit code $code"; cat leg.txt; }
[ $legs -gt 0 ] || fail 'the run was not stopped'
"$heddle" compare -q long.h5 legs.h5 || fail 'another result after restarts'
end
