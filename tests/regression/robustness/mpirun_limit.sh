#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The tests' own launcher (tests/support/mpirun_limit.sh): it ends an mpirun that outlives its ranks, and changes nothing else.
# Usage: mpirun_limit.sh LAUNCHER
set -u
launcher=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

printf '%s\n' '#!/usr/bin/env bash' 'sleep 1 &' 'wait' 'echo over' 'exec sleep 60' > hangs
printf '%s\n' '#!/usr/bin/env bash' 'sleep 4 &' 'wait' 'cat' 'exit 7' > works
chmod +x hangs works
(HEDDLE_MPIRUN_GRACE=2 "$launcher" ./hangs) > out 2> err
[ $? = 137 ] || fail 'a launcher that hangs was not killed'
[ "$(cat out)" = over ] || fail 'its output'
grep -q 'the launcher has not ended 2 s after its last rank: killed' err || { fail 'nobody says so'; cat err; }
echo in | HEDDLE_MPIRUN_GRACE=2 "$launcher" ./works > out 2> err
[ $? = 7 ] || fail 'the exit code of a launcher whose rank takes longer than the limit'
[ "$(cat out)" = in ] || fail 'its input'
[ -s err ] && { fail 'words that are not its own'; cat err; }
end
