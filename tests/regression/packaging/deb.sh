#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The package for Debian: made twice with the same files, what it must say and hold, and its life in a root that has neither the build
# nor ns-3's cache: refused without what it depends on, installed, used by another user, removed.
# Usage: deb.sh SOURCE BUILD CPACK CMAKE MPIRUN bare|debootstrap
#   bare         the root is made of this machine's packages, those that Depends names and no others: no network is needed
#   debootstrap  the root is a Debian from the servers of this machine's apt, in which apt installs the package
# Exit code 77: skipped, not root, no mount namespaces, no dpkg here; for debootstrap: no such program or no servers.
# Budget: 90 s (bare), 300 s (debootstrap), on two cores that others use, too.
set -u
source=$1 build=$2 cpack=$3 cmake=$4 mpirun=$5 kind=$6
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null || { echo 'skipped: not root, or no mount namespaces here'; exit 77; }
for tool in dpkg dpkg-shlibdeps dpkg-deb file strip; do
  command -v "$tool" > /dev/null || { echo "skipped: no $tool here"; exit 77; }
done
. "$here/../common.sh"
. "$here/deb/root.sh"
umask 022
unset HEDDLE PYTHONPATH PYTHONHOME SOURCE_DATE_EPOCH

# pack FOLDER WORDS...
pack() {
  local folder=$1
  shift
  "$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$folder" "$@" > "$folder.log" 2>&1
}
began=$SECONDS
pack "$work/first" || { fail 'cpack'; tail -20 first.log; end; }
deb=$(echo first/*.deb)
echo "$(basename "$deb"): $(($(stat -c %s "$deb") / 1024)) KiB in $((SECONDS - began)) s"
if [ "$kind" = bare ]; then
  (umask 077; TZ=Asia/Tokyo LC_ALL=C pack "$work/second") || { fail 'cpack, again'; tail -5 second.log; }
  for part in fsys ctrl; do
    cmp <(dpkg-deb "--$part-tarfile" "$deb") <(dpkg-deb "--$part-tarfile" second/*.deb) || fail "other bytes from the same build: $part"
  done
  pack "$work/refused" -D 'CPACK_HEDDLE_REFUSED=it is for this processor' && fail 'a build for this processor was packed'
  grep -q 'it is for this processor' refused.log || { fail 'why it was not packed'; tail -5 refused.log; }
  [ -z "$(find refused -name '*.deb')" ] || fail 'a package is left'
  "$cmake" --install "$build" --prefix "$work/installed" > install.log 2>&1 || { fail 'cmake --install'; tail -5 install.log; }
  ns3=$(sed -n 's/^NS3_PREFIX:PATH=//p' "$build/CMakeCache.txt")
  python3 "$here/deb/contents.py" "$deb" "$work/installed/bin/heddle" "$source" "$(command -v "$mpirun")" "$build" "$ns3" "$work" || fail 'contents'
  if command -v lintian > /dev/null; then
    lintian --allow-root --fail-on error --tag-display-limit 0 "$deb" > lintian.txt 2>&1 || { fail 'lintian'; grep '^E' lintian.txt; }
    grep -v '^E' lintian.txt
  else
    echo '!!! no lintian here: it was NOT asked !!!'
  fi
fi

"make_root_$kind"
[ ! -e "root/$build" ] && [ ! -e "root/$source" ] || fail 'the build is in the root'
mkdir -p root/home/other
chown 65534:65534 root/home/other
[ "$(other id -u; cat out.txt)" = 65534 ] || { fail 'this is not another user'; cat out.txt; }
. "$here/deb/life.sh"

as_root dpkg -P heddle || { fail 'dpkg -P'; cat out.txt; }
left=$(find root -xdev -iname '*heddle*' -not -path 'root/home/*' -not -path 'root/tmp/*' -not -path 'root/var/log/*' -not -name 'heddle.deb')
[ -z "$left" ] || fail "dpkg -P leaves $left"
end
