#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# KV caches from prefill to decode servers: random partners by hashed paths, by sprayed paths, and partners of one rail.
# Usage: in an empty folder, run.sh. README.md explains.
set -eu
heddle topo spectrum-x --gpus 64 --oversubscription 1 -o fabric.txt
heddle trace --arrival poisson -n fabric.txt --prefill-servers 0-3 --decode-servers 4-7 \
  --kv-mb 40 --rate 20000 --duration 5ms -o random.csv
heddle trace --arrival server_pair -n fabric.txt --src-server 0 --dst-server 4 \
  --kv-mb 40 --rounds 5 --interval-ns 1000000 -o pair.csv
heddle run -n fabric.txt --trace random.csv -o hashed.h5
heddle run -n fabric.txt --trace random.csv -o sprayed.h5 --set balance.ports=adaptive --set reliability.reorder=512
heddle run -n fabric.txt --trace pair.csv -o pair.h5
heddle analyze links hashed.h5 --tier "leaf to host" --top 1
