#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Invalid input: heddle must end with the right exit code and one message that names the place, what was found and what is
# expected, leave no files, and never hang.
# Usage: bad_input.sh HEDDLE CASES MPIRUN...    (CASES: tests/data/cases; MPIRUN: words that start ranks, without -n)
set -u
heddle=$1 cases=$2
shift 2
mpirun=("$@")
# Two parts of the table run side by side.
parts=2
if [ -z "${HEDDLE_PART:-}" ]; then
  logs=$(mktemp -d) || exit 1
  trap 'rm -rf "$logs"' EXIT
  children=() failed=0
  for ((part = 0; part < parts; ++part)); do
    HEDDLE_PART=$part "$0" "$heddle" "$cases" "${mpirun[@]}" > "$logs/$part" 2>&1 &
    children+=($!)
  done
  for child in "${children[@]}"; do wait "$child" || failed=1; done
  cat "$logs"/*
  exit $failed
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
limit=120
count=0 taken=0
# Whether the next case is of this part.
mine() { [ $((count++ % parts)) = "$HEDDLE_PART" ] && taken=$((taken + 1)); }

# ---- inputs --------------------------------------------------------------------------------------------------------
mkdir out dir in
# A fabric that is right: two GPUs a server, two servers, an NVSwitch each, one leaf.  GPUs 0-3, NVSwitches 4-5, leaf 6.
good() {
  printf '%s\n' '7 2 2 1 8 A100' '4 5 6' '0 4 2400Gbps 0.000025ms 0' '1 4 2400Gbps 0.000025ms 0' \
    '2 5 2400Gbps 0.000025ms 0' '3 5 2400Gbps 0.000025ms 0' '0 6 100Gbps 0.0005ms 0' '1 6 100Gbps 0.0005ms 0' \
    '2 6 100Gbps 0.0005ms 0' '3 6 100Gbps 0.0005ms 0'
}
good > good.txt
good | head -7 > truncated.txt
good | sed '1s/.*/5 2 2 3 8 A100/' > counts.txt
good | sed '1s/.*/7 8 2 1 8 A100/' > server.txt
good | sed '10s/^3 6/3 7/' > range.txt
good | sed '7s/100Gbps/0Gbps/' > zero_rate.txt
good | sed '7s/100Gbps/-100Gbps/' > negative_rate.txt
good | sed '7s/0.0005ms/-0.0005ms/' > negative_delay.txt
good | sed '7s/^0 6/6 6/' > self_loop.txt
{ good; echo 'and more'; } > trailing.txt
{ good; echo '0 6 100Gbps 0.0005ms 0'; } > one_link_more.txt
good | sed '8s/ms 0$/ms 1.5/' > loss_above_one.txt
good | sed '9s/ms 0$/ms 0.999999999/' > lossy.txt
good | sed '7s/100Gbps/100/' > no_unit.txt
good | sed '2s/.*/4 5 5/' > twice.txt
good | sed '7s/Gbps/parsecs/' > wrong_unit.txt
: > empty.txt
head -c 4096 "$heddle" > binary.txt
printf '%s\n' '6 2 0 2 4 A100' '4 5' '0 4 100Gbps 0.0005ms 0' '1 4 100Gbps 0.0005ms 0' '2 5 100Gbps 0.0005ms 0' \
  '3 5 100Gbps 0.0005ms 0' > split.txt
printf '99999999999999999999 2 0 2 4 A100\n4 5\n' > huge.txt
printf '1000000 2 0 2 15999999 A100\n' > greedy.txt

trace() { printf 'timestamp_ns,src,dst,size_bytes\n'; printf '%s\n' "$@"; }
trace 0,0,2,100000 > good.csv
trace 0,0,2,100000 0,0,17,1000 > unknown_gpu.csv
trace 0,6,2,1000 > leaf.csv
trace 0,0,2,-5 > negative_size.csv
trace 0,0,2,0 > zero_size.csv
trace 100,0,2,1000 50,0,2,1000 > backwards.csv
trace 9154660e9,0,2,100 > late.csv
trace $'0,0\x1b]0;x\x07,2,1000' > control.csv
printf '1\n0 2 3 100 1000 9154660\n' > late.flows
printf '9154660e9,link_down,0,6\n' > late_failure.csv
trace 8639999e9,0,2,100000 > last_day.csv
trace 0,zero,2,1000 > not_a_number.csv
trace 0,0,2,1000 nan,0,2,1000 > nan.csv
trace 0,0,2 > few_columns.csv
trace 0,0,2,1000,7 > many_columns.csv
trace 0,1,1,1000 > to_itself.csv
trace 0,0,2,99999999999999999999 > overflow.csv
trace -1,0,2,1000 > negative_time.csv
printf 'timestamp_ns,src,dst,size_bytes\n' > only_header.csv
: > empty.csv
printf '2\n0 2 3 100 1000 0\n' > too_few.flows
printf '1\n0 2 3 100 1000 0\n1 3 3 100 1000 0\n' > too_many.flows
printf '1\n0 2 9 100 1000 0\n' > priority.flows
printf 'many\n' > no_count.flows
printf 'HAS_WINN 1\n' > unknown_key.conf
printf 'CC_MODE 1\nBUFFER_SIZE plenty\n' > bad_value.conf
printf 'BUFFER_SIZE\n' > no_value.conf
printf 'CC_MODE 1\n\nLINK_DOWN 5 1 2\n' > link_down.conf
printf 'BUFFER_SIZE 32\nBUFFER_SIZE 16\n' > twice.conf
good | sed 's/100Gbps/10Gbps/' > ten_gigabits.txt
printf 'time,event,a,b\n1000,node_down,99\n' > unknown_node.csv
printf 'time,event,a,b\n1000,link_down,0,2\n' > no_link.csv
printf 'time,event,a,b\n1000,link_dwn,0,6\n' > unknown_event.csv
printf '1000,link_down,0,6,,3\n' > no_cable.csv
printf '1000,link_rate,0,6\n' > no_rate.csv
printf '1000,link_rate,0,6,10Gbps\n' > later_rate.csv
printf '1000,link_rate,0,6,10000Gbps\n' > later_fast.csv
echo 'not a result' > text.h5
good | sed '1s/.*/5 1 0 1 4 A100/; 2s/.*/4/; 3,6d; s/ 6 / 4 /' > flat.txt
printf '1 ALLREDUCE 4000 DP\n' > good.work
printf '1 ALLREDUCE 4611686018427387904 TP\n' > most.work
tp2='HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2'
work() { printf '%s\n' "$@"; }
work "${tp2/2/3}" 1 'l -1 1 ALLREDUCE 100 1 NONE 0 1 NONE 0 1' > tp3.work
work "$tp2" 1 'l -1 1 ALREDUCE 100 1 NONE 0 1 NONE 0 1' > operation.work
work "$tp2" 1 'l -1 1 ALLREDUCE 100 x NONE 0 1 NONE 0 1' > time.work
work "$tp2" 1 'l -1 1 ALLREDUCE 100' > columns.work
work "$tp2" 1 'l -1 1 NONE 0 1 NONE 0 1 NONE 0 1' 'm -1 1 NONE 0 1 NONE 0 1 NONE 0 1' > more.work
work "$tp2" 2 > none.work
work "$tp2 pp: 2 ga: 3" 2 'l -1 1 NONE 0 1 NONE 0 1 NONE 0 1' 'm -1 1 NONE 0 1 NONE 0 1 NONE 0 1' > ga.work
work "$tp2 pp: 2 ga: 2" 2 'l -1 1 NONE 0 1 NONE 0 1 NONE 0 1' 'embedding_layer -1 1 NONE 0 1 NONE 0 1 NONE 0 1' > embedding.work
work "$tp2 mode: 2" 1 'l -1 1 NONE 0 1 NONE 0 1 NONE 0 1' > mode.work
work "$tp2 epp: 2" 1 'l -1 1 NONE 0 1 NONE 0 1 NONE 0 1' > key.work
work "$tp2" 839 'l -1 1 ALLREDUCE 100 1 NONE 0 1 NONE 0 1' > cut.work
"$heddle" run -q -n good.txt --trace good.csv -o in/good.h5 || { echo "the good input is refused"; exit 1; }
trace 0,0,2,100000 0,1,2,1000 > other.csv
"$heddle" run -q -n good.txt --trace other.csv -o in/other.h5 || { echo "the other good input is refused"; exit 1; }
"$heddle" run -q -n good.txt -w good.work --record flows=none -o in/unrecorded.h5 ||
  { echo "the good workload is refused"; exit 1; }
head -c 3000 in/good.h5 > in/truncated.h5
: > in/empty.h5

# ---- the check -----------------------------------------------------------------------------------------------------
# Programs of a few milliseconds are checked without starting ten others: what the shell knows itself, it looks up itself.
mkdir log
listing() { find . -path ./log -prune -o -printf '%p %s\n'; }
# wrong TEXT...: fails the case, and shows what it said.
wrong() {
  fail "$name: $*"
  sed 's/^/          stderr: /' log/err | cut -c1-300
  bad=1
}

unprintable() { local LC_ALL=C; [[ $1 == *[^\ -~]* ]]; }

# expect NAME CODE REGEX COMMAND...: extended regular expression over the message, without "heddle: ".
expect() {
  mine || return
  name=$1 code=$2 pattern=$3 bad=0
  shift 3
  local began=$SECONDS before after status text=() line messages=()
  before=$(listing)
  timeout -k 2 $limit "$@" > log/out 2> log/err < /dev/null
  status=$?
  after=$(listing)
  mapfile text < log/err
  for line in "${text[@]}"; do [[ $line != 'heddle: '* ]] || messages+=("$line"); done
  [ $status = 124 ] || [ $status = 137 ] && wrong "no end within $limit s"
  [ $status = "$code" ] || wrong "exit code $status, expected $code"
  local message=${messages[0]-}
  [[ $message = *$'\n' ]] || wrong 'the message does not end its line'
  message=${message%$'\n'}
  [ ${#messages[@]} = 1 ] || wrong "${#messages[@]} messages that start with 'heddle: ', expected one"
  # mpirun adds its own lines; alone, the message is all there is.
  [ "$1" = "${mpirun[0]}" ] || [ ${#text[@]} = 1 ] || wrong "${#text[@]} lines on stderr, expected one"
  [[ ${message#heddle: } =~ $pattern ]] || wrong "message does not match '$pattern'"
  [ ${#message} -le 400 ] || wrong "a message of ${#message} characters"
  unprintable "$message" && wrong "unprintable characters in the message"
  [ $((SECONDS - began)) -lt 3 ] || echo "note: '$name' took $((SECONDS - began)) s"
  if [ "$before" != "$after" ]; then
    after=$(diff <(sort <<< "$before") <(sort <<< "$after") | grep '^[<>]' | tr '\n' ';')
    [ -z "$after" ] || wrong "changed the directory: $after"
    rm -rf out; mkdir out
  fi
  [ $bad = 0 ] && printf 'ok  %d  %-28s %s\n' "$code" "$name" "${message:0:150}"
}
run() { local name=$1 code=$2 pattern=$3; shift 3; expect "$name" "$code" "$pattern" "$heddle" run -o out/r.h5 "$@"; }
topology() { run "$1" 3 "$2" -n "$3" --trace good.csv; }
flows() { run "$1" 3 "$2" -n good.txt --trace "$3"; }

# ---- topologies ----------------------------------------------------------------------------------------------------
topology 'result as a topology' '^in/good\.h5: not plain text\. Expected: .*\(it looks like a result of heddle run' in/good.h5
topology 'trace as a topology' '^good\.csv:1: .*\(it looks like a trace: heddle run --trace FILE\)$' good.csv
topology 'truncated topology' '^truncated\.txt:[0-9]+: .*Expected: ' truncated.txt
topology 'counts do not add up' '^counts\.txt:1: .*5 nodes.*2 NVSwitches.*3 switches.*Expected: ' counts.txt
topology 'servers larger than the fabric' '^server\.txt:1: 8 GPUs per server, and .* are 4 GPUs\. Expected: ' server.txt
topology 'id out of range' '^range\.txt:10: .*7.*Expected: .*6' range.txt
topology 'id listed twice' '^twice\.txt:2: .*5.*twice.*Expected: ' twice.txt
topology 'zero rate' '^zero_rate\.txt:7: .*"0Gbps".*Expected: a rate' zero_rate.txt
topology 'negative rate' '^negative_rate\.txt:7: .*"-100Gbps".*Expected: a rate' negative_rate.txt
topology 'rate without unit' '^no_unit\.txt:7: .*"100".*Expected: a rate' no_unit.txt
topology 'rate in parsecs' '^wrong_unit\.txt:7: .*parsecs.*Expected: a rate' wrong_unit.txt
topology 'negative delay' '^negative_delay\.txt:7: .*"-0.0005ms".*Expected: a delay' negative_delay.txt
topology 'self loop' '^self_loop\.txt:7: .*switch 6 to itself.*Expected: ' self_loop.txt
topology 'trailing garbage' '^trailing\.txt:11: .*"and".*Expected: the end of the file' trailing.txt
topology 'a link too many' '^one_link_more\.txt:11: .*Expected: the end of the file' one_link_more.txt
topology 'empty topology' '^empty\.txt: .*empty.*Expected: ' empty.txt
topology 'missing topology' '^missing\.txt: cannot be read.*Expected: ' missing.txt
topology 'binary topology' '^binary\.txt: not plain text\. Expected: ' binary.txt
topology 'directory as topology' '^dir: cannot be read.*Expected: ' dir
topology 'link error rate above 1' '^loss_above_one\.txt:8: .*"1.5".*Expected: ' loss_above_one.txt
topology 'number beyond 64 bits' '^huge\.txt:1: .*99999999999999999999.*Expected: ' huge.txt
topology 'counts beyond the file' '^greedy\.txt:[0-9]+: .*Expected: ' greedy.txt
run 'no path' 3 'GPU 0.*GPU 2' -n split.txt --trace good.csv
# ---- flows ---------------------------------------------------------------------------------------------------------
flows 'unknown GPU' '^unknown_gpu\.csv:3: .*17.*Expected: .*3' unknown_gpu.csv
flows 'leaf as GPU' '^leaf\.csv:2: .*6.*switch.*Expected: ' leaf.csv
flows 'negative size' '^negative_size\.csv:2: .*"-5".*Expected: ' negative_size.csv
flows 'zero size' '^zero_size\.csv:2: .*"0".*Expected: ' zero_size.csv
flows 'size beyond 64 bits' '^overflow\.csv:2: .*Expected: ' overflow.csv
flows 'time going backwards' '^backwards\.csv:3: .*backwards.*50ns.*100ns.*Expected: ' backwards.csv
flows 'negative time' '^negative_time\.csv:2: .*"-1".*Expected: ' negative_time.csv
flows 'not a number' '^not_a_number\.csv:2: .*"zero".*Expected: ' not_a_number.csv
flows 'NaN as time' '^nan\.csv:3: .*"nan".*Expected: ' nan.csv
flows 'too few columns' '^few_columns\.csv:2: 3 columns.*Expected: 4 columns' few_columns.csv
flows 'too many columns' '^many_columns\.csv:2: 5 columns.*Expected: 4 columns' many_columns.csv
flows 'flow near the end of time' '^late\.csv:2: time "9154660e9".*Expected: .*at most 100 days' late.csv
flows 'trace as another file' '^good\.work:1: .*\(it looks like a workload: heddle run -w FILE\)$' good.work
flows 'result as a trace' '^in/good\.h5: not plain text\. Expected: .*\(it looks like a result of heddle run: heddle report FILE' in/good.h5
flows 'control characters in a trace' '^control\.csv:2: source "0\\x1b\]0;x\\x07" is not a GPU' control.csv
flows 'flow to itself' '^to_itself\.csv:2: .*1.*Expected: ' to_itself.csv
flows 'empty trace' '^empty\.csv: no flow.*Expected: ' empty.csv
flows 'only a header' '^only_header\.csv: no flow.*Expected: ' only_header.csv
flows 'missing trace' '^missing\.csv: cannot be read.*Expected: ' missing.csv
flows 'directory as trace' '^dir: cannot be read.*Expected: ' dir
flows 'binary trace' '^binary\.txt: not plain text\. Expected: ' binary.txt
run 'fewer flows than counted' 3 '^too_few\.flows: 1 flows.*Expected: 2 flows' -n good.txt --flows too_few.flows
run 'more flows than counted' 3 '^too_many\.flows:3: 2 flows.*Expected: 1 flows' -n good.txt --flows too_many.flows
run 'flow file without count' 3 '^no_count\.flows:1: .*"many".*Expected: ' -n good.txt --flows no_count.flows
run 'flow file near the end of time' 3 '^late\.flows:2: time "9154660".*Expected: .*at most 100 days' -n good.txt --flows late.flows
run 'priority out of range' 3 '^priority\.flows:2: .*"9".*Expected: ' -n good.txt --flows priority.flows
# ---- settings ------------------------------------------------------------------------------------------------------
good_run=(-n good.txt --trace good.csv)
run 'unknown conf key' 3 '^unknown_key\.conf:1: .*HAS_WINN.*HAS_WIN([^N]|$)' "${good_run[@]}" -c unknown_key.conf
run 'bad conf value' 3 '^bad_value\.conf:2: .*plenty.*[Ee]xpected' "${good_run[@]}" -c bad_value.conf
run 'conf key without value' 3 '^no_value\.conf:1: .*BUFFER_SIZE.*Expected: ' "${good_run[@]}" -c no_value.conf
run 'conf key twice' 3 '^twice\.conf:2: .*BUFFER_SIZE.*Expected: ' "${good_run[@]}" -c twice.conf
run 'missing conf' 3 '^missing\.conf: .*Expected: ' "${good_run[@]}" -c missing.conf
run 'unknown congestion control' 3 'CC_MODE.*5.*Expected: .*DCQCN' "${good_run[@]}" --set CC_MODE=5
run 'weights of two priorities' 3 'nic\.weights.*1 2.*Expected: 8 integers' "${good_run[@]}" --set 'nic.weights=1 2'
run 'KMAX_MAP without entries' 3 'ecn\.kmax \(KMAX_MAP\) has no entry.*switch 6 port 0 of 10Gbps.*400KB' \
  -n ten_gigabits.txt --trace good.csv --set KMAX_MAP=0
run 'a kmin above the kmax of the rate' 3 'ecn\.kmin \(KMIN_MAP\) is 400 KB.*ecn\.kmax \(KMAX_MAP\) is 160 KB for 10Gbps' \
  -n ten_gigabits.txt --trace good.csv --set ecn.kmin=400KB
run 'a count for KMIN_MAP' 3 "KMIN_MAP.*'100'.*one value is written 100KB" "${good_run[@]}" --set KMIN_MAP=100
run 'unknown way to choose NIC ports' 3 'nic\.ports.*both.*Expected: .*round-robin' "${good_run[@]}" --set nic.ports=both
run 'nonsense to monitor' 3 'monitor\.kinds.*nonsense.*Expected: none, all.*queues' "${good_run[@]}" --set monitor.kinds=nonsense
run 'monitor interval of nothing' 3 'monitor\.queue_interval.*0us.*Expected: auto, or a time' "${good_run[@]}" --set monitor.queue_interval=0us
for other in transport.protocol=uec reliability.selective_repeat=true reliability.reorder=64 \
  entropy.scheme=mixed; do
  run "requests with $other" 3 '^requests\.scheduler=stripe: .*Expected: .*or requests\.scheduler=message' "${good_run[@]}" \
    --set requests.scheduler=stripe --set $other
done
run 'requests with too many queue pairs' 3 '^requests\.scheduler=single: .*63.*or requests\.scheduler=message' "${good_run[@]}" \
  --set requests.scheduler=single --set flow.completion=received --set nic.qps_per_connection=64
for other in reliability.ack_interval=4000 compat.simai_acks=true reliability.back_to_zero=true; do
  run "entropies with $other" 3 "^entropy\\.scheme=oblivious: .*Expected: ${other%%=*}=.*or entropy\\.scheme=flow" "${good_run[@]}" \
    --set entropy.scheme=oblivious --set $other
done
for other in balance.ports=random balance.weighted=true entropy.scheme=reps; do
  run "the controller with $other" 3 "^controller\\.enable: .*with $other packets.*Expected: controller\\.enable=false" "${good_run[@]}" \
    --set controller.enable=true --set $other
done
run 'the controller with Ultra Ethernet' 3 '^controller\.enable: .*entropy\.scheme=mixed' "${good_run[@]}" --set controller.enable=true --transport uec
run 'an unknown transport' 3 'transport.*tcp.*Expected: ' "${good_run[@]}" --transport tcp
run 'an unknown balance of ports' 3 'balance\.ports.*drill.*Expected: .*adaptive' "${good_run[@]}" --set balance.ports=drill
run 'no queue pairs' 3 'nic\.qps_per_connection .*: found .0.\. Expected: an integer from 1 to 1024' "${good_run[@]}" --set nic.qps_per_connection=0
run 'too many queue pairs' 3 'nic\.qps_per_connection .*: found .1025.\. Expected: an integer from 1 to 1024' "${good_run[@]}" --set nic.qps_per_connection=1025
for weight in -0.1 1.1; do
  run "a weight of $weight" 3 'cast\.weight: found .*Expected: a number from 0 to 1' "${good_run[@]}" --set requests.scheduler=cast-wrr --set cast.weight=$weight
done
run 'averages that begin anew too often' 3 '^cast\.reset_interval=20us.*each 50us\. Expected: at least cast\.update_interval, or 0' \
  "${good_run[@]}" --set requests.scheduler=cast-wrr --set cast.reset_interval=20us
run 'a weighted estimator without a weight' 3 '^cast\.estimator.*cast\.weight is 0.*Expected: ' "${good_run[@]}" \
  --set requests.scheduler=cast-wrr --set cast.estimator=weighted
expect 'monitors without -o' 2 'monitor\.kinds.*Expected: -o FILE' "$heddle" run "${good_run[@]}" --set monitor.kinds=all
# ---- failures ------------------------------------------------------------------------------------------------------
run 'LINK_DOWN without that link' 3 '^LINK_DOWN: no link between GPU 1 and GPU 2.*Expected: ' "${good_run[@]}" -c link_down.conf
run 'LINK_DOWN of two words' 3 '^LINK_DOWN: "5 1".*Expected: three words' "${good_run[@]}" --set 'LINK_DOWN=5 1'
run 'LINK_DOWN at no time' 3 '^LINK_DOWN: time "x".*Expected: a time' "${good_run[@]}" --set 'LINK_DOWN=x 0 6'
run 'LINK_DOWN of no node' 3 '^LINK_DOWN: node 77.*Expected: .*0 to 6' "${good_run[@]}" --set 'LINK_DOWN=5 0 77'
failing() { run "$1" 3 "$2" "${good_run[@]}" --failures "$3" --set monitor.kinds=all; }
failing 'missing failures' '^missing\.csv: cannot be read.*Expected: ' missing.csv
failing 'failures without an event' '^empty\.csv: .*Expected: ' empty.csv
failing 'a failing node that is none' '^unknown_node\.csv:2: node 99.*Expected: .*0 to 6' unknown_node.csv
failing 'a failing link that is none' '^no_link\.csv:2: no link between GPU 0 and GPU 2.*Expected: ' no_link.csv
failing 'an unknown failure' '^unknown_event\.csv:2: event "link_dwn".*Expected: link_down' unknown_event.csv
failing 'a failing cable that is none' '^no_cable\.csv:1: .*Expected: ' no_cable.csv
failing 'a failure near the end of time' '^late_failure\.csv:1: time "9154660e9".*Expected: .*at most 100 days' late_failure.csv
failing 'a link rate of nothing' '^no_rate\.csv:1: .*Expected: ' no_rate.csv
# Seen before the run, not when the link changes.
run 'a later rate with a kmin above its kmax' 3 'KMIN_MAP.*10Gbps.*switch 6 port 0 from 1us on' "${good_run[@]}" \
  --failures later_rate.csv --set ecn.kmin=400KB
run 'a later rate too fast for the buffer' 3 'buffer of switch 6, once links change their rates, is too small' "${good_run[@]}" \
  --failures later_fast.csv --set ENABLE_QCN=0 --set switch.buffer=1
run 'AS_SEND_LAT=7200 by --set' 3 'AS_SEND_LAT.*7200.*7200ns' "${good_run[@]}" --set AS_SEND_LAT=7200
AS_SEND_LAT=7200 run 'AS_SEND_LAT=7200 by environment' 3 'AS_SEND_LAT.*7200.*7200ns' "${good_run[@]}"
run 'unknown --set key' 3 'transport\.windw.*transport\.window' "${good_run[@]}" --set transport.windw=1
run 'bad --set value' 3 'switch\.buffer.*-1.*[Ee]xpected' "${good_run[@]}" --set switch.buffer=-1
run '--set without =' 2 'transport\.window.*[Ee]xpected KEY=VALUE' "${good_run[@]}" --set transport.window
# ---- workloads -----------------------------------------------------------------------------------------------------
workload() { run "$1" 3 "$2" -n good.txt -w "$3"; }
workload 'missing workload' '^missing\.work: cannot be read.*Expected: ' missing.work
workload 'empty workload' '^empty\.txt: no workload.*Expected: ' empty.txt
workload 'binary workload' '^binary\.txt: not plain text\. Expected: ' binary.txt
workload 'TP that does not divide' '^job 0 \(tp3\.work\): TP 3 .*does not divide 4 GPUs.*Expected: .*multiple of 3' tp3.work
workload 'unknown operation' '^operation\.work:3: column 4: fwd_comm "ALREDUCE".*Expected: .*nearest is ALLREDUCE' operation.work
workload 'time that is none' '^time\.work:3: column 6: ig_ns "x".*Expected: an integer' time.work
workload 'layer with few columns' '^columns\.work:3: 5 columns.*Expected: 12 columns' columns.work
workload 'more layers than announced' '^more\.work:4: 2 layers.*Expected: 1 layer, as line 2 says' more.work
workload 'no layers' '^none\.work:2: the file ends after 0 layers.*Expected: 2 layers' none.work
workload 'more micro-batches than layers' '^ga\.work:1: 3 micro-batches \(ga\) of 2 layers.*Expected: ' ga.work
workload 'micro-batches without a beginning' '^embedding\.work:4: 1 line embedding_layer for 2 micro-batches \(ga\).*Expected: one' embedding.work
workload 'unknown mode' '^mode\.work:1: column 5: mode "2".*Expected: an integer from 0 to 1' mode.work
workload 'unknown key of a workload' '^key\.work:1: column 4: unknown key "epp:".*nearest is ep:' key.work
echo '1 ALLREDUCE 10000000000000000 TP' > huge.work
workload 'messages too large' "^huge\.work:1, layer .*: .*Expected: at most [0-9]+ bytes a message" huge.work
run 'messages whose flags overflow' 3 "^most\.work:1, layer .*, and the flags of LL\. Expected: at most [0-9]+ bytes a message" \
  -n good.txt -w most.work --set collective.protocol=ll
job=(-n good.txt -w good.work)
run 'NVLS without NVSwitch' 3 'nvls: NVSwitches of GPU type A100 do not reduce' -n flat.txt -w good.work \
  --set algorithm.allreduce=nvls
run 'unknown algorithm' 3 'algorithm\.allreduce.*rnig.*[Ee]xpected: .*ring' "${job[@]}" --set algorithm.allreduce=rnig
run 'lasting connections with the controller' 3 '^collective\.connections=lasting: .*Expected: .*controller\.enable=false' \
  "${job[@]}" --set collective.connections=lasting --set controller.enable=true
AS_SEND_LAT=3000 run 'AS_SEND_LAT of SimAI 1.7' 3 "AS_SEND_LAT.*'3000'.*'3000ns'" "${job[@]}"
NCCL_ALGO=collnet run 'CollNet without switches that add' 3 'collnet_direct: collective\.collnet=false \(NCCL_COLLNET_ENABLE=1' "${job[@]}"
NCCL_COLLNET_NODE_THRESHOLD=0 run 'CollNet of no servers' 3 'NCCL_COLLNET_NODE_THRESHOLD: .*an integer from 1' "${job[@]}"
run 'a choice of nobody' 3 "algorithm\.choice: found 'rccl'\. Expected: one of simccl, nccl" "${job[@]}" --set algorithm.choice=rccl
run 'an algorithm twice' 3 "found 'ring\+ring'\. Expected: auto, fastest, or one or several of ring" "${job[@]}" \
  --set algorithm.allreduce=ring+ring
run 'PAT of an AllReduce' 3 "algorithm\.allreduce: found 'pat'\. Expected: .*ring, tree" "${job[@]}" --set algorithm.choice=nccl \
  --set algorithm.allreduce=pat
run 'CollNet as NCCL chooses' 3 'by collnet_chain: .*do not add \(aggregation\.switches=all' "${job[@]}" --set algorithm.choice=nccl \
  --set algorithm.allreduce=collnet_chain
run 'NVLS turned off' 3 'as NCCL chooses: nvls: collective\.nvls=false .*Expected: tree, ring' "${job[@]}" --set algorithm.choice=nccl \
  --set algorithm.allreduce=nvls --set collective.nvls=false
tune=("$heddle" collective allreduce -b 1MiB --tune)
expect 'NVLS of A100 as NCCL chooses' 3 'nvls: NVSwitches of GPU type A100 do not reduce\. Expected: tree, ring' "${tune[@]}" -r 8 \
  --gpu-type A100 --set algorithm.allreduce=nvls
expect 'what NCCL does not choose' 2 '--tune: NCCL does not choose for ALLTOALL\. Expected: allreduce' \
  "$heddle" collective alltoall -b 1MiB -r 8 --tune
expect 'the tuner of one rank' 2 '--tune: one rank.*Expected: --ranks 2' "${tune[@]}" -r 1
expect 'the tuner of phases' 2 '--tune: NCCL knows no phases' "${tune[@]}" -r 8 --phases 2x4
expect 'sizes in the wrong order' 2 '--maxbytes: found 1KiB\. Expected: at least --bytes 1MiB' "${tune[@]}" -r 8 -e 1KiB
expect 'sizes without a tuner' 2 '--maxbytes: one size is listed\. Expected: --tune' "$heddle" collective allreduce -b 1 -e 2 -r 8
expect 'a factor of one' 2 '--stepfactor: found 1\. Expected: a number from 2' "${tune[@]}" -r 8 -e 2MiB -f 1
NCCL_ALGO=rnig run 'NCCL_ALGO misspelt' 3 "NCCL_ALGO=rnig: unknown name 'rnig'.*nearest is ring" "${job[@]}"
NCCL_PROTO=ll64 run 'NCCL_PROTO misspelt' 3 "NCCL_PROTO=ll64: unknown name 'll64'.*nearest is ll" "${job[@]}"
# Odd, and run all the same: a warning, whether quiet or not.
AS_SEND_LATT=3 expect 'unknown AS_ variable' 0 '^warning: .*AS_SEND_LATT .*nearest is AS_SEND_LAT' "$heddle" run -q "${job[@]}"
expect 'workload that was cut' 0 '^warning: .*announces 839 layers and has 1.*truncated' "$heddle" run -n good.txt -w cut.work
# ---- jobs ----------------------------------------------------------------------------------------------------------
jobs() { local name=$1 code=$2 pattern=$3 each=(); shift 3
  for spec in "$@"; do each+=(--job "$spec"); done
  run "$name" "$code" "$pattern" -n good.txt "${each[@]}"; }
jobs 'unknown key of a job' 2 "^--job: unknown key 'gpu'.*nearest is gpus" workload=good.work,gpu=0-3
jobs 'job without workload' 2 '^--job: no workload.*Expected: workload=FILE' gpus=0-3
jobs 'range backwards' 2 "^--job: gpus '3-1'.*Expected: ranges" workload=good.work,gpus=3-1
jobs 'range of letters' 2 "^--job: gpus '0-x'.*Expected: ranges" workload=good.work,gpus=0-x
jobs 'key of a job twice' 2 "^--job: twice 'gpus'.*Expected: each key once" workload=good.work,gpus=0-1,gpus=2-3
jobs 'unknown placement' 2 "^--job: placement 'packd'.*nearest is packed" workload=good.work,placement=packd
jobs 'start without unit' 2 "^--job: start '5'.*Expected: a time with its unit" workload=good.work,start=5
jobs 'passes of a job' 2 "^--job: passes '0'.*Expected: an integer from 1" workload=good.work,passes=0
jobs 'GPU that is none' 3 '^job 0 .*: GPU 4\. Expected: .*has 4' workload=good.work,gpus=0-4
jobs 'too many GPUs' 3 '^job 0 .*: 9 GPUs\. Expected: at most what is free, 4' workload=good.work,gpus=9
jobs 'a GPU in two jobs' 3 '^job 1 .*: GPU 1, which job 0 .*Expected: ' workload=good.work,gpus=0-1 workload=good.work,gpus=1-2
jobs 'too few GPUs left' 3 '^job 1 .*: 3 GPUs\. Expected: .*2 of 4' workload=good.work,gpus=2 workload=good.work,gpus=3
run 'both -w and --trace' 2 '--trace and -w.*Expected: one of them' "${job[@]}" --trace good.csv
run 'both -w and --job' 2 '-w and --job.*Expected: one of them' "${job[@]}" --job workload=good.work
run 'no passes' 2 '--passes.*0.*1 to 1000000' "${job[@]}" --passes 0
run 'nonsense to record' 2 '--record nonsense.*expected flows=, collectives= or timeline=' "${job[@]}" --record nonsense
run 'flows recorded somehow' 2 '--record flows=some.*flows=auto, flows=all, flows=sample:N or flows=none' \
  "${job[@]}" --record flows=some
for sample in sample sample: sample:0 sample:x sample:-1 sample:1.5 sample:1000000001; do
  run "flows recorded by $sample" 2 "--record flows=$sample: .*Expected: flows=sample:N, N from 1 to 1000000000" \
    "${good_run[@]}" --record flows=$sample
done
run 'time lines recorded somehow' 2 '--record timeline=sample:2.*timeline=auto, timeline=all or timeline=none' \
  "${job[@]}" --record timeline=sample:2
# ---- command line --------------------------------------------------------------------------------------------------
run 'unknown flag' 2 'flagg' "${good_run[@]}" --flagg
# What is not known comes before what is missing, and nothing is suggested from afar.
expect 'unknown flag before a missing one' 2 "^unknown argument '--tracee'\. Did you mean '--trace'\?" "$heddle" run --tracee x
expect 'short form of a flag' 2 "^unknown argument '--topo'\. Did you mean '--topology'\?" "$heddle" run --topo f
expect 'files without flags' 2 "^unexpected word 'a\.txt'\. Expected: a flag before it \(heddle run --help" "$heddle" run a.txt b.csv
run 'two settings behind one --set' 2 "^unexpected word 'HAS_WIN=0'\. Expected: a flag before it, as in --set HAS_WIN=0 \(" \
  "${good_run[@]}" --set CC_MODE=3 HAS_WIN=0
run 'a setting in two words' 2 "^unexpected word '3'\. Expected: KEY=VALUE in one word, as in --set CC_MODE=3 \(" \
  "${good_run[@]}" --set CC_MODE 3
expect 'a command like no other' 2 "^unknown command 'frobnicate'\. \(heddle --help" "$heddle" frobnicate
expect 'help on an unknown command' 2 "^unknown command 'rum'\. Did you mean 'run'\?" "$heddle" help rum
expect 'topo, a flag like no other' 2 '^unknown flag k\. Expected: ' "$heddle" topo Spectrum-X -k 8
expect 'unknown command' 2 "unknown command 'rum'.*'run'" "$heddle" rum
run 'unknown partitioner' 2 'blok.*block' "${good_run[@]}" --partition blok
run 'unknown engine' 2 'ns4.*domain.*ns3.*ns3-null' "${good_run[@]}" --engine ns4
run 'unknown backend' 2 "--backend: found 'fluid'. Expected: packet, analytical, physical, flow$" "${good_run[@]}" --backend fluid
run 'both --trace and --flows' 2 '--trace.*--flows' "${good_run[@]}" --flows too_few.flows
run 'no flows' 2 '--trace.*--flows' -n good.txt
run '--passes without -w' 2 '--passes.*Expected: -w' "${good_run[@]}" --passes 2
run 'no topology' 2 'topology' --trace good.csv
run 'negative grain' 2 'grain' "${good_run[@]}" --grain -1
run 'lookahead without unit' 2 '500.*(unit|ns)' "${good_run[@]}" --lookahead 500
expect 'topo unknown flag' 2 'psnn.*psn' "$heddle" topo Spectrum-X --psnn 4
expect 'topo unknown template' 3 'Spectrum-Y.*Spectrum-X' "$heddle" topo Spectrum-Y -o out/t.txt
expect 'topo impossible GPUs' 3 '0 GPUs per server \(-gps\).*Expected: ' "$heddle" topo Spectrum-X -g 8 -gps 0 -o out/t.txt
expect 'topo impossible spines' 3 '-psn' "$heddle" topo AlibabaHPN-DualPlane -g 16 -psn 3 -o out/t.txt
expect 'topo with a ratio and spines' 2 'oversubscription and -psn' "$heddle" topo Spectrum-X -g 64 -ov 1 -psn 8 -o out/t.txt
expect 'topo with a ratio that is none' 3 '\(-ov\) "nan".*Expected: a number above zero' "$heddle" topo Spectrum-X -g 64 -ov nan -o out/t.txt
expect 'topo with a ratio out of reach' 3 '100 : 1 .*nearest that whole uplinks reach is 8 : 1' \
  "$heddle" topo Spectrum-X -g 64 --oversubscription 100 -o out/t.txt
expect 'topo, a flag of another shape' 2 '^unknown flag dims\.' "$heddle" topo FatTree -dims 4x4
expect 'topo, a list with a gap' 3 '\(-dims\) "4xx4"\. Expected: 1 to 20 whole numbers' "$heddle" topo Torus -dims 4xx4 -o out/t.txt
expect 'topo, a tree told twice' 2 '-down and -k\. Expected: one of them' "$heddle" topo FatTree -down 4x4 -k 4 -o out/t.txt
expect 'topo of too many groups' 3 '10 groups \(-groups\)\. Expected: 1 to 9' "$heddle" topo Dragonfly -groups 10 -o out/t.txt
expect 'topo by a number and sizes' 2 '--gpus and -k\. Expected: one of them' "$heddle" topo fat-tree --gpus 64 -k 4 -o out/t.txt
expect 'topo by a ratio alone' 2 '--oversubscription without --gpus\. Expected: both' "$heddle" topo dragonfly -ov 1 -o out/t.txt
expect 'topo by a number without sizes' 3 'no sizes give 808 GPUs .*such as 800 or 816' "$heddle" topo fat-tree --gpus 808 --radix 64 -o out/t.txt
expect 'topo of too many nodes' 3 'at most 1048576 nodes' "$heddle" topo FullMesh -dims 5000x5000 -o out/t.txt
expect 'topo rail-only of two segments' 3 '2 segments without a spine switch \(-psn 0\)' \
  "$heddle" topo Spectrum-X -g 64 -psn 0 -npa 4 -o out/t.txt
"$heddle" topo Spectrum-X -g 16 -psn 0 -o rails.txt > /dev/null 2> rails.notes || fail 'a rail-only fabric is refused'
grep -q 'rail-only' rails.notes || fail 'topo: no note about a rail-only fabric'
printf 'MICRO\n1\nall -1 0 NONE 0 0 NONE 0 0 ALLTOALL 1048576 0\n' > rails_work.txt
expect 'AllToAll on rails alone' 3 'no way from server 0 / GPU 0 to server 1 / GPU 1.*collective\.pxn=true' "$heddle" run -n rails.txt -w rails_work.txt --set collective.pxn=false
"$heddle" run -q -n rails.txt -w rails_work.txt || fail 'AllToAll with PXN on rails alone'
echo 0,0,9,1000 > rails.csv
expect 'a flow between rails' 3 'flow 1 of the input.*rail-only' "$heddle" run -n rails.txt --trace rails.csv
expect 'topo not a number' 2 '-g.*many' "$heddle" topo Spectrum-X -g many -o out/t.txt
expect 'topo in a missing directory' 6 '^nowhere/t\.txt: ' "$heddle" topo Spectrum-X -g 8 -o nowhere/t.txt
printf 'osm_ucast_mgr_dump_ucast_routes: Switch 0x0001\n' > opensm.fdbs
printf 'heddle-tables 1 4 7\n' > made.tables
printf 'vendid=0x2c9\ndevid=0xcb20\n' > net.ibd
expect 'tables of a subnet manager as a network' 3 "it looks like a subnet manager's forwarding tables, .* --tables FILE" "$heddle" congestion opensm.fdbs
expect 'tables as a network' 3 'it looks like forwarding tables: ' "$heddle" congestion made.tables
expect "a subnet manager's tables beside a topology" 3 "it looks like a subnet manager's" "$heddle" congestion good.txt --tables opensm.fdbs
expect 'an InfiniBand network as tables' 3 'it looks like a network of ibnetdiscover' "$heddle" congestion good.txt --tables net.ibd
"$heddle" congestion --help | grep -q InfiniBand || fail 'congestion --help does not name InfiniBand'
expect 'topo show of a broken file' 3 '^truncated\.txt:[0-9]+: ' "$heddle" topo show truncated.txt
# ---- analytical ----------------------------------------------------------------------------------------------------
expect 'accuracy, one backend' 2 "--backends: found 'packet' alone. Expected: two or more" "$heddle" accuracy -n a -w b --backends packet
expect 'accuracy, a backend twice' 2 "--backends: 'packet' twice" "$heddle" accuracy -n a -w b --backends packet,packet
expect 'accuracy, an unknown backend' 2 "--backend: found 'fluid'" "$heddle" accuracy -n a -w b --backends packet,fluid
expect 'accuracy, two files of one name' 2 'two runs have the name a_b_packet' "$heddle" accuracy -n a x/a -w b
expect 'analytical, another program' 2 '--compat: found .simai-analytical-2' "$heddle" analytical --compat simai-analytical-2
expect 'analytical, --compat without a value' 2 '--compat has no value' "$heddle" analytical --compat
expect 'analytical, --compat behind others' 2 'must be the first word' "$heddle" analytical -w x --compat simai-analytical-1.6
expect 'analytical, a flag of the other program' 255 "unknown flag '-busbw'" "$heddle" analytical --compat simai-analytical-1.6 -busbw x
expect 'analytical, no workload' 1 '-w: nothing\.txt: cannot be read' "$heddle" analytical --compat simai-analytical-1.6 -w nothing.txt -g 8 -g_p_s 8 -r x
expect 'analytical, no servers' 3 '-g_p_s is 0 or not given; SimAI crashes' "$heddle" analytical --compat simai-analytical-1.6 -w good.work -g 8
expect 'analytical, no workload given' 2 '--workload is required' "$heddle" analytical -g 8
expect 'analytical, a rate of nothing' 2 "--nvlink: found '0'" "$heddle" analytical -w good.work -nv 0
expect 'analytical, an overlap above 1' 2 "--dp-overlap: found '2'" "$heddle" analytical -w good.work -dp_o 2
expect 'analytical, an unknown algorithm' 2 "--algorithm: 'trea'. Did you mean 'tree'" "$heddle" analytical -w good.work --algorithm trea
expect 'analytical, a chart without a name' 2 'no name for the chart' "$heddle" analytical -w good.work -v 1
expect 'analytical, an unknown GPU' 3 "--gpu-type: 'B300' has no bandwidth" "$heddle" analytical -w good.work -g 4 -g_type B300
expect 'analytical, no such file' 3 '^nothing\.txt: cannot be read' "$heddle" analytical -w nothing.txt -g 8
expect 'analytical, a topology as a workload' 3 '^good\.txt: it looks like|^good\.txt:1: ' "$heddle" analytical -w good.txt -g 8
# ---- traces --------------------------------------------------------------------------------------------------------
generate() { local name=$1 code=$2 pattern=$3; shift 3; expect "$name" "$code" "$pattern" "$heddle" trace --out out/t.csv "$@"; }
poisson=(--arrival poisson --rate 20000 --flows 10)
generate 'trace without a pattern' 2 '--arrival is required'
generate 'trace of an unknown pattern' 3 "^--arrival: unknown pattern 'poison'. Did you mean 'poisson'.*Expected: constant" --arrival poison
generate 'trace with an unknown flag' 2 "unknown argument '--ratte'. Did you mean '--rate'" --arrival poisson --ratte 3
generate 'trace with a flag of others' 2 '^--rounds: --arrival poisson does not use it\. Expected: --rate, --interval-ns, --flows' "${poisson[@]}" --rounds 2
generate 'trace of a pair with a seed' 2 '^--seed: --arrival server_pair does not use it\. Expected: --interval-ns' --arrival server_pair --seed 2
generate 'trace without a rate' 2 '^--arrival poisson without an interval\. Expected: --rate or --interval-ns' --arrival poisson --flows 10
generate 'trace without an end' 2 '^--arrival poisson without an end\. Expected: --flows or --duration' --arrival poisson --rate 5
generate 'trace of bursts of no size' 2 '^--arrival burst without the size.*Expected: --burst-size' --arrival burst --rate 5 --flows 5
generate 'trace of a hotspot of no share' 2 '^--arrival hotspot without.*Expected: --hotspot-fraction' --arrival hotspot --rate 5 --flows 5
generate 'trace of no GPUs' 2 '^--arrival one_to_one without.*Expected: --src-gpu and --dst-gpu' --arrival one_to_one --flows 5
generate 'trace, a rate and an interval' 2 'both --rate and --interval-ns' "${poisson[@]}" --interval-ns 3
generate 'trace with two ends' 2 'both --flows and --duration' "${poisson[@]}" --duration 1ms
generate 'trace with two sizes' 2 'both --kv-mb and --kv-size' "${poisson[@]}" --kv-mb 1 --kv-size 1MiB
generate 'trace, topology and servers' 2 '^--servers 16: good\.txt has 2\. Expected: ' "${poisson[@]}" -n good.txt --servers 16
generate 'trace, topology and GPUs' 2 '^--gpus-per-server 8: good\.txt has 2\. Expected: ' "${poisson[@]}" -n good.txt --gpus-per-server 8
generate 'trace of a missing topology' 3 '^missing\.txt: cannot be read' "${poisson[@]}" -n missing.txt
generate 'trace of a broken topology' 3 '^truncated\.txt:[0-9]+: ' "${poisson[@]}" -n truncated.txt
for rate in -5 0 nan inf abc 1e10 ''; do
  generate "trace of rate '$rate'" 3 "^--rate: found '$rate'\. Expected: flows a second" --arrival poisson --rate "$rate" --flows 5
done
generate 'trace of an interval of 0' 3 '^--interval-ns: found 0\. Expected: a number from 1' --arrival constant --interval-ns 0 --flows 5
generate 'trace of 0 flows' 3 '^--flows: found 0\. Expected: .* 10000000' --arrival constant --rate 5 --flows 0
generate 'trace of too many flows' 3 '^--flows: found 10000001\. Expected: .* 10000000' --arrival constant --rate 5 --flows 10000001
generate 'trace of a flow and a half' 3 "^--flows: found '1.5'\. Expected: an integer" --arrival constant --rate 5 --flows 1.5
generate 'trace of time without unit' 3 "^--duration: found '5'\. Expected: a time with its unit" --arrival constant --rate 5 --duration 5
generate 'trace too short for a flow' 3 '^no flow starts within --duration 1ns\. Expected: ' --arrival poisson --rate 5 --duration 1ns
generate 'trace too long' 3 '^more than 10000000 flows within --duration 3600s\. Expected: ' --arrival constant --rate 1e9 --duration 3600s
generate 'trace beyond 100 days' 3 '^flow 10 would start later than after 100 days' --arrival constant --rate 1e-6 --flows 50
generate 'trace of bursts of nothing' 3 '^--burst-size: found 0\. Expected: ' --arrival burst --rate 5 --flows 5 --burst-size 0
generate 'trace of a share above 1' 3 '^--hotspot-fraction: found 1.5\. Expected: .*0 to 1' --arrival hotspot --rate 5 --flows 5 --hotspot-fraction 1.5
generate 'trace of nothing to send' 3 "^--kv-mb: found '0'\. Expected: a number of MiB" "${poisson[@]}" --kv-mb 0
generate 'trace of too much to send' 3 "^--kv-size: found '2TiB'\. Expected: .*1 TiB" "${poisson[@]}" --kv-size 2TiB
generate 'trace of a size in parsecs' 3 "^--kv-size: found '5parsecs'\. Expected: a size" "${poisson[@]}" --kv-size 5parsecs
generate 'trace of a server that is none' 3 '^--src-server: found server 16\. Expected: .*0 to 15' --arrival server_pair --src-server 16
generate 'trace of a server to itself' 3 '^--dst-server: found 0, which is --src-server' --arrival server_pair --dst-server 0
generate 'trace of no rounds' 3 '^--rounds: found 0\. Expected: ' --arrival server_pair --rounds 0
generate 'trace of a GPU that is none' 3 '^--dst-gpu: found GPU 4\. Expected: .*0 to 3' --arrival one_to_one -n good.txt --src-gpu 0 --dst-gpu 4 --flows 1
generate 'trace of a GPU to itself' 3 '^--dst-gpu: found 3, which is --src-gpu' --arrival one_to_one --src-gpu 3 --dst-gpu 3 --flows 1
generate 'trace of no servers' 3 "^--servers: found '0'\. Expected: .*from 1" "${poisson[@]}" --servers 0
generate 'trace of one server' 3 '^found 8 GPUs in one server\. Expected: two servers' "${poisson[@]}" --servers 1
generate 'trace of too many GPUs' 3 '^found 1024000000 GPUs\. Expected: ' "${poisson[@]}" --servers 1000000 --gpus-per-server 1024
generate 'trace, a range backwards' 3 "^--prefill-servers: found '3-1'\. Expected: servers from 0 to 15" "${poisson[@]}" --prefill-servers 3-1
generate 'trace, a server too high' 3 "^--decode-servers: found '8-16'\. Expected: servers from 0 to 15" "${poisson[@]}" --decode-servers 8-16
generate 'trace, a server in both roles' 3 '^--decode-servers: found server 3, which is in --prefill' "${poisson[@]}" --prefill-servers 0-3 --decode-servers 3,4
generate 'trace, all servers in a role' 3 '^no server is left that receives\. Expected: ' "${poisson[@]}" --prefill-servers 0-15
generate 'trace, a hot server of no role' 3 '^--src-server: found 9\. Expected: one of --prefill-servers' --arrival hotspot --rate 5 --flows 5 \
  --hotspot-fraction 0.5 --prefill-servers 0-7 --src-server 9
generate 'trace of a negative seed' 3 "^--seed: found '-1'\. Expected: " "${poisson[@]}" --seed -1
expect 'trace in a missing directory' 6 '^nowhere/t\.csv: ' "$heddle" trace --arrival server_pair --out nowhere/t.csv
expect 'partition -r 0' 2 '-r|ranks' "$heddle" partition -r 0 good.txt
expect 'partition, too many ranks' 3 '100 ranks.*3 domains.*Expected' "$heddle" partition -r 100 good.txt
expect 'partition without -r' 2 '-r|ranks' "$heddle" partition good.txt
# ---- results -------------------------------------------------------------------------------------------------------
expect 'output in a missing directory' 6 '^nowhere/r\.h5: ' "$heddle" run "${good_run[@]}" -o nowhere/r.h5
expect 'output exists' 6 '^in/good\.h5: exists.*--force' "$heddle" run "${good_run[@]}" -o in/good.h5
expect 'output is a directory' 6 '^dir: is a directory' "$heddle" run "${good_run[@]}" -o dir
expect 'output is a directory, forced' 6 '^dir: is a directory' "$heddle" run "${good_run[@]}" -o dir --force
expect 'export without a format' 2 '--fct.*--paths' "$heddle" export in/good.h5
expect 'report of a topology' 3 '^good\.txt: .*\(it looks like a topology: heddle run -n FILE\)$' "$heddle" report good.txt -o out/page.html
for file in text.h5 in/truncated.h5 in/empty.h5 dir missing.h5; do
  expect "export of $file" 3 "^${file//./\\.}: " "$heddle" export --fct out/fct.txt --paths out/paths.txt $file
done
for export in qlen:monitors/queues:queues bw:monitors/links:links rate:monitors/rates:rates cnp:monitors/cnps:cnps \
  pfc:pfc:pfc cast:monitors/cast:cast; do
  IFS=: read -r flag table kind <<< "$export"
  expect "export --$flag without its monitor" 3 \
    "^in/good\.h5: no table $table, which --$flag needs.*Expected: .*--set monitor\.kinds=$kind" \
    "$heddle" export --fct out/fct.txt --$flag out/$flag.txt in/good.h5
done
expect 'path log without the controller' 3 \
  '^in/good\.h5: no table controller/requests, which --path-log needs.*Expected: .*controller\.enable=true' \
  "$heddle" export --flows-csv out/flows.csv --path-log out/paths.csv in/good.h5
expect 'export of an unknown text' 2 'qlenn.*--qlen' "$heddle" export --qlenn out/qlen.txt in/good.h5
expect 'export to a missing directory' 6 '^nowhere/fct\.txt: ' "$heddle" export --fct nowhere/fct.txt in/good.h5
for file in text.h5 in/truncated.h5 in/empty.h5 dir missing.h5; do
  expect "analysis of $file" 3 "^${file//./\\.}: " "$heddle" analyze collisions --csv out/shared.csv $file
done
expect 'analysis against no result' 3 '^text\.h5: ' "$heddle" analyze collisions in/good.h5 --against text.h5
expect 'analysis against other traffic' 3 '^in/other\.h5: other traffic than in/good\.h5 .*Expected: ' \
  "$heddle" analyze collisions in/good.h5 --against in/other.h5
expect 'analysis without records of flows' 3 '^in/unrecorded\.h5: no flows.*Expected: .*--record flows=all' \
  "$heddle" analyze collisions --pairs out/pairs.csv in/unrecorded.h5
expect 'analysis of paths of one queue pair' 3 '^in/good\.h5: .*one queue pair.*Expected: .*nic\.qps_per_connection=4' \
  "$heddle" analyze paths in/good.h5
expect 'analysis of nothing' 2 'RESULT' "$heddle" analyze collisions
expect 'analysis of an unknown subject' 2 "'colisions'.*Expected: collisions" "$heddle" analyze colisions in/good.h5
expect 'analysis with an unknown flag' 2 'againts.*--against' "$heddle" analyze collisions in/good.h5 --againts in/good.h5
expect 'one CSV of two analyses' 2 '--csv.*Expected: one RESULT' "$heddle" analyze collisions --csv out/c.csv in/good.h5 in/good.h5
expect 'analysis to a missing directory' 6 '^nowhere/c\.csv: ' "$heddle" analyze collisions --csv nowhere/c.csv in/good.h5
# ---- ranks ---------------------------------------------------------------------------------------------------------
# All ranks end by themselves and alike, without a line of mpirun's, except for one case, which mpirun ends.
ranks() { local name=$1 n=$2 code=$3 pattern=$4; shift 4
  expect "$name" "$code" "$pattern" "${launcher[@]}" -n "$n" "$heddle" run -o out/r.h5 "$@"; }
launcher=("${mpirun[@]}")
ranks 'more ranks than domains' 4 3 '4 ranks.*3 domains.*Expected' "${good_run[@]}"
launcher=("$here/../all_end.sh" "${mpirun[@]}")
ranks 'bad trace on two ranks' 2 3 '^unknown_gpu\.csv:3: .*17' -n good.txt --trace unknown_gpu.csv
ranks 'bad topology on two ranks' 2 3 '^truncated\.txt:[0-9]+: ' -n truncated.txt --trace good.csv
ranks 'no path on two ranks' 2 3 'GPU 0.*GPU 2' -n split.txt --trace good.csv
ranks 'AllToAll on rails alone on two ranks' 2 3 'no way from server 0 / GPU 0 to server 1 / GPU 1.*collective\.pxn=true' -n rails.txt -w rails_work.txt --set collective.pxn=false
ranks 'unknown failing node on two ranks' 2 3 '^unknown_node\.csv:2: node 99' "${good_run[@]}" --failures unknown_node.csv
ranks 'later rate on two ranks' 2 3 'KMIN_MAP.*from 1us on' "${good_run[@]}" --failures later_rate.csv --set ecn.kmin=400KB
ranks 'unknown flag on two ranks' 2 2 'flagg' "${good_run[@]}" --flagg
expect 'bad output on two ranks' 6 '^nowhere/r\.h5: ' "${launcher[@]}" -n 2 "$heddle" run "${good_run[@]}" -o nowhere/r.h5
# ---- a promise broken, and work that cannot end ----------------------------------------------------------------------
run 'packet lost by us' 5 'conservation' -q -n "$cases/f_single_cc1/topo.txt" --flows "$cases/f_single_cc1/flows.txt" \
  --set debug.lose_packet=5
ranks 'packet lost by us, two ranks' 2 5 'conservation' -q -n "$cases/f_single_cc1/topo.txt" \
  --flows "$cases/f_single_cc1/flows.txt" --set debug.lose_packet=5

# An incast into 1 MiB without PFC drops, and queue pairs that may not try again never end: exit 4, with a whole result.
incast=$cases/f_incast8_2MB_cc1
stall() {
  mine || return
  name=$1 bad=0
  shift
  timeout -k 2 $limit "$@" run -n "$incast/topo.txt" --flows "$incast/flows.txt" -o out/stall.h5 --force \
    --set switch.buffer=1 --set pfc.enabled=false --set reliability.retry_limit=0 > log/out 2> log/err < /dev/null
  local status=$? unfinished named
  [ $status = 4 ] || wrong "exit code $status, expected 4"
  grep -Eq '^drops +[0-9]+ packets' log/out || wrong "no drops in the summary"
  grep -Eq 'most at (leaf|spine|switch) [^:]* port [0-9]+: [0-9]+ packets' log/out || wrong "the place of the drops is not named"
  [ "$(grep -c '^heddle: ' log/err)" = 1 ] || wrong "expected one message"
  unfinished=$(sed -nE 's/^heddle: ([0-9]+) flows? did not finish.*dropped.*/\1/p' log/err)
  named=$(grep -cE '^  .*GPU [0-9]+ -> .*GPU [0-9]+ \(' log/err)
  [ -n "$unfinished" ] && [ "$unfinished" -gt 0 ] && [ "$named" = "$unfinished" ] ||
    wrong "'${unfinished}' flows unfinished and $named named"
  [ "$(ls out)" = stall.h5 ] || wrong "left in the output directory: $(ls out | tr '\n' ' ')"
  "$heddle" export --fct out/fct.txt out/stall.h5 2> log/err ||
    wrong "the result cannot be read"
  local flows
  flows=$(head -1 "$incast/flows.txt")
  [ "$(wc -l < out/fct.txt)" = $((flows - unfinished)) ] || wrong "$(wc -l < out/fct.txt) of $flows flows in fct.txt"
  if command -v h5dump > /dev/null; then
    for group in /flows /drops /topology; do
      h5dump -n 1 out/stall.h5 | grep -q " $group" || wrong "the result has no $group"
    done
  fi
  rm -f out/*
  [ $bad = 0 ] && echo "ok  4  $name: $unfinished of $flows flows unfinished and named, result complete"
}
stall 'incast into 1 MiB' "$heddle"
stall 'incast into 1 MiB on two ranks' "${launcher[@]}" -n 2 "$heddle"

# A flow of the hundredth day over a link that loses everything: its timeouts grow to a day, and the simulated time ends first.
end_of_time() {
  mine || return
  name=$1 bad=0
  shift
  local engine=()
  [ "${*: -2:1}" = --engine ] && engine=("${@: -2}") && set -- "${@:1:$#-2}"
  timeout -k 2 $limit "$@" run "${engine[@]}" -n lossy.txt --trace last_day.csv -o out/late.h5 --force \
    --set reliability.timeout=100s --set reliability.retry_limit=100 > log/out 2> log/err < /dev/null
  local status=$?
  [ $status = 4 ] || wrong "exit code $status, expected 4"
  grep -q '^heddle: .*the simulated time has reached its limit, 105 days' log/err || wrong 'the limit is not named'
  [ ${#engine[@]} -gt 0 ] && { rm -rf out/*; [ $bad = 0 ] && echo "ok  4  $name"; return; }
  grep -q '^heddle: 1 flow did not finish: ' log/err || wrong 'the flow is not named'
  grep -Eq '^simulated +[0-9]+\.[0-9]{3} us, stalled$' log/out || wrong 'no simulated time'
  "$heddle" validate -q out/late.h5 || wrong 'the result is not valid'
  rm -f out/*
  [ $bad = 0 ] && echo "ok  4  $name"
}
end_of_time 'beyond the end of time' "$heddle"
end_of_time 'beyond the end of time, two ranks' "${launcher[@]}" -n 2 "$heddle"
end_of_time 'beyond the end of time, by ns-3' "$heddle" --engine ns3

# ---- workloads from the shape of a model -----------------------------------------------------------------------------
model() { local name=$1 code=$2 pattern=$3; shift 3; expect "$name" "$code" "$pattern" "$heddle" workload "$@" -o out/w.txt; }
printf 'mlp 1 2\n' > short.times
model 'workload of no family' 2 "^family 'gtp'; the nearest is gpt\. Expected: gpt, moe or a plan" gtp --gpus 8
model 'workload without GPUs' 2 '^--gpus is required' gpt
model 'workload of an unknown model' 2 "'gpt13'; the nearest is gpt-13b\. Expected: gpt-7b, " gpt --model gpt13 --gpus 8
model 'workload of another family' 2 'Expected: heddle workload moe' gpt --model mixtral-8x7b --gpus 8
model 'workload: experts of a gpt' 2 '^--ep: gpt-13b has no experts' gpt --ep 2 --gpus 8
model 'workload on an unknown GPU' 2 "'H10'; the nearest is H100\. Expected: A100, " gpt --gpu H10 --gpus 8
model 'workload: no efficiency' 2 "^--efficiency: found 'nan'\. Expected: a number from 0\.001 to 1$" gpt --efficiency nan --gpus 8
model 'workload: part of nothing' 2 '^--scale without --layers' gpt --scale --gpus 8
model 'workload: more than the model' 3 "found 50\. Expected: at most the model's 40" gpt --layers 50 --scale --gpus 8
model 'workload: GPUs by TP and PP' 3 '^--gpus: found 60, .* = 16 .*Expected: 48 or 64' gpt --gpus 60 --tp 8 --pp 2
model 'workload: heads by TP' 3 '^--tp: found 16, .*heads = 40\. Expected: 10 or 20' gpt --gpus 64 --tp 16
model 'workload: hidden size by heads' 3 "^--hidden: found 5000, no multiple of a head's 128" gpt --gpus 8 --hidden 5000
model 'workload: layers by PP' 3 '^--layers: found 40, .*Expected: 39 or 42' gpt --gpus 12 --pp 3
model 'workload: experts by EP' 3 '^--ep: found 3, .*experts = 8\. Expected: 2 or 4' moe --gpus 24 --ep 3
model 'workload: replicas by EP' 3 '^--ep: found 8, .*DP = 4\. Expected: 4' moe --gpus 4 --ep 8
model 'workload: global batch' 3 '^--global-batch: found 12, .*Expected: 8 or 16' gpt --gpus 8 --global-batch 12
model 'workload: a table cut short' 3 '^short\.times:1: no time\. Expected: microseconds' gpt --gpus 8 --compute-table short.times
printf 'model = "gpt-13b"\ngpus = 64\ntp = 3\n' > three.toml
printf 'model = "gpt-13b"\ngpus = 64\nheds = 4\n' > unknown.toml
printf 'gpus = 64\n' > nameless.toml
printf 'model = "gpt-13b"\ngpus = "many"\n' > many.toml
printf '# mine\nmodel = "gpt-13b\n' > open.toml
printf 'model = "gpt-13b"\n' > nowhere.toml
model 'plan: a size that divides nothing' 3 '^three\.toml: gpus: found 64, which TP x PP = 3 does not divide\. Expected: 63 or 66$' three.toml
model 'plan: an unknown key' 3 "^unknown\.toml:3: unknown key 'heds'; the nearest is heads\. Expected: " unknown.toml
model 'plan: no model' 3 '^nameless\.toml:1: no model\. Expected: model = ' nameless.toml
model 'plan: no GPUs' 3 '^nowhere\.toml: no gpus\. Expected: gpus = 64' nowhere.toml
model 'plan: GPUs in words' 3 "^many\.toml:2: a value that 'gpus' cannot have\. Expected: a whole number from 1 to " many.toml
model 'plan: no TOML' 3 '^open\.toml:2: .*Expected: a plan in TOML' open.toml
model 'plan: no file' 3 '^none\.toml: ' none.toml
model 'plan: flags beside it' 2 '^--tp: a plan file says this\. Expected: --plan KEY=VALUE$' three.toml --tp 4
model 'plan: a key without a value' 2 "^--plan: found 'tp'\. Expected: KEY=VALUE" three.toml --plan tp
model 'plan: an unknown key in its place' 3 "^--plan heds=4:1: unknown key 'heds'; the nearest is heads" three.toml --plan heds=4
model 'workload: keys of no plan' 2 '^--plan: replaces a key of a plan' gpt --gpus 8 --plan tp=4
expect 'a plan: keys of no plan' 2 '^--plan: replaces a key of a plan\. Expected: -w PLAN\.toml' "$heddle" run -n lossy.txt -w x.txt --plan tp=2 -o out/w.h5
model 'workload: too large' 3 'Expected: at most' gpt --gpus 8 --hidden 1048576 --layers 1048576 --heads 8192

# ---- the demo: nothing is left behind --------------------------------------------------------------------------------
expect 'demo with an unknown word' 2 'somewhere' "$heddle" demo somewhere
expect 'demo with an unknown flag' 2 '--outptu.*--output' "$heddle" demo --outptu out/d
expect 'demo in a folder without a name' 2 '^-o: found an empty name\. Expected: a folder' "$heddle" demo -o ''
expect 'demo in a file' 6 '^good\.txt: cannot be made: ' "$heddle" demo -o good.txt
expect 'demo in a folder that cannot be made' 6 '^/proc/heddle-demo: cannot be made: ' "$heddle" demo -o /proc/heddle-demo

# Files as spreadsheets write them, names of algorithms, sizes with units, attached values: all are taken.
taken() {
  mine || return
  name=$1 bad=0
  shift
  timeout -k 2 $limit "$@" > log/out 2> log/err < /dev/null || wrong "exit code $?"
  rm -f out/*
  [ $bad = 0 ] && echo "ok  0  $name"
}
for file in good.txt good.csv good.work; do printf '\357\273\277' | cat - "$file" > "mark_$file"; done
printf '\357\273\277CC_MODE DCTCP\r\nBUFFER_SIZE 64MiB\r\n' > mark.conf
printf '\357\273\277time,event,a,b\r\n1us,link_up,0,6\r\n' > mark_failures.csv
taken 'byte-order marks' "$heddle" run -n mark_good.txt --trace mark_good.csv -c mark.conf --failures mark_failures.csv
taken 'a byte-order mark in a workload' "$heddle" run -n good.txt -w mark_good.work
taken 'congestion control by name' "$heddle" run "${good_run[@]}" --set CC_MODE=hpcc
taken 'a buffer with its unit' "$heddle" run "${good_run[@]}" --set BUFFER_SIZE=32MiB --set PACKET_PAYLOAD_SIZE=4KiB
taken 'values behind short flags' "$heddle" topo Spectrum-X -g64 -gps8 -o out/t.txt
taken 'a key in small letters' "$heddle" explain PFC cc_mode nccl_algo
taken 'help of a command' "$heddle" help topo show
taken 'version' "$heddle" version
taken 'version, in short' "$heddle" -v

echo "part $((HEDDLE_PART + 1)) of $parts: $taken of $count cases, $failures failures"
exit $((failures > 0))
