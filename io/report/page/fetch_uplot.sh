#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Fetches uPlot, the chart library of heddle report, once, into the user's cache, and prints that folder.
#
# uplot.lock beside this script has the version and the SHA-512 of its tarball; any other file is rejected. Environment:
#   UPLOT_SOURCE  the tarball (uplot-VERSION.tgz as in the npm registry), for machines without npm
#   XDG_CACHE_HOME  where it is kept (default ~/.cache), under heddle/
# Progress goes to standard error; the folder is the only line on standard output. Exit 0, or 1 with a message.
set -euo pipefail

say() { printf 'uPlot: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

lock=$(dirname "${BASH_SOURCE[0]}")/uplot.lock
version=$(sed -n 's/^version //p' "$lock")
sha512=$(sed -n 's/^sha512 //p' "$lock")
cache="${XDG_CACHE_HOME:-$HOME/.cache}/heddle"
folder="$cache/uplot-$version"

fetch() {
  local work="$cache/uplot-$version-$$" tarball
  mkdir -p "$work"
  # shellcheck disable=SC2064  # expand the path now
  trap "rm -rf '$work'" EXIT
  if [ -n "${UPLOT_SOURCE:-}" ]; then
    [ -r "$UPLOT_SOURCE" ] || die "cannot read UPLOT_SOURCE=$UPLOT_SOURCE"
    tarball=$UPLOT_SOURCE
  else
    command -v npm >/dev/null || die "no npm here. Give the tarball of uPlot $version by UPLOT_SOURCE=/path/uplot-$version.tgz"
    say "fetching $version from the npm registry"
    (cd "$work" && npm pack --silent "uplot@$version" >/dev/null 2>npm.log) || { tail -n 5 "$work/npm.log" >&2; die "npm pack uplot@$version failed"; }
    tarball=$work/uplot-$version.tgz
  fi
  printf '%s  %s\n' "$sha512" "$tarball" | sha512sum --check --quiet >/dev/null 2>&1 ||
    die "$tarball is not uPlot $version: its SHA-512 is not that of $lock"
  tar -xzf "$tarball" -C "$work"
  # Renamed when complete: an interrupted download never looks like a finished one.
  mv "$work/package" "$folder" 2>/dev/null || [ -d "$folder" ] || die "cannot create $folder"
}

[ -f "$folder/dist/uPlot.iife.min.js" ] || (fetch)
printf '%s\n' "$folder"
