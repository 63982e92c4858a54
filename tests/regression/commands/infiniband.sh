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
  "$heddle" congestion "$folder/ibnetdiscover.out" --tables "$folder/opensm.fdbs" -n 200 2> err.txt | sed 1,2d > first.txt
  grep -q '^messages *3200 with a way$' first.txt || { fail "$engine: not all arrive"; cat first.txt err.txt; }
  for network in ibnetdiscover.out ibnetdiscover_p.out; do
    for tables in opensm.fdbs ibdiagnet.fdbs dump_fts.out opensm-lfts.dump; do
      "$heddle" congestion "$folder/$network" --tables "$folder/$tables" -n 200 2> /dev/null | sed 1,2d > other.txt
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
# Cables alone have no routes: they are refused, unless some are assumed. The text and the result say which were counted.
for flags in '' --routequal --checkinputfile; do
  # shellcheck disable=SC2086
  refuses 'without its forwarding tables.*Expected: --tables DUMP' "$folder/ibnetdiscover.out" -n 1 $flags
done
# counts TEXT WORD ARGUMENTS...: the line of routes, and the attribute of the result
counts() {
  local text=$1 word=$2
  shift 2
  "$heddle" congestion "$@" -n 1 -o routes.h5 --force > out.txt 2> err.txt || { fail "$*: exit code $?"; cat err.txt; }
  grep -Eq "^routes  *$text\$" out.txt || { fail "$*: no routes: $text"; cat out.txt; }
  "$heddle" validate routes.h5 > /dev/null || fail "$*: the result is not valid"
  /usr/bin/python3 -c 'import h5py' 2> /dev/null || return
  [ "$(/usr/bin/python3 -c 'import h5py; print(h5py.File("routes.h5").attrs["routing"].decode())')" = "$word" ] || fail "$*: the result does not say $word"
}
ln -s "$folder/opensm.fdbs" near.fdbs  # a long path is cut
counts "the tables of near.fdbs" tables "$folder/ibnetdiscover.out" --tables near.fdbs
counts 'the tables that --routing makes: minhop' minhop "$folder/ibnetdiscover.out" --routing minhop
counts 'equal-cost; a hash takes one of the shortest' equal-cost "$folder/ibnetdiscover.out" --routing equal-cost
counts 'the tables of .*/net.dot' file "$folder/net.dot"
"$heddle" topo Spectrum-X -g 16 -o fabric.txt > /dev/null 2>&1
counts 'equal-cost; a hash takes one of the shortest' equal-cost fabric.txt
end
