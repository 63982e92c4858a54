#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Published figures of Ultra Ethernet and REPS beside heddle's: a slow link, uplinks that fail for a time, few and many
# entropies, and experiments that uet-htsim's authors recorded. docs/studies/uec.md explains.
# Usage: uec_published.sh [--seeds N] [BUILD_DIR [OUTPUT_DIR]]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
seeds=5
if [ "${1:-}" = --seeds ]; then
  [ $# -ge 2 ] || die "--seeds lacks its value"
  seeds=$2
  shift 2
fi
begin uec_published "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE

# 128 hosts in three tiers and in two, 1,024 in three; the small fabric of an incast. Links of 1 us.
"$heddle" topo FatTree -down 4x4x8 -up 1x4x4 -l 0.001ms -o ft128.txt --force > /dev/null
"$heddle" topo FatTree -down 4x4x8 -up 1x4x4 -bw 100Gbps -l 0.001ms -o ft128-100g.txt --force > /dev/null
"$heddle" topo FatTree -down 16x8 -up 1x16 -l 0.001ms -o ls128.txt --force > /dev/null
"$heddle" topo FatTree -down 8x8x16 -up 1x8x8 -bw 100Gbps -l 0.001ms -o ft1024.txt --force > /dev/null
"$heddle" topo FatTree -down 2x2x4 -up 1x2x2 -bw 100Gbps -l 0.001ms -o ft16.txt --force > /dev/null

# permutation HOSTS BYTES: flows in which every host sends to another one and receives from another one.
permutation() {
  /usr/bin/python3 - "$1" "$2" << 'END'
import random, sys
hosts, size = int(sys.argv[1]), sys.argv[2]
random, to = random.Random(1), list(range(hosts))
for i in range(hosts - 1, 0, -1):
    j = random.randrange(i)
    to[i], to[j] = to[j], to[i]
print("timestamp_ns,src,dst,size_bytes")
for host in range(hosts):
    print(f"0,{host},{to[host]},{size}")
END
}
# flows BYTES SOURCE DESTINATION [SOURCE DESTINATION...]
flows() {
  local bytes=$1
  shift
  echo "timestamp_ns,src,dst,size_bytes"
  while [ $# -gt 0 ]; do
    echo "0,$1,$2,$bytes"
    shift 2
  done
}
flows 33554432 0 64 1 65 2 66 3 67 > four.csv
permutation 128 8388608 > perm128.csv
permutation 1024 2000000 > perm1024.csv
flows 2000000 0 15 > one.csv
# incast SENDERS BYTES: all to host 0.
incast() {
  local pairs=() sender
  for ((sender = 1; sender <= $1; ++sender)); do pairs+=("$sender" 0); done
  flows "$2" "${pairs[@]}"
}
incast 15 2000000 > incast15.csv
incast 127 2000000 > incast127.csv
incast 1023 100000 > incast1023.csv

# simulate NAME ARGUMENTS...: NAME-1, NAME-2, ... with seeds from 1; their names become `runs`.
simulate() {
  local name=$1 seed
  runs=''
  for ((seed = 1; seed <= seeds; ++seed)); do
    "$heddle" run -q "${@:2}" --seed $seed --set transport.protocol=uec --set flow.send_latency=0us \
      --json-log "$name-$seed.json" -o "$name-$seed.h5" --force 2> "$name-$seed.log" ||
      [ $? = 4 ] || { cat "$name-$seed.log" >&2; die "heddle run ended with an error"; }
    runs+=$'\t'$name-$seed
  done
}
# row ROWS LABEL PUBLISHED OTHERS: a row with the results of the last simulate.
row() { printf '%s\t%s\t%s%s\n' "$2" "$3" "$4" "$runs" >> "$1"; }
# begin_rows ROWS HEAD
begin_rows() { printf '%s\tpublished: last flow [us]\tartifact, run by us [us]\n' "$2" > "$1"; }
# print_rows ROWS TITLE
print_rows() {
  printf '\n%s\n\n' "$2"
  /usr/bin/python3 "$studies/paths_tables.py" published "$1"
}

# The artifact of the REPS paper: windows and queues in packets, an ACK a packet; 151 packets are a bandwidth-delay product.
reps_paper=(--set uec.ack_threshold=4000 --set uec.queue_limit=0.66 --set uec.kmin=0.13 --set uec.kmax=0.526
  --set uec.max_window=1 --set entropy.reps_explore=151 --set entropy.plb_share=0.25 --set entropy.plb_rounds=2)
many=(--set entropy.paths=65535)

say "a slow link"
echo "0,link_rate,128,160,200Gbps" > slow.csv
begin_rows slow.rows "scheme"
for scheme in oblivious reps bitmap mixed plb flowlet adaptive; do
  case $scheme in
    oblivious) known=$'1400\t1413 (1396 to 1443)' set=entropy.scheme=$scheme ;;
    reps) known=$'799\t803 to 817' set=entropy.scheme=$scheme ;;
    plb) known=$'–\t1721 (1512 to 1864)' set=entropy.scheme=$scheme ;;
    flowlet) known=$'–\t1565 (1376 to 2153)' set="balance.ports=flowlet balance.flowlet_gap=6us entropy.scheme=flow" ;;
    adaptive) known=$'–\t–' set="balance.ports=adaptive entropy.scheme=flow" ;;
    *) known=$'–\t–' set=entropy.scheme=$scheme ;;
  esac
  # shellcheck disable=SC2086  # a list of words
  simulate "slow-$scheme" -n ft128.txt --trace four.csv --failures slow.csv "${reps_paper[@]}" "${many[@]}" \
    ${set:+--set ${set// / --set }}
  row slow.rows "$scheme" "${known%%$'\t'*}" "${known#*$'\t'}"
done
print_rows slow.rows "Four flows of 32 MiB from one leaf, one of its four uplinks at 200 of 400 Gb/s (REPS, figure 4):"

say "uplinks that fail"
printf '100us,link_down,128,161\n200us,link_up,128,161\n350us,link_down,128,163\n600us,link_up,128,163\n' > failing.csv
begin_rows failing.rows "scheme"
for scheme in oblivious reps plb; do
  case $scheme in
    oblivious) known=$'–\t1312 to 1335' ;;
    reps) known=$'> 35 % less\t902 (891 to 925)' ;;
    *) known=$'–\t1437 (1322 to 1602)' ;;
  esac
  simulate "failing-$scheme" -n ft128.txt --trace four.csv --failures failing.csv "${reps_paper[@]}" "${many[@]}" \
    --set failure.convergence=100ms --set entropy.reps_freeze=100us --set "entropy.scheme=$scheme"
  row failing.rows "$scheme" "${known%%$'\t'*}" "${known#*$'\t'}"
done
print_rows failing.rows "The same flows, one uplink dead from 100 to 200 us, another from 350 to 600 us, routes stay (REPS, figure 7):"

say "entropies"
begin_rows entropies.rows "scheme, entropies"
for scheme in oblivious reps; do
  for paths in 32 256 65535; do
    case $scheme-$paths in
      oblivious-32) known=$'+64 %\t303.0' ;;
      oblivious-256) known=$'+21 %\t237.4' ;;
      oblivious-65535) known=$'0\t194.4' ;;
      reps-32) known=$'+8 %\t198.7' ;;
      *) known=$'0\t185.1' ;;
    esac
    simulate "entropies-$scheme-$paths" -n ls128.txt --trace perm128.csv "${reps_paper[@]}" --set uec.queue_limit=0.99 \
      --set uec.kmin=0.247 --set uec.kmax=0.75 --set "entropy.paths=$paths" --set "entropy.scheme=$scheme"
    row entropies.rows "$scheme, $paths" "${known%%$'\t'*}" "${known#*$'\t'}"
  done
done
print_rows entropies.rows "A permutation of 128 hosts, 8 MiB each, 16 uplinks a leaf (REPS, figure 15, against the best):"

say "experiments of uet-htsim's authors"
begin_rows recorded.rows "experiment"
simulate recorded-one -n ft16.txt --trace one.csv --set entropy.scheme=mixed
row recorded.rows "one flow" 176.2 176.2
simulate recorded-incast -n ft16.txt --trace incast15.csv --set entropy.scheme=mixed
row recorded.rows "incast of 15, NSCC" 2478.5 2478.5
simulate recorded-incast-rccc -n ft16.txt --trace incast15.csv --set entropy.scheme=mixed --set uec.congestion=rccc
row recorded.rows "incast of 15, RCCC" 2464.4 2464.4
simulate recorded-incast127 -n ft128-100g.txt --trace incast127.csv --set entropy.scheme=mixed
row recorded.rows "incast of 127, NSCC" 21029.3 –
simulate recorded-incast1023 -n ft1024.txt --trace incast1023.csv --set entropy.scheme=mixed --set uec.congestion=rccc
row recorded.rows "incast of 1,023, 100 kB a flow, RCCC" 8902.3 –
simulate recorded-incast1023-both -n ft1024.txt --trace incast1023.csv --set entropy.scheme=mixed --set uec.congestion=both \
  --set uec.initial_window=50
row recorded.rows "incast of 1,023, 100 kB a flow, both controls" 8802.6 –
for control in nscc rccc; do
  for scheme in oblivious bitmap reps mixed; do
    case $control-$scheme in
      nscc-oblivious) known=212.8 ;;
      nscc-bitmap) known=200.5 ;;
      nscc-reps) known=198.2 ;;
      nscc-mixed) known=200.5 ;;
      rccc-oblivious) known=208.8 ;;
      rccc-bitmap) known=204.1 ;;
      rccc-reps) known=197.3 ;;
      *) known=203.4 ;;
    esac
    sack=16384
    [ $scheme != reps ] || sack=4000  # REPS was run with an ACK a packet
    simulate "recorded-$control-$scheme" -n ft1024.txt --trace perm1024.csv --set "entropy.scheme=$scheme" \
      --set entropy.paths=128 --set "uec.congestion=$control" --set uec.ack_threshold=$sack
    row recorded.rows "permutation of 1,024, $control, $scheme" $known –
  done
done
simulate recorded-ecmp -n ft1024.txt --trace perm1024.csv --set entropy.scheme=flow
row recorded.rows "permutation of 1,024, nscc, one path a flow" 889.9 –
print_rows recorded.rows "uet-htsim's validation, 100 Gb/s, 2 MB a flow, permutations of our own:"
say "inputs and results are in $PWD"
