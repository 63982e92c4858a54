#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Faults during a run: a rank that hangs, a folder that vanishes, signals to mpirun and to one rank, signals before the start. The run
# ends within seconds with one message and the right exit code, no incomplete result has the result's name, and the run can be continued
# from what was flushed or saved. Usage: faults.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
. "$here/ranks.sh"

make_long_run 4
input=("${long_run[@]}")

# is NAME CODE SECONDS PATTERN: the run ends with this code within that, and exactly one message, which is like that.
is() {
  ended "$3" || fail "$1: processes were left after $3 seconds"
  [ "$code" = "$2" ] || { fail "$1: exit code $code, not $2"; tail -5 out.txt; }
  [ "$(grep -c '^heddle: ' out.txt)" = 1 ] && grep -Eq "^heddle: .*($4)" out.txt || { fail "$1: not one message /$4/"; cat out.txt; }
}
# nothing NAME: no result, whole or not, under its own name.
nothing() { [ -e x.h5 ] && fail "$1: there is a result"; }
# goes_on NAME: --restart auto ends with the file of the run that nothing befell.
goes_on() {
  timeout 900 "${mpirun[@]}" -n 2 "$heddle" "${input[@]}" -o x.h5 --restart auto > out.txt 2>&1 || { fail "$1: the restart ended with $?"; cat out.txt; }
  "$heddle" compare whole.h5 x.h5 > out.txt 2>&1 || { fail "$1: another result after the restart"; tail -5 out.txt; }
  ls x.h5.* > /dev/null 2>&1 && fail "$1: left behind: $(ls x.h5.*)"
}
# begin RANKS ARGUMENTS...: and wait for the first flush.
begin() {
  rm -f x.h5*
  start "$1" "$heddle" "${input[@]}" -o x.h5 --flush 200ms "${@:2}"
  wait_for_ranks "$1"
  wait_for x.h5.part.totals || fail 'no first flush'
  sleep 0.2
}

# ---- a rank that hangs -----------------------------------------------------------------------------------------------------
for victim in 0 1 2; do
  begin 3 --patience 6s --checkpoint-every 400ms
  wait_for x.h5.ckpt
  sleep 0.3  # until all know of it
  kill -STOP "${members[$victim]}"
  speaker=$((victim == 0 ? 1 : 0))
  is "rank $victim hangs" 8 100 "rank $speaker waited .*, and rank $victim did not answer.*--restart auto goes on from x.h5.ckpt"
  nothing "rank $victim hangs"
  goes_on "rank $victim hangs"
done
begin 3 --patience 5s --checkpoint-every never --json-log log.ndjson --force
kill -STOP "${members[1]}" "${members[2]}"
is 'two ranks hang' 8 100 'ranks 1 and 2 did not answer.*heddle recover x.h5'
grep -q '"event":"end".*"exit_code":8' log.ndjson || { fail 'two ranks hang: the log does not say so'; tail -2 log.ndjson; }
"$heddle" recover x.h5 > out.txt 2>&1 && "$heddle" validate x.h5 > out.txt 2>&1 || { fail 'two ranks hang: recover'; cat out.txt; }
# A file system that does not answer: rank 1 reads its trace from a pipe without a writer. Outside windows, ten times the patience applies.
mkdir pipe0 pipe1
mkfifo pipe0/trace.csv pipe1/trace.csv
cat > in_folder.sh <<'END'
#!/usr/bin/env bash
# The command, in a folder of the rank's own.
cd "pipe$OMPI_COMM_WORLD_RANK" && exec "$@"
END
chmod +x in_folder.sh
start 2 ./in_folder.sh "$heddle" run -n "$PWD/topo.txt" --trace trace.csv -q --patience 300ms
wait_for_ranks 2
cat trace.csv > pipe0/trace.csv &
feeder=$!
is 'a file that cannot be read' 8 100 'rank 0 waited [0-9.]+ s .ten times --patience.* at 0s of simulated time, and rank 1 did not answer'
wait $feeder
# A pause that ends in time is none: not of one rank, nor of all for longer than the patience.
begin 2 --patience 8s
kill -STOP "${members[1]}"; sleep 2; kill -CONT "${members[1]}"
kill -STOP "${members[@]}"; sleep 10; kill -CONT "${members[@]}"
ended 900
[ "$code" = 0 ] && [ ! -s out.txt ] || { fail "pauses: exit code $code"; cat out.txt; }
"$heddle" compare whole.h5 x.h5 > out.txt 2>&1 || { fail 'pauses: another result'; tail -5 out.txt; }
# It can be waited for, too.
begin 2 --patience never
kill -STOP "${members[1]}"; sleep 3
alive "${members[0]}" || fail '--patience never: the run has ended'
kill -CONT "${members[1]}"
ended 900
[ "$code" = 0 ] || { fail "--patience never: exit code $code"; cat out.txt; }
"$heddle" "${input[@]}" --patience soon > out.txt 2>&1
[ $? = 2 ] && grep -q '^heddle: --patience: ' out.txt || { fail '--patience soon'; cat out.txt; }

# ---- folders and files that vanish -----------------------------------------------------------------------------------------
# vanished NAME: what is done to the folder while the run writes to it comes before.
vanished() { is "$1" 6 100 'x.h5.*(was deleted or moved|cannot be|No such file|not a directory)'; [ -e out/x.h5 ] && fail "$1: there is a result"; }
begin_in_folder() {
  rm -rf out moved
  mkdir out
  start 2 "$heddle" "${input[@]}" -o out/x.h5 --flush 200ms --checkpoint-every 400ms
  wait_for_ranks 2
  wait_for out/x.h5.ckpt || fail 'no first checkpoint'
}
begin_in_folder; rm -rf out
vanished 'the folder is deleted'
begin_in_folder; mv out moved
vanished 'the folder is moved'
"$heddle" recover moved/x.h5 > out.txt 2>&1 && "$heddle" validate moved/x.h5 > out.txt 2>&1 || { fail 'the folder is moved: recover'; cat out.txt; }
begin_in_folder; mv out moved; mkdir out
vanished 'the folder is moved, and another is in its place'
begin_in_folder; rm out/x.h5.part.rank1
vanished 'a log is deleted'
begin_in_folder; rm -f out/x.h5.ckpt*
ended 900
[ "$code" = 0 ] && "$heddle" compare whole.h5 out/x.h5 > out.txt 2>&1 || { fail "the checkpoint is deleted: exit code $code"; cat out.txt; }

# ---- signals, in the middle --------------------------------------------------------------------------------------------------
begin 2; kill -TERM "${members[1]}"
is 'SIGTERM to rank 1' 85 20 'restart auto'
goes_on 'SIGTERM to rank 1'
begin 2; kill -USR2 "$leader"
is 'SIGUSR2 to mpirun' 85 20 'restart auto'
goes_on 'SIGUSR2 to mpirun'
begin 2; kill -INT "${members[1]}"
is 'SIGINT to rank 1' 130 20 'heddle recover x.h5'
"$heddle" recover x.h5 > out.txt 2>&1 || { fail 'SIGINT to rank 1: recover'; cat out.txt; }
# mpirun kills the ranks a second after it has told them; its exit code is 1 then.
for signal in TERM INT; do
  begin 2; kill -$signal "$leader"
  ended 10 && [ "$code" != 0 ] || { fail "SIG$signal to mpirun: exit code $code"; cat out.txt; }
  nothing "SIG$signal to mpirun"
  goes_on "SIG$signal to mpirun"
done

# ---- signals before anything has begun -------------------------------------------------------------------------------------
# early RANKS SIGNAL: to the last rank, as soon as it heeds SIGTERM: before MPI starts and inputs are read.
early() {
  local victim mask
  rm -f x.h5*
  start "$1" "$heddle" "${input[@]}" -o x.h5
  wait_for_ranks "$1"
  victim=${members[$1 - 1]}
  for _ in {1..2000}; do
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$victim/status")
    (((0x${mask:-0} >> 14) & 1)) && break
  done
  kill -"$2" "$victim"
}
for ranks in 1 2; do
  early $ranks TERM
  is "early SIGTERM, $ranks ranks" 85 20 'ended at [0-9.]+us of simulated time.*restart auto'
  nothing "early SIGTERM, $ranks ranks"
  goes_on "early SIGTERM, $ranks ranks"
  early $ranks USR1
  ended 100
  [ "$code" = 0 ] && "$heddle" compare whole.h5 x.h5 > out.txt 2>&1 || { fail "early SIGUSR1, $ranks ranks: exit code $code"; cat out.txt; }
done
# A signal at any time, even before main(): no incomplete result, and the same command can be run again.
for pause in 0 0.01 0.03 0.1 0.2 0.4; do
  for signal in INT TERM KILL; do
    rm -f x.h5*
    set -m  # else the shell has SIGINT ignored in the background
    "$heddle" "${input[@]}" -o x.h5 > out.txt 2>&1 &
    leader=$! members=()
    set +m
    sleep $pause
    kill -$signal "$leader"
    ended 20 || fail "SIG$signal after $pause s: the process is left"
    case $signal:$code in INT:130 | TERM:143 | TERM:85 | KILL:137) ;; *) fail "SIG$signal after $pause s: exit code $code"; cat out.txt ;; esac
    nothing "SIG$signal after $pause s"
    grep -q 'heddle: .*internal error' out.txt && { fail "SIG$signal after $pause s"; cat out.txt; }
  done
done
goes_on 'after all'
end
