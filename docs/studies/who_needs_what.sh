#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Who needs which load balancing? AllReduce and a permutation on 1,024 GPUs and an AllToAll of 256 with
# hashing, more queue pairs, CAST, the central controller, flowlets, adaptive switches, switches that spray evenly or by weight, and Ultra Ethernet
# with REPS, without and with receivers' credit; on a healthy fabric, with slow links, with a dead spine. Then a permutation of
# 15,360 GPUs on AlibabaHPN. docs/studies/who_needs_what.md explains.
# Usage: who_needs_what.sh [--quick] [BUILD_DIR [OUTPUT_DIR]]
#   --quick   without the 15,360 GPUs
# Results that are there already are kept, so a study that was stopped goes on.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
quick=0
if [ "${1:-}" = --quick ]; then
  quick=1
  shift
fi
begin who_needs_what "$@"
unset AS_SEND_LAT AS_NVLS_ENABLE

# 1,024 GPUs in servers of 8, a leaf for the GPUs of 8 servers, as many uplinks as GPUs.
"$heddle" topo DCN-SingleToR -g 1024 -npa 64 -psn 64 -app 16 -o fabric.txt --force > /dev/null
first_leaf=1152 first_spine=1168  # after 1,024 GPUs and 128 NVSwitches; 16 leaves

# permutation GPUS BYTES: a server's GPUs send to other servers only.
permutation() {
  /usr/bin/python3 - "$1" "$2" << 'END'
import random, sys
gpus, size = int(sys.argv[1]), sys.argv[2]
random, servers = random.Random(1), gpus // 8
print("timestamp_ns,src,dst,size_bytes")
for rail in range(8):
    to = list(range(servers))
    for i in range(servers - 1, 0, -1):
        j = random.randrange(i)
        to[i], to[j] = to[j], to[i]
    for server in range(servers):
        print(f"0,{8 * server + rail},{8 * to[server] + rail},{size}")
END
}
permutation 1024 8388608 > permutation.csv
echo "1 ALLREDUCE 16777216 DP" > allreduce.txt
printf 'MICRO\n1\nalltoall -1 0 NONE 0 0 NONE 0 0 ALLTOALL 33554432 0\n' > alltoall.txt
# The AllToAll is among 256 GPUs, one server in four.
fourth=''
for ((gpu = 0; gpu < 1024; gpu += 32)); do fourth+="+$gpu-$((gpu + 7))"; done
declare -A traffic=([allreduce]="-w allreduce.txt --like simai --set collective.connections=lasting"
  [alltoall]="--like simai --job workload=alltoall.txt,gpus=${fourth#+}"
  [permutation]="--trace permutation.csv")

# One in a hundred of the links between leaves and spines at half rate; one spine that dies, which routes follow after 1 ms.
for i in {0..9}; do
  echo "0,link_rate,$((first_leaf + (7 * i) % 16)),$((first_spine + (13 * i + 5) % 64)),200Gbps"
done > slow.csv
echo "50us,node_down,$((first_spine + 20))" > dead.csv
declare -A state=([healthy]="" [slow]="--failures slow.csv" [dead]="--failures dead.csv --set failure.convergence=1ms")

# What a scheme sets. Packets carry 9,000 bytes with all. Receivers of sprayed RoCE keep what comes early, and senders repeat single packets.
bear="--set reliability.selective_repeat=true --set reliability.reorder=512"
declare -A scheme=(
  [hash]=""
  [4-queue-pairs]="--set nic.qps_per_connection=4"
  [cast]="--set nic.qps_per_connection=4 --set requests.scheduler=cast-stripe"
  [controller]="--set controller.enable=true --set collective.connections=message"
  [flowlets]="--set balance.ports=flowlet --set balance.flowlet_gap=20us $bear"
  [adaptive]="--set balance.ports=adaptive $bear"
  [spray]="--set balance.ports=random $bear"
  [spray-weighted]="--set balance.ports=random --set balance.weighted=true $bear"
  [uec-reps]="--set transport.protocol=uec --set uec.mtu=9064 --set entropy.scheme=reps"
  [uec-reps-credit]="--set transport.protocol=uec --set uec.mtu=9064 --set entropy.scheme=reps --set uec.congestion=both")
schemes=(hash 4-queue-pairs cast controller flowlets adaptive spray spray-weighted uec-reps uec-reps-credit)

# simulate NAME ARGUMENTS...: NAME.h5 and NAME.json, unless they are there; `result` becomes NAME, or "-" if it cannot be.
simulate() {
  local code=0 start=$SECONDS
  result=$1
  [ ! -f "$1.h5" ] || return 0
  "$heddle" run -q "${@:2}" --record flows=none --record timeline=none --json-log "$1.json" -o "$1.part.h5" --force \
    2> "$1.log" || code=$?
  case $code in
    0 | 4) mv "$1.part.h5" "$1.h5"; say "$1, $((SECONDS - start)) s" ;;
    2 | 3) say "$1 cannot be: $(head -1 "$1.log")"; result=- ;;
    *) cat "$1.log" >&2; die "heddle run ended with exit code $code" ;;
  esac
}

printf 'traffic\tstate\tscheme\n' > schemes.rows
for what in allreduce alltoall permutation; do
  for how in healthy slow dead; do
    for name in "${schemes[@]}"; do
      # shellcheck disable=SC2086  # lists of words
      simulate "$what-$how-$name" -n fabric.txt ${traffic[$what]} ${state[$how]} ${scheme[$name]}
      printf '%s\t%s\t%s\t%s\n' "$what" "$how" "$name" "$result" >> schemes.rows
    done
  done
done
printf '\n1,024 GPUs:\n\n'
/usr/bin/python3 "$studies/paths_tables.py" schemes schemes.rows

if [ $quick = 0 ]; then
  "$heddle" topo AlibabaHPN-SinglePlane -g 15360 -o hpn.txt --force > /dev/null
  permutation 15360 4194304 > permutation-hpn.csv
  printf 'traffic\tstate\tscheme\n' > hpn.rows
  for name in "${schemes[@]}"; do
    # shellcheck disable=SC2086
    simulate "hpn-$name" -n hpn.txt --trace permutation-hpn.csv ${scheme[$name]}
    printf 'permutation\thealthy\t%s\t%s\n' "$name" "$result" >> hpn.rows
  done
  printf '\n15,360 GPUs, AlibabaHPN, single plane:\n\n'
  /usr/bin/python3 "$studies/paths_tables.py" schemes hpn.rows
fi
say "inputs and results are in $PWD"
