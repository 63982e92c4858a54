#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Coverage-guided fuzzing of the readers, one after the other: clang's libFuzzer with ASan and UBSan.
# Usage: tests/fuzz/run_libfuzzer.sh SECONDS [READER...]     (default: all readers; names as in fuzz.READER of ctest)
# Builds into HEDDLE_FUZZ_BUILD (default build/fuzz). Each reader's corpus is kept in BUILD/corpus/READER, and its failing inputs in
# BUILD/finds/READER: minimise a find with `BUILD/READER_fuzz -minimize_crash=1 -max_total_time=60 FILE` and keep it in
# tests/data/fuzz/READER, which the tests read. Prints a table, also in BUILD/table; exit code 1 if there are finds.
# HEDDLE_FUZZ_BUILT=1 uses the existing programs.
# Needs Debian's packages clang and libclang-rt-14-dev (the version of clang), and ns-3 as the build does: NS3_PREFIX.
set -euo pipefail
seconds=${1:?usage: run_libfuzzer.sh SECONDS [READER...]}
shift
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${HEDDLE_FUZZ_BUILD:-$source/build/fuzz}
jobs=${HEDDLE_FUZZ_JOBS:-$(nproc)}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

build_fuzzers() {
  cmake -S "$source" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG="-O1 -gline-tables-only" -DHEDDLE_LIBFUZZER=ON -DHEDDLE_SANITIZE=ON \
    ${NS3_PREFIX:+-DNS3_PREFIX="$NS3_PREFIX"}
  name_readers
  ninja -C "$build" -j "$jobs" "${readers[@]/%/_fuzz}"
}
# All of them, if none was asked for.
name_readers() {
  [ ${#readers[@]} -gt 0 ] || mapfile -t readers < <(ls "$build/fuzz_folders")
}

readers=("$@")
mkdir -p "$(dirname "$build")"
if [ -z "${HEDDLE_FUZZ_BUILT:-}" ]; then
  build_fuzzers > "$build.log" 2>&1 || { tail -40 "$build.log"; exit 1; }
fi
name_readers

# The seeds and the dictionary of a reader, and the folders of its corpus.
prepare() {
  mkdir -p "$build/corpus/$1" "$build/finds/$1" "$build/seeds"
  HEDDLE_FUZZ_SEEDS="$build/seeds/$1" "$build/$1_fuzz" > /dev/null
  tr ';' '\n' < "$build/fuzz_folders/$1" | while read -r folder; do
    [ -d "$folder" ] || continue
    find "$folder" -type f -size -64k | while read -r file; do
      cp "$file" "$build/seeds/$1/$(echo "${file#"$source"/}" | tr '/' '_')"
    done
  done
}

# What libFuzzer's log says behind "WORD: " for the last time.
last() { grep -o "$2: [0-9]*" "$1" | tail -1 | grep -o '[0-9]*$' || echo 0; }

finds=0
printf '%-20s %12s %8s %9s %7s %6s\n' reader executions seconds coverage corpus finds | tee "$build/table"
for reader in "${readers[@]}"; do
  prepare "$reader"
  log="$build/$reader.log"
  start=$SECONDS
  dictionary=()
  [ ! -s "$build/seeds/$reader.dict" ] || dictionary=("-dict=$build/seeds/$reader.dict")
  # A find ends a session; another session follows, so that one find does not hide the others.
  : > "$log"
  executed=0
  while [ $((SECONDS - start)) -lt "$seconds" ]; do
    status=0
    "$build/${reader}_fuzz" -max_total_time=$((seconds - (SECONDS - start))) -timeout=20 -rss_limit_mb=3072 -malloc_limit_mb=1024 \
      -max_len=65536 -print_final_stats=1 ${dictionary[@]+"${dictionary[@]}"} -artifact_prefix="$build/finds/$reader/" \
      "$build/corpus/$reader" "$build/seeds/$reader" > "$log.session" 2>&1 || status=$?
    executed=$((executed + $(last "$log.session" number_of_executed_units)))
    cat "$log.session" >> "$log"
    [ $status -ne 0 ] || break
    [ "$(ls "$build/finds/$reader" | wc -l)" -lt 20 ] || break
  done
  found=$(ls "$build/finds/$reader" | wc -l)
  finds=$((finds + found))
  printf '%-20s %12d %8d %9d %7d %6d\n' "$reader" "$executed" $((SECONDS - start)) "$(last "$log" cov)" \
    "$(ls "$build/corpus/$reader" | wc -l)" "$found" | tee -a "$build/table"
done
[ "$finds" -eq 0 ]
