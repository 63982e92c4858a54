#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Folders are the architecture: each may include only what the table in docs/architecture.md allows;
# mpi.h is core's, HDF5 is io's.
# Usage: check_dependencies.sh SOURCE_DIRECTORY
set -u
cd "$1" || exit 2
declare -A may=(
  [core]="core" [topology]="core topology" [partition]="core topology partition" [transport]="core topology transport"
  [collectives]="core topology collectives" [io]="core topology io"
)
failures=0
complain() { echo "$*"; failures=$((failures + 1)); }
seen=0
for folder in "${!may[@]}"; do
  while IFS=: read -r file _ line; do
    seen=$((seen + 1))
    target=$(sed -E 's/.*"([a-z]+)\/.*/\1/' <<<"$line")
    case " ${may[$folder]} " in *" $target "*) ;; *) complain "$file includes $target, which $folder may not use" ;; esac
  done < <(grep -rnE '^#include "[a-z]+/' "$folder" --include='*.h' --include='*.cc' | grep -v '^core/app/')
done
for file in $(grep -rlE '^#include *[<"]mpi\.h' --include='*.h' --include='*.cc' core topology partition transport collectives io 2>/dev/null | grep -v '^core/'); do
  complain "$file includes mpi.h, which only core may"
done
for file in $(grep -rlE '^#include *[<"](hdf5|H5)' --include='*.h' --include='*.cc' core topology partition transport collectives 2>/dev/null); do
  complain "$file includes HDF5, which only io may"
done
for file in $(grep -rlE '^#include "core/app/' --include='*.h' --include='*.cc' . | grep -vE '^\./(core/app|build|tests/unit/app|tests/fuzz)/'); do
  complain "$file includes the program"
done
[ "$seen" -gt 100 ] || complain "only $seen includes were found: is this the source directory?"
[ "$failures" -eq 0 ] && echo "$seen includes follow the table"
exit $((failures > 0))
