#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The workloads of tests/data, as their generators wrote them, run from the command line to their end: exit code 0 and no
# error, and a warning only if the file is truncated, or names shards as ASTRA-SIM 1.0 does.
# Usage: inputs_run.sh HEDDLE WORKLOADS NAME:GPUS[:WARNING]...    (WORKLOADS: tests/data/workloads)
set -u
heddle=$1 workloads=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset AS_SEND_LAT
failures=0
for item in "$@"; do
  IFS=: read -r name gpus warning <<< "$item"
  topology=$work/$gpus.txt
  [ -f "$topology" ] || "$heddle" topo Spectrum-X -g "$gpus" -o "$topology" > "$work/out" || exit 1
  begin=$SECONDS
  timeout 1700 "$heddle" run -q -n "$topology" -w "$workloads/$name" --record flows=none --record timeline=none \
    > "$work/out" 2> "$work/err" < /dev/null
  code=$?
  if [ -z "$warning" ]; then
    [ ! -s "$work/err" ]
  else
    [ "$(wc -l < "$work/err")" = 1 ] && grep -Eq "^heddle: warning: .*$warning" "$work/err"
  fi
  if [ $? = 0 ] && [ $code = 0 ]; then
    echo "ok  $name on $gpus GPUs, $((SECONDS - begin)) s"
  else
    echo "FAILED  $name on $gpus GPUs: exit code $code"
    head -5 "$work/err"
    failures=$((failures + 1))
  fi
done
exit $((failures > 0))
