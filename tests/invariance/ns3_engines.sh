#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# ns-3's own engines against heddle's serial run: one process group a run, because they can run once a process.
# Usage: ns3_engines.sh INVARIANCE_TEST MPIRUN... some|all
set -u
test=$1
shift
which=${!#}
mpirun=("${@:1:$#-1}")
runs=0
failures=$(mktemp -d) || exit 1
trap 'rm -rf "$failures"' EXIT

# run ENGINE CASE RANKS PARTITIONER GRAIN; HEDDLE_EXPECTED_DIGEST is set. Starting MPI is mostly waiting, so two run side by side.
run() {
  runs=$((runs + 1))
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
  {
    local launch=()
    [ "$3" = 1 ] || launch=("${mpirun[@]}" -n "$3")
    timeout 900 "${launch[@]}" "$test" "$1" "$2" "$4" "$5" < /dev/null || { echo "FAILED: $*"; touch "$failures/$runs"; }
  } > "$failures/text.$runs" 2>&1 &
}

oracle=$("$test" oracle) || { echo "$oracle"; echo "a case does not do what it is for"; exit 1; }
partitioners=(block pod metis random) engines=(ns3 ns3-null)
number=0
while read -r name HEDDLE_EXPECTED_DIGEST _; do
  export HEDDLE_EXPECTED_DIGEST
  if [ "$which" = all ]; then
    # Every case by both engines on 1 to 4 ranks; partitioners and grains take turns (all of them would be half an hour).
    for engine in "${engines[@]}"; do
      for ranks in 1 2 3 4; do
        run $engine "$name" $ranks ${partitioners[(number + ranks) % 4]} $(((number / 4 + ranks) % 2 * 2 + 1))
      done
    done
  else
    # Every sixth case once, in turn by either engine on 2 ranks; telemetry and failures by both on 1, 2 and 4.
    case $name in
      hpcc-dual | links-down-hpcc | nodes-down-dual)
        for engine in "${engines[@]}"; do
          for ranks in 1 2 4; do run $engine "$name" $ranks ${partitioners[(number + ranks) % 4]} $((ranks % 2 * 2 + 1)); done
        done ;;
      # Reports of arrival go to ranks that are no neighbours.
      scale-up-ring)
        for engine in "${engines[@]}"; do run $engine "$name" 4 block 1; done ;;
      *) [ $((number % 6)) != 0 ] ||
        run ${engines[number / 6 % 2]} "$name" 2 ${partitioners[number / 12 % 4]} $((number / 6 % 4 / 2 * 2 + 1)) ;;
    esac
  fi
  number=$((number + 1))
done <<< "$oracle"
wait
for ((i = 1; i <= runs; ++i)); do cat "$failures/text.$i"; rm "$failures/text.$i"; done
failed=$(find "$failures" -type f | wc -l)
echo "$runs runs of $number cases, $failed failures"
exit $((failed > 0 || number == 0))
