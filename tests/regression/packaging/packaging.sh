#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Tests of packaging/ without Spack, Apptainer and Podman: recipes that are outdated against the build, and syntax errors in their shell code.
# Usage: packaging.sh HEDDLE SOURCE CMAKE BUILD
set -u
heddle=$1 source=$2 cmake=$3 build=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../common.sh"

python3 "$here/packaging_spack.py" "$source" || fail "Spack's recipe"

"$cmake" --install "$build" --prefix "$work/installed" > log.txt 2>&1 || { fail 'cmake --install'; tail -5 log.txt; }
python3 "$here/packaging_recipes.py" "$source" installed || fail 'steps of the recipes'
# It finds what is wrong: steps that name what is not there.
# wrong RECIPE SED WORDS: the recipe, changed, is refused with these words.
wrong() {
  rm -rf changed
  mkdir changed
  ln -s "$source"/* changed
  rm changed/packaging
  cp -r "$source/packaging" changed
  sed -i "$2" "changed/packaging/$1"
  python3 "$here/packaging_recipes.py" changed installed > out.txt && fail "not refused: $1, $2"
  grep -qF "$3" out.txt || { fail "other words: $1, $2"; cat out.txt; }
}
wrong Containerfile 's/build release heddle/build release hedle/' 'no target hedle'
wrong Containerfile 's/build release heddle/build fast heddle/' 'no preset fast'
wrong Containerfile 's/bootstrap.sh build/bootstrap.sh make/' 'bootstrap.sh has no command make'
wrong Containerfile 's/python3-h5py/python3-h6py/' 'Debian has no package python3-h6py'
wrong Containerfile 's|config build/release|config build|' 'build/CPackConfig.cmake is not where it is built'
wrong Containerfile 's|build /opt/heddle.deb|build /opt/h.deb|' 'stage build does not make /opt/h.deb'
wrong apptainer.def 's|--install build/release|--install build|' 'build is not where it is built'
wrong apptainer.def 's|installed/share/heddle/python|installed/share/python|' 'an installation has no share/python'
wrong spack/package.py 's|"heddle", "slurm"|"heddle", "jobs"|' 'an installation has no share/heddle/jobs'

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
