#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes a small repository in a temporary folder: check_type_names.py must find each name that two headers define, and no other.
set -u
script=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/check_type_names.py
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/core" "$work/io"
cat > "$work/core/one.h" <<'SOURCE'
struct Alone;
enum class Kind : std::uint8_t { kOne };
class Twice final : public Base {
  struct Within {};
};
SOURCE
cat > "$work/io/two.h" <<'SOURCE'
class Twice;
struct Alone {
  struct Within {};
};
struct Twice {
};
enum class Kind : std::uint32_t {
  kTwo };
SOURCE
wanted='Kind is defined in core/one.h and in io/two.h
Twice is defined in core/one.h and in io/two.h
only 3 types found: is this the source directory?'

python3 "$script" "$work" > "$work/found"
status=$?
diff <(echo "$wanted") "$work/found" || exit 1
[ "$status" -eq 1 ] || { echo "exit code $status in place of 1"; exit 1; }
echo "all names that are not unique were found"
