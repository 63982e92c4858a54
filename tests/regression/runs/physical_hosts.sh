#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Real traffic between two hosts: Open MPI starts a daemon of its own for a second host name, so ranks share no memory and talk over TCP.
# Messages, sums, hosts in the result, and the host of a rank that is stopped. Usage: physical_hosts.sh HEDDLE MPIRUN...
set -u
heddle=$1
mpirun=("${@:2}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
. "$here/../robustness/ranks.sh"
if ! unshare --uts true 2> /dev/null; then
  echo 'skipped: no second host name without the rights of unshare --uts'
  exit 77
fi
# In place of ssh: the command runs here, under the host's name.
cat > agent << 'END'
#!/bin/sh
host=$1
shift
exec unshare --uts sh -c "hostname $host; exec sh -c '$*'"
END
chmod +x agent
second=127.0.0.2  # loopback, and no name of this machine
export OMPI_MCA_btl=tcp,vader,self
mpirun+=(--mca plm_rsh_agent "$PWD/agent" --mca btl_tcp_if_include lo --host "localhost:2,$second:2")
"$heddle" topo Spectrum-X -g 4 -gps 2 -gt A100 -o two.txt > /dev/null 2>&1 || exit 1
printf '2 ALLREDUCE 400000 DP\n2 ALLTOALL 70000 DP\n2 ALLREDUCE 1000 TP\n' > work.txt
timeout 100 "${mpirun[@]}" -n 4 "$heddle" run -n two.txt -w work.txt --backend physical --passes 2 --set physical.check=all -o two.h5 > out.txt 2>&1 ||
  { fail 'two hosts'; cat out.txt; }
grep -Eq '^contents .* all right' out.txt || { fail 'contents'; cat out.txt; }
"$heddle" validate -q two.h5 || fail 'not a valid result'
/usr/bin/python3 - "$second" << 'END' || fail 'hosts of ranks'
import sys

import h5py

hosts = [host.rstrip(b"\0").decode() for host in h5py.File("two.h5")["run/ranks/host"][:]]
assert hosts[0] == hosts[1] != sys.argv[1] and hosts[2:] == [sys.argv[1]] * 2, hosts
END

# A rank of the second host stops: the first one says which, and where.
start 4 "$heddle" run -n two.txt -w work.txt --backend physical --passes 1000000 --record timeline=none -o x.h5 --flush 200ms --patience 2s -q
# Ranks of the second host are no children of mpirun.
rank_at() {  # rank_at RANK: its process here
  local process
  for process in $(pgrep -x heddle); do
    [ "$(readlink "/proc/$process/cwd")" = "$PWD" ] && grep -qzx "OMPI_COMM_WORLD_RANK=$1" "/proc/$process/environ" 2> /dev/null &&
      { echo "$process"; return; }
  done
}
for rank in 0 1 2 3; do
  for _ in {1..500}; do members[rank]=$(rank_at $rank) && [ -n "${members[rank]}" ] && break; sleep 0.01; done
done
wait_for x.h5.part.totals || fail 'no first flush'
sleep 1  # the traffic goes on
kill -STOP "${members[3]}"
ended 60 || fail 'processes were left after 60 seconds'
[ "$code" = 8 ] || fail "exit code $code, not 8"
grep -Eq "^heddle: rank [0-2] .* and rank 3 \(on $second\) did not answer.*waits for pass" out.txt || { fail 'who, where, what for?'; cat out.txt; }
end
