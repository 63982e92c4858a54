#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A result has the same bytes, whether 1, 2, 3 or 4 ranks compress its chunks; and HDF5's own tools read it.
# Usage: pool_result.sh POOL_RESULT MPIRUN...
set -u
program=$1
shift
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
timeout 900 "$program" "$work/1.h5" || fail "one rank: exit code $?"
for ranks in 2 3 4; do
  timeout 900 "$@" -n $ranks "$program" "$work/$ranks.h5" < /dev/null || fail "$ranks ranks: exit code $?"
  cmp "$work/1.h5" "$work/$ranks.h5" || fail "$ranks ranks: other bytes"
done
[ -z "$(find "$work" -name '*.none*')" ] || fail "the result that failed is there"
if command -v h5dump > /dev/null; then
  last=$(h5dump -d /many/easy -s 899999 -c 1 "$work/4.h5" | sed -n 's/^ *(899999): //p')
  [ "$last" = 8999 ] || fail "h5dump reads '$last' in the last row of /many/easy, expected 8999"
else
  echo "!!! h5dump is not installed (apt-get install hdf5-tools): reading by HDF5's tools is NOT tested !!!"
fi
end
