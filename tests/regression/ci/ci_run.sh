#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# .ci/run on made-up tests: what fails is named last with the end of its output, and gets a second try.
# Usage: ci_run.sh SOURCE
set -uo pipefail
source_tree=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() { printf 'ci_run: %s\n' "$*" >&2; [ ! -f "$folder/out" ] || cat "$folder/out" >&2; exit 1; }

cd "$folder" || exit 1
mkdir -p .ci build/release
cp "$source_tree/.ci/run" .ci/run
cat > bootstrap.sh <<'END'
#!/usr/bin/env bash
[ ! -f no_build ] || { echo "error: a file does not compile"; exit 1; }
ctest --test-dir build/release --output-on-failure -LE 'slow|bench|slurm'
END
chmod +x bootstrap.sh
# add NAME LABELS SCRIPT: a test that runs the script in $folder.
add() {
  local file=${1//[^a-z0-9.]/_}.sh
  printf '%s\n' "cd '$folder'" "$3" > "$file"
  printf 'add_test([=[%s]=] bash "%s")\nset_tests_properties([=[%s]=] PROPERTIES LABELS "%s")\n' "$1" "$folder/$file" "$1" "$2" \
    >> build/release/CTestTestfile.cmake
}
start() { rm -f build/release/CTestTestfile.cmake ./*_seen; }
# expect CODE: runs it.
expect() {
  .ci/run > out 2>&1
  local code=$?
  [ "$code" -eq "$1" ] || die "exit $code. Expected: $1"
}
says() { grep -q -- "$1" out || die "not printed: $1"; }
silent() { ! grep -q -- "$1" out || die "printed: $1"; }
by_chance() { printf '[ -f %s_seen ] && { echo second; exit 0; }; touch %s_seen; echo first; exit 1\n' "$1" "$1"; }

start
add good unit 'echo fine'
add slow.good slow 'echo fine'
expect 0
says '^ci: 0 failed, 0 flaky, 0 not started'

start
add good unit 'echo fine'
add bad unit 'seq 1 30; echo reason of bad; exit 1'
add slow.bad slow 'echo reason of slow; exit 1'
expect 1
tail -n 30 out > end
grep -q '^ci: FAILED: bad$' end && grep -q 'reason of bad' end || die "the end does not tell of bad"
grep -q '^ci: FAILED: slow.bad$' end && grep -q 'reason of slow' end || die "the end does not tell of slow.bad"
! grep -q 'ci:   | 3$' end || die "more than the last lines of bad"
says '^ci: 2 failed, 0 flaky'
[ "$(grep -c '^ci: slow.bad: failed' out)" = 2 ] || die "slow.bad had no second try"
[ "$(grep -c '^ci: bad: failed' out)" = 1 ] || die "bad had no second try"

start
for name in slow.one slow.two; do add $name slow "$(by_chance $name)"; done
expect 0
says '^ci: flaky: slow.one, the first time'
says '^ci:   | first'
says '^ci:   | second'
says '^ci: 0 failed, 2 flaky'
silent 'ci: FAILED'
start
for name in slow.one slow.two slow.three; do add $name slow "$(by_chance $name)"; done
expect 1
says '^ci: 0 failed, 3 flaky'

# Default tests, too, if few fail; a name may look like a pattern.
start
add 'odd/name_(1)+[x]' unit "$(by_chance odd)"
add good unit 'echo fine'
expect 0
says '^ci: flaky: odd/name_(1)+\[x\], the first time'
says '^ci:   | second'
says '^ci: 0 failed, 1 flaky'
start
for i in 1 2 3 4 5 6; do add bad$i unit "$(by_chance bad$i)"; done
expect 1
says '^ci: 6 failed, 0 flaky'

start
add slow.late slow 'echo fine'
CI_BUDGET_SECONDS=0 expect 0
says 'not started.*slow.late'

# The order is the day's.
start
for i in 1 2 3 4 5 6 7 8; do add slow.$i slow true; done
order() { CI_SHUFFLE=$1 expect 0; grep -o '^ci: slow\.[0-9]: passed' out | tr -d '\n'; }
monday=$(order monday) again=$(order monday) tuesday=$(order tuesday)
[ "$monday" = "$again" ] || die "two orders on one day"
[ "$monday" != "$tuesday" ] || die "one order on two days"

start
touch no_build
rm -rf build/release
expect 1
says '^ci: FAILED: bootstrap.sh'
says 'does not compile'
