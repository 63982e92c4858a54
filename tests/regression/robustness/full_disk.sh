#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A full disk: a warning before the run, one line of error, exit code 6, no crash, and no file with the result's name. Needs a small file system of its
# own, so root or user namespaces; says loudly if there is neither. Usage: full_disk.sh HEDDLE CASES MPIRUN...
set -u
heddle=$1 cases=$2
shift 2
if [ "${HEDDLE_IN_NAMESPACE:-}" != 1 ]; then
  export HEDDLE_IN_NAMESPACE=1
  unshare --mount true 2> /dev/null && exec unshare --mount "$0" "$heddle" "$cases" "$@"
  unshare --map-root-user --mount true 2> /dev/null && exec unshare --map-root-user --mount "$0" "$heddle" "$cases" "$@"
  echo "!!! no small file system can be mounted here: full disks are NOT tested !!!"
  exit 0
fi
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
trap 'umount "$work/small" 2> /dev/null; rm -rf "$work"' EXIT
mkdir "$work/small"
input=(-q -n "$cases/f_incast8_2MB_cc1/topo.txt" --flows "$cases/f_incast8_2MB_cc1/flows.txt")

# full KIB RANKS FLAGS...
full() {
  local size=$1 ranks=$2 launch=()
  shift 2
  [ "$ranks" = 1 ] || launch=("${mpirun[@]}" -n "$ranks")
  mount -t tmpfs -o size="${size}k" tmpfs "$work/small" || { fail "no file system of $size KiB"; return; }
  timeout 900 "${launch[@]}" "$heddle" run "${input[@]}" "$@" -o "$work/small/x.h5" > "$work/out" 2> "$work/err" < /dev/null
  local code=$?
  [ $code = 6 ] || fail "$size KiB, $ranks ranks, $*: exit code $code"
  [ "$(grep -c '^heddle: .*No space left on device' "$work/err")" = 1 ] || { fail "$size KiB, $ranks ranks, $*: no plain message"; cat "$work/err"; }
  [ "$size" -ge 100 ] ||  # there what monitors write on change does not fit, which nobody knows before the run
    [ "$(grep -c '^heddle: warning: .*/x.h5: the result .* need about [0-9.]* KiB, and there are .* free' "$work/err")" = 1 ] ||
    fail "$size KiB, $ranks ranks, $*: no warning before the run"
  grep -q 'Segmentation\|signal' "$work/err" && fail "$size KiB, $ranks ranks, $*: a crash"
  [ -e "$work/small/x.h5" ] && fail "$size KiB, $ranks ranks, $*: a result under its name"
  ls "$work/small" > "$work/left"
  if [ -e "$work/small/x.h5.part.totals" ]; then
    "$heddle" recover "$work/small/x.h5" -o "$work/elsewhere.h5" --force > /dev/null 2> "$work/recovery" &&
      "$heddle" validate "$work/elsewhere.h5" > "$work/recovery" || { fail "$size KiB, $ranks ranks, $*: what is left cannot be used"; cat "$work/recovery"; }
  fi
  umount "$work/small"
}
# kept KIB RANKS: the run begins, and then there is no room: what was flushed stays, and the message says what can be done.
kept() {
  full "$@" --set monitor.kinds=all --set monitor.on_change=true --set monitor.link_interval=10ms
  grep -qE '(The rows that were still to be written are about|The whole run needs about) [0-9.]+ .*heddle recover .*/x.h5 -o OTHER' "$work/err" ||
    { fail "$*: no advice"; cat "$work/err"; }
  [ "$(grep -cE '^x.h5.part.(rank[0-9]+|totals)$' "$work/left")" = $(($2 + 1)) ] || { fail "$*: the parts are not there"; cat "$work/left"; }
}
mpirun=("$@")
for size in 4 8 16 40; do full $size 1; done
full 16 2
full 50 1 --set monitor.kinds=all --set monitor.on_change=true --set monitor.link_interval=10ms
for size in 220 240 300; do
  kept $size 1
  grep -q sorted "$work/left" && fail "$size KiB: the sorted log is still there"
done
kept 240 2
mount -t tmpfs -o size=8M tmpfs "$work/small" && "$heddle" run "${input[@]}" -o "$work/small/x.h5" 2> "$work/err" && [ ! -s "$work/err" ] ||
  { fail "room enough, and not a quiet end"; cat "$work/err"; }
end
