#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What ibnetdiscover and OpenSM print: every pair of forms gives the same study, as ORCS's own DOT of the same network does;
# packets follow the tables; what is broken is named.
# Usage: infiniband.sh HEDDLE DUMPS    (DUMPS: tests/data/infiniband)
set -u
heddle=$1 dumps=$2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

for engine in minhop updn; do
  folder=$dumps/$engine
  "$heddle" congestion "$folder/ibnetdiscover.out" --tables "$folder/opensm.fdbs" -n 200 2> err.txt | sed 1d > first.txt
  grep -q '^messages *3200 with a way$' first.txt || { fail "$engine: not all arrive"; cat first.txt err.txt; }
  for network in ibnetdiscover.out ibnetdiscover_p.out; do
    for tables in opensm.fdbs ibdiagnet.fdbs dump_fts.out opensm-lfts.dump; do
      "$heddle" congestion "$folder/$network" --tables "$folder/$tables" -n 200 2> /dev/null | sed 1d > other.txt
      cmp first.txt other.txt || fail "$engine: $network with $tables differs"
    done
  done
  # Names differ from those of ORCS's DOT, figures do not.
  "$heddle" congestion "$folder/net.dot" -n 200 | grep -E '^(bandwidth|messages|sum|delay)' > dot.txt
  grep -E '^(bandwidth|messages|sum|delay)' first.txt | cmp - dot.txt || fail "$engine: net.dot differs"
  # heddle's own maker is as even as OpenSM's in this tree.
  for tables in "--tables $folder/opensm.fdbs" '--routing minhop'; do
    # shellcheck disable=SC2086
    "$heddle" congestion "$folder/ibnetdiscover.out" $tables --checkinputfile --routequal > out.txt 2> /dev/null || fail "$engine: routes: exit code $?"
    grep -q '12 to 12, mean 12.00, sigma 0.00' out.txt || { fail "$engine $tables: routes are uneven"; cat out.txt; }
  done
done

folder=$dumps/minhop
"$heddle" topo show "$folder/ibnetdiscover.out" --tables "$folder/dump_fts.out" > out.txt || fail "topo show: exit code $?"
grep -q '^tables  *ports between switches: 32, of which 32 are used' out.txt && grep -q '1 paths' out.txt || { fail 'topo show: no tables'; cat out.txt; }
printf 'timestamp_ns,src,dst,size_bytes\n0,0,15,100000\n0,3,9,100000\n' > flows.csv
"$heddle" run -q -n "$folder/ibnetdiscover.out" --tables "$folder/opensm.fdbs" --trace flows.csv -o run.h5 2> err.txt || { fail "run: exit code $?"; cat err.txt; }
"$heddle" run -q -n "$folder/net.dot" --trace flows.csv -o dot.h5 2> /dev/null || fail 'run of DOT'
"$heddle" validate run.h5 dot.h5 > /dev/null || fail 'a result is not valid'

# refuses PATTERN ARGUMENTS...
refuses() {
  local pattern=$1
  shift
  timeout 900 "$heddle" congestion "$@" > out.txt 2> err.txt
  [ $? = 3 ] && grep -Eq -- "$pattern" err.txt || { fail "$*: not refused with /$pattern/"; cat err.txt; }
}
head -c 700 "$folder/ibnetdiscover.out" > cut.out
refuses 'cut.out:' cut.out --tables "$folder/opensm.fdbs"
sed 's/: 001  :/: 999  :/' "$folder/opensm.fdbs" > port.fdbs
refuses 'port.fdbs:[0-9]+' "$folder/ibnetdiscover.out" --tables port.fdbs
refuses 'opensm.fdbs' "$folder/net.dot" --tables "$folder/opensm.fdbs"
refuses 'ibnetdiscover.out' "$folder/ibnetdiscover.out" --tables "$folder/ibnetdiscover.out"
end
