#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle bench: a table by size and algorithm, with what was measured beside it. Usage: bench.sh HEDDLE
set -u
heddle=$1
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo spectrum-x -g 16 --oversubscription 1 -o fabric.txt > /dev/null 2>&1 || exit 1
run() { "$heddle" bench "$@" > out.txt 2> err.txt; code=$?; }
# expect CODE TEXT WHAT: of the last run.
expect() {
  [ "$code" = "$1" ] || { fail "$3: exit code $code, not $1"; cat out.txt err.txt; }
  grep -qF -- "$2" out.txt err.txt || { fail "$3: no \"$2\""; cat out.txt err.txt; }
}

# One column, the run's own choice. Its times are those of the same run's nccl-tests table.
run allreduce -n fabric.txt -b 1KiB -e 64KiB -f 4 -o one
expect 0 '# ALLREDUCE of 16 ranks on fabric.txt' 'one column'
"$heddle" export one/chosen.h5 --nccl-tests - | awk '$1 ~ /^[0-9]+$/ { print $1, $6 }' > tests.txt
awk '$1 ~ /^[0-9]+$/ { print $1, $5 }' out.txt > bench.txt
awk '$1 == 1024 { ok = $2 == 256 && $3 == "float" && $4 == "sum" && $NF ~ /^LL/ && $(NF - 2) == "%" } END { exit !ok }' out.txt ||
  { fail 'a line as nccl-tests has it, with its algorithm'; cat out.txt; }
awk 'NR == FNR { time[$1] = $2; next } !($1 in time) || time[$1] - $2 > 0.6 || $2 - time[$1] > 0.6 { exit 1 } END { exit FNR != 4 }' \
  tests.txt bench.txt || { fail 'other times than nccl-tests'; paste tests.txt bench.txt; }

# The same in nccl-tests' spelling: the result is there already.
run all_reduce_perf -n fabric.txt -b 1K -e 64K -f 4 -o one
expect 0 '# ALLREDUCE of 16 ranks on fabric.txt' "nccl-tests' spelling"
grep -q ': done' out.txt && fail "nccl-tests' spelling is another run"

# All algorithms; those that the fabric cannot do are left out and said.
run allgather -n fabric.txt -b 64KiB -e 128KiB --algorithms all -o all
expect 0 ' is fastest ' 'all algorithms'
grep -q 'note: pat is left out: .*by pat' err.txt || { fail 'PAT over several GPUs a server'; cat err.txt; }
[ -s all/report.html ] && grep -q 'is fastest' all/report.html || fail 'no page'
[ "$(head -1 all/bench.csv | tr ',' '\n' | grep -c _us)" -ge 1 ] || fail 'no CSV'

# One that was stopped goes on.
"$heddle" bench alltoall -n fabric.txt -b 1GiB -e 1GiB -o stopped > out.txt 2>&1 &
stopped=$!
for _ in {1..400}; do [ -s stopped/chosen.log ] && grep -q '^expected' stopped/chosen.log && break; sleep 0.02; done
sleep 0.2
kill -TERM $stopped
wait $stopped
[ $? = 85 ] || { fail 'a table that was stopped'; cat out.txt stopped/chosen.log; }
run alltoall -n fabric.txt -b 1GiB -e 1GiB -o stopped
expect 0 '1073741824' 'the rest of it'

# Measured beside simulated: a log that heddle itself wrote has no error.
"$heddle" export one/chosen.h5 --nccl-tests own.log > /dev/null
run allreduce -n fabric.txt -b 1KiB -e 64KiB -f 4 -o one --measured own.log
expect 0 'error' 'measured'
awk '$1 ~ /^[0-9]+$/ { e = $(NF - 1); if (e > 1.5 || e < -1.5 || $NF != "%") exit 1; n++ } END { exit n != 4 }' out.txt || { fail 'errors'; cat out.txt; }
grep -q '"measured":{.*"name":"measured: own.log"' one/report.html && grep -q '"by_size":true' one/report.html || fail 'no curve of what was measured'
run alltoall -n fabric.txt -b 1KiB -e 64KiB -f 4 -o a2a --measured own.log
expect 3 'own.log: times of ALLREDUCE, not of ALLTOALL' 'a log of another collective'
[ ! -e a2a ] || fail 'a log of another collective is seen after the runs'

# Groups, and flags of the runs.
run alltoall -n fabric.txt -b 64KiB -e 64KiB --group TP -o tp -- --set CC_MODE=0
expect 0 'of 8 ranks on fabric.txt, groups of type TP' 'groups'

# What cannot be.
run allreduce -n fabric.txt -b 2MiB -e 1MiB
expect 2 '0 sizes. Expected: 1 to 64' 'no sizes'
run allreduces -n fabric.txt
expect 2 'allreduce' 'an unknown operation'
run allreduce -n fabric.txt --algorithms ring,nvsl -o none
expect 2 "found 'nvsl'. Expected: all, or some of" 'an unknown algorithm'
run allreduce -n fabric.txt --algorithms ring,tree -o none -- --set algorithm.allreduce=tree
expect 2 'Expected: one of the two' 'columns of other algorithms than their names'
[ "$(wc -l < err.txt)" = 1 ] && [ ! -e none ] || { fail 'a refused command has more to say'; cat err.txt; }
run allreduce -n missing.txt -b 1KiB -e 1KiB -o none
expect 3 'missing.txt: cannot be read. Expected: a topology file' 'a missing fabric'
printf '1 ALLREDUCE 1024 DP\n' > workload.txt
run allreduce -n workload.txt -b 1KiB -e 1KiB -o none
expect 3 'it looks like a workload' 'a workload as a fabric'
run allreduce -n fabric.txt -b 1KiB -e 1KiB -o fabric.txt
expect 6 'fabric.txt: is a file. Expected: a folder' 'a file as a folder'
[ ! -e none ] || fail 'a folder was made for inputs that cannot be read'
run allreduce -n fabric.txt --group PP -o none
[ "$code" = 2 ] || fail "a group that is none: exit code $code"
end
