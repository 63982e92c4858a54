#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Tests of packaging/ without Spack and Apptainer: recipes that are outdated against the build, and syntax errors in their shell code. Usage: packaging.sh HEDDLE SOURCE
set -u
heddle=$1 source=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"

python3 "$here/packaging_spack.py" "$source" || fail "Spack's recipe"

# section NAME: of the definition, as the script that Apptainer makes of it.
section() { awk -v name="%$1" '/^%/ { on = $1 == name; next } on' "$source/packaging/apptainer.def"; }
for name in post environment runscript test; do
  section $name > $name.sh
  [ -s $name.sh ] || fail "no section $name"
  sh -n $name.sh || fail "section $name"
done
# What the image is built by is what the tree has.
grep -oE '\./[a-z.]+ [a-z]+' post.sh > commands.txt || fail 'the image is built by nothing of the tree'
while read -r program command; do
  [ -x "$source/$program" ] || fail "no $program"
  grep -qE "^  $command( \||\))" "$source/$program" || fail "$program has no command $command"
done < commands.txt
# The image's own test and its entry, with the heddle that has just been built.
mkdir bin
ln -s "$heddle" bin/heddle
TMPDIR=$work PATH=$work/bin:$PATH sh -e test.sh > out.txt 2>&1 || { fail 'section test'; cat out.txt; }
PATH=$work/bin:$PATH sh runscript.sh --version | grep -q '^heddle [0-9]' || fail 'section runscript'
end
