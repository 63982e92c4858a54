#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A ring of switches whose buffers fill in a cycle: the run ends by itself with exit code 4 and one message that describes
# the cycle, the same on 1, 2 and 3 ranks, and writes a complete result with the cycle and the flows that PFC holds.
# Usage: deadlock.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# GPU i hangs on switch 7 + i; each sends to the third on, so every link of the ring is wanted by three flows, all one way round.
awk 'BEGIN {
  print "14 1 0 7 14 X"; print "7 8 9 10 11 12 13"
  for (i = 0; i < 7; ++i) printf "%d %d 100Gbps 1us 0\n", i, 7 + i
  for (i = 0; i < 7; ++i) printf "%d %d 100Gbps 1us 0\n", 7 + i, 7 + (i + 1) % 7 }' > ring.txt
awk 'BEGIN { print "timestamp_ns,src,dst,size_bytes"; for (i = 0; i < 7; ++i) printf "0,%d,%d,18000000\n", i, (i + 3) % 7 }' > trace.csv

for ranks in 1 2 3; do
  launch=()
  [ $ranks = 1 ] || launch=("${mpirun[@]}" -n $ranks)
  timeout 900 "${launch[@]}" "$heddle" run -n ring.txt --trace trace.csv --set CC_MODE=0 --set HAS_WIN=0 --set BUFFER_SIZE=1 \
    -o $ranks.h5 > $ranks.out 2> $ranks.err < /dev/null
  code=$?
  [ $code = 4 ] || fail "$ranks ranks: exit code $code"
  grep '^heddle: \|^  GPU ' $ranks.err > $ranks.message  # without what mpirun says
  grep -q '^heddle: 7 flows did not finish: deadlock, .*: switch 0 port 1 -> switch 1 port 2 -> .* -> switch 0 port 1 (priority 3)$' \
    $ranks.message || fail "$ranks ranks: the cycle is not spelled out"
  [ "$(grep -c '^  GPU [0-6] -> GPU [0-6] (17.17 MiB), source port 10000: paused by PFC$' $ranks.message)" = 7 ] ||
    fail "$ranks ranks: not every flow is named as paused"
  cmp 1.message $ranks.message || fail "$ranks ranks: another message"
  grep -q '^worst root cause ' $ranks.out || fail "$ranks ranks: the summary names no root cause"
  "$heddle" validate $ranks.h5 > valid.log || { fail "$ranks ranks: no valid result"; cat valid.log; }
  "$heddle" compare 1.h5 $ranks.h5 > diff.log || { fail "$ranks ranks: another result"; cat diff.log; }
done
# The cycle that the message has is what the result keeps, and what a reader of the report sees first.
cycle=$(sed -n 's/^heddle: .* wait for each other: //p' 1.message)
if "$heddle" report 1.h5 -o page.html 2> report.log; then
  sed 's/\\u003e/>/g' page.html | grep -qF "\"warnings\":[\"The run ended in a deadlock, a cycle of paused ports that wait for each other: $cycle" ||
    fail "the report does not begin with the deadlock"
elif grep -q 'built without uPlot' report.log; then
  echo "!!! built without uPlot: what the report says of a deadlock is NOT tested !!!"
else
  fail "report: $(cat report.log)"
fi
if command -v h5dump > /dev/null; then
  h5dump -a /deadlock 1.h5 | tr -d '\n\\' | tr -s ' ' | grep -qF "$(tr -s ' ' <<< "$cycle")" || fail "the attribute is not the cycle"
fi
rm -f page.html ./*.log
[ "$(LC_ALL=C ls)" = "$(printf "%s\n" {1,2,3}.{err,h5,message,out} ring.txt trace.csv | LC_ALL=C sort)" ] || { fail "left over:"; ls; }
[ $failures = 0 ] || cat 1.err
head -1 1.message
exit $((failures > 0))
