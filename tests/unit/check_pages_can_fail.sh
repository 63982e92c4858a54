#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Makes a small repository in a temporary folder: check_pages.py must find each wrong name in it and no other.
set -u
script=$(dirname "$(realpath "${BASH_SOURCE[0]}")")/check_pages.py
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/core/base" "$work/core/gone" "$work/docs" "$work/tests/unit"
echo 'add_library(heddle)' > "$work/CMakeLists.txt"
cat > "$work/core/base/here.h" <<'SOURCE'
class Here { int Plan(); };  // Gone
SOURCE
echo 'void Other();' > "$work/core/base/other.cc"
echo 'enum { kHere = 1 };' > "$work/core/base/here.cc"
cat > "$work/tests/unit/dependencies.txt" <<'TABLE'
core/base:
core/new: core/base
tests/unit/core: tests/support
<mpi.h>: core/base
TABLE
cat > "$work/docs/architecture.md" <<'PAGE'
`Here`, `Here::Plan`, `Here::Other`, `Plan()`, `kHere = 1`, `Gone`, `ReadX`, `X`, `NAME`, `core/base`, `--gone`, `kGone = 2`
| room | subject |
|---|---|
| `core/base` | all of it |
| `core/gone` | none |
| `core/gone` | none |

| function | file |
|---|---|
| `Plan` | `core/base/here.h` |
| `Other` | `core/base/here.h` |

| group | functions of `core/base/here.h` |
|---|---|
| here | `Plan` |
| elsewhere | `Other` |
PAGE
cat > "$work/docs/extending.md" <<'PAGE'
`Plan` (`core/base/here.h`), `Plan` in `core/base/other.cc`; `core/base/here.cc`, `Plan`; `core/base/here.h`, `Other` in
`core/base/other.cc`, and the
`Other` (`core/base/here.cc`).
```
`Gone`
```
PAGE
wanted='docs/architecture.md: core/gone has no row in tests/unit/dependencies.txt
docs/architecture.md: core/gone is twice in the table of rooms
docs/architecture.md: core/new is not in the table of rooms
docs/architecture.md:11: Other does not exist in core/base/here.h
docs/architecture.md:16: Other does not exist in core/base/here.h
docs/architecture.md:1: Gone does not exist
docs/architecture.md:1: Here::Other does not exist
docs/architecture.md:1: kGone does not exist
docs/extending.md: Other does not exist in core/base/here.cc
docs/extending.md: Plan does not exist in core/base/other.cc
only 16 identifiers found: is this the source directory?'

python3 "$script" "$work" > "$work/found"
status=$?
diff <(echo "$wanted") <(LC_ALL=C sort "$work/found") || exit 1
[ "$status" -eq 1 ] || { echo "exit code $status in place of 1"; exit 1; }
echo "all wrong names were found"
