#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# bootstrap.sh on machines that lack something: it ends with one line that says what to do. dpkg-query, apt-get, df and others are made up.
# Usage: bootstrap.sh SOURCE
set -uo pipefail
source_tree=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
die() { printf 'bootstrap: %s\n' "$*" >&2; [ ! -f "$folder/out" ] || cat "$folder/out" >&2; exit 1; }

mkdir -p "$folder/bin" "$folder/tree/core" "$folder/tree/io/report" "$folder/home"
cd "$folder" || exit 1
cp "$source_tree/bootstrap.sh" "$source_tree/CMakePresets.json" tree/
cp -r "$source_tree/core/ns3" tree/core/
cp -r "$source_tree/io/report/page" tree/io/report/
unset NS3_PREFIX NS3_SOURCE UPLOT_SOURCE XDG_CACHE_HOME HEDDLE_PACKAGES
export HOME=$folder/home folder PATH=$folder/bin:$PATH

# make_up NAME: a command whose script comes from standard input.
make_up() {
  { echo '#!/usr/bin/env bash'; cat; } > "bin/$1"
  chmod +x "bin/$1"
}
# Packages are installed unless the file missing names them; the disk has as many MB as the file room says; the user is the file user's.
# shellcheck disable=SC2016  # variables of the scripts
{
  make_up dpkg-query <<< 'printf "%s installed\n" "${@:4}" | grep -vxFf <(sed "s/$/ installed/" "$folder/missing")'
  make_up id <<< 'cat "$folder/user"'
  make_up sudo <<< 'exit 1'
  make_up df <<< 'echo head; echo "disk 9 9 $(cat "$folder/room") 9% /"'
  make_up npm <<< 'exit 1'
  make_up apt-cache <<< 'echo "  500 http://debian.invalid/debian bookworm/main amd64 Packages"'
  make_up apt-get <<< 'cat "$folder/apt_says"; exit 100'
  make_up cmake <<< 'echo "$*" >> "$folder/cmake_got"; . "$folder/cmake_does"'
}
# whole_ns3 PREFIX: files as of ns-3 with MPI.
whole_ns3() {
  mkdir -p "$1/include/ns3" "$1/lib"
  touch "$1"/include/ns3/{simulator,node,mpi-interface}.h "$1"/lib/libns3.37-{core,network,stats,mpi}.so
}
start() {
  rm -rf tree/build prefix home/.cache cmake_got
  echo none > missing; : > apt_says; : > cmake_does
  echo 1000 > user
  echo 100000 > room
  whole_ns3 prefix
}
# expect CODE ARGUMENTS...: runs it.
expect() {
  tree/bootstrap.sh "${@:2}" > out 2>&1
  local code=$?
  [ "$code" -eq "$1" ] || die "exit $code. Expected: $1"
}
# says LINE: its last words.
says() { tail -n 1 out | grep -q -- "$1" || die "not its last line: $1"; }

# A package is missing, and the user may not install it.
start
echo libmetis-dev > missing
NS3_PREFIX=$folder/prefix expect 1 demo
says "^bootstrap: no right to install packages: let root run 'apt-get install *libmetis-dev'"
[ "$(wc -l < out)" = 1 ] || die "more than one line"
# Without packages that only some tests need it goes on; with modules it does not ask.
echo chromium > missing
NS3_PREFIX=$folder/prefix expect 0 setup
grep -q '^== no right to install chromium: going on' out || die "chromium is not named"
echo libmetis-dev > missing
HEDDLE_PACKAGES=OFF NS3_PREFIX=$folder/prefix expect 0 setup

# No Debian packages, and no compiler.
start
mkdir few
for tool in bash dirname mkdir awk cat kill; do ln -s "$(command -v "$tool")" few/; done
PATH=$folder/few expect 1 setup
says '^bootstrap: no cmake here: load or install '

# No network: for packages, for ns-3.
start
echo 0 > user
echo libmetis-dev > missing
echo "E: Failed to fetch http://debian.invalid/x.deb  Could not resolve 'debian.invalid'" > apt_says
NS3_PREFIX=$folder/prefix expect 1 demo
says "^bootstrap: apt-get cannot install packages (.*Could not resolve.*): connect this machine to its Debian servers, or install libmetis-dev$"
echo none > missing
expect 1 setup
says '^ns-3: apt-get cannot fetch the source (.*Could not resolve.*). Without a network give a tarball by NS3_SOURCE='
echo libgraphviz-dev > missing
NS3_PREFIX=$folder/prefix expect 1 demo
says '^bootstrap: apt-get cannot download libgraphviz-dev: connect this machine'

# A full disk: before anything is done, while packages are installed, while the program is built.
start
echo 10 > room
NS3_PREFIX=$folder/prefix expect 1 demo
says '^bootstrap: the disk of .*/build has 10 MB left, and about [0-9]* MB are needed: free some room'
[ "$(wc -l < out)" = 1 ] || die "more than one line"
start
echo 0 > user
echo libmetis-dev > missing
echo "dpkg: error: cannot copy extracted data: failed to write (No space left on device)" > apt_says
NS3_PREFIX=$folder/prefix expect 1 demo
says '^bootstrap: the disk is full: free some room and give the command again$'
start
# shellcheck disable=SC2016
echo 'case $1 in --build) echo 3 > "$folder/room"; exit 1 ;; esac' > cmake_does
NS3_PREFIX=$folder/prefix expect 1 build release heddle
says '^bootstrap: the disk of . is full: free some room and give the command again$'

# ns-3: without MPI, of another version, not all of it; in NS3_PREFIX, and in the cache, where it is compiled anew.
start
rm prefix/lib/libns3.37-mpi.so
NS3_PREFIX=$folder/prefix expect 1 setup
says '^ns-3: NS3_PREFIX=.*/prefix is not ns-3 3.37 with MPI (no lib/libns3.37-mpi.so): unset it'
start
rename() { local file; for file in prefix/lib/*; do mv "$file" "${file/3.37/3.36.1}"; done; }
rename
NS3_PREFIX=$folder/prefix expect 1 setup
says 'is not ns-3 3.37 with MPI (no lib/libns3.37-core.so, but libns3.36.1-core.so): unset it'
start
NS3_PREFIX=$folder/nowhere expect 1 setup
says 'is not ns-3 3.37 with MPI (no include/ns3/simulator.h): unset it'
start
cached=home/.cache/heddle/ns3-3.37-r$(sed -n 's/^readonly recipe=\([0-9]*\).*/\1/p' tree/core/ns3/build_ns3.sh)
whole_ns3 "$cached"
expect 0 setup
rm "$cached/lib/libns3.37-network.so"
NS3_SOURCE=$folder/nothing.tar.bz2 expect 1 setup
grep -q '^ns-3: .* cannot be used (no lib/libns3.37-network.so): compiling it anew' out || die "a half-deleted prefix is not named"
says '^ns-3: cannot read NS3_SOURCE='

# A tree that moved is built anew. CMake that misses something: what to load.
start
mkdir -p tree/build/release
echo 'CMAKE_HOME_DIRECTORY:INTERNAL=/old/place' > tree/build/release/CMakeCache.txt
NS3_PREFIX=$folder/prefix expect 0 build release heddle
grep -q '^== this tree was in /old/place when it was built: everything is compiled anew$' out || die "the move is not told"
grep -q -- '--preset release --fresh ' cmake_got || die "CMake's cache is kept"
echo 'exit 1' > cmake_does
NS3_PREFIX=$folder/prefix expect 1 build release heddle
says '^bootstrap: CMake misses something, as it says above: install it, or load '

# A demo needs no tests, but keeps those of a tree that has them.
# shellcheck disable=SC2016
echo 'case $1 in --build) exit 1 ;; esac' > cmake_does
rm -f cmake_got
NS3_PREFIX=$folder/prefix expect 1 demo
grep -q -- '-DBUILD_TESTING=OFF' cmake_got || die "a demo configures tests"
echo "BUILD_TESTING:BOOL=ON" >> tree/build/release/CMakeCache.txt
rm -f cmake_got
NS3_PREFIX=$folder/prefix expect 1 demo
grep -q -- '-DBUILD_TESTING=ON' cmake_got || die "a demo drops the tests of a tree"
exit 0
