#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Output on terminals and in pipes: colours, the line of progress, --quiet, --json-log, help, version, completion, explain, closed
# pipes, and messages of one rank only under mpirun.
# Usage: terminal.sh HEDDLE SOURCE MPIRUN...
set -u
heddle=$1 source=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
export TERM=xterm
unset NO_COLOR
count=0
# is NAME EXPECTED FOUND
is() { count=$((count + 1)); [ "$2" = "$3" ] || fail "$1: found '$3'. Expected: '$2'"; }
# has NAME PATTERN FILE, hasnt NAME PATTERN FILE
has() { count=$((count + 1)); grep -Eq -- "$2" "$3" || { fail "$1: no /$2/ in:"; head -20 "$3"; }; }
hasnt() { count=$((count + 1)); ! grep -Eq -- "$2" "$3" || { fail "$1: /$2/ in:"; head -20 "$3"; }; }
escape=$'\033'
case_dir=$source/tests/data/cases/f_incast8_2MB_cc1
run=("$heddle" run -n "$case_dir/topo.txt" --flows "$case_dir/flows.txt")
# In a terminal of 50 columns; what it shows goes to the file `screen`.
on_terminal() { timeout 900 script -qec "stty cols 50; $*" /dev/null < /dev/null > screen; }

# ---- colours ---------------------------------------------------------------------------------------------------------
if command -v script > /dev/null; then
  on_terminal "'$heddle' rnu"
  has 'error on a terminal' "^$escape\[31mheddle:$escape\[0m unknown command" screen
  on_terminal "NO_COLOR=1 '$heddle' rnu"
  hasnt 'NO_COLOR' "$escape" screen
  on_terminal "TERM=dumb '$heddle' rnu"
  hasnt 'TERM=dumb' "$escape" screen
  on_terminal "'$heddle' run --help"
  has 'heads on a terminal' "^$escape\[1mInputs:$escape\[0m" screen
  on_terminal "AS_SEND_LATT=1 ${run[*]} -q"
  has 'warning on a terminal' "$escape\[33mwarning:$escape\[0m .*AS_SEND_LATT" screen

  # ---- progress: rewritten in place, never wider than the terminal, taken away at the end --------------------------------
  on_terminal "${run[*]}"
  has 'progress on a terminal' "$escape\[Kt=" screen
  widest=$(tr '\r' '\n' < screen | sed "s/$escape\[K//g" | grep '^t=' | awk '{ if (length > n) n = length } END { print n + 0 }')
  count=$((count + 1))
  { [ "$widest" -gt 10 ] && [ "$widest" -le 49 ]; } || fail "progress is $widest columns wide on a terminal of 50"
  has 'the line is taken away' "$escape\[K(slowdown|flows|digest|completion|simulated|[a-z]+ )" screen
  on_terminal "'$heddle' topo FullMesh -dims 40 -o mesh.txt"
  has 'steps of topo' "$escape\[Kwrites 820 links.*$escape\[Kfinds the routes" screen
  has 'the steps are taken away' "$escape\[Knodes " screen
  on_terminal "'$heddle' topo show mesh.txt"
  has 'steps of topo show' "$escape\[Kreads mesh.txt.*$escape\[Kfinds the diameter of 40 classes" screen
  on_terminal "${run[*]} --engine ns3"
  hasnt "no progress with ns-3's engines" "$escape\[Kt=" screen
else
  echo '!!! no program script here: terminals are NOT tested !!!'
fi
"$heddle" rnu 2> err
hasnt 'error in a pipe' "$escape" err
"$heddle" run --help > out
hasnt 'help in a pipe' "$escape" out
has 'usage' '^Usage: heddle run \[OPTIONS\]' out
"$heddle" topo FullMesh -dims 40 -o mesh_in_a_log.txt > out 2> err
is 'no steps in a log' '' "$(grep -v '^heddle: note: ' err)"
"${run[@]}" -q > out 2> err
is 'quiet: exit code' 0 $?
is 'quiet: nothing' '' "$(cat out err)"
"${run[@]}" > out 2> err
is 'short run in a log: no progress' '' "$(cat err)"

# ---- log -------------------------------------------------------------------------------------------------------------
check_log() {  # NAME FILE PYTHON: `e` are the events
  count=$((count + 1))
  /usr/bin/python3 -c "
import json, sys
e = [json.loads(line) for line in open(sys.argv[1])]
assert all('event' in x and 'time' in x for x in e)
assert $3" "$2" || { fail "$1"; cat "$2"; }
}
AS_SEND_LATT=1 "${run[@]}" -o r.h5 --json-log run.ndjson --set CC_MODE=3 > out 2> err
check_log 'log of a run' run.ndjson "[x['event'] for x in e] == ['start', 'warning', 'progress', 'end']"
check_log 'start' run.ndjson "e[0]['format'] == 1 and e[0]['ranks'] == 1 and e[0]['options'] == {'transport.congestion_control': '3'}"
check_log 'progress' run.ndjson "e[-2]['share'] == 1 and e[-2]['flows_finished'] == e[-1]['flows_finished'] == e[0]['traffic']['planned_flows'] > 0"
digest=$(sed -n 's/^digest of flows *//p' out)
check_log 'end' run.ndjson "e[-1]['exit_code'] == 0 and e[-1]['flows_digest'] == '$digest' and e[-1]['result'] == 'r.h5'"
"${run[@]}" -q --json-log run.ndjson 2> err
is 'log that exists' 6 $?
has 'log that exists' 'run.ndjson: exists.*--force' err
"${run[@]}" -q --json-log run.ndjson --force
is 'log replaced' 0 $?
"${run[@]}" --json-log - > out 2> err
check_log 'log on standard output' out "e[-1]['event'] == 'end'"
is 'log on standard output: quiet' '' "$(cat err)"
"${run[@]}" -q --json-log /dev/full 2> err
is 'log on a full device' 6 $?
cp "$case_dir/topo.txt" topo.txt
"$heddle" run -n topo.txt --flows "$case_dir/flows.txt" -q --json-log topo.txt --force 2> err
is 'log over an input' 3 $?
cmp -s topo.txt "$case_dir/topo.txt" || fail 'the log replaced an input'
"${run[@]}" -q --json-log bad.ndjson --set nothing=1 2> err
is 'error' 3 $?
check_log 'log of a failed run' bad.ndjson "[x['event'] for x in e] == ['error', 'end'] and 'nothing' in e[0]['message'] and e[1]['exit_code'] == 3"
"${run[@]}" -q --engine ns3 --json-log ns3.ndjson
check_log "log of ns-3's engine" ns3.ndjson "[x['event'] for x in e] == ['start', 'end']"
"${mpirun[@]}" -n 2 "${run[@]}" -q --json-log two.ndjson
check_log 'log of two ranks' two.ndjson "e[0]['ranks'] == 2 and len(e[-1]['blocked_share_by_rank']) == 2 and e[-2]['messages'] > 0"

# ---- help and version --------------------------------------------------------------------------------------------------
"$heddle" --help > out
for head in 'Set up' Simulate Results Reference Examples; do has "help" "^$head:" out; done
for command in $(sed -n '/^Set up:/,/^Examples:/s/^  \([a-z]*\) .*/\1/p' out); do
  "$heddle" "$command" --help > help 2> err
  is "$command --help" 0 $?
  has "$command --help" '^Examples:' help
done
"$heddle" --version > out
is 'version: first line' "$(sed -n 1p out | grep -E '^heddle [0-9.]+ \(commit [^,]+, [A-Za-z]+\)$')" "$(sed -n 1p out)"
for part in 'MPI  ' 'HDF5  .*(parallel|serial)' 'ns-3  +3\.' 'Boost  +1\.' 'compiler  ' 'platform  '; do has 'version' "^$part" out; done

# ---- completion: bash's function is called as bash does ------------------------------------------------------------------
complete_line() {  # WORDS...: the last is the one to complete
  bash -c 'source <("$0" completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heddle; printf "%s\n" "${COMPREPLY[@]}"' "$heddle" "$@" |
    tr '\n' ' '
}
is 'completion of commands' 'run ' "$(complete_line heddle ru)"
is 'completion of flags' '--json-log --json ' "$(complete_line heddle run --js)"
is 'completion of names' 'ns3 ns3-null ' "$(complete_line heddle run --engine ns)"
is 'completion after =' 'metis ' "$(complete_line heddle run --partition = m)"
is 'completion of templates' 'Spectrum-X ' "$(complete_line heddle topo Sp)"
is "completion of topo's flags" '--gpu --gpu_per_server --gpu_type ' "$(complete_line heddle topo Spectrum-X --gpu)"
is 'completion of subjects' 'show ' "$(complete_line heddle topo sh)"
is "completion of a subject's flags" '--dot ' "$(complete_line heddle topo show --d)"
is 'completion of keys' 'ecn.enabled= ' "$(complete_line heddle run --set ecn.en)"
is 'completion of values' 'true ' "$(complete_line heddle run --set ecn.enabled = t)"
is 'completion of values of names' 'ecmp least-loaded ' "$(complete_line heddle run --set controller.fallback =)"
is 'completion of KEY' 'CC_MODE ' "$(complete_line heddle explain CC_M)"
is 'files are left to the shell' ' ' "$(complete_line heddle run -n "$work/ru")"
is 'completion of shells' 'bash ' "$(complete_line heddle completion b)"
# Every flag that help names is offered.
for command in run export partition trace; do
  offered=" $(complete_line heddle "$command" -) "
  for flag in $("$heddle" "$command" --help | grep -oE '^  (-[a-z],)?(--[a-z-]+,?)+' | tr ',' ' '); do
    count=$((count + 1))
    case $offered in *" $flag "*) ;; *) fail "completion of $command does not offer $flag" ;; esac
  done
done
for shell in bash zsh fish; do
  "$heddle" completion $shell -o script.$shell
  is "completion $shell" 0 $?
  if command -v $shell > /dev/null; then
    $shell -n script.$shell
    is "syntax of $shell's script" 0 $?
  fi
done
"$heddle" completion tcsh 2> err
is 'unknown shell' 2 $?

# ---- explain -----------------------------------------------------------------------------------------------------------
"$heddle" explain CC_MODE > out
for part in '^transport.congestion_control: ' 'SimAI.conf +CC_MODE' 'range +.*DCQCN' 'default +1' 'model +docs/transport.md'; do has 'explain' "$part" out; done
is 'explain by either name' "$(cat out)" "$("$heddle" explain transport.congestion_control)"
"$heddle" explain NCCL_ALGO > out
is 'a variable of three keys' 3 "$(grep -c '^algorithm\.' out)"
"$heddle" explain GLOBAL_T > out
has 'key that is not used' '^GLOBAL_T: .*not used: ' out
"$heddle" explain dcqcn > out
has 'group' '  dcqcn.alpha_interval ' out
"$heddle" explain > out
has 'groups' '  monitor ' out
"$heddle" explain CCMODE > out 2> err
is 'unknown key' 3 $?
has 'unknown key' "^heddle: unknown key 'CCMODE'. Did you mean CC_MODE" err
# Each key has a text of its own and a model's page that exists.
mapfile -t keys < <("$heddle" options --markdown | sed -n 's/^| `\([a-z_.]*\)` .*/\1/p')
"$heddle" explain "${keys[@]}" | sed -n 's/^\([a-z_.]*\): .*/\1/p; s/^  model  *\([^ ]*\) .*/  \1/p' > models
while read -r key && read -r page; do
  [ -e "$source/$page" ] || fail "explain $key: no page '$page'"
done < models
count=$((count + ${#keys[@]}))
is 'keys with a model' "${keys[*]}" "$(grep -v '^ ' models | tr '\n' ' ' | sed 's/ $//')"
is 'models of keys' ${#keys[@]} "$(grep -c '^  .' models)"
is 'number of keys' yes "$([ ${#keys[@]} -gt 100 ] && echo yes)"

# ---- pipes that close, devices that are full -----------------------------------------------------------------------------
for trap in '' 'trap "" PIPE;'; do
  bash -c "$trap { '$heddle' options; echo \$? > code; } 2> err | true; wait"
  code=$(cat code)
  count=$((count + 1))
  { [ "$code" = 0 ] || [ "$code" = 141 ]; } || fail "closed pipe ($trap): exit code $code"
  is "closed pipe ($trap): no noise" '' "$(cat err)"
done
"$heddle" options > /dev/full 2> err
is 'full device' 6 $?
has 'full device' '^heddle: standard output: cannot be written: No space' err

# ---- names of others ---------------------------------------------------------------------------------------------------
# A GPU type and a file's name that set the terminal's title: they are shown, and do nothing.
evil=$'A\033]0;x\a'
"$heddle" topo Spectrum-X -g 16 -gps 8 -o plain.txt 2> err
sed "1s/[^ ]*$/$evil/" plain.txt > "$evil.txt"
"$heddle" topo show "$evil.txt" > out
hasnt 'GPU type: raw' "$escape" out
has 'GPU type: escaped' '\(A\\x1b\]0;x\\x07\)' out
echo '0,0,8,1000' > "$evil.csv"
"$heddle" run -n "$evil.txt" --trace "$evil.csv" -o "$evil.h5" > out 2> err
is 'names: exit code' 0 $?
hasnt 'names of files: raw' "$escape" out
has 'names of files: escaped' '^result +A\\x1b\]0;x\\x07\.h5$' out
for command in "validate" "export --fct out.txt --paths -" "analyze collisions" "recover"; do
  # shellcheck disable=SC2086  # words
  "$heddle" $command "$evil.h5" > out 2> err
  hasnt "$command: raw" "$escape" out
  hasnt "$command: raw message" "$escape" err
done
"$heddle" run -n "$evil.txt" --trace "no$evil.csv" 2> err
is 'missing file: exit code' 3 $?
hasnt 'names in errors: raw' "$escape" err
has 'names in errors: escaped' '^heddle: noA\\x1b' err
if command -v script > /dev/null; then
  printf '1 ALLREDUCE 4096 DP\n' > "$evil.work"
  "$heddle" run -q -n plain.txt -w "$evil.work" -o work.h5
  "$heddle" export work.h5 --end-to-end - > out
  has 'a text for programs keeps its bytes' "$escape" out
  on_terminal "'$heddle' export work.h5 --end-to-end -"
  hasnt 'unless it goes to a terminal' "$escape\]" screen
fi

# ---- one voice under mpirun ------------------------------------------------------------------------------------------------
"$heddle" topo Spectrum-X -g 16 -o alone.txt 2> err_alone
"${mpirun[@]}" -n 2 "$heddle" topo Spectrum-X -g 16 -o both.txt 2> err
is 'topo under mpirun' 0 $?
cmp -s alone.txt both.txt || fail 'topo under mpirun: another file'
trace=(trace --arrival poisson --rate 1000 --flows 20 --servers 2)
is 'trace under mpirun' "$("$heddle" "${trace[@]}")" "$("${mpirun[@]}" -n 2 "$heddle" "${trace[@]}")"
"${mpirun[@]}" -n 2 "$heddle" explain nonsense 2> err
is 'an error under mpirun' 3 $?
is 'an error under mpirun, once' 1 "$(grep -c '^heddle: unknown key' err)"
is 'options under mpirun, once' 1 "$("${mpirun[@]}" -n 2 "$heddle" options | grep -c '^transport.payload ')"

echo "$count checks, $failures failures"
exit $((failures > 0))
