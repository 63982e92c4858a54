#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# On a machine with other users: every file that a run makes has the mode that the umask leaves, and links that another user put in place
# of a run's files are not followed. Usage: shared_machine.sh HEDDLE MPIRUN...
set -u
heddle=$1
shift
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
. "$here/ranks.sh"

make_long_run 1
input=("${long_run[@]}")

# ---- modes -----------------------------------------------------------------------------------------------------------------
count=0
# modes NAME EXPECTED: of all files here
modes() {
  local found
  count=$((count + $(find . -type f | wc -l)))
  found=$(find . -type f ! -perm "$2" -printf '%m %p ')
  [ -z "$found" ] || fail "$1: not of mode $2: $found"
}
for mask in 077:600 027:640 002:664; do
  folder=umask-${mask%:*}
  mkdir "$folder"
  cp topo.txt trace.csv "$folder"
  cd "$folder" || exit 1
  umask "${mask%:*}"
  chmod "${mask#*:}" topo.txt trace.csv
  # Stopped, so that parts and checkpoint lie there.
  start 2 "$heddle" "${input[@]}" -o x.h5 --flush 200ms --checkpoint-every 300ms --json-log log.ndjson
  wait_for_ranks 2
  wait_for x.h5.ckpt
  kill -9 "${members[0]}"
  ended 10
  ls x.h5.part.rank1 x.h5.part.totals x.h5.ckpt x.h5.ckpt.*.rank1 > /dev/null || fail "umask ${mask%:*}: not all kinds of file are there"
  rm out.txt
  modes "umask ${mask%:*}, parts" "${mask#*:}"
  "$heddle" "${input[@]}" -o x.h5 --restart auto || fail "umask ${mask%:*}: the restart ended with $?"
  "$heddle" "${input[@]}" --profile profile.json
  "$heddle" export x.h5 --fct fct.txt > out.txt || fail 'export'
  "$heddle" topo Spectrum-X -g 16 -gt A100 -o small.txt > out.txt || fail 'topo'
  "$heddle" report x.h5 -o report.html > out.txt 2>&1 || [ $? = 6 ] || fail 'report'
  ls x.h5 fct.txt small.txt profile.json > /dev/null || fail "umask ${mask%:*}: not all kinds of file are there"
  modes "umask ${mask%:*}, results" "${mask#*:}"
  umask 022
  cd ..
done

# ---- links that somebody else planted --------------------------------------------------------------------------------------
# planted NAME...: links under these names, to a file of the user's, survive no run and do no harm.
victim=$work/precious
planted() {
  local name
  for name in "$@"; do
    rm -rf plant; mkdir plant
    echo 'a year of work' > "$victim"
    ln -s "$victim" "plant/$name"
    count=$((count + 1))
    timeout 900 "${mpirun[@]}" -n 2 "$heddle" "${input[@]}" -o plant/x.h5 --force --flush 200ms --checkpoint-every 250ms \
      --json-log plant/log.ndjson > out.txt 2>&1 || { fail "a link at $name: exit code $?"; cat out.txt; }
    [ "$(cat "$victim")" = 'a year of work' ] || fail "a link at $name: what it leads to was overwritten"
    [ -L "plant/$name" ] && fail "a link at $name: it is still there"
    [ -f plant/x.h5 ] && [ ! -L plant/x.h5 ] || fail "a link at $name: no result"
  done
}
planted x.h5 x.h5.part x.h5.part.rank0 x.h5.part.rank1 x.h5.part.totals x.h5.part.totals.part x.h5.part.rank0.sorted \
  x.h5.ckpt x.h5.ckpt.new x.h5.ckpt.1.rank0 x.h5.ckpt.1.rank1 log.ndjson
# One that leads nowhere: nothing is made there.
rm -rf plant; mkdir plant
ln -s "$work/made" plant/x.h5.part.rank0
ln -s "$work/made" plant/log.ndjson
"$heddle" "${input[@]}" -o plant/x.h5 --force --json-log plant/log.ndjson || fail "links that lead nowhere: exit code $?"
[ -e "$work/made" ] && fail 'a file was made where a link leads'
# A log that was replaced by a link between two runs must not be appended to.
rm -rf plant; mkdir plant
start 2 "$heddle" "${input[@]}" -o plant/x.h5 --flush 200ms --checkpoint-every 250ms
wait_for_ranks 2
wait_for plant/x.h5.ckpt
kill -9 "${members[1]}"
ended 10
mv plant/x.h5.part.rank0 "$victim"
cp "$victim" before
ln -s "$victim" plant/x.h5.part.rank0
"$heddle" "${input[@]}" -o plant/x.h5 --restart auto > out.txt 2>&1
[ $? = 3 ] && cmp -s "$victim" before || { fail 'a log that is a link was gone on with'; cat out.txt; }
# Texts are made beside their name, too.
echo 'a year of work' > "$victim"
ln -s "$victim" t.txt.part
"$heddle" topo Spectrum-X -g 16 -gt A100 -o t.txt > out.txt && [ "$(cat "$victim")" = 'a year of work' ] || fail 'a link beside a text'

# ---- nothing is executed -----------------------------------------------------------------------------------------------------
mkdir traps
cd traps || exit 1
name='$(touch owned); touch owned #`touch owned`'
"$heddle" topo Spectrum-X -g 16 -gt A100 -o "$name" > out.txt || fail 'a topology under such a name'
printf 'timestamp_ns,src,dst,size_bytes\n0,0,8,1000\n' > few.csv
"$heddle" run -n "$name" --trace few.csv -q -o r.h5 || fail "a name with words of a shell: exit code $?"
printf 'output = "%s"\n[run]\ntopology = "%s"\ntrace = "few.csv"\n[vary]\nseed = [1, 2]\n' '$(touch owned)' "$name" > t.toml
"$heddle" sweep t.toml --dry-run > out.txt 2>&1
"$heddle" sweep t.toml --local > out.txt 2>&1 || { fail "a sweep of such names: exit code $?"; cat out.txt; }
[ -e owned ] && fail 'words of an input were executed'
cd ..
echo "$count files and links"
end
