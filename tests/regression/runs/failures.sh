#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What a run says about failures: the slowest flows name the timeouts that held them up, and no message of their own
# connection; the result has the events and what each flow lost; an event after the traffic changes no figure; progress ends
# where the run does; a monitor without a sample is a warning. The same on one rank and on two.
# Usage: failures.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo DCN-SingleToR -g 16 -gps 4 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 4 -npa 8 -psn 4 -apbw 100Gbps -app 2 -o fabric.txt 2> err || exit 1
printf '1 ALLREDUCE 8388608 DP\n1 ALLREDUCE 8388608 DP\n' > workload.txt
printf '0,0,4,4000000\n0,4,8,4000000\n0,8,12,100\n' > rows
{ echo timestamp_ns,src,dst,size_bytes; cat rows; } > trace.csv
# The leaves of GPU 4's and 8's first NICs go down for 20 us, in the midst of the traffic.
leaf=$("$heddle" topo show fabric.txt 2> /dev/null | head -1 > /dev/null; awk 'NR > 2 && $1 == 4 && $2 >= 16 {print $2}' fabric.txt | tail -1)
printf 'time,event,a,b\n40us,link_down,4,%s\n60us,link_up,4,%s\n' "$leaf" "$leaf" > failures.csv
printf 'time,event,a,b\n1s,link_down,4,%s\n2s,link_up,4,%s\n' "$leaf" "$leaf" > late.csv
run() { timeout 900 "$heddle" run -n fabric.txt "$@" > out 2> err < /dev/null || { fail "run $*: exit code $?"; cat err; }; }

# ---- during the traffic --------------------------------------------------------------------------------------------
run --trace trace.csv --failures failures.csv --set monitor.kinds=links -o failed.h5
grep -q '^recovery .* timeout' out || fail "no timeout: the test tests nothing"
grep -A1 '^slowest flows' out | grep -q 'x  server .* -> server' || fail "no slowest flow"
grep -qE '^ +waited [0-9.]+ ms for (a timeout|[0-9]+ timeouts)' out || { fail "the slowest flow does not name its timeout"; cat out; }
grep -qE '^   *[0-9.]+x  server .* lost [0-9.]+' out || { fail "no time lost"; cat out; }
"$heddle" report failed.h5 -o failed.html > /dev/null || fail "no page"
grep -qE '"warnings":\["Failure: link_down at .* after 0.040 ms, and 1 more event\.","Flows waited [0-9.]+ ms in all for [0-9]+ timeouts?, [^,]*GPU [0-9]+ to [^,]*GPU [0-9]+ the longest: [0-9.]+ ms\."' failed.html ||
  { fail "the page does not name the failure first"; grep -o '"warnings":.\{300\}' failed.html; }
"$heddle" validate failed.h5 > valid.log || { fail "not valid"; cat valid.log; }
"${mpirun[@]}" -n 2 "$heddle" run -q -n fabric.txt --trace trace.csv --failures failures.csv --set monitor.kinds=links -o two.h5 2> err ||
  { fail "two ranks"; cat err; }
"$heddle" compare failed.h5 two.h5 > diff.log || { fail "two ranks have another result"; cat diff.log; }
run -w workload.txt --failures failures.csv
if grep -q ' shared ' out; then
  # A ring: all messages from 0 to 4 are of one connection.
  awk '/x  server/ {match($0, /server .* -> server [0-9]+ \/ GPU [0-9]/); pair = substr($0, RSTART, RLENGTH); n += RLENGTH > 0}
    / shared / {if (index(substr($0, index($0, ": ")), pair)) bad = 1} END {exit bad || n == 0}' out ||
    { fail "a flow competes with messages of its own connection"; cat out; }
fi

# The step and the bus bandwidth come first, the simulator last; a ring that shares with itself alone has no slow flows.
printf '1 ALLREDUCE 8388608 TP\n' > tp.txt
run -w tp.txt
[ "$(grep -n '^job 0 .* us; its' out | cut -d: -f1)" -lt "$(grep -n '^simulated' out | cut -d: -f1)" ] || { fail "the step is not first"; cat out; }
[ "$(grep -n '^collectives' out | cut -d: -f1)" -lt "$(grep -n '^flows .*finished' out | cut -d: -f1)" ] || fail "bus bandwidth is not first"
[ "$(grep -n '^speed' out | cut -d: -f1)" -gt "$(grep -n '^digest of flows' out | cut -d: -f1)" ] || fail "the simulator is not last"
grep -q '^slowest flows' out && { fail "slow flows within servers, which nobody else shares"; cat out; }
printf '0,0,4,4000000\n0,0,8,4000000\n0,0,12,4000000\n' > fan.csv
run --trace fan.csv
grep -q '^slowdown .* worst [2-9]' out || { fail "no fan-out: the test tests nothing"; cat out; }
grep -q '^slowest flows' out && { fail "fan-out counts as slow flows"; cat out; }
printf '0,4,0,4000000\n0,8,0,4000000\n' > in.csv
run --trace in.csv
grep -q '^slowest flows' out || { fail "fan-in is no loss to others"; cat out; }

# ---- after the traffic ---------------------------------------------------------------------------------------------
same=(--trace trace.csv --set monitor.kinds=links,queues)
run "${same[@]}" -o plain.h5
grep -v '^speed\|^memory\|^blocked\|^result\|estimate\|^failures\|^links\|event' out > plain.out
run "${same[@]}" --failures late.csv -o late.h5
grep -v '^speed\|^memory\|^blocked\|^result\|estimate\|^failures\|^links\|event' out > late.out
[ "$(grep '^simulated' plain.out)" = "$(grep '^simulated' late.out)" ] || fail "an event after the traffic stretches the run: $(grep '^simulated' late.out)"
"$heddle" compare plain.h5 late.h5 > diff.log
grep -q 'simulated_ps\|/monitors\|/tier_load\|/flows' diff.log && { fail "an event after the traffic changes results"; cat diff.log; }
grep -q 'failures' diff.log || fail "the events are not in the result"

# ---- monitors ------------------------------------------------------------------------------------------------------
run --trace trace.csv --set monitor.kinds=pfc,links -o monitors.h5
grep -q 'warning: monitor pfc has no sample' err || { fail "no warning of a monitor without a sample"; cat err; }
grep -q 'monitor links' err && fail "a warning of a monitor with samples"
run --trace trace.csv --set monitor.kinds=all -o all.h5
grep -q 'warning: monitor' err && { fail "a warning of a monitor that nobody named"; cat err; }
run --trace trace.csv --set monitor.kinds=all --set monitor.start=1s -o none.h5
grep -q 'warning: monitor links has no sample' err || { fail "no warning though no monitor has a sample"; cat err; }

# ---- a flow that has no path when it starts ------------------------------------------------------------------------
printf '4 1 0 1 3 A100\n3\n0 3 100Gbps 500ns 0\n1 3 100Gbps 500ns 0\n2 3 100Gbps 500ns 0\n' > star.txt
printf '0us,link_down,2,3\n100us,link_up,2,3\n' > down_at_first.csv
echo '0,0,2,100000' > one_flow.csv
for flows in all none; do
  "$heddle" run -q -n star.txt --trace one_flow.csv --failures down_at_first.csv --record flows=$flows -o pathless_$flows.h5 2> err || fail "pathless: exit code $?"
  "$heddle" validate pathless_$flows.h5 > out 2>&1 || { fail "a flow without a path at its start: not valid"; cat out; }
done

# ---- h5py ----------------------------------------------------------------------------------------------------------
if ! /usr/bin/python3 -c 'import h5py' 2> /dev/null; then
  echo "!!! no python3-h5py: the tables are NOT looked at !!!"
  end
fi
/usr/bin/python3 - << 'END' || fail "h5py finds something"
import h5py
failed, late, plain = (h5py.File(name + ".h5") for name in ("failed", "late", "plain"))
assert [e.decode() for e in failed["failures/event"]] == ["link_down", "link_up"], list(failed["failures/event"])
assert list(failed["failures/time_ps"]) == [40_000_000, 60_000_000]
assert sum(failed["recovery/timeouts"]) > 0 and max(failed["recovery/waited_ps"]) > 4_000_000_000
assert sum(failed["recovery/resent_bytes"]) > 0
assert len(plain["failures/event"]) == 0 and len(late["failures/event"]) == 2
assert len(plain["recovery/src"]) == 0
for result in (failed, late, plain):
    done = result["flows/fct_ps"][:] >= 0
    assert (result["flows/fct_ps"][done] >= result["flows/ideal_ps"][done]).all() and (result["flows/ideal_ps"][done] > 0).all()
    end = result.attrs["simulated_ps"]
    assert max(result["monitors/links/time_ps"]) <= end, "a sample after the end"
    assert len(set(result["monitors/links/time_ps"])) > 20
END
end
