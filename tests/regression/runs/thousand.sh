#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The study of docs/studies/hpn-15360.md scaled down to 1,024 GPUs of AlibabaHPN's dual plane: an AllReduce, an AllToAll, KV
# transfers between pods, and a plane that fails. "alone": times against closed forms, and that everything
# arrived, on one rank. "ranks": the same results on 1, 2 and 4 ranks with three partitioners.
# Usage: thousand.sh HEDDLE alone|ranks MPIRUN...
set -u
heddle=$1 mode=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
count=0
# is NAME EXPECTED FOUND
is() { count=$((count + 1)); [ "$2" = "$3" ] || fail "$1: found '$3'. Expected: '$2'"; }
# within NAME LOW VALUE HIGH
within() {
  count=$((count + 1))
  if awk -v a="$2" -v b="$3" -v c="$4" 'BEGIN { exit !(b != "" && a + 0 <= b + 0 && b + 0 <= c + 0) }'; then
    printf '%-44s %s: expected %s to %s\n' "$1" "$3" "$2" "$4"
  else
    fail "$1: found '$3'. Expected: from $2 to $4"
  fi
}
# formula EXPRESSION: its value in us. t(n): n full packets to a GPU on the same leaf, store and forward, and back the ACK of the
# last; A: what a message waits before it starts; reduce: more of it after a reduction; spine: what the way over a spine adds.
formula() {
  awk 'function t(n) { return n * p + p + 2 * d + 2 * (ack + d) }
    BEGIN { p = 9052 * 8 / 200e3; ack = 60 * 8 / 200e3; d = 0.5; A = 6.01; reduce = 0.03
      spine = 2 * (p / 2 + d) + 2 * (ack / 2 + d)
      printf "%.3f", '"$1"' }'
}

# One pod, and four: leaves and spines of four pods have a quarter of the ports.
"$heddle" topo AlibabaHPN-DualPlane -g 1024 -o one.txt 2> /dev/null || fail 'no fabric of one pod'
"$heddle" topo AlibabaHPN-DualPlane -g 1024 -npa 32 -psn 30 -app 60 -o four.txt 2> /dev/null || fail 'no fabric of four pods'
# Parts of four full packets for each of a rail's 128 GPUs.
echo '1 ALLREDUCE 4608000 DP' > ring.txt
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLTOALL 4608000 0\n' > all.txt
some=$(for first in 0 128 256 384 512 640 768 896; do printf '+%d-%d' $first $((first + 7)); done)
"$heddle" trace --arrival poisson --rate 1e6 --flows 400 --kv-size 900000 --prefill-servers 0-31 --decode-servers 32-63 \
  --servers 128 --gpus-per-server 8 -o kv.csv || fail 'no trace'
# The second plane: the upper half of the 64 leaves, behind 1,024 GPUs and 128 NVSwitches.
for leaf in $(seq 1184 1215); do echo "200us,node_down,$leaf"; done > plane.csv

ring=(-w ring.txt --like simai --record flows=none --record timeline=none)
cases=(ring_one ring_four all_to_all kv plane)
arguments() {
  case $1 in
    ring_one) input=(-n one.txt "${ring[@]}") ;;
    ring_four) input=(-n four.txt "${ring[@]}") ;;
    all_to_all) input=(-n four.txt --like simai --job "workload=all.txt,gpus=${some#+}") ;;
    kv) input=(-n four.txt --trace kv.csv) ;;
    plane) input=(-n four.txt --trace kv.csv --failures plane.csv --set reliability.timeout=100us) ;;
  esac
}
# text NAME PATTERN: the first group of a line of NAME.log
text() { sed -nE "s/$2/\1/p" "$1.log" | head -1; }

for case in "${cases[@]}"; do
  arguments "$case"
  timeout 900 "$heddle" run "${input[@]}" -o "$case.h5" > "$case.log" 2>&1
  is "$case: exit code" 0 $?
done
if [ "$mode" = ranks ]; then
  for case in "${cases[@]}"; do
    arguments "$case"
    for run in 2.metis 4.pod; do
      timeout 900 "${mpirun[@]}" -n "${run%.*}" "$heddle" run -q "${input[@]}" --partition "${run#*.}" -o "$case.$run.h5" \
        > run.log 2>&1 || { fail "$case on $run: exit code $?"; tail -5 run.log; }
      "$heddle" compare "$case.h5" "$case.$run.h5" > out 2>&1 || { fail "$case: $run is not what one rank found"; head -20 out; }
      count=$((count + 1))
    done
    echo "$case: the same on 2 and 4 ranks, digest $(text "$case" '^digest of flows +(.*)')"
  done
  "$heddle" compare -q kv.h5 plane.h5 && fail 'heddle compare does not see that a plane failed'
  echo "$count checks"
  end
fi

for case in "${cases[@]}"; do
  "$heddle" validate "$case.h5" > out 2>&1 || { fail "$case: not valid"; cat out; }
  flows=$(text "$case" '^flows +([0-9]+ of [0-9]+) finished$')
  is "$case: finished flows" "${flows#* of }" "${flows% of *}"
done
is 'flows of the ring' "$((8 * 128 * 254)) of $((8 * 128 * 254))" "$(text ring_one '^flows +([0-9]+ of [0-9]+) finished$')"
is 'flows of the AllToAll' "$((64 * 63)) of $((64 * 63))" "$(text all_to_all '^flows +([0-9]+ of [0-9]+) finished$')"
# What sizes and routes say that must cross links, to the packet.
for case in ring_one ring_four kv; do
  is "$case: packet-hops against the estimate [%]" '+0.0' "$(text $case '^estimate was +packet-hops ([-+][0-9.]+) %.*')"
  grep -q '^drops' $case.log && fail "$case: packets were dropped"
done

# 254 steps of one leaf between two GPUs, to the nanosecond; every second half of them begins after a reduction.
simulated() { text "$1" '^simulated +([0-9.]+) us$'; }
collective() { awk -v op="$2" '$1 == op { for (i = 1; i <= NF; ++i) if ($i == "GB/s") print $(i - 2) }' "$1.log"; }
exact=$(formula '254 * (A + t(4)) + 127 * reduce')
within 'AllReduce in one pod [us]' "$exact" "$(collective ring_one ALLREDUCE)" "$exact"
# Each pod's border is crossed twice by what goes furthest; ACKs may wait behind a data packet there.
least=$(formula '254 * (A + t(4)) + 127 * reduce + 8 * spine')
within 'AllReduce over four pods [us]' "$least" "$(collective ring_four ALLREDUCE)" "$(awk "BEGIN { print 1.001 * $least }")"
# 56 messages of 8 full packets leave each GPU's server by two ports; the hash does not halve them.
least=$(formula 'A + 56 * 8 * p / 2')
within 'AllToAll of 64 GPUs [us]' "$least" "$(collective all_to_all ALLTOALL)" "$(awk "BEGIN { print 2 * $least }")"
# 100 full packets by one port of a NIC, over a spine: a lower bound, which at least one transfer reaches.
least=$(formula 't(100) + spine')
"$heddle" export kv.h5 --flows-csv kv.flows > /dev/null || fail 'no table of flows'
within 'fastest KV transfer [us]' "$(awk "BEGIN { printf \"%.3f\", $least - 0.001 }")" \
  "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) c[$i] = i } NR > 1 { print $c["fct_ns"] / 1000 }' kv.flows | sort -g | head -1)" \
  "$(awk "BEGIN { printf \"%.3f\", $least + 0.001 }")"
# A plane that fails costs packets and time, no flow.
is 'the plane: packets were dropped' 1 "$(grep -c '^drops' plane.log)"
within 'KV transfers, a plane failing [us]' "$(simulated kv)" "$(simulated plane)" "$(awk "BEGIN { print 3 * $(simulated kv) }")"
echo "$count checks"
end
