#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# GPUs on NVLinks without NVSwitches, as in a DGX-1: they pass on what is for others of their server; on any number of ranks, with the
# same results; a pair without a link takes as long as two links do.
# Usage: dgx1.sh HEDDLE MPIRUN [FLAGS...]
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
mesh='0 1|0 2|0 3|0 4|1 2|1 3|1 5|2 3|2 6|3 7|4 5|4 6|4 7|5 6|5 7|6 7'
# fabric SERVERS FILE: eight GPUs each on a cube mesh, with two servers also NICs under one switch.
fabric() {
  local servers=$1 gpus=$((8 * $1)) nics=0
  [ "$servers" = 1 ] || nics=$gpus
  {
    echo "$((gpus + (servers > 1))) 8 0 $((servers > 1)) $((16 * servers + nics)) V100"
    [ "$servers" = 1 ] && echo || echo "$gpus"
    for ((s = 0; s < servers; ++s)); do
      tr '|' '\n' <<< "$mesh" | while read -r a b; do echo "$((8 * s + a)) $((8 * s + b)) 200Gbps 0.000025ms 0"; done
    done
    for ((g = 0; g < nics; ++g)); do echo "$g $gpus 100Gbps 0.0005ms 0"; done
  } > "$2"
}
fabric 1 one.topo
fabric 2 two.topo

# A message between GPUs without a link: as long as one between neighbours, and a packet and a delay more.
us() { "$heddle" run -n one.topo --trace "$1.csv" 2> "$1.err" | awk '/^simulated/{print $2}'; }
printf 'timestamp_ns,src,dst,size_bytes\n0,2,6,1048576\n' > near.csv
printf 'timestamp_ns,src,dst,size_bytes\n0,2,4,1048576\n' > far.csv
near=$(us near) far=$(us far)
awk -v near="$near" -v far="$far" 'BEGIN { exit !(near > 42 && near < 60 && far - near > 0.025 && far - near < 0.1) }' ||
  { fail "near $near us, far $far us"; cat far.err; }

# Collectives end, and the links have carried what the paths say: an AllToAll's messages between quads cross two links or one.
{
  printf 'MICRO\n3\n'
  for collective in 'ALLREDUCE 8388608' 'ALLTOALL 8388608' 'SENDRECV 1048576'; do echo "a -1 0 NONE 0 0 NONE 0 0 $collective 0"; done
} > work.txt
for name in one two; do
  "$heddle" run -n $name.topo -w work.txt -o $name.h5 > $name.run 2> $name.err || { fail "$name"; cat $name.err $name.run; }
  grep -q '^transport  *NVLinks from GPU to GPU, under credits; GPUs pass on' $name.run || { fail "$name: no line of GPUs that pass on"; cat $name.run; }
  "$heddle" validate -q $name.h5 || fail "$name: the result is not valid"
  for ranks in 2 3; do
    [ $name = two ] || continue  # a server is one domain
    "${mpirun[@]}" -n $ranks "$heddle" run -q -n $name.topo -w work.txt -o $name.$ranks.h5 2> err.txt || { fail "$name, $ranks ranks"; cat err.txt; }
    "$heddle" compare -q $name.h5 $name.$ranks.h5 > /dev/null || fail "$name: another result on $ranks ranks"
  done
done
[ -s one.err ] && { fail 'a warning'; cat one.err; }
"$heddle" report one.h5 two.h5 -o page.html > /dev/null 2> err.txt || { fail 'the page'; cat err.txt; }
"$heddle" analyze step two.h5 > step.txt 2>&1 || { fail 'analyze step'; cat step.txt; }
"$heddle" topo show one.topo > show.txt 2>&1 || { fail 'topo show'; cat show.txt; }

# The same server as NCCL describes it: equal results, but for its rate of 160 Gbps a link.
{
  echo '<system version="1"><cpu numaid="0">'
  for ((g = 0; g < 8; ++g)); do
    echo "<pci busid=\"0000:0$g:00.0\" class=\"0x030200\"><gpu dev=\"$g\" sm=\"70\" rank=\"$g\">"
    tr '|' '\n' <<< "$mesh" | awk -v g="$g" '$1 == g || $2 == g { printf "<nvlink target=\"0000:0%d:00.0\" count=\"1\" tclass=\"0x030200\"/>\n", $1 == g ? $2 : $1 }'
    echo '</gpu></pci>'
  done
  echo '</cpu></system>'
} > server.xml
sed 's/200Gbps/160Gbps/' one.topo > slower.topo
for name in server.xml slower.topo; do
  "$heddle" run -q -n $name -w work.txt -o $name.h5 2> err.txt || { fail "$name"; cat err.txt; }
  "$heddle" export $name.h5 --fct $name.fct > /dev/null || fail "$name: no times"
done
diff <(cut -d' ' -f1-8 server.xml.fct | sort) <(cut -d' ' -f1-8 slower.topo.fct | sort) > /dev/null || fail "NCCL's server is another fabric"

# What cannot be.
printf 'time,event,a,b\n1us,link_down,0,1\n' > down.csv
"$heddle" run -n one.topo -w work.txt --failures down.csv > down.run 2>&1
[ $? = 3 ] && grep -q 'a failure of the scale-up link between GPU 0 and GPU 1' down.run || { fail 'a link of GPUs that fails'; cat down.run; }
"$heddle" run -n one.topo -w work.txt --backend analytical > forms.run 2>&1
[ $? = 3 ] && grep -q 'closed forms know no scale-up fabric' forms.run || { fail 'closed forms'; cat forms.run; }
# A server in two halves has no path between them, as before.
printf '4 4 0 0 2 V100\n\n0 1 200Gbps 0.000025ms 0\n2 3 200Gbps 0.000025ms 0\n' > halves.topo
printf 'timestamp_ns,src,dst,size_bytes\n0,0,2,1000\n' > across.csv
"$heddle" run -n halves.topo --trace across.csv > halves.run 2>&1
[ $? = 3 ] && grep -q 'the topology has no path between them' halves.run || { fail 'two halves'; cat halves.run; }
end
