#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What repeats is replayed, and no result changes. Usage: replay.sh HEDDLE MPIRUN...
set -u
heddle=$1
mpirun=("${@:2}")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo spectrum-x -g 32 -gt A100 --oversubscription 1 -o fabric.txt > /dev/null 2>&1 || exit 1
cat > step.txt << 'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 32 checkpoints: 0 checkpoint_initiates: 0
3
a -1 1000 ALLREDUCE 1048576 1000 NONE 0 1000 ALLREDUCE 4194304 100
b -1 1000 ALLREDUCE 1048576 1000 NONE 0 1000 NONE 0 100
c -1 1000 ALLREDUCE 1048576 1000 NONE 0 1000 NONE 0 100
END
# ran OUTPUT [FLAG...]: on one rank.
ran() { "$heddle" run -n fabric.txt -w step.txt -o "$1.h5" --force "${@:2}" > "$1.txt" 2> "$1.err" || { fail "$*: exit $?"; cat "$1.err"; }; }
# same OUTPUT: its results are those of the run without replays.
same() { "$heddle" compare off.h5 "$1.h5" > compare.txt 2>&1 || { fail "$1: other results"; head -20 compare.txt; }; }
# share OUTPUT LEAST: percent of the packet-hops that were not simulated.
share() {
  local share
  share=$(awk '$1 == "replay" { print $2 }' "$1.txt")
  awk -v share="${share:-0}" -v least="$2" 'BEGIN { exit !(share >= least) }' || { fail "$1: $share % replayed, not $2"; cat "$1.txt"; }
}
ran off --set engine.replay=off
grep -q '^replay' off.txt && fail 'a run without replays speaks of them'
# By itself: leaves carry so much that all is one domain.
ran auto
share auto 60
same auto
grep -q '^engine .* 1 domains' auto.txt || fail 'no single domain'
grep -q 'or less (what repeats is replayed)' auto.txt || fail 'no word of replays in what is expected'
# Servers and leaves of this fabric are one segment, which the second rank leaves to the first; apart it would repeat less.
"${mpirun[@]}" -n 2 "$heddle" run -n fabric.txt -w step.txt -o auto2.h5 > auto2.txt 2> auto2.err || { fail 'two ranks'; cat auto2.err; }
same auto2
share auto2 60
grep -q '^engine .* 1 domains' auto2.txt || fail 'two ranks, no single domain'
grep -q 'engine.replay keeps servers .* 1 of the 2 ranks have nothing to do' auto2.err || { fail 'no word of a rank without a domain'; cat auto2.err; }
# Begun on one rank, ended on two, with and without replays.
for replay in auto off; do
  "$heddle" run -n fabric.txt -w step.txt -o moved-$replay.h5 --max-wall 1ms > moved.txt 2> moved.err
  code=$?
  [ $code -eq 85 ] || { fail "a run that is to end at once: exit $code"; cat moved.err; }
  "${mpirun[@]}" -n 2 "$heddle" run -n fabric.txt -w step.txt -o moved-$replay.h5 --set engine.replay=$replay --restart auto > moved.txt 2> moved.err || { fail "restart, $replay"; cat moved.err; }
  grep -q '1 of the 2 ranks have nothing to do' moved.err || { fail 'no word of an idle rank'; cat moved.err; }
  same moved-$replay
done
# Two segments, one a rank; ended on three ranks, and on one.
"$heddle" topo spectrum-x -g 32 -gt A100 --oversubscription 1 -npa 2 -o segments.txt > /dev/null 2>&1 || exit 1
# segments N OUTPUT [FLAG...]: on N ranks, a job on each segment.
segments() {
  "${mpirun[@]}" -n "$1" "$heddle" run -n segments.txt --job workload=half.txt,gpus=0-15 --job workload=half.txt,gpus=16-31 -o "$2.h5" "${@:3}" > "$2.txt" 2> "$2.err"
}
sed 's/all_gpus: 32/all_gpus: 16/' step.txt > half.txt
segments 1 parts-off --set engine.replay=off || fail 'two jobs'
for ranks in 1 3; do
  segments 2 parts$ranks --max-wall 1ms
  [ $? -eq 85 ] || { fail 'a run of two jobs that is to end at once'; cat parts$ranks.err; }
  grep -q '^engine .* 2 ranks, 2 domains' parts$ranks.txt || { fail 'no domain a segment'; cat parts$ranks.txt; }
  segments $ranks parts$ranks --restart auto || { fail "two segments, at last on $ranks ranks"; cat parts$ranks.err; }
  "$heddle" compare parts-off.h5 parts$ranks.h5 > compare.txt 2>&1 || { fail "two segments, $ranks ranks: other results"; head -20 compare.txt; }
done
grep -q 'the run began in 2 domains; 1 of the 3 ranks have nothing to do' parts3.err || { fail 'no word of a third rank'; cat parts3.err; }
# Nothing of the kind: AllReduces of all GPUs.
printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 4194304 0\n' > world.txt
"$heddle" run -n fabric.txt -w world.txt > world.out 2>&1 || fail 'an AllReduce'
grep -q '^replay' world.out && fail 'replays are tried in rings through all GPUs'
ran on --set engine.replay=on --grain 0
share on 60
same on
ran apart --set engine.replay=on --grain 1
share apart 40
same apart
"${mpirun[@]}" -n 2 "$heddle" run -n fabric.txt -w step.txt -o two.h5 --set engine.replay=on > two.txt 2> two.err || { fail 'two ranks'; cat two.err; }
share two 40
same two
# Checkpoints in the middle of episodes.
ran often --set engine.replay=on --grain 0 --checkpoint-at every:20us
same often
grep -q 'rebuilt' often.txt || fail 'no word of rebuilt episodes'
# Little memory.
ran small --set engine.replay=on --set replay.memory=1 --grain 0
same small

# Why nothing is replayed.
why() { # TEXT FLAG...
  ran why --set engine.replay=on "${@:2}"
  grep -q "^replay  *none: $1" why.txt || { fail "no '$1': ${*:2}"; grep '^replay' why.txt; }
}
why 'monitors sample the links' --set monitor.kinds=links
why 'links fail' --set 'failure.link_down=5 36 44'
why 'congestion control HPCC heeds every ACK' --set CC_MODE=3
why 'flows are Ultra Ethernet' --set transport.protocol=uec

refused() { # TEXT FLAG...
  "$heddle" run -n fabric.txt -w step.txt "${@:2}" > refused.txt 2>&1
  local code=$?
  [ $code -eq 2 ] || [ $code -eq 3 ] || fail "exit $code: ${*:2}"
  grep -q -- "$1" refused.txt || { fail "no '$1': ${*:2}"; cat refused.txt; }
}
refused 'off' --set engine.replay=yes
refused '65536' --set replay.memory=0
end
