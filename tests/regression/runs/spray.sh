#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# nvlink.spray: NVSwitches of a server act as one, on packets and closed forms, on any number of ranks, until one of them fails.
# Usage: spray.sh HEDDLE MPIRUN [FLAGS...]
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
fabric=(Spectrum-X -g 16 -gps 8 -gt GB200 --oversubscription 1)
"$heddle" topo "${fabric[@]}" -nsps 18 -nvbw 300Gbps -o many.txt > /dev/null 2>&1 || exit 1
"$heddle" topo "${fabric[@]}" -nsps 1 -nvbw 5400Gbps -o one.txt > /dev/null 2>&1 || exit 1
printf '1 SENDRECV 8388608 DP\n1 ALLTOALL 8388608 DP\n1 ALLREDUCE 8388608 DP\n1 ALLREDUCE 65536 DP\n' > work.txt
# run FABRIC NAME ARGUMENTS...
run() { "$heddle" run -n "$1.txt" -w work.txt "${@:3}" -o "$2.h5" --force > "$2.txt.log" 2> "$2.err" || { fail "$*"; cat "$2.err"; }; }
times() { awk '/^simulated|^  *[A-Z]+ +DP /' "$1.txt.log"; }
run many spray
run one one
diff <(times spray) <(times one) || fail '18 NVSwitches are not one of 18 times the rate'
grep -qx 'NVLinks          18 NVSwitches act as one in 2 servers (nvlink.spray)' spray.txt.log || { fail 'no line NVLinks'; cat spray.txt.log; }
grep -q '^like .*nvlink.spray=true' spray.txt.log || fail 'the line like does not name it'
grep -q 'nvlink.spray\|^NVLinks' one.txt.log && fail 'one NVSwitch is nothing to spread over'
# Within a server a message has the rate of all links, or of one.
"$heddle" topo Spectrum-X -g 8 -gps 8 -gt GB200 --oversubscription 1 -nsps 18 -nvbw 300Gbps -o eight.txt > /dev/null 2>&1 || exit 1
printf 'MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 SENDRECV 67108864 0\n' > pair.txt
us() { "$heddle" run -n eight.txt -w pair.txt "$@" 2> /dev/null | awk '/^simulated/{print $2}'; }
awk -v all="$(us)" -v one="$(us --set nvlink.spray=false)" 'BEGIN {exit !(one > 8 * all && one > 1700)}' || fail 'a message alone'
run many simai --like simai
grep -q '^NVLinks' simai.txt.log && fail 'SimAI spreads nothing'

# NVSwitches hold what waits: nothing is dropped where two racks exchange all, be they of 18 NVSwitches or of one.
printf 'MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 ALLTOALL 1048576 0\n' > exchange.txt
for nvswitches in '' '-nsps 1 -nvbw 5508Gbps'; do
  "$heddle" topo ScaleUp -g 144 $nvswitches -o racks.txt --force > /dev/null 2>&1 || exit 1
  "$heddle" run -n racks.txt -w exchange.txt > racks.log 2> /dev/null || fail "two racks $nvswitches"
  grep -q '^drops' racks.log && { fail "two racks drop packets $nvswitches"; cat racks.log; }
done
"$heddle" run -n racks.txt -w exchange.txt --set nvlink.lossless=false > dropped.log 2> /dev/null || fail 'two racks that drop'
grep -q '^drops' dropped.log || { fail 'nvlink.lossless=false drops nothing'; cat dropped.log; }

# Closed forms know the same links.
run many forms --backend analytical
run one form --backend analytical
diff <(times forms) <(times form) || fail 'closed forms differ'

# The same answer on two ranks.
"${mpirun[@]}" -n 2 "$heddle" run -n many.txt -w work.txt > ranks.log 2> ranks.err || { fail 'two ranks'; cat ranks.err; }
[ "$(grep '^digest' spray.txt.log)" = "$(grep '^digest' ranks.log)" ] || fail 'two ranks, another digest'

# A failure of a NIC's link leaves them one; one of an NVSwitch does not.
printf 'time,event,a,b,rate\n50us,link_rate,0,52,200Gbps\n' > nic.csv
printf 'time,event,a,b\n50us,link_down,0,16\n' > nvlink.csv
run many nic --failures nic.csv
grep -q '^NVLinks' nic.txt.log || fail 'a NIC fails, and they are no longer one'
run many broken --failures nvlink.csv
grep -q '^NVLinks' broken.txt.log && fail 'an NVLink fails, and they are one'
grep -q 'nvlink.spray: NVLinks fail' broken.err || { fail 'no warning'; cat broken.err; }
end
