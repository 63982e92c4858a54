#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A training step of Llama 3 70B: two of its 80 layers by packets and by closed forms, then all of them by closed forms.
# Usage: in an empty folder, run.sh. README.md explains.
set -eu
heddle topo spectrum-x --gpus 32 --oversubscription 1 -o fabric.txt
heddle workload gpt --model llama3-70b --layers 2 --scale --sequence 2048 \
  --gpus 32 --tp 8 --pp 2 --global-batch 4 -o step.txt
heddle accuracy -n fabric.txt -w step.txt
heddle topo spectrum-x --gpus 128 --oversubscription 1 -o whole-fabric.txt
heddle workload gpt --model llama3-70b --gpus 128 --tp 8 --pp 4 --global-batch 64 -o whole-step.txt
heddle run -n whole-fabric.txt -w whole-step.txt --backend analytical -o whole-step.h5
