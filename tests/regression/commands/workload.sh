#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle workload: what it writes is run, by all its flows, and computes and communicates as the summary says; the last
# line of a file makes it again; the commands that it names next are right; a part of the layers says what it is.
# Usage: workload.sh HEDDLE MPIRUN...    (words that start ranks, without -n)
set -u
heddle=$1
shift
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# value FILE PATTERN: what the pattern's group is in the first line that has it.
value() { sed -En "s/.*$2.*/\1/p" "$1" | head -1; }

# In the group named, the collectives of all GPUs by the run's table: numbers times ranks.
parts_of() { awk -v group="$2" '$2 == group && $3 ~ /RING|TREE|DIRECT|PAT|NVLS/ { sum += $7 * $4 } END { print sum + 0 }' "$1"; }

# check NAME GPUS GROUPS FLAGS...: GROUPS as the run prints them.
check() {
  local name=$1 gpus=$2 groups=$3
  shift 3
  "$heddle" workload "$@" --gpus "$gpus" -o "$name.txt" > "$name.said" || { fail "$name: exit code $?"; return; }
  local again
  again=$(sed -n '$s/^# heddle //p' "$name.txt")
  # shellcheck disable=SC2086
  "$heddle" ${again/-o $name.txt/} 2> /dev/null | head -n -1 | cmp - <(head -n -1 "$name.txt") || fail "$name: '$again' makes another file"
  # The first command that it names; the second is its --estimate.
  local next
  next=$(value "$name.said" '^next +heddle (.*) -o fabric.txt')
  # shellcheck disable=SC2086
  "$heddle" $next -o "$name.fabric" > /dev/null 2> "$name.notes" || fail "$name: '$next' ends with exit code $?"
  sed -i 's/ 0.0005ms/ 0.002ms/' "$name.fabric"  # fewer windows: ranks that share their cores with others go on, too
  next=$(value "$name.said" '^ +heddle (run .*)$')
  # shellcheck disable=SC2086
  "$heddle" ${next/fabric.txt/$name.fabric} > /dev/null || fail "$name: '$next' ends with exit code $?"
  "$heddle" run -n "$name.fabric" -w "$name.txt" -o "$name.h5" > "$name.run" 2> "$name.err" || fail "$name: the run: exit code $?"
  [ -s "$name.err" ] && fail "$name: the run says $(cat "$name.err")"
  grep -q "^job 0 .*$name.txt: $gpus GPUs (packed), $groups," "$name.run" || fail "$name: other groups: $(grep -m1 '^job 0' "$name.run")"
  "$heddle" validate -q "$name.h5" || fail "$name: the result is not valid"
  # Time of computing: a share of the job's time, printed with two digits.
  local said run
  said=$(value "$name.said" '^compute +([0-9.]+) ms')
  run=$(sed -En 's/^job 0 +([0-9.]+) us; its GPUs computed ([0-9.]+) %.*/\1 \2/p' "$name.run" | awk '{ print $1 * $2 / 1e5 }')
  awk -v a="$said" -v b="$run" 'BEGIN { exit !(a > 0 && a / b > 0.99 && a / b < 1.01) }' || fail "$name: computes $run ms, said $said"
  # Each GPU takes part in as many collectives as was said. A long table is cut.
  local group count
  if ! grep -q '^ *\.\.\. and [0-9]* more kinds' "$name.run"; then
    complete=$((complete + 1))
    for group in TP DP EP DP_EP; do
      count=$(sed -En "s/^(bytes)? +$group +([0-9,]+) collectives.*/\2/p" "$name.said" | tr -d ,)
      [ "$(parts_of "$name.run" $group)" = $((gpus * ${count:-0})) ] ||
        fail "$name: $group: $(parts_of "$name.run" $group) parts of collectives, said ${count:-0} of each GPU"
    done
  fi
  echo "ok  $name: $(wc -l < "$name.txt") lines"
}
# two_ranks NAME: what was checked gives the same result on two ranks.
two_ranks() {
  local name=$1
  "${mpirun[@]}" -n 2 "$heddle" run -q -n "$name.fabric" -w "$name.txt" -o "$name.2.h5" 2> /dev/null || fail "$name: two ranks: exit code $?"
  "$heddle" compare -q "$name.h5" "$name.2.h5" > /dev/null || fail "$name: another result on two ranks"
}

complete=0
small=(--hidden 512 --vocabulary 4096 --sequence 256 --layers 4)
check dense 16 'TP 4 DP 2 PP 2 EP 1' gpt "${small[@]}" --tp 4 --pp 2
check gathered 16 'TP 2 DP 8 PP 1 EP 1' gpt "${small[@]}" --model llama-7b --tp 2 --global-batch 16
check reduced 16 'TP 2 DP 8 PP 1 EP 1' gpt "${small[@]}" --tp 2 --no-zero --no-sequence-parallel --no-overlap-gradients
check experts 16 'TP 2 DP 8 PP 1 EP 4' moe "${small[@]}" --tp 2 --ep 4 --no-overlap-gradients
check overlapped 16 'TP 1 DP 16 PP 1 EP 8' moe "${small[@]}" --ep 8 --overlap-gradients
check stages 16 'TP 1 DP 8 PP 2 EP 8' moe "${small[@]}" --pp 2 --shared-ffn 512 --top-k 3
check aicb 16 'TP 2 DP 8 PP 1 EP 4' moe "${small[@]}" --tp 2 --ep 4 --rules aicb 2> /dev/null
two_ranks dense
two_ranks experts
[ $complete -ge 5 ] || fail "only $complete tables of collectives were whole"

# A part of the layers: four times as many layers compute four times as long, but for what is no layer.
"$heddle" workload gpt --model gpt-7b --gpus 64 --tp 4 --pp 2 -o whole.txt > whole.said || fail "whole: exit code $?"
# What a GPU holds: 6 bytes a parameter, and 12 that ZeRO 1 divides among 8 replicas.
awk '/a GPU holds/ { held = $4 } /GB with gradients and optimizer/ { d = $1 - held * 7.5 / 1000; ok = held > 500 && d < 0.06 && d > -0.06 } END { exit !ok }' whole.said ||
  { fail 'what a GPU holds'; cat whole.said; }
"$heddle" workload gpt --model gpt-7b --gpus 64 --tp 4 --pp 2 --layers 8 --scale -o part.txt > part.said ||
  fail "part: exit code $?"
grep -q '^scale ' whole.said && fail 'the whole model is said to be a part'
share=$(value part.said '8 of 32 layers are ([0-9.]+) % of')
awk -v share="$share" -v part="$(value part.said '^compute +([0-9.]+) ms')" -v whole="$(value whole.said '^compute +([0-9.]+) ms')" \
  'BEGIN { found = 100 * part / whole; exit !(share > 25 && share < 35 && found / share > 0.999 && found / share < 1.001) }' ||
  fail "a part of $share %"
for line in 'gradients and parameters: ' 'a smaller part can be hidden' 'pipeline: filling it stays 9.1 % of a step' \
  'embedding and output layer stay whole' 'the whole step: 3.3 times as long by computing, 3.3 to 3.7 times by bytes'; do
  grep -q "$line" part.said || fail "the part does not say '$line'"
done
# With TP 1 whole layers: attention and MLP of a stage, as many lines fewer as layers are left out.
[ $((($(wc -l < whole.txt) - $(wc -l < part.txt)) % (12 * 4))) = 0 ] || fail 'other lines than those of layers are left out'

# Gradients are reduced under the backward pass unless that is refused; filling the pipeline takes less than a fifth.
for pp in 2 4 8; do
  "$heddle" workload gpt --model gpt-7b --gpus 64 --tp 4 --pp $pp -o filled.txt > filled.said || fail "filled: exit code $?"
  grep -q ', gradients overlap, rules' filled.said || fail 'gradients do not overlap by default'
  share=$(value filled.said "filling the pipeline of $pp stages takes ([0-9.]+) % of a step")
  awk -v share="${share:-100}" -v pp="$pp" 'BEGIN { m = 5 * pp; found = 100 * (pp - 1) / (m + pp - 1); exit !(share < 20 && found - share < 0.06 && share - found < 0.06) }' ||
    fail "filling the pipeline takes $share %"
  rm filled.txt
done
"$heddle" workload gpt --model gpt-7b --gpus 64 --tp 4 --no-overlap-gradients -o late.txt > late.said || fail "late: exit code $?"
grep -q ', gradients at the end, rules' late.said || fail 'the summary does not say that gradients come at the end'
"$heddle" workload gpt --gpus 8 --overlap-gradients --no-overlap-gradients > /dev/null 2> both.err && fail 'both flags'
grep -q 'overlap-gradients excludes --.*overlap-gradients' both.err || { fail 'both flags: the message'; cat both.err; }
"$heddle" workload moe --gpus 16 --rules aicb 2>&1 > /dev/null | grep -q ', gradients at the end, rules of AICB' || fail "AICB's files have no overlap"

# The reader that takes words as SimAI does.
"$heddle" analytical -w part.txt > analytical.said 2> /dev/null || fail "heddle analytical: exit code $?"

# Times that were measured take the roofline's place, and are named.
printf 'attention 1000 0 0\nmlp 0 0 0\noutput 0 0 0\nloss 0 0 0\nembedding 0 0 0\noptimizer 0\n' > times.txt
"$heddle" workload gpt --gpus 8 --layers 7 --compute-table times.txt -o table.txt > table.said || fail "table: exit code $?"
grep -q '^compute  *7.000 ms .*by the table: embedding, attention, mlp, output, loss, optimizer' table.said || fail "$(grep '^compute' table.said)"

# The file alone on standard output, and faster GPUs.
"$heddle" workload gpt --gpus 8 --layers 1 2> said | head -1 | grep -q '^HYBRID_TRANSFORMER_FWD_IN_BCKWD ' || fail 'no file on standard output'
grep -q '^model  *gpt-13b, changed: 1 layers' said || fail 'no summary beside it'
for gpu in A100 B200; do "$heddle" workload gpt --gpus 8 --gpu $gpu 2> $gpu.said > /dev/null || fail "$gpu: exit code $?"; done
awk -v slow="$(value A100.said '^compute +([0-9.]+) ms')" -v fast="$(value B200.said '^compute +([0-9.]+) ms')" \
  'BEGIN { exit !(slow / fast > 5 && slow / fast < 7.3) }' || fail 'a B200 is not about seven times as fast as an A100'

# same_flows OUTPUT OTHER: of two runs.
same_flows() {
  local digest
  digest=$(grep -m 1 '^digest of flows' "$1") && [ "$digest" = "$(grep -m 1 '^digest of flows' "$2")" ]
}
# A plan of one stage is the step that the same flags write: the same flows, and their times.
"$heddle" workload gpt "${small[@]}" --gpus 16 --tp 4 -o flat.txt > flat.said || fail "one stage: exit code $?"
"$heddle" workload gpt "${small[@]}" --gpus 16 --tp 4 --as-plan -o flat.toml > plan.said || fail "a plan of one stage: exit code $?"
cmp <(grep -v '^next\|heddle run' flat.said) <(grep -v '^next\|heddle run' plan.said) || fail 'a plan is said to be another step'
for file in flat.txt flat.toml; do "$heddle" run -n dense.fabric -w "$file" -o "$file.h5" > "$file.run" || fail "$file: exit code $?"; done
same_flows flat.txt.run flat.toml.run || fail 'a plan is another step than its workload'
# Its stages are those of the model, where a text describes all by one. Its keys can be replaced, by a sweep too.
"$heddle" workload gpt "${small[@]}" --gpus 16 --tp 4 --pp 2 --as-plan -o dense.toml > plan.said || fail "a plan: exit code $?"
grep -q '^hidden = 512$' dense.toml || { fail 'a plan without the hidden size'; cat dense.toml; }
grep -q '^stages  *first .* ms of computing: embedding, [0-9]* layers$' plan.said && grep -q '^ *last .* layers, output layer and loss$' plan.said ||
  { fail 'stages of a plan'; cat plan.said; }
grep -q '^stages' dense.said && fail 'stages of a text'
"$heddle" run -n dense.fabric -w dense.toml -o plan.h5 > plan.run || fail "a plan is not run: exit code $?"
same_flows dense.run plan.run && fail 'stages of a plan are all alike'
refuses 'dense.toml: first_layers: ' workload dense.toml --plan first_layers=1 -o uneven.txt
"$heddle" run -n dense.fabric -w dense.toml --plan tp=2 --plan pp=1 -o other.h5 > other.said || fail "a plan with other keys: exit code $?"
grep -q '^job 0 .*dense.toml: 16 GPUs (packed), TP 2 DP 8 PP 1 EP 1,' other.said || fail 'keys are not replaced'
"$heddle" run -n dense.fabric --job workload=dense.toml,gpus=0-15 --plan tp=2 --plan pp=1 -o job.h5 > job.said || fail "a plan as a job: exit code $?"
same_flows other.said job.said || fail 'a job is another step than its plan'
printf '[run]\ntopology = "dense.fabric"\nworkload = "dense.toml"\nbackend = "analytical"\n[vary]\n"plan.tp" = [2, 4]\nplan.pp = [1, 2]\n' > plans.toml
"$heddle" sweep --local plans.toml > plans.said 2>&1 || { fail "a sweep over plans: exit code $?"; tail -3 plans.said; }
for file in plans/*.h5; do h5dump -A "$file" | grep -A 10 'workload_digest"' | grep '(0)'; done | sort -u > digests
[ "$(ls plans/*.h5 | wc -l)" = 4 ] && [ "$(wc -l < digests)" = 4 ] || { fail 'four plans do not have four results with digests of their own'; ls plans; cat digests; }
"$heddle" workload dense.toml --plan pp=4 -o deep.txt > deep.said || fail "a plan is not written: exit code $?"
grep -q '^groups  *16 GPUs: TP 4 DP 1 PP 4;' deep.said || fail "$(grep '^groups' deep.said)"

# A plan says the order of its stages, and which experts its tokens choose: as --set does, which wins.
# as_set NAME FILE FABRIC SETTINGS... -- KEYS...: the plan with settings has the flows of the plan with keys.
as_set() {
  local name=$1 file=$2 words=() keys=()
  shift 2
  while [ "$1" != -- ]; do words+=(--set "$1"); shift; done
  shift
  for key in "$@"; do keys+=(--plan "$key"); done
  "$heddle" run -n "$file.fabric" -w "$file.toml" "${words[@]}" -o "$name.set.h5" > "$name.set" || fail "$name: by options: exit code $?"
  "$heddle" run -n "$file.fabric" -w "$file.toml" "${keys[@]}" -o "$name.plan.h5" > "$name.plan" || fail "$name: by the plan: exit code $?"
  same_flows "$name.set" "$name.plan" || fail "$name: a plan with ${keys[*]} is another step than with ${words[*]}"
  grep -q "^plan  *.*${words[1]}" "$name.plan" || fail "$name: the run does not say ${words[1]}: $(grep '^plan' "$name.plan")"
  ! same_flows "$name.plan" "$file.run" || fail "$name: the keys change nothing"
}
as_set zb dense pipeline.schedule=zb-h1 -- schedule=zb-h1
"$heddle" workload gpt "${small[@]}" --gpus 16 --tp 4 --pp 2 --vpp 2 -o dense.vpp.txt > /dev/null 2> vpp.note
grep -q 'the file does not say pipeline.schedule=interleaved, pipeline.chunks=2' vpp.note || fail "$(cat vpp.note)"
cp dense.txt dense.kept && cp dense.vpp.txt dense.txt
as_set chunks dense pipeline.schedule=interleaved pipeline.chunks=2 -- vpp=2
mv dense.kept dense.txt
"$heddle" workload moe "${small[@]}" --gpus 16 --tp 2 --ep 4 --no-overlap-gradients --as-plan -o experts.toml > /dev/null || fail "a plan with experts: exit code $?"
as_set zipf experts experts.routing=zipf experts.count=8 experts.top_k=2 experts.tokens=128 experts.form=server -- experts.routing=zipf experts.form=server
"$heddle" run -n dense.fabric -w dense.toml --plan schedule=zb-h1 --set pipeline.schedule=gpipe -o wins.h5 > wins.said || fail "an option beside a plan: exit code $?"
grep -q '^plan  *given: pipeline.schedule=gpipe$' wins.said || fail "$(grep '^plan' wins.said)"
grep -q '^pipeline  *gpipe ' wins.said || fail 'an option does not win over a plan'
refuses() {
  local expected=$1
  shift
  "$heddle" "$@" > refused 2>&1
  [ $? = 3 ] && grep -qF "$expected" refused || fail "$*: $(cat refused)"
}
refuses "dense.toml: schedule: found 'zbh1'. Expected 1f1b, " workload dense.toml --plan schedule=zbh1
refuses 'dense.toml: vpp: found 1 with schedule interleaved. Expected: 2 or more' workload dense.toml --plan schedule=interleaved
refuses 'dense.toml: pipeline.schedule=dualpipe: ' workload dense.toml --plan schedule=dualpipe --plan global_batch=4
refuses "experts.toml: experts.form: found 'node'. Expected" workload experts.toml --plan experts.form=node
refuses 'dense.toml: experts.form: gpt-13b, changed has no experts' workload dense.toml --plan experts.form=rank
sed 's/^tp/schedule = "gpipe"\ntp/' dense.toml > gpipe.toml
sed 's/^tp/schedule = "1f1b"\ntp/' dense.toml > fb.toml
refuses 'fb.toml: pipeline.schedule=1f1b, and gpipe.toml has gpipe. Expected: one value for all jobs' \
  run -n dense.fabric --job workload=gpipe.toml,gpus=0-15 --job workload=fb.toml,gpus=0-15
# Sharded parameters: each of two micro-batches gathers five units forward and four layers backward, and reduces five times.
"$heddle" run -n dense.fabric -w dense.toml --plan zero=3 --plan pp=1 --plan global_batch=8 -o shards.h5 > shards.said || fail "sharded parameters: exit code $?"
"${mpirun[@]}" -n 2 "$heddle" run -q -n dense.fabric -w dense.toml --plan zero=3 --plan pp=1 --plan global_batch=8 -o shards.2.h5 2> /dev/null || fail "shards on two ranks: exit code $?"
"$heddle" compare -q shards.h5 shards.2.h5 > /dev/null || fail 'sharded parameters have another result on two ranks'
gathers=$(awk '$2 == "DP" && $1 == "ALLGATHER" { sum += $7 } END { print sum + 0 }' shards.said)
reductions=$(awk '$2 == "DP" && $1 == "REDUCESCATTER" { sum += $7 } END { print sum + 0 }' shards.said)
[ "$gathers" = $((4 * 2 * (5 + 4))) ] && [ "$reductions" = $((4 * 2 * 5)) ] || { fail "$gathers gathers, $reductions reductions of shards"; grep ' DP ' shards.said; }
refuses "zero = 3: SimAI's text has no place for it" workload dense.toml --plan zero=3 -o shards.txt
refuses "tp_comm_overlap = true: SimAI's text has no place for it" workload dense.toml --plan tp=2 --plan tp_comm_overlap=true -o overlap.txt
printf '[run]\ntopology = "dense.fabric"\nworkload = "dense.toml"\nbackend = "analytical"\n[vary]\n"plan.schedule" = ["1f1b", "gpipe", "zb-h1"]\n' > orders.toml
"$heddle" sweep --local orders.toml > orders.said 2>&1 || { fail "a sweep over schedules: exit code $?"; tail -3 orders.said; }
[ "$(ls orders/*.h5 | wc -l)" = 3 ] || fail 'three schedules do not have three results'
end
