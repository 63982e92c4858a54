#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# One rule for every command that writes files: an existing file is replaced with --force only (exit code 6), and a file that the same
# command reads never is (3), whatever name leads to it. Usage: outputs.sh HEDDLE PLOT: the script heddle-plot
set -u
heddle=$1 plot=$2
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

"$heddle" topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null 2>&1 || exit 1
printf 'timestamp_ns,src,dst,size_bytes\n0,0,9,100000\n0,1,10,100000\n' > trace.csv
echo '1 ALLREDUCE 65536 DP' > w.txt
cp "$(dirname "${BASH_SOURCE[0]}")/../../data/orcs/ft16.dot" net.dot || exit 1
run=(run -n topo.txt --trace trace.csv -q)
"$heddle" "${run[@]}" --record flows=all --set monitor.kinds=queues,links,rates,cnps --set monitor.queue_interval=1us -o r.h5 || exit 1
"$heddle" run -n topo.txt -w w.txt -q --set controller.enable=true -o w.h5 || exit 1
"$heddle" "${run[@]}" --profile profile.json > /dev/null || exit 1
printf '[run]\ntopology = "topo.txt"\nworkload = "w.txt"\n[vary]\nCC_MODE = [1, 3]\n' > t.toml
"$heddle" sweep t.toml --local > /dev/null || { fail 'sweep --local'; cat t/*.log; }

# ends CODE PATTERN COMMAND...
ends() {
  local expected=$1 pattern=$2 code
  shift 2
  timeout 900 "$@" > out.txt 2>&1 < /dev/null
  code=$?
  [ $code = "$expected" ] && { [ -z "$pattern" ] || grep -Eq -- "$pattern" out.txt; } ||
    { fail "${*#"$heddle"}: exit code $code. Expected: $expected and /$pattern/"; head -3 out.txt; }
}
# writes OUTPUT INPUTS COMMAND...: OUTPUT stands for @ in the command; INPUTS, in one word, are files that the command reads.
tried=' '
writes() {
  local output=$1 inputs=$2 input name names
  shift 2
  tried+="$2 "
  ends 0 '' "${@//@/$output}"
  [ -s "$output" ] || fail "$*: has not written $output"
  echo precious > "$output"
  ends 6 "$output: exists" "${@//@/$output}"
  [ "$(cat "$output")" = precious ] || fail "$*: replaced $output without --force"
  ends 0 '' "${@//@/$output}" --force
  [ "$(head -c 8 "$output" | tr -d '\0')" != precious ] || fail "$*: --force has not replaced $output"
  rm "$output"
  for input in $inputs; do
    cp "$input" kept
    ln "$input" "hard.${output##*.}"
    ln -s "$input" "soft.${output##*.}"
    names=("$input")
    [ "$input" != "${inputs%% *}" ] || names+=("hard.${output##*.}" "soft.${output##*.}")
    for name in "${names[@]}"; do
      [ "$1" = "$heddle" ] || [ "${name##*.}" = svg ] || continue  # heddle-plot looks at the picture's suffix first
      ends 3 'is another file of this command' "${@//@/$name}" --force
      cmp -s "$input" kept || { fail "$*: destroyed its input $input by the name $name"; cp kept "$input"; }
    done
    rm "hard.${output##*.}" "soft.${output##*.}"
  done
}
# exports RESULT FLAG
exports() {
  ends 0 '' "$heddle" export "$1" "--$2" "$2.txt"
  ends 6 "$2.txt: exists" "$heddle" export "$1" "--$2" "$2.txt"
  cp "$1" kept
  ends 3 'is another file of this command' "$heddle" export "$1" "--$2" "$1" --force
  cmp -s "$1" kept || fail "export --$2 destroyed its result"
}

writes new.txt '' "$heddle" topo Spectrum-X -g 16 -o @
writes new.dot topo.txt "$heddle" topo show topo.txt --dot @
writes new.csv topo.txt "$heddle" trace --arrival server_pair -n topo.txt --out @
printf 'mlp 1 2 3\n' > times.txt
writes new.txt times.txt "$heddle" workload gpt --gpus 8 --layers 1 --compute-table times.txt -o @
writes new.txt '' "$heddle" collective allreduce -r 4 -b 1MiB -o @
writes new.sh '' "$heddle" completion bash -o @
printf 'model = "llama-3.1-8b"\n[[pool]]\n' > one.toml
printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n' > azure.csv
writes new.csv 'topo.txt one.toml azure.csv' "$heddle" serve -n topo.txt -d one.toml --requests azure.csv --backend closed-form --csv @
writes new.h5 'topo.txt one.toml azure.csv' "$heddle" serve -n topo.txt -d one.toml --requests azure.csv -o @
writes new.h5 'topo.txt trace.csv' "$heddle" "${run[@]}" -o @
writes new.ndjson 'topo.txt trace.csv profile.json' "$heddle" "${run[@]}" --weights profile.json --json-log @
writes new.json 'topo.txt trace.csv profile.json' "$heddle" "${run[@]}" --weights profile.json --profile @
writes new.csv 'topo.txt trace.csv' "$heddle" "${run[@]}" --set controller.enable=true --set controller.log=@
writes orcs.txt net.dot "$heddle" congestion --compat orcs-2.0 -i net.dot -p bruck -o @
writes new.html 'r.h5 w.h5' "$heddle" report r.h5 w.h5 -o @
cp r.h5 again.h5
writes new.csv 'r.h5 again.h5' "$heddle" analyze collisions r.h5 --against again.h5 --csv @
writes new.csv r.h5 "$heddle" analyze collisions r.h5 --pairs @
for flag in fct paths flows-csv qlen bw rate cnp; do exports r.h5 $flag; done
for flag in path-log end-to-end astra-end-to-end nccl-tests perfetto; do exports w.h5 $flag; done
writes new.csv w.h5 "$heddle" analyze links w.h5 --csv @
printf 'time,event,a,b\n1us,node_down,20\n2us,node_up,20\n' > failures.csv
"$heddle" "${run[@]}" --failures failures.csv -o f.h5 || exit 1
writes new.csv 'f.h5 r.h5' "$heddle" analyze failures f.h5 --against r.h5 --csv @
writes new.csv w.h5 "$heddle" analyze step w.h5 --csv @
writes new.txt r.h5 "$heddle" export r.h5 --fct @ --qlen -
if /usr/bin/python3 -c 'import h5py, matplotlib' 2> /dev/null; then
  writes new.svg r.h5 "$plot" fct r.h5 -o @
else
  echo '!!! python3-h5py or python3-matplotlib is not installed: heddle-plot is NOT tried !!!'
fi

# ---- outputs whose names the command chooses -----------------------------------------------------------------------------
ends 0 '' "$heddle" sweep t.toml --collect
[ -s t/table.csv ] || fail 'sweep --collect'
echo precious > t/table.csv
ends 6 'table.csv: exists' "$heddle" sweep t.toml --collect
[ "$(cat t/table.csv)" = precious ] || fail 'sweep --collect without --force'
ends 0 '' "$heddle" sweep t.toml --collect --force
[ "$(cat t/table.csv)" != precious ] || fail 'sweep --collect --force'
cp t/table.csv csv && ln t.toml t/hard && mv t/hard t/table.csv
ends 3 'is another file of this command' "$heddle" sweep t.toml --collect --force
grep -q CC_MODE t.toml && grep -q '^\[run\]' t.toml || fail 'sweep --collect destroyed its table'
rm t/table.csv t/report.html 2> /dev/null
printf 'output = "u"\n[run]\ntopology = "topo.txt"\ncollective = "ALLREDUCE DP"\nsize = "64KiB"\n' > u.toml
mkdir -p u/inputs
echo precious > u/inputs/run.txt
ends 6 'run.txt: exists' "$heddle" sweep u.toml --local
[ "$(cat u/inputs/run.txt)" = precious ] || fail 'sweep --local replaced a workload without --force'
ends 0 'done' "$heddle" sweep u.toml --local --force

mkdir results
printf 'HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n' > step.txt
writes rows.csv 'topo.txt w.txt' "$heddle" accuracy -n topo.txt -w w.txt -o accuracy_runs --csv @
# bench writes into a folder: its files are no inputs, and what it did not write stays.
mkdir bench_linked && ln -s ../topo.txt bench_linked/report.html
ends 3 'is another file of this command' "$heddle" bench alltoall -n topo.txt -b 1KiB -e 1KiB -o bench_linked
mkdir bench_there && echo mine > bench_there/sizes.txt
ends 6 'sizes.txt: exists' "$heddle" bench alltoall -n topo.txt -b 1KiB -e 1KiB -o bench_there
[ "$(cat bench_there/sizes.txt)" = mine ] || fail 'bench replaced a file'
tried+='bench '
# plan search writes plans into a folder, too.
search=("$heddle" plan search -n topo.txt --model llama-7b --plan layers=4 --global-batch 16 --top 1)
ends 0 '' "${search[@]}" -o plans_there
mapfile -t found < <(ls plans_there)
if [ "${#found[@]}" = 1 ]; then
  echo precious > "plans_there/${found[0]}"
  ends 6 "${found[0]}: exists" "${search[@]}" -o plans_there
  [ "$(cat "plans_there/${found[0]}")" = precious ] || fail 'plan search replaced a plan'
  ends 0 '' "${search[@]}" -o plans_there --force
  [ "$(cat "plans_there/${found[0]}")" != precious ] || fail 'plan search --force did not replace a plan'
else
  fail "plan search --top 1 wrote ${found[*]}"
fi
tried+='plan '
# demo, too; tests/regression/runs/demo.sh tries all its files.
mkdir demo_linked && ln -s ../topo.txt demo_linked/report.html
ends 6 'report.html: exists' "$heddle" demo -o demo_linked
mkdir demo_there && echo mine > demo_there/step.txt
ends 6 'step.txt: exists' "$heddle" demo -o demo_there
[ "$(cat demo_there/step.txt)" = mine ] || fail 'demo replaced a file'
tried+='demo '
writes rows.fit w.h5 "$heddle" calibrate w.h5 -o @
writes results/xEndToEnd.csv '' "$heddle" analytical --compat simai-analytical-1.6 -w step.txt -g 8 -g_p_s 8 -r x
mv results kept_results
writes new.h5 step.txt "$heddle" analytical -w step.txt -g 8 -o @
writes results/yEndToEnd.csv '' "$heddle" analytical -w step.txt -g 8 -r y
rm -r results && mv kept_results results
cp step.txt results/step.txtEndToEnd.csv
ends 3 'is another file of this command' "$heddle" analytical --compat simai-analytical-1.6 -w results/step.txtEndToEnd.csv -g 8 -g_p_s 8 -r step.txt --force
cmp -s step.txt results/step.txtEndToEnd.csv || fail 'analytical destroyed its workload'

# ---- files beside an output, two outputs, variables -----------------------------------------------------------------------
cp topo.txt x.h5.part
ends 3 'temporary files' "$heddle" run -n x.h5.part --trace trace.csv -q -o x.h5 --force
cmp -s topo.txt x.h5.part || fail 'an input beside the output'
ends 3 'is another file of this command' "$heddle" export r.h5 --fct both.txt --paths ./both.txt
ends 3 'is another file of this command' "$heddle" "${run[@]}" -o x.h5 --json-log x.h5
cp trace.csv kept
ends 3 'TRACE_INJECT_FILE' env TRACE_INJECT_FILE=trace.csv "$heddle" run -n topo.txt -q --json-log trace.csv --force
cmp -s trace.csv kept || fail 'a trace that a variable names'
ends 3 'is another file of this command' env CC_ENABLE=1 CC_LOG_FILE=topo.txt "$heddle" "${run[@]}" --force
ends 0 '' "$heddle" "${run[@]}" -o r.h5 --estimate

# ---- recover: of a run that was killed after its first flush ----------------------------------------------------------------
"$heddle" trace --arrival poisson --rate 2000000 --duration 20ms --kv-size 32KiB -n topo.txt --out long.csv
"$heddle" run -n topo.txt --trace long.csv -q -o k.h5 --flush 20ms & leader=$!
for _ in {1..500}; do [ -e k.h5.part.totals ] && break; sleep 0.01; done
kill -9 $leader && wait $leader 2> /dev/null
if [ -e k.h5.part.totals ] && [ ! -e k.h5 ]; then
  writes saved.h5 'k.h5.part.totals k.h5.part.rank0' "$heddle" recover k.h5 -o @
else
  fail 'the run was not killed in time'
fi

# ---- no command is missing above ---------------------------------------------------------------------------------------------
tried+='sweep partition pipeline loggops validate compare options explain '  # the last seven write no files
commands=$("$heddle" --help | awk '/^Examples/ { exit } /^  [a-z]+ +/ { print $1 }')
for command in $commands; do
  [[ $tried = *" $command "* ]] || fail "heddle $command: is it tried here?"
done
[ "$(wc -w <<< "$commands")" -ge 15 ] || fail 'the list of commands cannot be read'
end
