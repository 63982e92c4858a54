#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# One format decides: every source is as clang-format 14 prints it with the repository's .clang-format.
# Usage: check_format.sh SOURCE_DIRECTORY. Exit 77 (skipped) without that clang-format, as others break lines elsewhere.
set -u
cd "$1" || exit 2
format=$(command -v clang-format-14 || command -v clang-format) || { echo "no clang-format here"; exit 77; }
"$format" --version | grep -q 'version 14\.' || { echo "$("$format" --version) is not version 14"; exit 77; }
mapfile -t sources < <(find core topology partition transport collectives io tests -name '*.h' -o -name '*.cc' | sort)
[ ${#sources[@]} -gt 500 ] || { echo "only ${#sources[@]} sources were found: is this the source directory?"; exit 1; }
if ! printf '%s\n' "${sources[@]}" | xargs "$format" --dry-run -Werror; then
  echo "mend it with: clang-format -i FILE..."
  exit 1
fi
echo "${#sources[@]} sources are formatted"
