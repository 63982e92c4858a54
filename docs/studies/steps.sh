#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Training steps as NVIDIA and operators of clusters published them, beside what heddle says of the same plans. docs/studies/steps.md explains.
# Usage: steps.sh [--quick] [BUILD_DIR [OUTPUT_DIR]]
#   --quick   to 64 GPUs
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
most=(--most 512)
if [ "${1:-}" = --quick ]; then
  most=(--most 64)
  shift
fi
begin steps "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE
/usr/bin/python3 -B "$studies/steps_tables.py" "$heddle" "$studies/steps" "${most[@]}"
