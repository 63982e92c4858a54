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
readonly recipe=4   # raise when the options below change: an older prefix is then not reused
readonly modules="core;network;mpi"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/heddle"
prefix="$cache/ns3-$version-r$recipe"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { printf 'ns-3: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# wrong PREFIX: prints why it is not ns-3 with MPI in this version, or nothing if it is.
wrong() {
  local module file found other
  for file in simulator.h node.h mpi-interface.h; do
    [ -f "$1/include/ns3/$file" ] || { echo "no include/ns3/$file"; return; }
  done
  for module in core network mpi; do
    found=""
    for file in "$1"/lib{,64}/libns{"$version",3}-"$module".so "$1"/lib{,64}/libns"$version-$module-default".so; do
      [ ! -f "$file" ] || found=$file
    done
    if [ -z "$found" ]; then
      other=$(find "$1/lib" "$1/lib64" -maxdepth 1 -name "libns3*-$module*.so" -printf '%f\n' 2>/dev/null | sed -n 1p)
      echo "no lib/libns$version-$module.so${other:+, but $other}"
      return
    fi
    other=$(ldd "$found" 2>/dev/null | sed -n '/not found/{s/^\s*\(\S*\).*/\1/p}' | sed -n 1p)  # another MPI than when it was built
    [ -z "$other" ] || { echo "$(basename "$found") needs $other, which is not here"; return; }
  done
}

# One deb-src entry for each apt entry of this machine that offers the package, printed in one-line form.
# Asks apt for the package's origin, so that this script contains no host name.
source_entries() {
  apt-cache policy libns3-dev 2>/dev/null |
    awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[a-z+]+:/ { split($3, part, "/"); print "deb-src", $2, part[1], part[2] }' | sort -u
}

# Downloads the source package into the current directory, with a separate apt state: the machine's package lists do not change.
download_from_apt() {
  command -v apt-get >/dev/null || die "no apt-get here. Give a tarball of ns-3 $version by NS3_SOURCE=/path/ns-$version.tar.bz2"
  mkdir -p apt/lists/partial
  source_entries > apt/sources.list
  [ -s apt/sources.list ] || die "apt offers no ns-3 here: run 'apt-get update', or give a tarball by NS3_SOURCE=/path/ns-$version.tar.bz2"
  local own=(-o "Dir::Etc::sourcelist=$PWD/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
             -o "Dir::State::lists=$PWD/apt/lists" -o "Dir::Cache::srcpkgcache=" -o "Dir::Cache::pkgcache="
             -o APT::Sandbox::User=root)
  say "fetching the source package through apt"
  { apt-get "${own[@]}" -qq update && apt-get "${own[@]}" -qq source --download-only ns3; } > apt.log 2>&1 ||
    die "apt-get cannot fetch the source ($(grep -m 1 '^[EW]:' apt.log)). Without a network give a tarball by NS3_SOURCE=/path/ns-$version.tar.bz2"
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

  say "compiling modules $modules with MPI (a minute of two cores)"
  # -O1: the engines of ns-3 need 4 % more instructions than with -O3, the default engine none, and the build half of the time.
  cmake -S "$top" -B out -G Ninja -DCMAKE_BUILD_TYPE=release "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DCMAKE_INSTALL_PREFIX="$work/prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_INSTALL_RPATH=\$ORIGIN" -DNS3_MPI=ON -DNS3_ENABLED_MODULES="$modules" -DNS3_EXAMPLES=OFF -DNS3_TESTS=OFF \
    -DNS3_PYTHON_BINDINGS=OFF -DNS3_GSL=OFF -DNS3_SQLITE=OFF -DNS3_GTK3=OFF -DNS3_EIGEN=OFF \
    -DNS3_WARNINGS_AS_ERRORS=OFF -DNS3_NATIVE_OPTIMIZATIONS=OFF -DCMAKE_PROJECT_INCLUDE="$here/one_unit.cmake" > configure.log 2>&1 ||
    { tail -n 20 configure.log >&2; die "cmake could not configure ns-3"; }
  # libmpi needs the other libraries. The default target has ns-3's scratch programs and benches too.
  NINJA_STATUS="%f of %t " cmake --build out --target libmpi 2>&1 | tee build.log | sed -un 's/^\([0-9]* of [0-9]*\) .*/ns-3: \1/p' >&2 ||
    { tail -n 30 build.log >&2; die "ns-3 did not compile"; }
  cmake --install out > install.log 2>&1 || { tail -n 20 install.log >&2; die "ns-3 could not be installed"; }
  # Renamed when complete: an interrupted build never looks like a finished one.
  rm -rf "$prefix"
  mv prefix "$prefix" 2>/dev/null || [ -d "$prefix" ] || die "cannot create $prefix"
}

if [ -n "${NS3_PREFIX:-}" ]; then
  prefix=$NS3_PREFIX
  reason=$(wrong "$prefix")
  [ -z "$reason" ] || die "NS3_PREFIX=$prefix is not ns-3 $version with MPI ($reason): unset it, and ns-3 is compiled here, or give another"
else
  reason=$(wrong "$prefix")
  if [ -n "$reason" ]; then
    [ ! -d "$prefix" ] || say "$prefix cannot be used ($reason): compiling it anew"
    mkdir -p "$cache" || die "cannot write $cache: say by XDG_CACHE_HOME=/path where ns-3 may be kept"
    (build)
  fi
fi
printf '%s\n' "$prefix"
