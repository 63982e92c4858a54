# SPDX-License-Identifier: GPL-2.0-only
# How the scripts of this folder begin: sourced once they have read their arguments, which are absolute paths. They go on in an empty
# folder that is deleted at their end, and without the variables that heddle heeds; they end with the number of failures.
# shellcheck shell=bash
unset AS_SEND_LAT AS_SEND_LATT CC_ENABLE CC_LOG_FILE NCCL_ALGO NCCL_PROTO TRACE_INJECT_FILE
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED  $*"; failures=$((failures + 1)); }
# end: the last line of a script.
end() {
  echo "$failures failures"
  exit $((failures > 0))
}
