#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Manual pages: the same bytes each time, every word of every help, no warning of groff's; and programs whose helps cannot be had or read.
# Usage: man.sh HEDDLE SOURCE
set -u
heddle=$1 source=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"
make() { "$source/packaging/make_man.py" "$@"; }

make "$heddle" -o pages --plot "$source/io/plots/heddle-plot" --exit-codes "$source/docs/exit-codes.md" > made.txt || { fail 'make_man.py'; end; }
(cd "$source" && umask 077 && COLUMNS=40 LC_ALL=C make "$heddle" -o "$work/again" --plot io/plots/heddle-plot --exit-codes docs/exit-codes.md) \
  > again.txt || fail 'make_man.py, again'
diff -r pages again || fail 'other bytes from the same program'
diff <(sort made.txt) <(find pages -name '*.1' | sort) || fail 'other paths than it prints'
python3 "$here/man_words.py" pages "$heddle" "$source/io/plots/heddle-plot" || fail 'words of helps are missing'
if command -v man > /dev/null && man --version > /dev/null 2>&1; then
  for page in pages/*.1; do
    for width in 60 120; do
      MANWIDTH=$width LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 "$page" 2>&1 > /dev/null | sed "s|^|$page, width $width: |"
    done
  done > warnings.txt
  [ ! -s warnings.txt ] || { fail 'warnings'; head warnings.txt; }
else
  echo '!!! no man here: pages were NOT shown !!!'
fi

# program NAME: a stand-in for heddle that prints what stands on standard input for each help.
program() {
  { printf '#!/bin/sh\n[ "$1" != --version ] || { echo "heddle 1.0"; exit; }\ncat <<"END"\n'; cat; echo END; } > "$1"
  chmod +x "$1"
}
# refused WORDS PROGRAM
refused() {
  make "$2" -o refused > out.txt 2>&1
  [ $? = 3 ] && grep -qF "$1" out.txt || { fail "not refused: $1"; cat out.txt; }
  [ ! -e refused ] || fail "something is left: $1"
}
refused 'No such file' ./none
program silent < /dev/null
refused 'lists no commands' ./silent
printf 'Usage: heddle COMMAND\n\nCommands:\n%20s\n' rest | program odd
refused 'begins with the rest of an item' ./odd
printf '#!/bin/sh\n[ "$1" != --version ] || { echo heddle 1.0; exit; }\necho bad >&2; exit 9\n' > broken
chmod +x broken
refused 'exit code 9: bad' ./broken
# A stand-in that can be read, with what is an order to roff.
printf 'Usage: heddle COMMAND\n\nCommands:\n  run         .do it \\with "a"\n' | program good
make ./good -o good_pages > out.txt || { fail 'a small program'; cat out.txt; }
grep -qF '\&.do it \ewith "a"' good_pages/heddle.1 || { fail 'what is an order to roff'; cat good_pages/heddle.1; }
make "$heddle" > out.txt 2>&1
[ $? = 2 ] || fail 'no -o'
end
