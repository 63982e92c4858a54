#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A run's estimates of memory, packet-hops and time: their text, the limits at which the run is refused, and their accuracy. "large" has
# large runs, and each small one on one rank and on two.
# Usage: estimate.sh HEDDLE small|large MPIRUN...
set -u
heddle=$1 size=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
count=0
# is NAME EXPECTED FOUND
is() { count=$((count + 1)); [ "$2" = "$3" ] || fail "$1: found '$3'. Expected: '$2'"; }
# has NAME PATTERN FILE
has() { count=$((count + 1)); grep -Eq -- "$2" "$3" || { fail "$1: no /$2/ in:"; head -60 "$3"; }; }
# within NAME LOW VALUE HIGH
within() {
  count=$((count + 1))
  awk -v a="$2" -v b="$3" -v c="$4" 'BEGIN { exit !(b != "" && a + 0 <= b + 0 && b + 0 <= c + 0) }' ||
    fail "$1: found '$3'. Expected: from $2 to $4"
}
# permutation GPUS BYTES: every GPU sends to one half the fabric and three rails on
permutation() {
  awk -v n="$1" -v size="$2" 'BEGIN { print "timestamp_ns,src,dst,size_bytes"; for (i = 0; i < n; ++i) print "0," i "," (i + n / 2 + 3) % n "," size }'
}
# off NAME FILE: a share of the line "estimate was", in percent
off() { sed -n "s/^estimate was .*$1 \([-+][0-9.]*\) %.*/\1/p" "$2"; }
# named FILE: how far the named memory is from the process's, in percent
named() { sed -n 's/^  since the input was read .*: \([-+][0-9.]*\) %$/\1/p' "$1"; }

# check NAME RANKS ARGUMENTS...: runs with a report; the estimate of packet-hops is exact, that of memory sensible, and the memory
# that has a name is the process's.
check() {
  local name=$1 ranks=$2
  shift 2
  local run=("$heddle" run "$@" --memory-report)
  [ "$ranks" = 1 ] || run=("${mpirun[@]}" -n "$ranks" "${run[@]}")
  "${run[@]}" > out 2> err
  is "$name, $ranks ranks: exit code" 0 $?
  within "$name, $ranks ranks: named memory [%]" -10 "$(named out)" "${named_most:-10}"
  within "$name, $ranks ranks: packet-hops [%]" -2 "$(off packet-hops out)" 2
  # What is replayed has no events, and messages of collectives that are replayed whole are not open.
  local most_memory=150
  grep -q '^replay' out || { most_memory=80; within "$name, $ranks ranks: events [%]" -40 "$(off events out)" 60; }
  within "$name, $ranks ranks: memory [%]" -15 "$(off memory out)" "$most_memory"
  echo "$name, $ranks ranks: $(grep '^estimate was' out); named $(named out) %"
}

# in_bytes: "2.5 MiB" as a number.
in_bytes() { awk '{ print $1 * ($2 == "GiB" ? 1073741824 : $2 == "MiB" ? 1048576 : $2 == "KiB" ? 1024 : 1) }'; }
# collectives PASSES: 16 GPUs with 2,000 collectives a pass, which are announced, and leave the memory at every flush. Their rows are
# all alike and compress better than most, so that the result may be a fifth of what is announced.
collectives() {
  [ -e sixteen.topo ] || "$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o sixteen.topo > out || fail 'topology of 16 GPUs'
  printf '200 ALLREDUCE 65536 DP\n50 ALLTOALL 65536 DP\n' > many.txt
  # Records are counted when there are most of them, and are written since: how many that are depends on when the flush comes.
  local named_most=30
  check "$1 passes of 2,000 collectives" 1 -n sixteen.topo -w many.txt --passes "$1" --record flows=none --record timeline=none \
    --set engine.replay=off -o c.h5 --force
  within "$1 passes: announced over real size" 1 "$(sed -n 's/^result *about \([0-9.]* [KMG]*i*B\) .*/\1/p' out | in_bytes |
    awk -v real="$(stat -c %s c.h5)" '{ print $1 / real }')" 5
  has "$1 passes: announced" '^result +about .* \(0 flows, [0-9.]+ [kM] collectives\)' out
}

# Small runs: their fabrics and traffic.
cast=(--set requests.scheduler=cast-stripe --set nic.qps_per_connection=4)
"$heddle" topo AlibabaHPN-SinglePlane -g 128 -o small.topo > out || fail 'topology of 128 GPUs'
"$heddle" topo AlibabaHPN-SinglePlane -g 1024 -o middle.topo > out || fail 'topology of 1,024 GPUs'
echo '1 ALLREDUCE 4194304 DP' > dp.txt
echo '1 ALLTOALL 4194304 EP' > all_to_all.txt
permutation 128 1000000 > small.csv
permutation 1024 1000000 > middle.csv

if [ "$size" = large ]; then
  for ranks in 1 2; do
    for fabric in small middle; do
      check "DP AllReduce, $fabric" "$ranks" -n $fabric.topo -w dp.txt --set algorithm.allreduce=ring
      check "permutation, $fabric" "$ranks" -n $fabric.topo --trace $fabric.csv -o $fabric.h5 --force
    done
    check 'AllToAll, small' "$ranks" -n small.topo -w all_to_all.txt
    check 'permutation, small, CAST' "$ranks" -n small.topo --trace small.csv "${cast[@]}"
    check 'DP AllReduce, small, CAST' "$ranks" -n small.topo -w dp.txt --set algorithm.allreduce=ring --set collective.connections=lasting "${cast[@]}"
    check 'AllToAll, small, HPCC' "$ranks" -n small.topo -w all_to_all.txt --set CC_MODE=3
  done
  collectives 100
  collectives 1000
  "$heddle" topo AlibabaHPN-DualPlane -o hpn.topo > out || fail 'topology of 15,360 GPUs'
  echo '1 ALLREDUCE 262144 TP' > tp.txt
  check 'TP AllReduce, 15,360 GPUs' 1 -n hpn.topo -w tp.txt --record flows=none
  check 'TP AllReduce, 15,360 GPUs' 2 -n hpn.topo -w tp.txt --record flows=none
  permutation 15360 100000 > permutation.csv
  check 'permutation, 15,360 GPUs' 1 -n hpn.topo --trace permutation.csv
  # 59 million flows are counted, not made.
  echo '1 ALLREDUCE 67108864 DP' > dp.txt
  start=$(date +%s%N)
  "$heddle" run -n hpn.topo -w dp.txt --like simai --estimate > out 2> err
  is 'DP AllReduce, 15,360 GPUs: exit code' 0 $?
  within 'DP AllReduce, 15,360 GPUs: seconds' 0 "$(awk "BEGIN { print ($(date +%s%N) - $start) / 1e9 }")" 10
  has 'its flows' '^flows +59 M' out
  has 'what would be faster' '^faster +--backend flow ' out
  "$heddle" run -n hpn.topo -w dp.txt --backend flow --estimate > out 2> err
  has 'what would be faster than messages' '^faster +--set flow.detail=streams ' out
else
  # ---- the estimate ----------------------------------------------------------------------------------------------------
  "$heddle" run -n small.topo -w dp.txt -o r.h5 --estimate > out 2> err
  is 'estimate: exit code' 0 $?
  is 'estimate: nothing is written' '' "$(ls r.h5* 2> /dev/null)"
  for line in 'flows +[0-9.]+' 'packet-hops +[0-9.]+' 'events +[0-9.]+' 'time +(about|under)' 'result +about' 'memory +MiB' '  ports +[0-9.]+' \
    '  sum +[0-9.]+' 'available +[0-9.]+'; do has 'estimate' "^$line" out; done
  ! grep '^faster' out || fail 'a short run names what would be faster'
  "${mpirun[@]}" -n 2 "$heddle" run -n small.topo -w dp.txt --estimate > out 2> err
  is 'estimate on 2 ranks: exit code' 0 $?
  has 'estimate on 2 ranks' '^memory +MiB +all ranks +rank 0 +rank 1$' out
  "$heddle" run -n small.topo -w dp.txt --estimate -q > out 2> err
  is 'estimate, quiet' '' "$(cat out err)"
  touch r.h5
  "$heddle" run -n small.topo -w dp.txt -o r.h5 --estimate > out 2> err
  is 'estimate beside a result: exit code' 0 $?
  rm r.h5

  # ---- before and after a run --------------------------------------------------------------------------------------------
  "$heddle" run -n small.topo -w dp.txt -o r.h5 --json-log run.ndjson > out 2> err
  has 'before the run' '^expected +[0-9.]+ k? ?[MGk]? ?packet-hops, ' out
  has 'after the run' '^estimate was +packet-hops \+0\.0 %' out
  has 'log: what is expected' '"event":"start".*"estimate":\{"flows":[0-9]+,"packet_hops":[0-9]+' run.ndjson
  has 'log: how far it was off' '"event":"end".*"estimate_error":\{"packet_hops":0\.0,' run.ndjson
  "$heddle" validate r.h5 > out 2>&1
  is 'the result' 0 $?
  if command -v h5dump > /dev/null; then
    h5dump -a /run/estimated_packet_hops r.h5 > out 2>&1
    has 'the result: what was expected' '\(0\): [1-9][0-9]+' out
  fi

  # ---- where the memory is -----------------------------------------------------------------------------------------------
  check 'DP AllReduce, small' 1 -n small.topo -w dp.txt --set algorithm.allreduce=ring
  check 'DP AllReduce, middle' 1 -n middle.topo -w dp.txt --set algorithm.allreduce=ring
  check 'permutation, middle' 2 -n middle.topo --trace middle.csv -o middle.h5 --force
  check 'AllToAll, small' 2 -n small.topo -w all_to_all.txt
  check 'permutation, small, CAST' 2 -n small.topo --trace small.csv "${cast[@]}"
  check 'DP AllReduce, small, CAST' 1 -n small.topo -w dp.txt --set algorithm.allreduce=ring --set collective.connections=lasting "${cast[@]}"
  check 'AllToAll, small, HPCC' 1 -n small.topo -w all_to_all.txt --set CC_MODE=3

  collectives 10

  # ---- too little memory -------------------------------------------------------------------------------------------------
  rm -f r.h5*
  # 840,000 flows do not fit beside what the libraries map.
  permutation 128 1000 > one.csv
  sed 1d one.csv > rows.csv
  for _ in $(seq 8); do cat rows.csv rows.csv rows.csv > more.csv; mv more.csv rows.csv; done
  { head -1 one.csv; cat rows.csv; } > many.csv
  # What the libraries map differs by machine: the least that lets it come as far as the estimate, in steps of a tenth of what that says.
  for limit in $(seq 700000 50000 2500000); do
    (ulimit -v "$limit"; "$heddle" run -n small.topo --trace many.csv -o r.h5 --record flows=all --json-log log.ndjson) > out 2> err
    code=$?
    [ $code != 0 ] || break
    grep -q '^heddle: out of memory' err || break
  done
  is 'refusal: exit code' 7 $code
  is 'refusal: one line' 1 "$(wc -l < err)"
  has 'refusal: words' '^heddle: too little memory: this process needs [0-9.]+ [MG]iB more, by the estimate, and there are [0-9.]+ [KMG]iB \(ulimit -v\)\. Most of .* is for ' err
  is 'refusal: nothing is written' '' "$(ls r.h5* 2> /dev/null)"
  has 'refusal: log' '"event":"error".*"exit_code":7' log.ndjson
  (ulimit -v 1300000; "$heddle" run -n small.topo -w dp.txt) > out 2> err
  is 'an ordinary run is not refused' 0 $?
fi
echo "$count checks"
end
