#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes a small repository in a temporary folder: check_named_paths.py must find each wrong name in it and no other.
set -u
script=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/check_named_paths.py
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/core" "$work/docs"
touch "$work/core/here.h"
cat > "$work/core/here.cc" <<'SOURCE'
const char* page = "docs/absent.md";  // here.h, core/here.{h,js}
SOURCE
cat > "$work/docs/page.md" <<'PAGE'
`core/here.{h,cc}`, core/absent.cc, `here.cc`, `core/here.*`, `absent.h`, `core/x.cc`, `core/<name>.h`
[right](page.md#a-page), [no page](absent.md), [no heading](#absent)
# A page
PAGE
wanted='core/here.cc:1: core/here.js does not exist
core/here.cc:1: docs/absent.md does not exist
docs/page.md:1: absent.h does not exist
docs/page.md:1: core/absent.cc does not exist
docs/page.md:2: #absent does not exist: no such heading
docs/page.md:2: absent.md does not exist
only 11 names found: is this the source directory?'

python3 "$script" "$work" > "$work/found"
status=$?
diff <(echo "$wanted") <(LC_ALL=C sort "$work/found") || exit 1
[ "$status" -eq 1 ] || { echo "exit code $status in place of 1"; exit 1; }
echo "all wrong names were found"
