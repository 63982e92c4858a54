#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Collectives as measured on real clusters, from what others published, beside what `like nccl` simulates from GPU type, servers,
# NIC rate and kind alone. docs/studies/clusters.md explains.
# Usage: clusters.sh [--quick] [BUILD_DIR [OUTPUT_DIR]]
#   --quick   to 16 MiB
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
most=()
if [ "${1:-}" = --quick ]; then
  most=(--most $((16 << 20)))
  shift
fi
begin clusters "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE
/usr/bin/python3 -B "$studies/clusters_tables.py" "$heddle" "$studies/clusters" "${most[@]}"
