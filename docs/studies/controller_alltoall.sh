#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Each of 128 GPUs sends 1 MiB to each other, all at once, without and with the central controller; next to the
# figures of the ECMP controller's specification (section 7.3).
# docs/studies/controller_alltoall.md explains.
# Usage: controller_alltoall.sh [BUILD_DIR [OUTPUT_DIR]]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin controller_alltoall "$@"
spectrum_x
# The policy MICRO has no tensor parallelism: all GPUs are one data parallel group. The
# specification does not say how many bytes.
cat > workload.txt <<'END'
MICRO
1
alltoall_128MiB -1 0 NONE 0 0 NONE 0 0 ALLTOALL 134217728 0
END
run_both -w workload.txt
table layers
table links
table ports
table cost
say "the ECMP controller's specification: gain 0.02 %, deepest search 183," \
    "119 minutes with and 2 minutes without the controller"
say "inputs and results are in $PWD"
