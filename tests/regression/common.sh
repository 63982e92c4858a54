# SPDX-License-Identifier: GPL-2.0-only
# Common start of the scripts in these folders; they source it after reading their arguments, which are absolute paths. It changes to an
# empty folder that is deleted at the end, and unsets the variables that heddle reads. The exit code is the number of failures.
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
