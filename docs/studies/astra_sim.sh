#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The figures of ASTRA-SIM's paper (ISPASS 2020) on heddle's scale-up fabrics. docs/studies/astra_sim.md explains.
# Usage: astra_sim.sh FIGURE [BUILD_DIR [OUTPUT_DIR]]
#   FIGURE   9 to 18, or all: two minutes together
# Prints a Markdown table for each figure.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
figure=${1:-}
case $figure in
  9 | 1[0-8] | all) shift ;;
  *) die "usage: astra_sim.sh FIGURE [BUILD_DIR [OUTPUT_DIR]]; FIGURE is 9 to 18, or all" ;;
esac
begin astra_sim "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE
/usr/bin/python3 "$studies/astra_sim_tables.py" "$figure" "$heddle" "$tree/tests/data/workloads/astra-sim-1"
