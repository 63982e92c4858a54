#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle compare-fabrics: one command from two names to a table, a page and the reason. Usage: compare_fabrics.sh HEDDLE
set -u
heddle=$1
. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/../common.sh"
printf 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 32 checkpoints: 0 checkpoint_initiates: 0\n3\nembed -1 1000 ALLREDUCE 262144 1 NONE 0 1 NONE 0 1\nlayer -1 90000 ALLREDUCE 1048576 60000 ALLREDUCE 1048576 50000 NONE 0 1\ngrads -1 1000 NONE 0 1 NONE 0 1000 REDUCESCATTER 67108864 1\n' > step.txt

run() { "$heddle" compare-fabrics "$@" > out.txt 2> err.txt; code=$?; }
# expect CODE TEXT WHAT: of the last run.
expect() {
  [ "$code" = "$1" ] || { fail "$3: exit code $code, not $1"; cat out.txt err.txt; }
  grep -qF -- "$2" out.txt err.txt || { fail "$3: no \"$2\""; cat out.txt err.txt; }
}

# Two names. The parts of each step add up, and the verdict's differences to that of the times.
run spectrum-x dcn-singletor -g 32 --gpus-per-server 8 -w step.txt -o two
expect 0 'page: two/report.html' 'two names'
grep -q 'is .* % slower than' out.txt || { fail 'no verdict'; cat out.txt; }
/usr/bin/python3 - out.txt << 'END' || fail 'the table'
import re
import sys

lines = open(sys.argv[1]).read().split("\n")
numbers = lambda line: [float(word) for word in re.findall(r"(?<![\w+-])\d[\d.]*(?= )|(?<![\w+-])\d[\d.]*$", re.sub(r"[+-][\d.]+ %", "", line))]
at = next(i for i, line in enumerate(lines) if line.startswith("step [us]"))
steps = numbers(lines[at][9:])
sums = [0] * len(steps)
for line in lines[at + 1:]:
    if not line.startswith("  "):
        break
    for i, value in enumerate(numbers(re.sub(r"^ +[a-zA-Z_ ]+", "", line))):
        sums[i] += value
assert len(steps) == 2, steps
assert all(abs(a - b) < 1.5 for a, b in zip(steps, sums)), (steps, sums)
verdict = next(line for line in lines if "slower than" in line)
whole = float(re.search(r"\(([\d.]+) us\)", verdict).group(1))
for sentence in verdict.split(". By cause: "):
    parts = sum(float(value) for value in re.findall(r"([+-][\d.]+) us", sentence))
    assert abs(whole - parts) < 1, verdict
assert verdict.count(". By cause: ") == 1 and " exposed " in verdict and " us computing" not in verdict, verdict
assert abs(whole - abs(steps[0] - steps[1])) < 0.2, (verdict, steps)
END
for file in Spectrum-X.txt DCN-SingleToR.txt Spectrum-X.h5 DCN-SingleToR.h5 report.html; do
  [ -s two/$file ] || fail "no two/$file"
done
grep -q 'slower than' two/report.html || fail 'the page has no verdict'
cp out.txt first.txt

# Again: nothing runs twice, and the answer is the same.
before=$(stat -c %Y%i two/Spectrum-X.h5)
run spectrum-x dcn-singletor -g 32 --gpus-per-server 8 -w step.txt -o two
expect 0 'page:' 'a second time'
[ "$(stat -c %Y%i two/Spectrum-X.h5)" = "$before" ] || fail 'it ran again'
diff <(grep -v done first.txt) out.txt || fail 'another answer'
run spectrum-x dcn-singletor -g 32 --gpus-per-server 8 -w step.txt -o two -- --passes 2
expect 6 'two/Spectrum-X.h5' 'other flags, same folder'

# Stopped by a signal, it goes on when it is given again. A file that is no result is left alone.
"$heddle" compare-fabrics spectrum-x dcn-singletor -g 32 --gpus-per-server 8 -w step.txt -o stopped > out.txt 2>&1 & process=$!
for _ in {1..1000}; do compgen -G 'stopped/*.h5.part*' > /dev/null && break; sleep 0.01; done
kill -TERM $process
wait $process && fail 'it ends with 0 though it was stopped'
run spectrum-x dcn-singletor -g 32 --gpus-per-server 8 -w step.txt -o stopped
expect 0 'page: stopped/report.html' 'again after it was stopped'
diff <(grep -v 'done\|^page' first.txt) <(grep -v 'done\|^page' out.txt) || fail 'another answer after it was stopped'
mkdir foreign && echo precious > foreign/Spectrum-X.h5
run spectrum-x dcn-singletor -g 32 --gpus-per-server 8 -w step.txt -o foreign
[ "$code" != 0 ] && [ "$(cat foreign/Spectrum-X.h5)" = precious ] || { fail "a file that is no result: exit code $code"; cat foreign/*.log; }

# What runs warn of is said once. A run that fails says why, here for all alike.
run spectrum-x dcn-singletor -g 16 --gpus-per-server 8 -w step.txt -o warned
expect 0 'warning: job 0: step.txt: made for 32 GPUs (all_gpus), and runs on 16 (2 of 2 runs)' 'warnings of runs'
[ "$(grep -c 'made for 32' err.txt)" = 1 ] || { fail 'a warning is said twice'; cat err.txt; }
run spectrum-x dcn-singletor -g 16 --gpus-per-server 8 -w step.txt -o late -- --set CC_MODE=99
[ "$code" = 3 ] && [ ! -e late ] || fail 'flags that the runs refuse'

# Files: one link between switches is slow, and is named.
"$heddle" topo dcn-singletor -g 32 -npa 16 --oversubscription 1 -o healthy.txt > /dev/null 2>&1 || fail 'topo'

awk 'NR > 2 && $1 >= 36 && $2 >= 36 { $3 = $1 == 36 ? "50Gbps" : $3 } { print }' healthy.txt > slow.txt
cmp -s healthy.txt slow.txt && fail 'no link was slowed'
run healthy.txt slow.txt -w step.txt -o files
expect 0 'slow is ' 'a slow link'
grep 'slow is ' out.txt | grep -Eq '\+[0-9.]+ us (slow link|collisions|sending below line rate)[^,]*(leaf|spine)' || { fail 'the slow link is not named'; cat out.txt; }

# One collective, size by size.
run spectrum-x rail-only -g 16 --gpus-per-server 8 --collective alltoall --sizes 64KiB-256KiB -o sizes
expect 0 'ALLTOALL' 'a collective'
[ "$(grep -c '^ALLTOALL .*\[GB/s\]' out.txt)" = 3 ] || { fail 'not three sizes'; cat out.txt; }

# By closed forms: what they leave out is said.
run spectrum-x dcn-singletor -g 16 --gpus-per-server 8 -w step.txt -o forms -- --backend analytical
expect 0 'note: closed forms know no queues and no collisions' 'closed forms'
grep -q 'million flows' out.txt && fail 'a note about rows of flows, which closed forms have not'

# As fluids, with causes as with packets.
run spectrum-x dcn-singletor -g 16 --gpus-per-server 8 -w step.txt -o fluids -- --backend flow
expect 0 'page: fluids/report.html' 'fluids'
# What is not as the words say: one leaf, whose spines carry nothing; cables that do not divide as asked.
run spectrum-x dcn-singletor -g 16 --gpus-per-server 8 --collective allreduce --sizes 64KiB -o alone
expect 0 'note: DCN-SingleToR: all GPUs are under one leaf, so no byte passes the other 16 switches' 'one leaf'
run spectrum-x fat-tree -g 64 --oversubscription 7.3 --collective allreduce --sizes 64KiB -o uneven
expect 0 'note: Spectrum-X: its numbers of cables give 8 : 1, where --oversubscription asks for 7.3 : 1' 'another ratio'
grep -Eq '^oversubscription +8 : 1' out.txt || { fail 'no row of ratios'; cat out.txt; }

# Fabrics of ASTRA-sim 2, which send messages whole: no link carries more than it can.
printf 'topology: [ Ring, Switch ]\nnpus_count: [ 4, 4 ]\nbandwidth: [ 50.0, 25.0 ]\nlatency: [ 500.0, 1000.0 ]\n' > ring.yml
printf 'topology: [ FullyConnected, Ring ]\nnpus_count: [ 4, 4 ]\nbandwidth: [ 50.0, 25.0 ]\nlatency: [ 500.0, 1000.0 ]\n' > mesh.yml
run ring.yml mesh.yml --collective allreduce --sizes 16MiB,64MiB -o astra -- --set phases.collectives=baseline
expect 0 'page: astra/report.html' 'fabrics of network.yml'
grep '^  used, mean and most' out.txt | awk '{for (i = 1; i <= NF; ++i) if ($i == "%" || $i == "%,") {n++; if ($(i - 1) + 0 > 100 || $(i - 1) + 0 < 5) bad = 1}} END {exit bad || n != 4}' ||
  { fail 'utilisation of whole messages'; cat out.txt; }

# What cannot be.
run spectrum-x -g 32 -w step.txt
expect 2 'Expected: 2 to 8' 'one fabric'
run spectrum-x fat-tree -w step.txt -o none
expect 2 'Expected: -g N, or a topology file' 'no number of GPUs'
run spectrum-x fat-tre -g 32 -w step.txt -o none
expect 3 'fat-tre: ' 'an unknown name'
run spectrum-x dcn-singletor -g 32
expect 2 'neither -w nor --collective' 'no workload'
run spectrum-x dcn-singletor -g 32 --collective allreduces -o none
expect 2 "--collective: unknown name 'allreduces'. Did you mean 'allreduce'?" 'an unknown collective'
run spectrum-x dcn-singletor -g 32 --nic 400 -w step.txt -o none
expect 2 '--nic: ' 'a rate without a unit'
run healthy.txt slow.txt -g 64 -w step.txt -o none
expect 3 'GPUs, and -g says 64' 'files of another size'
run healthy.txt spectrum-x -g 16 --gpus-per-server 8 -w step.txt -o none
expect 3 'and -g says 16' 'other numbers of GPUs'
run spectrum-x dcn-singletor -g 33 --gpus-per-server 8 -w step.txt -o none
expect 3 '33' 'GPUs that fill no servers'
run spectrum-x dcn-singletor -g 32 -w missing.txt -o none
expect 3 'missing.txt: cannot be read' 'a missing workload'
run spectrum-x dcn-singletor -g 32 -w healthy.txt -o none
expect 3 'it looks like a topology' 'a fabric as a workload'
run spectrum-x dcn-singletor -g 16 --collective all_reduce --sizes 1M,-4,0 -o none
expect 2 "--sizes 1M,-4,0: '-4' is negative" 'a list of sizes with one that is none'
[ ! -e none ] || fail 'a folder was made for inputs that cannot be read'
run spectrum-x dcn-singletor -g 32 -w step.txt -o none -- -n x
expect 2 'compare-fabrics sets it itself' 'its own flags behind --'
[ -e none/Spectrum-X.h5 ] && fail 'a refused command left a result'
end
