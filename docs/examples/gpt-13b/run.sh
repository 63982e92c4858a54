#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A training step of GPT-13B, scaled to one of its 40 layers, on 32 GPUs, and what it waited for.
# Usage: in an empty folder, run.sh. README.md explains.
set -eu
heddle topo spectrum-x --gpus 32 --oversubscription 1 -o fabric.txt
heddle workload gpt --model gpt-13b --layers 1 --scale --gpus 32 --tp 8 -o step.txt
heddle run -n fabric.txt -w step.txt -o step.h5
heddle analyze step step.h5
