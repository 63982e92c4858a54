#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle congestion: the same text on any number of ranks, other runs by another seed, what a user gets wrong.
# Usage: congestion.sh HEDDLE NETWORKS MPIRUN...: NETWORKS is the folder tests/data/orcs.
set -u
heddle=$1 networks=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 32 -gt A100 -bw 100Gbps -o topo.txt > /dev/null 2>&1 || exit 1
cp "$networks/kary64.dot" net.dot

# same ARGUMENTS...
same() {
  "$heddle" congestion "$@" > 1.txt || fail "$*: exit code $?"
  for ranks in $counts; do
    timeout 100 "${mpirun[@]}" -n $ranks "$heddle" congestion "$@" > $ranks.txt || fail "$*, $ranks ranks: exit code $?"
    cmp 1.txt $ranks.txt || fail "$*: $ranks ranks give another text"
  done
}
counts='2 3'
same net.dot -n 100
counts=2
same net.dot -p ptrnvsptrn:tree::rand -z 24 -s 50 -n 31 --seed 7
same topo.txt -p recvs_all_src:5,80,10 -n 20 --fixed-subset
counts=3
same --compat orcs-2.0 -i net.dot -p bruck -n 6 --seed 3
counts='2 3'
cp "$networks/ft16.dot" ft16.dot
for metric in sum_max_cong hist_max_cong hist_acc_band dep_max_delay get_cable_cong; do
  same --compat orcs-1.1 -i ft16.dot -p bisect_fb_sym -n 12 --metric=$metric
done
same --compat orcs-1.1 -i ft16.dot --routequal
same --compat orcs-2.0 -i ft16.dot --routequal
counts=3
same --compat orcs-2.0 -i ft16.dot -p ptrnvsptrn -a null::bruck -z 3 -n 6  # only the first run has messages
same --compat orcs-2.0 -i ft16.dot -p ptrnvsptrn -a tree::bruck -z 3 -l 1 -n 6
same --compat orcs-2.0 -i ft16.dot -p tree --version
"$heddle" congestion --compat orcs-1.1 -i ft16.dot -n 12 | sed 's/^Runs: 12/Runs: 10/' > 1.txt  # rounded up as by ORCS
timeout 100 "${mpirun[@]}" -n 3 "$heddle" congestion --compat orcs-1.1 -i ft16.dot -n 10 | cmp - 1.txt || fail '10 runs on 3 ranks are not 12'
"$heddle" congestion net.dot -n 100 --seed 2 > other.txt
"$heddle" congestion net.dot -n 100 > first.txt
cmp -s other.txt first.txt && fail 'the seed changes nothing'
grep -Eq '^bandwidth +0\.6[0-9]{3} \+- 0\.0' first.txt || fail 'no bandwidth of a 4-ary 3-tree'

# refuses CODE PATTERN ARGUMENTS...: alone, or by $launcher
refuses() {
  local expected=$1 pattern=$2 code
  shift 2
  # shellcheck disable=SC2086
  timeout 60 ${launcher-} "$heddle" congestion "$@" > out.txt 2> err.txt < /dev/null
  code=$?
  [ $code = "$expected" ] && grep -Eq -- "$pattern" err.txt || { fail "$*: exit code $code. Expected: $expected and /$pattern/"; cat err.txt; }
}
refuses 2 'NETWORK' -n 3
refuses 3 'nowhere' nowhere.txt
refuses 3 'pattern .bisct. is unknown.*bisect' net.dot -p bisct
refuses 3 'argument .0.. Expected: shift:K' net.dot -p shift:0
refuses 3 'ranks: found 65. Expected: 2 to 64' net.dot -s 65
refuses 2 'runs' net.dot -n 0
refuses 3 'first pattern' net.dot -p ptrnvsptrn:tree::rand -z 64
echo 'digraph { H1 -> s [comment="H2' > broken.dot
refuses 3 'broken.dot' broken.dot
echo 'digraph { a -> b [comment="*"]; }' > hostless.dot
refuses 3 'hostless.dot' hostless.dot
echo 'H1 H2 nobody H4' > maps.txt
refuses 3 'maps.txt:1' net.dot -s 4 --mappings maps.txt
refuses 2 'orcs-1.1 or orcs-2.0' --compat orcs-3.0 -i net.dot
refuses 1 'ambiguous' --compat orcs-2.0 -i net.dot -p bis
refuses 1 'commsize' --compat orcs-2.0 -i net.dot -s 65
launcher="${mpirun[*]} -n 2"
refuses 3 'nowhere' nowhere.txt
refuses 3 'pattern .bisct. is unknown.*bisect' net.dot -p bisct
refuses 1 'ambiguous' --compat orcs-2.0 -i net.dot -p bis
refuses 1 'commsize' --compat orcs-2.0 -i net.dot -s 65
end
