#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A run with everything on (DCQCN, PFC, ECN, links and nodes that fail, all monitors) writes the same file on 1, 2 and 3
# ranks and by ns-3's engines, leaves no part file, and reports why flows cannot end (exit code 4).
# "some": each kind of monitors by two of these ways; "all": by all of them.
# Usage: same_monitors.sh HEDDLE CASES some|all MPIRUN...    (CASES is not needed; MPIRUN: words that start ranks, without -n)
set -u
heddle=$1 which=$3
shift 3
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# ---- inputs: 32 GPUs with two leaves each; all GPUs to the next server, and 24 to GPU 0 ---------------------------------
"$heddle" topo DCN-DualToR -g 32 -gps 8 -npa 8 -psn 8 -app 8 -o topo.txt 2> /dev/null || { echo "no topology"; exit 1; }
switches=$(awk 'NR == 1 {print $1 - $4}' topo.txt)  # the first id of a switch
leaf=$(awk -v first=$switches 'NR > 2 && $1 == 0 && $2 >= first {print $2; exit}' topo.txt)
spine=$(awk -v leaf=$leaf 'NR > 2 && $1 == leaf {print $2; exit}' topo.txt)
[ -n "$leaf" ] && [ -n "$spine" ] || { echo "no leaf and spine"; exit 1; }
awk 'BEGIN {
  print "timestamp_ns,src,dst,size_bytes"
  for (g = 0; g < 32; ++g) printf "0,%d,%d,400000\n", g, (g + 8) % 32
  for (g = 8; g < 32; ++g) printf "1000,%d,0,200000\n", g
}' > trace.csv
cat > fails.csv << END
time,event,a,b,rate,cable
10us,link_down,$leaf,$spine
11us,link_rate,1,$leaf,100Gbps
14us,link_down,0,$leaf
20us,node_down,$((spine + 1))
45us,link_up,$leaf,$spine
50us,link_up,0,$leaf
60us,node_up,$((spine + 1))
END
input=(-q -n topo.txt --trace trace.csv --set CC_MODE=1 --set RP_TIMER=10 --set switch.alpha_shift=10
  --set 'KMIN_MAP=3 100Gbps 20 200Gbps 20 400Gbps 20' --set 'KMAX_MAP=3 100Gbps 100 200Gbps 100 400Gbps 100'
  --set failure.convergence=3us --set reliability.timeout=100us)
monitors=(--set monitor.kinds=all --set monitor.queue_interval=1us --set monitor.link_interval=2us --set monitor.pair_interval=3us)
texts=(fct paths qlen bw rate cnp pfc)

# launch NAME ENGINE RANKS FLAGS...: into NAME.h5; the exit code.
launch() {
  local name=$1 engine=$2 ranks=$3 command=("$heddle")
  shift 3
  [ "$ranks" = 1 ] || command=("${mpirun[@]}" -n "$ranks" "$heddle")
  timeout 900 "${command[@]}" run "${input[@]}" "$@" --engine "$engine" -o "$name.h5" > "$name.log" 2>&1 < /dev/null
}
export_all() {
  local flags=()
  for text in "${texts[@]}"; do flags+=(--$text "$1.$text"); done
  "$heddle" export "${flags[@]}" --force "$1.h5" > /dev/null 2>&1
}
nothing_left() { [ -z "$(find . -name '*.part*')" ] || fail "$1: left $(find . -name '*.part*' | tr '\n' ' ')"; }

# same NAME RUNS MONITOR-FLAGS...: the serial run against these, or all.
same() {
  local what=$1 runs=$2 run
  shift 2
  [ "$which" = some ] || runs='domain.2 domain.3 ns3.2 ns3-null.3'
  rm -f ./*.h5
  launch oracle domain 1 --failures fails.csv "$@" || { fail "$what: the oracle ended with $?"; cat oracle.log; return; }
  export_all oracle || { fail "$what: no exports of the oracle"; return; }
  for text in "${texts[@]}"; do [ -s "oracle.$text" ] || fail "$what: the oracle's $text is empty"; done
  for run in $runs; do
    launch $run ${run%.*} ${run#*.} --failures fails.csv "$@" || { fail "$what, $run: exit code $?"; tail -3 $run.log; continue; }
    nothing_left "$what, $run"
    export_all $run || fail "$what, $run: no exports"
    for text in "${texts[@]}"; do cmp oracle.$text $run.$text || fail "$what, $run: $text differs"; done
    "$heddle" compare oracle.h5 $run.h5 > diff.log || { fail "$what, $run: the file differs"; head -40 diff.log; }
  done
  echo "$what: $(wc -l < oracle.fct) flows, $(wc -l < oracle.pfc) pauses and resumes, $(wc -l < oracle.rate) rates, the same by $runs"
}
same 'monitors at intervals' 'domain.2 ns3-null.3' "${monitors[@]}"
same 'monitors on change' 'domain.3 ns3.2' "${monitors[@]}" --set monitor.on_change=true

# A difference must be seen: without the failures the flows end at other times.
launch other domain 1 "${monitors[@]}" --set monitor.on_change=true || fail "the run without failures"
"$heddle" compare oracle.h5 other.h5 --quiet && fail "heddle compare sees no difference at all"

# ---- flows that cannot end ---------------------------------------------------------------------------------------------
# stalls NAME REASON RANKS FLAGS...: exit code 4, ten flows at most are named with reasons, this one at least once, and the
# result is whole.
stalls() {
  local what="$1 on $3 ranks" reason=$2 ranks=$3 code=0 unfinished named
  shift 3
  rm -f ./*.h5
  launch stall domain $ranks --failures fails.csv "${monitors[@]}" "$@" || code=$?
  [ $code = 4 ] || { fail "$what: exit code $code, expected 4"; cat stall.log; return; }
  [ "$(grep '^heddle: ' stall.log | grep -vc '^heddle: warning: monitor ')" = 1 ] || fail "$what: expected one message"
  unfinished=$(sed -nE 's/^heddle: ([0-9]+) flows? did not finish.*dropped.*/\1/p' stall.log)
  named=$(grep -cE "^  .*GPU [0-9]+ -> .*GPU [0-9]+ \(.*\), source port [0-9]+: (no route|gave up)" stall.log)
  grep -q ": $reason" stall.log || fail "$what: no flow with the reason '$reason'"
  [ -n "$unfinished" ] && [ "$unfinished" -gt 0 ] || { fail "$what: no count of flows"; cat stall.log; return; }
  [ "$named" = $((unfinished < 10 ? unfinished : 10)) ] || { fail "$what: $unfinished unfinished, $named named"; cat stall.log; }
  [ "$unfinished" -le 10 ] || grep -q "^  \.\.\. and $((unfinished - 10)) more" stall.log || fail "$what: the rest is not counted"
  nothing_left "$what"
  export_all stall || fail "$what: the result cannot be read"
  [ "$(wc -l < stall.fct)" = $((56 - unfinished)) ] || fail "$what: $(wc -l < stall.fct) of 56 flows in fct.txt"
  echo "$what: $unfinished flows, $named named: $reason"
}
printf '5us,node_down,0\n' > fails.csv
for ranks in 1 2; do
  [ "$which $ranks" = 'some 1' ] || stalls 'a GPU down for good' 'no route to its destination' $ranks
  # Routes learn of it too late for the queue pairs.
  [ "$which $ranks" = 'some 2' ] || stalls 'a GPU down, routes late' 'gave up: too many timeouts' $ranks \
    --set failure.convergence=100000us --set reliability.retry_limit=2
done
end
