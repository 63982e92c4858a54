#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A machine with an outdated copy of an input: ranks detect it before they simulate or write anything, and name the file and the rank.
# Rank 1 runs in a folder of its own, with copies of all files. Usage: stale_input.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

mkdir here there
cd here || exit 1
"$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || exit 1
"$heddle" trace --arrival poisson --rate 1000000 --duration 50us -n topo.txt --out trace.csv > /dev/null || exit 1
printf '1\n0 9 3 100 1000 0\n' > flows.txt
echo '1 ALLREDUCE 4000 DP' > work.txt
printf 'CC_MODE 1\n' > SimAI.conf
printf 'time,event,a,b\n500,link_down,0,18\n900,link_up,0,18\n' > failures.csv
"$heddle" run -n topo.txt --trace trace.csv -q --profile profile.json || exit 1
cd ..
cat > on_rank.sh <<'END'
#!/usr/bin/env bash
# The command, on rank 1 in the other folder.
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then cd there; else cd here; fi
exec "$@"
END
chmod +x on_rank.sh

# on_both ARGUMENTS...: two ranks, each in its folder.
on_both() { timeout 900 "${mpirun[@]}" -n 2 ./on_rank.sh "$heddle" run "$@" > out.txt 2>&1; }
count=0
# differs NAME CHANGE PATTERN ARGUMENTS...: CHANGE is done in the folder of rank 1, which is otherwise the same.
differs() {
  local name=$1 change=$2 pattern=$3 code
  shift 3
  count=$((count + 1))
  rm -rf there
  cp -r here there
  on_both "$@" -q || { fail "$name: refused where all is the same"; head -3 out.txt; return; }
  (cd there && eval "$change")
  on_both "$@" -o "$PWD/x.h5" --json-log "$PWD/log.ndjson" --force
  code=$?
  [ $code = 3 ] || { fail "$name: exit code $code"; head -3 out.txt; }
  [ "$(grep -c '^heddle: ' out.txt)" = 1 ] && grep -q "^heddle: $pattern: not the same on rank 1 as on rank 0: .*Expected: " out.txt ||
    { fail "$name: not one message that names $pattern"; cat out.txt; }
  grep -q '"event":"error".*"exit_code":3' log.ndjson || fail "$name: the log does not tell of it"
  ls x.h5* > /dev/null 2>&1 && fail "$name: something was written: $(ls x.h5*)"
}
traced=(-n topo.txt --trace trace.csv)
differs 'another topology' "sed -i s/0.0005ms/0.0006ms/ topo.txt" 'topo.txt' "${traced[@]}"
differs 'a cut topology' 'head -n 3 topo.txt > t; mv t topo.txt' 'topo.txt' "${traced[@]}"
differs 'no topology' 'rm topo.txt' 'topo.txt' "${traced[@]}"
differs 'another trace' "sed -i '\$d' trace.csv" 'trace.csv' "${traced[@]}"
differs 'other flows' "sed -i s/1000/1001/ flows.txt" 'flows.txt' -n topo.txt --flows flows.txt
differs 'another workload' "sed -i s/4000/4001/ work.txt" 'work.txt' -n topo.txt -w work.txt
differs 'the workload of a job' "sed -i s/4000/4001/ work.txt" 'work.txt' -n topo.txt --job workload=work.txt,gpus=0-7
differs 'another configuration' "sed -i s/1/3/ SimAI.conf" 'SimAI.conf' "${traced[@]}" -c SimAI.conf
differs 'other failures' "sed -i s/900/901/ failures.csv" 'failures.csv' "${traced[@]}" --failures failures.csv
differs 'another profile' "sed -i 's/ / /; s/{/{ /' profile.json" 'profile.json' "${traced[@]}" --weights profile.json

# The command line itself, and a file that is bad everywhere in the same way: the reader says what is wrong with it.
cp -r here/. there
timeout 900 "${mpirun[@]}" -n 1 "$heddle" run -n here/topo.txt --trace here/trace.csv -q --seed 1 : -n 1 "$heddle" run -n here/topo.txt \
  --trace here/trace.csv -q --seed 2 > out.txt 2>&1
[ $? = 3 ] && grep -q '^heddle: the command line: not the same on rank 1 .*--seed 2.*--seed 1' out.txt || { fail 'another command line'; cat out.txt; }
on_both -n topo.txt --trace nothing.csv -q
[ $? = 3 ] && grep -q '^heddle: nothing.csv: ' out.txt && ! grep -q 'not the same' out.txt || { fail 'a file that is missing everywhere'; cat out.txt; }
# A result in a folder that is not the same on both.
on_both "${traced[@]}" -q -o x.h5
[ $? = 6 ] && grep -q '^heddle: .*x.h5.part.rank1.*rank 0 does not see' out.txt || { fail 'a result in two folders'; cat out.txt; }
[ -e here/x.h5 ] && fail 'a result in two folders: there is one'
echo "$count kinds of input"
end
