#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# ns-3's own engines against heddle's serial run: one process group a case, because they can run once a process.
# Usage: ns3_engines.sh INVARIANCE_TEST MPIRUN some|all
set -u
test=$1 mpirun=$2 which=$3
failures=0
for fabric in Spectrum-X AlibabaHPN-DualPlane DCN+; do
  HEDDLE_EXPECTED_DIGEST=$("$test" domain $fabric block 1 | awk '$1 == "digest" {print $2}')
  export HEDDLE_EXPECTED_DIGEST
  [ -n "$HEDDLE_EXPECTED_DIGEST" ] || { echo "$fabric: no serial digest"; exit 1; }
  for engine in ns3 ns3-null; do
    for ranks in 1 2 3 4; do
      for partitioner in block pod metis random; do
        for grain in 1 3; do
          # Of the whole cross, "some" takes one partitioner and grain a rank count, another for each fabric and engine.
          if [ "$which" = some ]; then
            key=$(( (ranks + ${#fabric} + ${#engine}) % 4 ))
            case $key:$partitioner:$grain in 0:block:1|1:pod:3|2:metis:1|3:random:3) ;; *) continue ;; esac
          fi
          timeout 120 $mpirun -n $ranks "$test" $engine $fabric $partitioner $grain || { echo "FAILED: $engine $fabric $ranks $partitioner $grain"; failures=$((failures + 1)); }
        done
      done
    done
  done
done
exit $((failures > 0))
