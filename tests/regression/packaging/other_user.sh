#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# An installation works for a user who did not build it: without the build folder and the builder's cache, where ns-3 was compiled, every
# library comes from the installation or from the system. Usage: other_user.sh CMAKE BUILD MPIRUN...
set -u
cmake=$1 build=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
[ "$(id -u)" = 0 ] && command -v setpriv > /dev/null && unshare -m true 2> /dev/null ||
  { echo '!!! not root, or no mount namespaces here: an installation for others is NOT tried !!!'; exit 77; }
ns3=$(sed -n 's/^NS3_PREFIX:PATH=//p' "$build/CMakeCache.txt")
[ -d "$ns3" ] || { fail "NS3_PREFIX of the build: '$ns3'"; end; }
"$cmake" --install "$build" --prefix "$work/first" > log.txt 2>&1 || { tail -5 log.txt; fail 'cmake --install'; end; }
mv first moved
chmod 755 "$work"
mkdir home
chown 65534:65534 home

# other COMMAND...: as the user nobody, with empty folders in place of the cache and the build.
other() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare -m bash -c 'ns3=$1 build=$2; shift 2
    mount -t tmpfs none "$ns3" && mount -t tmpfs none "$build" && cd home || exit 99
    exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' other "$ns3" "$build" \
    env -i PATH="$work/moved/bin:/usr/bin:/bin" HOME="$work/home" TMPDIR=/tmp LANG=C.UTF-8 "$@" > out.txt 2>&1 < /dev/null
}
other ls "$ns3/lib" && fail "the cache is still there"
[ "$(other id -u; cat out.txt)" = 65534 ] || { fail 'this is not another user'; cat out.txt; }
other heddle --version && grep -q '^heddle [0-9]' out.txt || { fail 'heddle --version'; cat out.txt; }
other env LD_DEBUG=libs LD_DEBUG_OUTPUT="$work/home/loaded" heddle --version || fail 'LD_DEBUG'
[ "$(sed -n 's/.*calling init: //p' home/loaded.* | grep -c "^$work/moved/.*libns3")" -ge 3 ] || { fail "ns-3's libraries"; grep ns3 home/loaded.* | head; }
sed -n 's/.*calling init: //p' home/loaded.* | grep -v "^$work/moved/\|^/lib\|^/usr/lib" && echo 'these libraries are of another folder'
if command -v readelf > /dev/null; then
  readelf -d moved/bin/heddle | grep -E 'R(UN)?PATH' > run_path
  grep -qF '[$ORIGIN/' run_path && ! grep -qF -e "$ns3" -e "$build" run_path || { fail 'the run path'; cat run_path; }
fi
other heddle topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt || { fail 'heddle topo'; cat out.txt; }
echo '1 ALLREDUCE 1048576 DP' > home/w.txt
other heddle run -n topo.txt -w w.txt -q -o one.h5 || { fail "heddle run: exit code $?"; cat out.txt; }
other "${mpirun[@]}" -n 2 heddle run -n topo.txt -w w.txt -q -o two.h5 || { fail "heddle run on two ranks: exit code $?"; cat out.txt; }
other heddle compare one.h5 two.h5 || { fail 'another result on two ranks'; cat out.txt; }
# In a folder of root's nothing can be written, and nothing is left.
mkdir -m 755 home/closed
for place in closed closed/below; do
  other heddle demo -o $place && fail "heddle demo -o $place: it ends with 0"
  grep -Eq "^heddle: $place.*Permission denied" out.txt && [ -z "$(ls -A home/closed)" ] || { fail "heddle demo -o $place"; cat out.txt; }
done
# From nothing: an empty folder, the first page, and the guide that the installation brings.
other heddle demo -o first || { fail "heddle demo: exit code $?"; cat out.txt; }
grep -q '^page: first/report.html$' out.txt && [ -s home/first/report.html ] || { fail 'the page of heddle demo'; cat out.txt; }
guide=$(sed -n '/^The guide$/{n;s/^  //p}' out.txt)
[ "$guide" = "$work/moved/share/doc/heddle/guide/05-comparing-fabrics.md" ] && [ -r "$guide" ] || fail "the guide: '$guide'"
end
