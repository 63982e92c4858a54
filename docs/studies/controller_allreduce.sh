#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# AllReduces of 128, 64 and 32 MiB over rings of 16 GPUs, eight groups of them at once on 128 GPUs, without and with the
# central controller; next to the figures of the ECMP controller's specification (section 7.2).
# docs/studies/controller_allreduce.md explains.
# Usage: controller_allreduce.sh [BUILD_DIR [OUTPUT_DIR]]
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
begin controller_allreduce "$@"
spectrum_x
# Tensor parallel groups of two servers: each runs one ring a local rank, and each ring changes rails between servers.
cat > workload.txt <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 16 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 128
3
allreduce_128MiB -1 1 ALLREDUCE 134217728 1 NONE 0 1 NONE 0 0
allreduce_64MiB  -1 1 ALLREDUCE  67108864 1 NONE 0 1 NONE 0 0
allreduce_32MiB  -1 1 ALLREDUCE  33554432 1 NONE 0 1 NONE 0 0
END
run_both -w workload.txt
table layers --seed allreduce_128MiB=2559883,2554511 --seed allreduce_64MiB=1276607,1282541 \
  --seed allreduce_32MiB=662472,645833 --seed total=4498962,4482885
table links
table ports --seed 1=1628 --seed 2=263 --seed 3=27 --seed 4=2 --seed 5=1
table cost
say "inputs and results are in $PWD"
