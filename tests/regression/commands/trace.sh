#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle trace: the rows of a pair of servers, a trace of every pattern that heddle run takes, and the command in a
# trace's first line, which makes the same file again.
# Usage: trace.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

expected=$(for gpu in {0..7}; do echo "0,$gpu,$((gpu + 8)),10485760"; done)
echo 'to be replaced' > pair.csv
"$heddle" trace --arrival server_pair --src-server 0 --dst-server 1 --gpus-per-server 8 --kv-mb 10 --rounds 1 --force \
  --out pair.csv || fail "a pair of servers: exit code $?"
[ "$(grep -v '^#' pair.csv)" = "$expected" ] || fail "a pair of servers: $(cat pair.csv)"
[ "$(ls)" = pair.csv ] || fail "left behind: $(ls)"

# Three servers of four GPUs.
"$heddle" topo DCN-SingleToR -g 12 -gps 4 -psn 2 -npa 4 -app 4 -asn 3 -o fabric.txt 2> /dev/null || fail "no fabric"
check() {
  local name=$1
  shift
  "$heddle" trace --arrival "$@" -n fabric.txt --kv-size 64KiB --out "$name.csv" || fail "$name: exit code $?"
  local again
  again=$(sed -n '1s/^# heddle //p' "$name.csv")
  # shellcheck disable=SC2086
  "$heddle" $again | cmp - "$name.csv" || fail "$name: '$again' gives another trace"
  "$heddle" run -q -n fabric.txt --trace "$name.csv" -o "$name.h5" || fail "$name: the run ends with exit code $?"
  local flows finished
  flows=$(grep -c '^[0-9]' "$name.csv")
  finished=$("$heddle" export "$name.h5" --fct - | wc -l)
  [ "$flows" = "$finished" ] || fail "$name: $finished of $flows flows finished"
  echo "ok  $name: $flows flows"
}
check constant constant --rate 1e6 --flows 20
check poisson poisson --interval-ns 1000.5 --duration 20us --seed 7
check burst burst --burst-size 4 --burst-interval-ns 5000 --flows 10 --prefill-servers 0
check hotspot hotspot --rate 1e6 --hotspot-fraction 0.5 --flows 20 --src-server 2 --dst-server 0
check server_pair server_pair --src-server 2 --rounds 3 --interval-ns 500
check one_to_one one_to_one --src-gpu 11 --dst-gpu 10 --flows 3
exit $((failures > 0))
