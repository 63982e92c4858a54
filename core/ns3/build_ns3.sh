#!/usr/bin/env bash
# Builds ns-3 3.37 with MPI (modules core, network, mpi) once, into a prefix in the user's cache, and prints that prefix.
#
# Debian's own binary package has no MPI, so its source package is compiled here. Environment:
#   NS3_SOURCE  a tarball of ns-3 3.37, for machines without apt (ns-3.37.tar.bz2 or ns-allinone-3.37.tar.bz2 as released, or Debian's .orig)
#   NS3_PREFIX  an installed ns-3 with MPI to use instead
#   XDG_CACHE_HOME  where the prefix is kept (default ~/.cache), under heddle/
# Progress goes to standard error; the prefix is the only line on standard output. Exit 0, or 1 with a message.
set -euo pipefail

readonly version=3.37
readonly recipe=3   # raise when the options below change: an older prefix is then not reused
readonly modules="core;network;mpi"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/heddle"
prefix="$cache/ns3-$version-r$recipe"

say() { printf 'ns-3: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# One deb-src entry for each apt entry of this machine that offers the package, printed in one-line form.
# Asks apt for the package's origin, so that this script contains no host name.
source_entries() {
  apt-cache policy libns3-dev 2>/dev/null |
    awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[a-z+]+:/ { split($3, part, "/"); print "deb-src", $2, part[1], part[2] }' | sort -u
}

# Downloads the source package into the current directory, with a separate apt state: the machine's package lists do not change.
download_from_apt() {
  command -v apt-get >/dev/null || die "no apt-get here. Give a tarball of ns-3 $version by NS3_SOURCE=/path/ns-3.$version.tar.bz2"
  mkdir -p apt/lists/partial
  source_entries > apt/sources.list
  [ -s apt/sources.list ] || die "apt offers no ns-3 here (run 'apt-get update' first?). Give a tarball by NS3_SOURCE"
  local own=(-o "Dir::Etc::sourcelist=$PWD/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
             -o "Dir::State::lists=$PWD/apt/lists" -o "Dir::Cache::srcpkgcache=" -o "Dir::Cache::pkgcache="
             -o APT::Sandbox::User=root)
  say "fetching the source package through apt"
  apt-get "${own[@]}" -qq update >&2 || die "apt-get update failed for the deb-src entries in $PWD/apt/sources.list"
  apt-get "${own[@]}" -qq source --download-only ns3 >&2 || die "apt-get source ns3 failed"
  rm -rf apt
}

build() {
  local work="$cache/build-$$" tarball
  mkdir -p "$work"
  # shellcheck disable=SC2064  # expand the path now
  trap "rm -rf '$work'" EXIT
  cd "$work"
  if [ -n "${NS3_SOURCE:-}" ]; then
    [ -r "$NS3_SOURCE" ] || die "cannot read NS3_SOURCE=$NS3_SOURCE"
    tarball=$NS3_SOURCE
  else
    download_from_apt
    tarball=$(ls "$work"/ns3_*.orig.tar.*)
  fi
  mkdir source
  tar -xf "$tarball" -C source || die "$tarball is not a tarball that tar can read"
  local top
  top=$(find source -maxdepth 6 -path '*src/core/CMakeLists.txt' -printf '%d %h\n' | sort -n | head -n 1 | cut -d' ' -f2-)
  [ -n "$top" ] || die "$tarball holds no ns-3 source tree (looked for src/core/CMakeLists.txt)"
  top=${top%/src/core}
  [ "$(cat "$top/VERSION" 2>/dev/null)" = "$version" ] || die "$tarball is ns-3 '$(cat "$top/VERSION" 2>/dev/null)', expected $version"

  say "building modules $modules with MPI in $work (about four minutes on two cores)"
  cmake -S "$top" -B out -G Ninja -DCMAKE_BUILD_TYPE=release -DCMAKE_INSTALL_PREFIX="$work/prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_RPATH='$ORIGIN' -DNS3_MPI=ON -DNS3_ENABLED_MODULES="$modules" -DNS3_EXAMPLES=OFF -DNS3_TESTS=OFF \
    -DNS3_PYTHON_BINDINGS=OFF -DNS3_GSL=OFF -DNS3_SQLITE=OFF -DNS3_GTK3=OFF -DNS3_EIGEN=OFF \
    -DNS3_WARNINGS_AS_ERRORS=OFF -DNS3_NATIVE_OPTIMIZATIONS=OFF > configure.log 2>&1 ||
    { tail -n 20 configure.log >&2; die "cmake could not configure ns-3"; }
  cmake --build out > build.log 2>&1 || { tail -n 30 build.log >&2; die "ns-3 did not compile"; }
  cmake --install out > install.log 2>&1 || { tail -n 20 install.log >&2; die "ns-3 could not be installed"; }
  # Renamed when complete: an interrupted build never looks like a finished one.
  rm -rf "$prefix"
  mv prefix "$prefix" 2>/dev/null || [ -d "$prefix" ] || die "cannot create $prefix"
}

if [ -n "${NS3_PREFIX:-}" ]; then
  prefix=$NS3_PREFIX
elif [ ! -f "$prefix/include/ns3/mpi-interface.h" ]; then
  mkdir -p "$cache"
  (build)
fi
printf '%s\n' "$prefix"
