#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The examples as a user has them, outside of the sources: each script runs in an empty folder, its page has its commands and what they
# print, the results are valid, and nothing is written beside the script. Usage: examples.sh HEDDLE DOCS
# Budget: 15 s on one core.
set -u
heddle=$1 docs=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
lines=70  # of a page that is read at a glance

# walk PAGE...: what walk_guide.py says is in out.txt.
walk() { /usr/bin/python3 -B "$here/walk_guide.py" "$heddle" --source "$work" "$@" > out.txt 2>&1 < /dev/null; }
cp -r "$docs/examples" 'some examples'
cp -r 'some examples' before
cd 'some examples' || exit 1
names=(*/)
names=("${names[@]%/}")
cd ..
[ "${#names[@]}" -ge 5 ] || fail "${#names[@]} examples"
for name in "${names[@]}"; do
  folder="some examples/$name"
  [ "$(ls "$folder")" = "$(printf 'README.md\nrun.sh')" ] || fail "$name has other files"
  [ -x "$folder/run.sh" ] || fail "$name/run.sh cannot be run"
  shown=$(sed -e '/^<!--.*-->$/d' -e '/^<!--/,/^-->$/d' "$folder/README.md" | wc -l)
  [ "$shown" -le "$lines" ] || fail "$name/README.md has $shown lines"
  grep -qF "]($name/README.md)" 'some examples/README.md' || fail "$name is not in the list"
done
[ "$(grep -c '^| \[' 'some examples/README.md')" = "${#names[@]}" ] || fail 'the list has others'

pages=()
for name in "${names[@]}"; do pages+=("$work/some examples/$name/README.md"); done
walk "${pages[@]}" || { fail 'what the pages say'; cat out.txt; }
grep '^ok' out.txt
# Typed are the script, the results' check, and the full size without running it.
[ "$(grep -cE '^ok .*/README.md: 3 blocks typed, [2-9] compared' out.txt)" = "${#names[@]}" ] || { fail 'too little was typed'; cat out.txt; }
diff -r before 'some examples' || fail 'files beside the scripts'

# A page that tells other commands, and a script that fails, are found.
mkdir false
# shellcheck disable=SC2016  # it is Markdown
printf '<!-- walk: script run.sh -->\n```\necho one\n```\n' > false/README.md
printf '#!/bin/sh\nset -eu\necho one\n' > false/run.sh
walk "$work/false/README.md" || { fail 'a script and its page'; cat out.txt; }
echo 'exit 3' >> false/run.sh
walk "$work/false/README.md" && fail 'a false page was taken for true'
grep -q 'not the commands of .*false/run.sh' out.txt || { fail 'another command'; cat out.txt; }
grep -q 'exit code 3 sh .*false/run.sh' out.txt || { fail 'a script that fails'; cat out.txt; }
end
