#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle plan search: its plans run as long as it says, the fastest is the fastest, schedules and experts are those of the runs; what a
# GPU cannot hold is left out; bad input of every flag. Usage: plan_search.sh HEDDLE
set -u
heddle=$1
. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/../common.sh"

search() { "$heddle" plan search "$@" > out.txt 2> err.txt; code=$?; }
# expect CODE TEXT WHAT: of the last search.
expect() {
  [ "$code" = "$1" ] || { fail "$3: exit code $code, not $1"; cat out.txt err.txt; }
  grep -qF -- "$2" out.txt err.txt || { fail "$3: no \"$2\""; cat out.txt err.txt; }
}
# same_times WHAT: each row's step is what its run took, but for the 1 ps from which a closed form counts.
same_times() {
  awk '/^ +[0-9]+ / { n++; gsub(/ x /, " "); a = $(NF - 9); d = a - $NF; if (d < 0) d = -d; if (d > 0.001 + a * 1e-6) bad = 1 } END { exit bad || n < 2 }' out.txt ||
    { fail "$1: other times by heddle run --backend analytical"; cat out.txt; }
}

"$heddle" topo spectrum-x -g 32 -gt H100 -o fabric.txt > /dev/null 2>&1 || fail 'a fabric'
cat > small.toml << 'END'
model = "llama-7b"
layers = 8
hidden = 1024
vocabulary = 4096
sequence = 512
global_batch = 64
END

# What closed forms say of one rank a stage is what the backend says of all ranks.
search -n fabric.txt -w small.toml --check analytical --top 6 -o plans
expect 0 'best       plans/tp' 'a search'
same_times 'plans'
[ ! -s err.txt ] || grep -qv 'plan [0-9]* of\|^\[' err.txt || { fail 'a search that warns'; cat err.txt; }
[ "$(ls plans/*.toml | wc -l)" = 6 ] || { fail 'not six plans'; ls plans; }
# The command that it names next runs, with the same step.
next=$(sed -n 's/^next  *heddle //p' out.txt)
# shellcheck disable=SC2086
"$heddle" $next --backend analytical > next.txt 2>&1 || { fail "'$next' ends with exit code $?"; cat next.txt; }
# No other plan is faster: the times ascend.
awk '/^ +[0-9]+ / { a = $(NF - 9); if (a + 0 < last) bad = 1; last = a + 0 } END { exit bad }' out.txt || { fail 'the order'; cat out.txt; }

# Again: the same text, and nothing is written or run twice.
cp out.txt first.txt
search -n fabric.txt -w small.toml --check analytical --top 6 -o plans
expect 0 'best       plans/tp' 'a second time'
cmp -s <(grep '^ *[0-9]' first.txt) <(grep '^ *[0-9]' out.txt) || { fail 'another answer'; diff first.txt out.txt; }
echo 'model = "gpt-7b"' > "$(ls plans/*.toml | head -1)"
search -n fabric.txt -w small.toml --top 6 -o plans
expect 6 'plans/tp' 'a plan of somebody else'
search -n fabric.txt -w small.toml --top 6 -o plans --force
expect 0 'best       plans/tp' 'the same with --force'

# Every schedule, on four stages.
search -n fabric.txt -w small.toml --plan pp=4 --plan tp=2 --schedules all --check analytical --top 12 -o schedules
expect 0 'zb-h1' 'schedules'
for word in 1f1b 'interleaved 2' gpipe dualpipe 'dualpipev 2'; do expect 0 " $word " "schedules"; done
same_times 'schedules'
grep -qx 'schedule = "dualpipev"' schedules/*_dualpipev2.toml || { fail 'a plan without its schedule'; ls schedules; }
search -n fabric.txt -w small.toml --plan pp=4 --plan tp=2 --plan schedule=zb-h1 -o kept
expect 0 ' zb-h1 ' 'the schedule of a plan'
! grep -q 'interleaved\|1f1b' out.txt || { fail "a plan's schedule is not kept"; cat out.txt; }
search -n fabric.txt -w small.toml --plan pp=4 --plan tp=2 --schedules 1f1b -o one
[ "$code" = 0 ] && ! grep -q 'interleaved' out.txt || { fail 'one schedule'; cat out.txt; }

# Stages that wait for their messages to be sent take longer, by closed forms as by the backend.
search -n fabric.txt -w small.toml --plan pp=4 --plan tp=2 --plan senders=wait --schedules all --check analytical --top 12 -o senders
expect 0 'zb-h1' 'senders that wait'
same_times 'senders that wait'
# A table of the user's, of its stages and micro-batches.
"$heddle" pipeline zb-h1 -p 4 -m 8 --table > own.txt || fail "a schedule's table"
search -n fabric.txt -w small.toml --plan schedule=file:own.txt --plan tp=2 --check analytical -o own
expect 0 ' own.txt ' 'a schedule of the user'
awk '/^ +[0-9]+ / && $3 != 1 && ($3 != 4 || $6 != 8) { bad = 1 } END { exit bad }' out.txt || { fail 'other stages than the table has'; cat out.txt; }
grep -qx "schedule = \"file:$PWD/own.txt\"" own/*_own.txt.toml || { fail 'plans that do not say the table'; ls own; }

# Experts that differ: their numbers are the model's, and the step is longer.
cat > experts.toml << 'END'
model = "mixtral-8x7b"
layers = 4
hidden = 512
vocabulary = 4096
sequence = 256
global_batch = 64
tp = 2
ep = 8
END
search -n fabric.txt -w experts.toml --check analytical -o even
same_times 'even experts'
even=$(awk '/^ +1 / { print $(NF - 9); exit }' out.txt)
search -n fabric.txt -w experts.toml --set experts.routing=zipf --check analytical -o zipf
grep -q '^next .*--set' out.txt && { fail 'experts by --set, which plans say'; cat out.txt; }
grep -q '^routing = "zipf"' zipf/*.toml || { fail 'plans without their experts'; head -20 zipf/*.toml; }
same_times 'experts that differ'
zipf=$(awk '/^ +1 / { print $(NF - 9); exit }' out.txt)
awk -v a="$even" -v b="$zipf" 'BEGIN { exit !(b > a) }' || fail "experts that differ take $zipf ms, even ones $even ms"

# Memory: a model that needs TP, one that fits nowhere, and GPUs of another type than the fabric's.
search -n fabric.txt --model gpt-13b --global-batch 32 --top 50 -o memory
expect 0 "beyond the memory without recomputation" 'memory'
expect 0 'memory     up to 64 GB, 80 %' 'the share of the memory'
awk '/^ +[0-9]+ / && $NF > 64 { bad = 1 } END { exit bad }' out.txt || { fail 'a plan beyond the memory'; cat out.txt; }
awk '/^plans/ { exit !($6 > 0) }' out.txt || { fail 'nothing is too large'; cat out.txt; }
cp out.txt usual.txt
search -n fabric.txt --model gpt-13b --global-batch 32 --top 50 --most-memory 0.5 -o half
awk '/^plans/ { print $6 }' usual.txt out.txt | { read -r usual; read -r half; [ "$half" -gt "$usual" ]; } || { fail 'a smaller share of the memory'; cat out.txt; }
# Chunks that are given: of schedules without any a note says so; MFU of FP8 is that of the peak in BF16.
search -n fabric.txt -w small.toml --plan vpp=4 --plan pp=2 --plan tp=2 --schedules 1f1b -o chunks
expect 3 'the schedule 1f1b takes no chunks' 'chunks of a schedule without'
search -n fabric.txt -w small.toml --plan vpp=4 --plan tp=2 --schedules 1f1b -o chunks
expect 0 'note: vpp = 4: none of the schedules takes chunks' 'chunks of a schedule without'
search -n fabric.txt -w small.toml --plan vpp=4 --plan pp=2 --plan tp=2 --plan layers=16 --most-chunks 2 --plan precision=fp8 -o chunks
expect 0 ' interleaved 4 ' 'more chunks than the most'
expect 0 'MFU        of the peak in BF16' 'MFU in FP8'
search -n fabric.txt --model gpt-175b --global-batch 32 -o none
expect 3 "legal plans takes more than 80 % of a GPU's memory, the smallest" 'no plan fits'
search -n fabric.txt --model gpt-13b --global-batch 32 --plan gpu=A100 -o other
expect 0 "note: the plan computes on A100, and the fabric's GPUs are H100" 'other GPUs'
"$heddle" topo spectrum-x -g 32 -gt B200 -o fast.txt > /dev/null 2>&1
search -n fast.txt --model gpt-13b --global-batch 32 -o fast
expect 0 '(B200, 180 GB)' "the fabric's GPUs"
printf 'model = "gpt-13b"\ngpus = 32\ntp = 8\ngpu = "A100"\n' > other.toml
"$heddle" run -n fabric.txt -w other.toml --backend analytical > out.txt 2> err.txt || { fail 'a run with other GPUs'; cat err.txt; }
grep -q "note: job 0: the plan computes on A100, and the fabric's GPUs are H100" err.txt || grep -q "the plan computes on A100" err.txt ||
  { fail 'a run says nothing of other GPUs'; cat err.txt; }

# Bad input of every flag.
refuse() { local code=$1 text=$2; shift 2; search "$@"; expect "$code" "$text" "$*"; [ ! -e bad ] || fail "$*: a folder is left"; }
refuse 2 "unknown argument '--nonsense'" -n fabric.txt --model gpt-13b --global-batch 32 --nonsense
refuse 2 '--network' --model gpt-13b --global-batch 32 -o bad
refuse 3 'missing.txt' -n missing.txt --model gpt-13b --global-batch 32 -o bad
refuse 2 'needs a step' -n fabric.txt -o bad
refuse 2 'excludes' -n fabric.txt --model gpt-13b -w small.toml -o bad
refuse 2 'is no plan' -n fabric.txt -w fabric.txt -o bad
refuse 3 'missing.toml' -n fabric.txt -w missing.toml -o bad
refuse 2 'the nearest is gpt-13b' -n fabric.txt --model gpt-13c --global-batch 32 -o bad
refuse 2 '--global-batch is required' -n fabric.txt --model gpt-13b -o bad
refuse 2 '--global-batch' -n fabric.txt --model gpt-13b --global-batch 0 -o bad
refuse 2 '--global-batch' -n fabric.txt --model gpt-13b --global-batch many -o bad
refuse 3 'none of ' -n fabric.txt --model gpt-13b --global-batch 33 --plan tp=2 --plan pp=2 --plan micro_batch=2 -o bad
refuse 2 'Expected: KEY=VALUE' -n fabric.txt --model gpt-13b --global-batch 32 --plan tp -o bad
refuse 3 "unknown key 'tq'" -n fabric.txt --model gpt-13b --global-batch 32 --plan tq=2 -o bad
refuse 3 'gpus: 64, and ' -n fabric.txt --model gpt-13b --global-batch 32 --plan gpus=64 -o bad
refuse 2 '--most-tp' -n fabric.txt --model gpt-13b --global-batch 32 --most-tp 0 -o bad
refuse 2 '--most-cp' -n fabric.txt --model gpt-13b --global-batch 32 --most-cp 0 -o bad
refuse 2 '--most-memory' -n fabric.txt --model gpt-13b --global-batch 32 --most-memory 1.5 -o bad
refuse 2 '--most-memory' -n fabric.txt --model gpt-13b --global-batch 32 --most-memory most -o bad
refuse 2 '--most-chunks' -n fabric.txt --model gpt-13b --global-batch 32 --most-chunks 1 -o bad
refuse 2 "--schedules: unknown name '1f2b'" -n fabric.txt --model gpt-13b --global-batch 32 --schedules 1f2b -o bad
refuse 2 "--schedules: unknown name ''" -n fabric.txt --model gpt-13b --global-batch 32 --schedules 1f1b, -o bad
refuse 2 '--top' -n fabric.txt --model gpt-13b --global-batch 32 --top 0 -o bad
refuse 2 "--check: unknown name 'flows'" -n fabric.txt --model gpt-13b --global-batch 32 --check flows -o bad
refuse 2 "--check: unknown name 'physical'" -n fabric.txt --model gpt-13b --global-batch 32 --check physical -o bad
refuse 3 'nic.nothing' -n fabric.txt --model gpt-13b --global-batch 32 --set nic.nothing=1 -o bad
refuse 2 'the search chooses it' -n fabric.txt --model gpt-13b --global-batch 32 --set pipeline.schedule=zb-h1 -o bad
refuse 2 'plans say it' -n fabric.txt --model gpt-13b --global-batch 32 --set pipeline.group=8 -o bad
refuse 3 'no-table.txt' -n fabric.txt --model gpt-13b --global-batch 32 --plan schedule=file:no-table.txt -o bad
refuse 2 'the model says it' -n fabric.txt --model mixtral-8x7b --global-batch 32 --set experts.count=4 -o bad
refuse 3 'like' -n fabric.txt --model gpt-13b --global-batch 32 --like nothing -o bad
"$heddle" plan serch > out.txt 2> err.txt; code=$?
expect 2 "unknown word 'serch'" 'another word'
echo text > file
search -n fabric.txt --model gpt-13b --global-batch 32 -o file
expect 6 'file' 'a file as the folder'
end
