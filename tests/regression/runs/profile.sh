#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Profiles: equal on any number of ranks, except for times; predicted numbers of messages equal those of a run; weights change only the
# balance; errors.
# Usage: profile.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift 1
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$heddle" topo AlibabaHPN-DualPlane -g 128 -npa 8 -psn 16 -o fabric.txt 2> topo.err || exit 1
sed -i 's/ 0.0005ms/ 0.002ms/' fabric.txt  # fewer windows: ranks that share their cores with others go on, too
# Only the servers of the first of two segments have work: no dealing out among the ranks of a segment helps.
"$heddle" trace -n fabric.txt --arrival poisson --kv-size 256KiB --interval-ns 100 --flows 1000 --prefill-servers 0-3 \
  --decode-servers 4-7 --out half.csv || exit 1

# run NAME RANKS FLAGS...: NAME.out, NAME.err; returns the exit code.
run() {
  local name=$1 launch=()
  [ "$2" = 1 ] || launch=("${mpirun[@]}" -n "$2")
  shift 2
  timeout 900 "${launch[@]}" "$heddle" run -n fabric.txt --trace half.csv "$@" > "$name.out" 2> "$name.err"
}
run one 1 --profile one.json || fail "profile on one rank: exit code $?"
run two 2 --profile two.json || fail "profile on two ranks: exit code $?"
run plain 1 || fail "no profile: exit code $?"
[ "$(grep '^digest' one.out)" = "$(grep '^digest' plain.out)" ] || fail "a profile changes the result"
[ "$(grep '^digest' two.out)" = "$(grep '^digest' plain.out)" ] || fail "a profile on two ranks changes the result"
cat > same.py <<'PYTHON'
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:3])
took = [a['wall_seconds'], b['wall_seconds']]
for p in (a, b):
    for key in ('wall_seconds', 'edge_ns', 'ranks', 'grain_ranks'): p.pop(key)
    p['domains'].pop('measured_ns')
# A cut, about one a second of wall-clock time, is a window more: on a busy machine there are some.
if max(took) > 0.9:
    assert abs(a['windows'] - b['windows']) <= sum(took) + 2, (a['windows'], b['windows'], took)
    for p in (a, b): p.pop('windows'), p.pop('samples'), p['domains'].pop('measured_events')
for key in a:
    assert a[key] == b[key], key
assert sum(a['domains']['events']) > 100000 and len(json.load(open(sys.argv[1]))['samples']) >= 256 and sum(a['messages']['count']) > 100000
PYTHON
/usr/bin/python3 same.py one.json two.json || fail "another profile on two ranks"

# ---- cut short -----------------------------------------------------------------------------------------------------------
run until 1 --profile until.json --profile-until 100us || fail "--profile-until: exit code $?"
run until2 2 --profile until2.json --profile-until 100us || fail "--profile-until on two ranks: exit code $?"
/usr/bin/python3 - <<'PYTHON' || fail "--profile-until: not the first 100 us"
import json
p, q = json.load(open('until.json')), json.load(open('until2.json'))
assert 98_000_000 < p['end_ps'] < 101_000_000, p['end_ps']
assert p['domains']['events'] == q['domains']['events'] and p['messages'] == q['messages']
PYTHON
grep -q '^digest' until.out && fail "a run that is cut short tells a digest"
grep -q '^what to do  *heddle partition fabric.txt --predict until.json$' until.out || fail "no word on what to do"
run moment 1 --profile moment.json --profile-for 1us || fail "--profile-for: exit code $?"

# ---- prediction against a run ----------------------------------------------------------------------------------------------
run real 2 -o real.h5 || fail "run on two ranks: exit code $?"
# Times are of a machine that others use, too: here every event takes 100 ns.
/usr/bin/python3 - <<'PYTHON' || fail "no profile with even times"
import json
p = json.load(open('one.json'))
p['domains']['measured_ns'] = [events * 100.0 for events in p['domains']['measured_events']]
json.dump(p, open('even.json', 'w'))
PYTHON
"$heddle" partition fabric.txt --predict even.json -r 2 4 8 --partition block --json > forecast.json ||
  fail "--predict: exit code $?"
"$heddle" partition fabric.txt --predict even.json -r 2 4 8 --partition block --weights even.json --json > weighed.json ||
  fail "--predict --weights: exit code $?"
cat > check.py <<'PYTHON'
import json, sys
import h5py
forecast, weighed = (json.load(open(name))['forecast'] for name in ('forecast.json', 'weighed.json'))
row = forecast['forecasts'][0]
real = h5py.File('real.h5')['run/ranks']
counted = int(sum(real['messages']))
assert counted > 10000 and row['messages'] == counted, (row['messages'], counted)
cuts = max(real['wall_seconds']) + json.load(open('even.json'))['wall_seconds'] + 2  # about one a second, and a window more
assert abs(int(max(real['windows'])) - forecast['windows']) <= cuts, (max(real['windows']), forecast['windows'])
events = list(real['events'])
balance = max(events) * len(events) / sum(events)
assert balance > 1.2 and 1.15 < row['imbalance'] <= 2, (row['imbalance'], balance)
assert [r['ranks'] for r in forecast['forecasts']] == [2, 4, 8]
for before, after in zip(forecast['forecasts'], weighed['forecasts']):
    assert after['imbalance'] < before['imbalance'], (before, after)
first = weighed['forecasts'][0]
assert first['imbalance'] < row['imbalance'], (row, first)
for r in forecast['forecasts']:
    parts = r['even_seconds'] + r['waiting_seconds'] + r['message_seconds'] + r['sync_seconds']
    assert abs(parts / r['seconds'] - 1) < 1e-9 and 0 < r['efficiency'] <= 1
PYTHON
if /usr/bin/python3 -c 'import h5py' 2> no_h5py; then
  /usr/bin/python3 check.py || fail "the prediction is not what happened"
else
  echo '!!! no h5py here: predictions are NOT compared with runs !!!'
fi
"$heddle" partition fabric.txt --predict one.json > table.out || fail "--predict as a table: exit code $?"
for what in '^worth it ' '^fastest ' '^ranks ' '^network +latency 2 us, 10 GB/s'; do
  grep -Eq "$what" table.out || fail "no /$what/ in the table"
done
"$heddle" partition fabric.txt --predict one.json --latency 1ms > far.out || fail "--latency: exit code $?"
grep -q '^worth it    one rank' far.out || fail "a network of 1 ms is worth more than one rank"
timeout 900 "${mpirun[@]}" -n 2 "$heddle" partition fabric.txt --predict one.json --measure > measured.out ||
  fail "--measure: exit code $?"
[ "$(grep -c '^network' measured.out)" = 1 ] || fail "--measure: not one voice"

# ---- a job, whose notices are messages, too ----------------------------------------------------------------------------------
cat > job.txt <<'END'
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 128 checkpoints: 0 checkpoint_initiates: 0
1
gradients -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1048576 1
END
timeout 900 "$heddle" run -n fabric.txt -w job.txt --profile job.json > job.out 2>&1 || fail "profile of a job: exit code $?"
timeout 900 "${mpirun[@]}" -n 2 "$heddle" run -n fabric.txt -w job.txt --exchange some -o job.h5 > job2.out 2>&1 ||
  fail "job on two ranks: exit code $?"
"$heddle" partition fabric.txt --predict job.json -r 2 --partition block --json > job_forecast.json || fail "--predict of a job"
if [ ! -s no_h5py ]; then
  /usr/bin/python3 - <<'PYTHON' || fail "messages of a job are not those of the run"
import json
import h5py
row = json.load(open('job_forecast.json'))['forecast']['forecasts'][0]
counted = int(sum(h5py.File('job.h5')['run/ranks/messages']))
assert counted > 1000 and row['messages'] == counted, (row['messages'], counted)
PYTHON
fi

# ---- weights ---------------------------------------------------------------------------------------------------------------
for partition in block pod metis; do
  run "w$partition" 2 --partition $partition --weights one.json -o "w$partition.h5" || fail "--weights, $partition: exit code $?"
  "$heddle" compare real.h5 "w$partition.h5" > compare.out || { fail "--weights, $partition: another result"; cat compare.out; }
done

# ---- what is refused ---------------------------------------------------------------------------------------------------------
# refused CODE WORDS COMMAND...
refused() {
  local code=$1 words=$2
  shift 2
  "$@" > refused.out 2> refused.err
  local found=$?
  [ $found = "$code" ] || fail "$*: exit code $found instead of $code"
  grep -q -- "$words" refused.err || { fail "$*: no '$words'"; cat refused.err; }
}
traffic=(run -n fabric.txt --trace half.csv)
refused 2 'Expected: --profile FILE' "$heddle" "${traffic[@]}" --profile-for 1s
refused 2 'Expected: no -o' "$heddle" "${traffic[@]}" --profile p.json --profile-for 1s -o r.h5
refused 2 'above 0' "$heddle" "${traffic[@]}" --profile p.json --profile-until 0s
refused 2 'engine domain' "$heddle" "${traffic[@]}" --profile p.json --engine ns3
refused 6 '--force' "$heddle" "${traffic[@]}" --profile one.json
refused 3 'another file of this command' "$heddle" "${traffic[@]}" --profile half.csv --force
refused 3 'not a profile' "$heddle" "${traffic[@]}" --weights half.csv
"$heddle" topo AlibabaHPN-DualPlane -g 64 -npa 16 -psn 16 -o other.txt 2> topo.err
refused 3 'another topology' "$heddle" partition other.txt --predict one.json
refused 3 'another topology' "$heddle" partition other.txt -r 2 --weights one.json
refused 2 'one number' "$heddle" partition fabric.txt -r 2 4
refused 2 'one number' "$heddle" partition fabric.txt
refused 2 '--bandwidth' "$heddle" partition fabric.txt --predict one.json --bandwidth 10
refused 2 'two or more' "$heddle" partition fabric.txt --predict one.json --measure
refused 2 'belongs to a prediction' "$heddle" partition fabric.txt -r 2 --measure
refused 3 'domains' "$heddle" partition fabric.txt --predict one.json -r 4096
end
