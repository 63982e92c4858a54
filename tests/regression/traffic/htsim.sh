#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# htsim's topologies and connection matrices: what is made of them, times of single flows by the formula of htsim_uec, units of starts,
# the same result on two ranks, other commands, refusals. Usage: htsim.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Eight hosts at two ToR switches below one switch: a path has four cables of 1 us at 100 Gb/s, or two.
printf '%s\n' 'Nodes 8' 'Tiers 2' 'Podsize 8' '' 'Tier 0' 'Downlink_speed_Gbps 100' 'Radix_Down 4' 'Radix_Up 1' 'Oversubscribed 4' \
  'Downlink_Latency_ns 1000' '' 'Tier 1' 'Downlink_speed_Gbps 100' 'Radix_Down 2' 'Downlink_Latency_ns 1000' > two.topo
# The same with switches of 200 ns, and queues.
sed -e '/^Tier [01]/a Switch_Latency_ns 200' -e '/^Tier 0/a Queue_Up 100000' two.topo > slow.topo
printf '%s\n' '# alone on their cables' 'Nodes 8' 'Connections 4' '0->4 id 1 start 0 size 1' '1->2 id 2 start 0 size 1000000' \
  '5->1 id 3 start 100 size 4087' '6->7 id 4 start 20.5 size 4086' > four.cm
uec=(--transport uec --set flow.send_latency=0us)
run() { timeout 300 "$heddle" run "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }
# starts_and_times FILE: bytes, start and completion time of each flow [ns].
starts_and_times() { "$heddle" export "$1" --fct - | awk '{ print $5, $6, $7 }' | sort -n; }

run -n two.topo --flows four.cm "${uec[@]}" -o one.h5
grep -q '^read as  *two.topo: htsim, 2 tiers: 2 ToR switches, 1 top switch$' out || { fail 'what the topology was taken for'; cat out; }
[ ! -s err ] || { fail 'warnings'; cat err; }
# n packets of 4086 B payload and a header of 64 B over h cables: (n + h - 2) t(4150) + t(last) + 2 h us + h t(64), t(b) = 0.08 b ns;
# one packet: h t(last) + 2 h us + h t(64).
expected='1 0 8041
4086 20500 4674
4087 100000 9353
1000000 0 85596'
[ "$(starts_and_times one.h5)" = "$expected" ] || { fail 'times'; starts_and_times one.h5; }
"${mpirun[@]}" -n 2 "$heddle" run -q -n two.topo --flows four.cm "${uec[@]}" --grain 1 -o ranks.h5 || fail 'two ranks'
[ "$("$heddle" compare one.h5 ranks.h5 | grep -c '^/flows')" = 0 ] || fail 'other flows on two ranks'

run -n slow.topo --flows four.cm "${uec[@]}" -o slow.h5
grep -q 'slow.topo:7: Queue_Up and other queues of the file are not used' err || { fail 'no word of queues'; cat err; }
# Three switches there and three back, or one.
[ "$(starts_and_times slow.h5 | awk '{ print $3 }' | tr '\n' ' ')" = '9241 5074 10553 85996 ' ] || {
  fail 'latency of switches'
  starts_and_times slow.h5
}

# Other units of the same starts; a late start is doubted.
sed -e 's/start 100 /start 100000000 /' -e 's/start 20.5 /start 20500000 /' four.cm > ps.cm
run -n two.topo --flows ps.cm --start-unit ps "${uec[@]}" -o ps.h5
[ "$(starts_and_times ps.h5)" = "$expected" ] || fail 'starts in picoseconds'
printf '%s\n' 'Nodes 8' 'Connections 1' '0->4 id 1 start 3637683 size 1' > late.cm
run -n two.topo --flows late.cm "${uec[@]}" -o late.h5
grep -q 'late.cm: connections start as late as 3.637683s; .*--start-unit ps' err || { fail 'no word of a late start'; cat err; }

# Everything that takes a topology takes this one.
"$heddle" topo show two.topo > show.txt || fail 'topo show'
grep -q '^leaf  *800 Gbps down : 200 Gbps up = 4.00 : 1' show.txt || { fail 'what topo show says'; cat show.txt; }
"$heddle" partition two.topo --ranks 2 > /dev/null || fail 'partition'
"$heddle" congestion two.topo > /dev/null || fail 'congestion'

refuses() {
  local name=$1 code=$2 pattern=$3 status
  shift 3
  timeout 60 "$heddle" run "$@" > out 2> err < /dev/null
  status=$?
  [ $status = "$code" ] || fail "$name: exit code $status"
  grep -qE "^heddle: $pattern" err || { fail "$name"; cat err; }
}
sed 's/^5->1 id 3 start 100/5->1 id 3 trigger 7/' four.cm > trigger.cm
refuses 'a trigger' 3 'trigger\.cm:6: a connection that waits for trigger 7; triggers are not read yet\. Expected: ' -n two.topo --flows trigger.cm
sed 's/^0->4/9->4/' four.cm > wide.cm
refuses 'a host that the topology does not have' 3 'wide\.cm:4: source 9 is switch 9\. Expected: a GPU of the topology, 0 to 7' -n two.topo --flows wide.cm
sed 's/^Radix_Down 4/Radix_Down 3/' two.topo > odd.topo
refuses 'an inexact division' 3 'odd\.topo:7: 8 hosts \(Nodes\), divided by 3 hosts of a ToR switch' -n odd.topo --flows four.cm
printf '1\n0 2 3 100 5 0\n' > hpcc.txt
refuses 'a unit of starts in seconds' 3 '--start-unit: hpcc\.txt has starts in seconds' -n two.topo --flows hpcc.txt --start-unit ps
refuses 'a unit without flows' 2 '--start-unit: says the unit of starts in --flows' -n two.topo --trace hpcc.txt --start-unit ps
refuses 'an unknown unit' 2 "--start-unit: found 'ms'" -n two.topo --flows four.cm --start-unit ms
end
