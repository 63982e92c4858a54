#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# One format decides: every source is as clang-format 14 prints it with the repository's .clang-format.
# Usage: check_format.sh SOURCE_DIRECTORY [PASSED]. Exit 77 (skipped) without that clang-format, as others break lines elsewhere.
# PASSED is a file of the hashes of sources that were found to be right: these are not read again.
set -u
passed=$(realpath -m "${2:-/dev/null}")
cd "$1" || exit 2
format=$(command -v clang-format-14 || command -v clang-format) || { echo "no clang-format here"; exit 77; }
"$format" --version | grep -q 'version 14\.' || { echo "$("$format" --version) is not version 14"; exit 77; }
mapfile -t sources < <(find core topology partition transport collectives io tests -name '*.h' -o -name '*.cc' | sort)
[ ${#sources[@]} -gt 500 ] || { echo "only ${#sources[@]} sources were found: is this the source directory?"; exit 1; }
style=$(sha256sum .clang-format | cut -d ' ' -f 1)
touch "$passed" 2>/dev/null
mapfile -t hashes < <(sha256sum "${sources[@]}" | sed "s/^/$style /" | grep -vxFf <(grep "^$style " "$passed"))
if [ ${#hashes[@]} -gt 0 ]; then
  if ! printf '%s\n' "${hashes[@]}" | cut -d ' ' -f 4- | xargs -P 2 -n 100 "$format" --dry-run -Werror; then
    echo "mend it with: clang-format -i FILE..."
    exit 1
  fi
  [ "$passed" = /dev/null ] || printf '%s\n' "${hashes[@]}" >> "$passed"
fi
echo "${#sources[@]} sources are formatted; ${#hashes[@]} of them were read now"
