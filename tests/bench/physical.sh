#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle run --backend physical beside bare MPI_Sendrecv of the same messages: a ring AllReduce of 64 MiB, and a small one, whose
# difference a message is what heddle's bookkeeping costs. Prints times and shares. Usage: physical.sh BUILD MPIRUN...
set -eu
build=$1
mpirun=("${@:2}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
heddle=$build/heddle
# beside NAME RANKS BYTES PASSES: prints a line for bare MPI and each way of heddle's.
beside() {
  local name=$1 ranks=$2 bytes=$3 passes=$4 messages channels mean least way
  "$heddle" topo Spectrum-X -g "$ranks" -gps "$ranks" -gt A100 -o fabric.txt --force > /dev/null 2>&1
  printf 'MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 ALLREDUCE %s 0\n' "$bytes" > work.txt
  local ring=("$heddle" run -n fabric.txt -w work.txt --backend physical --set algorithm.allreduce=ring --set collective.protocol=none)
  messages=$("${mpirun[@]}" -n "$ranks" "${ring[@]}" 2> err.txt | sed -n 's/^flows .* of \([0-9]*\) finished/\1/p')
  [ -n "$messages" ] || { cat err.txt; return 1; }
  messages=$((messages / ranks)) channels=$((messages / (2 * (ranks - 1))))
  read -r mean least <<< "$("${mpirun[@]}" -n "$ranks" "$build/sendrecv_bench" "$bytes" "$channels" "$passes")"
  printf '%s: %s messages a rank, %s channels\n' "$name" "$messages" "$channels"
  printf '  %-34s %12.1f us mean %12.1f us least\n' 'bare MPI_Sendrecv' "$mean" "$least"
  for way in 'physical.contents=false' 'physical.check=none' 'physical.check=all'; do
    "${mpirun[@]}" -n "$ranks" "${ring[@]}" --passes "$passes" --set physical.warmup=3 --set "$way" > out.txt 2>&1 || { cat out.txt; return 1; }
    awk -v mean="$mean" -v least="$least" -v messages="$messages" -v way="heddle, $way" '
      /^repetitions/ {here = 1}
      here && $1 == "ALLREDUCE" {
        printf "  %-34s %12.1f us mean %12.1f us least: bare is %.0f %% of the mean, %.0f %% of the least; %+.2f us a message\n",
          way, $(NF - 4), $(NF - 5), 100 * mean / $(NF - 4), 100 * least / $(NF - 5), ($(NF - 4) - mean) / messages
        exit
      }' out.txt
  done
}
beside '64 MiB, 4 ranks (goal: 80 %)' 4 67108864 20
beside '64 MiB, 2 ranks' 2 67108864 20
beside '1 KiB, 2 ranks (goal: less than 2 us a message)' 2 1024 5000
