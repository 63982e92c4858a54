#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What random placements get of the bandwidth of fat trees and tori with static routes, next to the figures of ORCS 1.1 on the same
# networks. docs/studies/static_routing.md explains. Exit code 1 if a figure is not within 4 standard errors of ORCS's.
# Usage: static_routing.sh [BUILD_DIR [OUTPUT_DIR]]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin static_routing "$@"
runs=${RUNS:-2000}
wrong=0

# network NAME FLAGS...: a fabric in NAME.txt.
network() { "$heddle" topo "${@:2}" -o "$1.txt" --force > "$1.show" 2> /dev/null; }
# row NAME ROUTING ORCS TEXT: ORCS's mean has three digits; of how many runs it is was not recorded, so 100 are assumed.
row() {
  local bandwidth interval
  read -r bandwidth interval < <("$heddle" congestion "$1.txt" --routing "$2" -n "$runs" | awk '$1 == "bandwidth" {print $2, $4}')
  printf '| %s | %s | %s | %s |' "$4" "${2%%:*}" "$bandwidth +- $interval" "${3/none/}"
  if [ "$3" = none ]; then
    echo ' |'
  else
    # The interval is of 1.96 standard errors.
    awk -v a="$bandwidth" -v b="$3" -v i="$interval" -v n="$runs" \
      'BEGIN {d = a > b ? a - b : b - a; bad = d > 4 * i / 1.96 * sqrt(1 + n / 100) + 0.0005; print bad ? " differs |" : " |"; exit bad}' || wrong=1
  fi
}

network ft16 FatTree -down 4x4 -up 1x4
network ft128 FatTree -down 8x16 -up 1x8
network ft288 FatTree -down 12x24 -up 1x12
network ft648 FatTree -down 18x36 -up 1x18
network kary64 FatTree -k 4 -levels 3
network kary512 FatTree -k 8 -levels 3
network torus16 Torus -dims 4x4
echo '| network | routing | bandwidth | ORCS 1.1 | |'
echo '|---|---|---|---|---|'
row ft16 dmodk 0.826 '16 hosts, 2 levels'
row ft128 dmodk 0.698 '128 hosts, 2 levels'
row ft128 random 0.552 '128 hosts, 2 levels'
row ft288 dmodk 0.677 '288 hosts, 2 levels'
row ft288 random 0.525 '288 hosts, 2 levels'
row ft648 dmodk 0.664 '648 hosts, 2 levels'
row kary64 dmodk 0.648 '4-ary 3-tree'
row kary64 minhop none '4-ary 3-tree'
row kary64 random none '4-ary 3-tree'
row kary512 dmodk 0.560 '8-ary 3-tree'
row kary512 minhop none '8-ary 3-tree'
row torus16 dimension-order:4x4 0.795 'torus of 4 x 4'
row torus16 updown none 'torus of 4 x 4'

# noise NAME RANKS ORCS...: delay of a tree on RANKS hosts, alone and beside two kinds of noise on the others.
noise() {
  local name=$1 ranks=$2 second line
  line="| $4 | $ranks |"
  for second in null bisect bisect_fb_sym; do
    line+=" $("$heddle" congestion "$name.txt" --routing dmodk -p "ptrnvsptrn:tree::$second" -z "$ranks" -n "$runs" | awk '$1 == "delay" {print $2, "+-", $4}') |"
  done
  echo "$line $3 |"
}
echo
echo '| network | ranks of the tree | alone | bisect beside it | bisect_fb_sym beside it | ORCS 2.0 |'
echo '|---|---|---|---|---|---|'
noise ft16 8 '3.10, 3.42, 3.77' '16 hosts, 2 levels'
noise kary64 44 '5.43, 6.23, 6.95' '4-ary 3-tree'

# fabric NAME TEXT: counted; then run 0 in packets, with the hash and with the controller.
packets() {
  "$heddle" congestion "$1.txt" -n 1 --verify-with-packets 4MiB --set HAS_WIN=0 --set "controller.enable=$2" | awk '$1 == "mean" {sub(",", "", $4); print $'"$3"'}'
}
fabric() {
  local counted
  counted=$("$heddle" congestion "$1.txt" -n "$runs" | awk '$1 == "bandwidth" {print $2, "+-", $4}')
  echo "| $2 | $counted | $(packets "$1" false 4) | $(packets "$1" false 7) | $(packets "$1" true 7) |"
}
network spectrum Spectrum-X -g 128 --oversubscription 1
network hpn AlibabaHPN -g 256 --oversubscription 1
network hpn2 AlibabaHPN-DualPlane -g 256 --oversubscription 1
network dcn DCN+ -g 256 --oversubscription 1
echo
echo '| fabric | counted | counted, run 0 | packets, hash | packets, controller |'
echo '|---|---|---|---|---|'
fabric spectrum 'Spectrum-X, 128 GPUs'
fabric hpn 'HPN, 256 GPUs'
fabric hpn2 'HPN, two planes, 256 GPUs'
fabric dcn 'DCN+, 256 GPUs'
exit $wrong
