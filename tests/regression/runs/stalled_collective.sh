#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A collective that cannot finish: the run ends by itself with exit code 4 and says which GPU waits for which collective, step and
# channel, and from which node; the same text on 1 and 2 ranks.
# Usage: stalled_collective.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"

# Two servers of eight GPUs, one leaf a rail: 0-15 GPUs, 16-17 NVSwitches, 18-25 leaves, 26 a spine.
awk 'BEGIN {
  print "27 8 2 9 40 A100"; print "16 17 18 19 20 21 22 23 24 25 26"
  for (i = 0; i < 16; ++i) printf "%d %d 2400Gbps 25ns 0\n", i, 16 + int(i / 8)
  for (i = 0; i < 16; ++i) printf "%d %d 100Gbps 500ns 0\n", i, 18 + i % 8
  for (i = 18; i < 26; ++i) printf "%d 26 100Gbps 500ns 0\n", i }' > fabric.txt
printf '1 ALLREDUCE 400000 TP\n1 ALLREDUCE 4000000 DP\n' > work.txt
printf 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 16\n1\nmlp -1 1 ALLREDUCE 4000000 1 NONE 0 1 NONE 0 1\n' > ring.txt
printf 'time,event,a,b\n150us,link_down,11,21\n' > failure.csv

launcher=("${mpirun[@]}")
# stall NAME LINES ARGUMENTS...: runs on 1 and 2 ranks; the message, without "heddle: ", goes to NAME.message.
stall() {
  local name=$1 lines=$2 ranks code
  shift 2
  for ranks in 1 2; do
    launch=()
    [ $ranks = 1 ] || launch=("${launcher[@]}" -n $ranks)
    timeout 900 "${launch[@]}" "$heddle" run -q -n fabric.txt --like simai "$@" > $ranks.out 2> $ranks.err < /dev/null
    code=$?
    [ $code = 4 ] || fail "$name on $ranks ranks: exit code $code"
    # Without mpirun's words, and without that of a rank that has nothing to do.
    grep '^heddle: \|^  server \|^  \.\.\. \|^[0-9]* flows\{0,1\} ' $ranks.err | grep -v 'have nothing to do$' > $ranks.message
  done
  cmp 1.message 2.message || { fail "$name: another message on two ranks"; diff 1.message 2.message | cut -c1-300 | head -6; }
  sed 's/^heddle: //' 1.message > $name.message
  [ "$(grep -c ' waits for ' $name.message)" = "$lines" ] || fail "$name: $(grep -c ' waits for ' $name.message) GPUs, expected $lines"
}
expect() { grep -Eq -- "$2" $1.message || { fail "$1: no '$2' in"; cut -c1-300 $1.message | head -6; }; }

# GPU 11's only link to the network fails for good in the middle: it and GPU 3, the other of its rail, never end.
stall link 2 -w work.txt --failures failure.csv
expect link '^2 GPUs did not come to the end of their programs:$'
expect link "^  server 0 / GPU 3 \(job 0, rank 3\) waits for pass 0, layer 1 'ALLREDUCE_4000000', wg ALLREDUCE of DP, group 3 \(RING\): 2 messages to come and 2 to leave; next is channel 0 step 0 from server 1 / GPU 3\$"
expect link "^  server 1 / GPU 3 \(job 0, rank 11\) waits for pass 0, .* from server 0 / GPU 3\$"
expect link '^[0-9]+ flows did not finish, [0-9]+ of them never began: [0-9]+ packets were dropped, and nothing is left to happen$'
expect link "^  server 0 / GPU 3 -> server 1 / GPU 3 \(1.91 MiB\), source port [0-9]+: no route to its destination, of job 0, pass 0, layer 1 'ALLREDUCE_4000000', wg ALLREDUCE of DP, channel 0 step 0\$"

# The same number in the summary, the result and on its page; and the time at which nothing was left.
"$heddle" run -n fabric.txt --like simai -w work.txt --failures failure.csv -o link.h5 > link.out 2> link.err
unfinished=$(sed -n 's/^\([0-9]*\) flows\{0,1\} did not finish, .*/\1/p' link.err)
read -r finished planned did_not <<< "$(sed -n 's/^flows  *\([0-9]*\) of \([0-9]*\) finished, \([0-9]*\) did not$/\1 \2 \3/p' link.out)"
{ [ -n "$unfinished" ] && [ "$unfinished" = "$did_not" ] && [ $((planned - finished)) = "$unfinished" ]; } ||
  { fail "summary '$finished of $planned', $did_not did not; message $unfinished"; cat link.out link.err; }
awk '/^simulated .* us, stalled$/ {found = $2 > 150} END {exit !found}' link.out || { fail 'no time of the stall'; cat link.out; }
"$heddle" validate -q link.h5 || fail 'the result is not valid'
"$heddle" report link.h5 -o link.html > /dev/null 2>&1
grep -q "$unfinished of $planned flows did not finish: [0-9]* [a-z ]*; [0-9]* not begun when the run ended\." link.html || fail 'another number on the page'
"$heddle" export link.h5 --astra-end-to-end - > astra.csv 2> astra.err
[ $? = 3 ] || fail 'end to end of a step that has no end'
grep -q '^heddle: .*the workload did not end on 2 of the 16 GPUs of job 0' astra.err || { fail 'why there is no end to end'; cat astra.err; }

launcher=("$here/../all_end.sh" "${mpirun[@]}")
# A ring over all GPUs stops everywhere: the first ten are named, whichever ranks they are on.
stall ring 10 -w ring.txt --failures failure.csv --set algorithm.allreduce=ring
expect ring '^16 GPUs did not come to the end of their programs:$'
expect ring "^  server 0 / GPU 0 \(job 0, rank 0\) waits for pass 0, layer 0 'mlp', fwd ALLREDUCE of TP, group 0 \(RING\): .* next is channel [0-9]+ step [0-9]+ from server [01] / GPU [0-7]"
expect ring '^  \.\.\. and 6 more$'
[ "$(sed -n 's/^  server .* (job 0, rank \([0-9]*\)) .*/\1/p' ring.message | tr '\n' ' ')" = '0 1 2 3 4 5 6 7 8 9 ' ] || fail "ring: not the lowest ten, in order"

# Links lose nearly everything, and queue pairs give up.
stall loss 8 --job workload=work.txt,gpus=0-3+8-11 --set link.error_rate=0.99 --set reliability.retry_limit=2 --set reliability.timeout=20us
expect loss '^8 GPUs did not come'
expect loss ': gave up: too many timeouts without progress, of job 0, pass 0, layer 0 .ALLREDUCE_400000.,'
[ $failures = 0 ] && head -4 link.message
exit $((failures > 0))
