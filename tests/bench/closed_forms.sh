#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What a step in closed forms costs at full size (goal: 2 s and 300 MiB): Llama 3 70B on 15,360 GPUs of AlibabaHPN's dual plane, where a
# GPU of each stage stands for all; and a job placed at random on 1,024 GPUs, where all run. Prints processor seconds and memory.
# Usage: closed_forms.sh BUILD_DIRECTORY
set -euo pipefail
[ $# = 1 ] || { sed -n '/^# Usage/s/^# //p' "$0" >&2; exit 2; }
heddle=$(cd "$1" && pwd)/heddle
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# step NAME GPUS BATCH PLACEMENT: one line, with the simulated time.
step() {
  "$heddle" topo AlibabaHPN-DualPlane -g "$2" -gps 8 -o fabric.txt --force > /dev/null 2>&1
  "$heddle" workload gpt --model llama3-70b --gpus "$2" --tp 8 --pp 4 --global-batch "$3" -o step.txt --force > /dev/null
  /usr/bin/time -o time.txt -f '%U %S %M' timeout 300 "$heddle" run -n fabric.txt --job "workload=step.txt,placement=$4" --backend analytical > out.txt 2> err.txt ||
    { cat err.txt >&2; return 1; }
  awk -v name="$1" -v end="$(sed -n 's/^simulated *//p' out.txt)" '{ printf "%-44s %6.2f s %6.0f MiB  %s simulated\n", name, $1 + $2, $3 / 1024, end }' time.txt
}
step '15,360 GPUs, one of each stage runs' 15360 3840 packed
step '1,024 GPUs at random, all run' 1024 256 random
