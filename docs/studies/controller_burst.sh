#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Eight GPUs of a server send 10 MiB each to their counterparts in another, over eight spines, without and with the
# central controller; next to the figures of the ECMP controller's specification (section 7.1).
# docs/studies/controller_burst.md explains.
# Usage: controller_burst.sh [BUILD_DIR [OUTPUT_DIR]]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin controller_burst "$@"
"$heddle" topo DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 -apbw 100Gbps -app 2 \
  -o topology.txt --force
{
  echo "timestamp_ns,src,dst,size_bytes"
  for gpu in {0..7}; do echo "0,$gpu,$((gpu + 8)),10485760"; done
} > trace.csv
run_both --trace trace.csv
for result in "${results[@]}"; do "$heddle" export "$result" --paths "${result%.h5}.paths" --force; done
table burst
title="8 flows of 10 MiB, 8 spines: the central controller"
if "$plot" fct "${results[@]}" --title "$title" -o fct.svg --force &&
  "$plot" spines "${results[@]}" --title "$title" -o spines.svg --force; then
  say "pictures: fct.svg and spines.svg"
fi
say "inputs and results are in $PWD"
