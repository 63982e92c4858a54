#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Files survive a crash of the machine: a checkpoint is renamed to its name after its pieces and the rows it needs are on the disk, and
# only then is the previous one deleted; a result is on the disk before the files it was made of are deleted.
# Usage: durable.sh HEDDLE SPY: a library that records which files are synced, renamed and deleted (file_spy.cc)
set -u
heddle=$1 spy=$2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1
"$heddle" trace --arrival poisson --rate 200000 --duration 1ms --kv-size 32KiB -n topo.txt --out trace.csv > /dev/null || exit 1
FILE_SPY_LOG=$work/calls LD_PRELOAD=$spy "$heddle" run -n topo.txt --trace trace.csv -q -o x.h5 --checkpoint-at every:200us > out.txt 2>&1 ||
  { fail "the run ended with $?"; cat out.txt; }

# Checked call by call. Names may be whole paths or not: their last part counts.
awk '
  function last(path) { sub(/.*\//, "", path); return path }
  function expect(holds, what) { if (!holds) { print "FAILED  call " NR ": " what; bad = 1 } }
  $1 == "sync" { synced[last($2)] = NR; if ($2 == folder) folder_synced = NR; next }
  $1 == "rename" && last($3) == "x.h5.ckpt" {
    ++number
    expect(synced["x.h5.part.rank0"] > placed, "the rows of checkpoint " number " are not on the disk")
    expect(synced["x.h5.ckpt." number ".rank0"] > placed, "the pieces of checkpoint " number " are not on the disk")
    expect(synced["x.h5.ckpt.new"] > placed, "checkpoint " number " itself is not on the disk")
    placed = NR
  }
  $1 == "rename" && last($3) == "x.h5" {
    expect(synced["x.h5.part"] > placed, "the result is not on the disk")
    result = NR
  }
  $1 == "remove" && last($2) ~ /^x\.h5\.ckpt\.[0-9]+\.rank0$/ {
    split(last($2), part, ".")
    if (part[4] <= number && !(last($2) in gone) && last($2) in synced) {
      expect(part[4] < number || result, "the pieces of the last checkpoint are deleted")
      expect(folder_synced > (part[4] < number ? placed : result), "a checkpoint is deleted before the name of what replaces it is on the disk")
      gone[last($2)]
    }
  }
  $1 == "remove" && last($2) ~ /^x\.h5\.(part\.rank0|ckpt)$/ && number > 0 {
    expect(result, last($2) " is deleted before there is a result")
    expect(folder_synced > result, last($2) " is deleted before the name of the result is on the disk")
    ++deleted
  }
  END {
    expect(number >= 3, "only " number + 0 " checkpoints")
    expect(result && deleted >= 2, "no result, or nothing was deleted")
    exit bad
  }
' folder="$work" calls || { failures=$((failures + 1)); cat calls; }
end
