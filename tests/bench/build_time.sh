#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Processor seconds (user and system) of builds from nothing without a cache, of typical changes, and how much a unit reads.
# Usage: build_time.sh BUILD [program|all|changes|lines]...
#   BUILD    a configured build folder, for where ns-3 and uPlot are
#   program  preset release, the program from nothing
#   all      the rest of that preset, after the program if it is asked for too
#   changes  preset dev, built with the cache if there is one; then a source of a mechanism to its test program, a command's source
#            to the program, and a header that half of the tree includes to everything
#   lines    objects, and lines of a unit after preprocessing, of every twentieth unit of preset dev
# Default: all four. An hour on two cores, mostly for dev's first build.
set -euo pipefail
if [ $# -lt 1 ] || [ ! -f "$1/CMakeCache.txt" ]; then
  sed -n '/^# Usage/,/^# Default/s/^# //p' "$0" >&2
  exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
given=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- program all changes lines
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A copy, as files are changed.
git ls-files -z | xargs -0 cp --parents -t "$folder"

entry() { sed -n "s/^$1:[A-Z]*=//p" "$given/CMakeCache.txt"; }
configure() {
  cmake -S "$folder" --preset "$1" "-DNS3_PREFIX=$(entry NS3_PREFIX)" "-DUPLOT_DIR=$(entry UPLOT_DIR)" "${@:2}" --log-level=WARNING > /dev/null
}
# seconds COMMAND...: processor seconds, and seconds by the clock.
seconds() {
  local TIMEFORMAT='%U %S %R' times
  times=$( { time "$@" > "$folder/log" 2>&1; } 2>&1) || { tail -n 20 "$folder/log" >&2; exit 1; }
  awk '{ printf "%.0f processor seconds, %.0f by the clock\n", $1 + $2, $3 }' <<<"$times"
}
release() {
  [ -d "$folder/build/release" ] || configure release -DCMAKE_CXX_COMPILER_LAUNCHER=
  printf '%s, release, from nothing: %s\n' "$1" "$(seconds ninja -C "$folder/build/release" "$2")"
  printf '%s objects\n' "$(find "$folder/build/release" -name '*.o' | wc -l)"
}
dev() {
  [ ! -d "$folder/build/dev" ] || return 0
  configure dev
  ninja -C "$folder/build/dev" > "$folder/log" 2>&1 || { tail -n 20 "$folder/log" >&2; exit 1; }
}
# change FILE TARGET: a declaration, so that no cache knows it; of a comment ccache would say that nothing has changed.
change() {
  printf '\nextern const int build_time_%s;\n' "$RANDOM$RANDOM" >> "$folder/$1"
  printf 'a change of %s to %s, dev: %s\n' "$1" "$2" "$(seconds ninja -C "$folder/build/dev" "$2")"
}
lines() {
  [ -d "$folder/build/dev" ] || configure dev
  python3 - "$folder/build/dev/compile_commands.json" <<'PYTHON'
import json, shlex, subprocess, sys
units = [unit for unit in json.load(open(sys.argv[1])) if "cmake_pch" not in unit["file"]]
counts = []
for unit in units[::20]:
    words = shlex.split(unit["command"])
    del words[words.index("-o"):words.index("-o") + 2]
    if any("cmake_pch" in word for word in words):  # what the unit itself includes
        at = next(i for i, word in enumerate(words) if "cmake_pch" in word)
        del words[at - 1:at + 1]
    words[words.index("-c")] = "-E"
    counts.append(subprocess.run(words, cwd=unit["directory"], check=True, capture_output=True).stdout.count(b"\n"))
print(f"{len(units)} units; {len(counts)} of them read {sum(counts) / len(counts):.0f} lines on average, at most {max(counts)}")
PYTHON
}

for what in "$@"; do
  case $what in
    program) release "the program" heddle ;;
    all) release "the rest, with all tests" all ;;
    changes)
      dev
      change transport/model/congestion/dcqcn.cc unit_transport
      change core/app/views/inspect/options_command.cc heddle
      change topology/graph/graph.h all
      ;;
    lines) lines ;;
    *) echo "build_time.sh: no measurement '$what'" >&2; exit 2 ;;
  esac
done
