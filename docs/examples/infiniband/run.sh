#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An InfiniBand fat tree: two sets of forwarding tables, counted and by packets, and an AllReduce that switches add.
# Usage: in an empty folder, run.sh. README.md explains.
set -eu
heddle topo fat-tree -k 4 -levels 3 -gps 4 -nsps 1 -o fabric.txt
heddle topo route fabric.txt dmodk -o dmodk.txt
heddle topo route fabric.txt minhop -o minhop.txt
heddle congestion fabric.txt --tables dmodk.txt -n 200
heddle congestion fabric.txt --tables minhop.txt -n 200
echo "1 ALLTOALL 16777216 DP" > alltoall.txt
heddle run -n fabric.txt -w alltoall.txt --tables dmodk.txt --set CC_MODE=0 -o dmodk.h5
heddle run -n fabric.txt -w alltoall.txt --tables minhop.txt --set CC_MODE=0 -o minhop.h5
heddle bench allreduce -n fabric.txt -b 64MiB -e 64MiB --algorithms ring,collnet_direct -o allreduce \
  -- --tables dmodk.txt --set CC_MODE=0 --set aggregation.switches=all --set aggregation.streams=4
