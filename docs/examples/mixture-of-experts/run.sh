#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A training step of Mixtral 8x7B, scaled to two of its 32 layers, with experts over two servers and within one.
# Usage: in an empty folder, run.sh. README.md explains.
set -eu
heddle topo spectrum-x --gpus 32 --oversubscription 1 -o fabric.txt
heddle workload moe --model mixtral-8x7b --layers 2 --scale --sequence 2048 \
  --gpus 32 --tp 2 --ep 8 --pp 2 --global-batch 16 -o ep8.txt
heddle workload moe --model mixtral-8x7b --layers 2 --scale --sequence 2048 \
  --gpus 32 --tp 2 --ep 4 --pp 2 --global-batch 16 -o ep4.txt
heddle run -n fabric.txt -w ep8.txt -o ep8.h5
heddle run -n fabric.txt -w ep4.txt -o ep4.h5
heddle analyze links ep8.h5 --tier "host to leaf" --top 1
