#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The wheel of a build: the same bytes each time, what its RECORD says, and in a fresh virtual environment of Debian's Python, without the
# build and its sources, the package and the command heddle. Usage: wheel.sh SOURCE BUILD MPIRUN...
# Exit code 77: skipped, Debian's Python lacks venv or the packages that read results.
set -u
source=$1 build=$2
shift 2
mpirun=("$@")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
/usr/bin/python3 -c 'import ensurepip, venv, h5py, pandas, matplotlib' 2> /dev/null ||
  { echo 'skipped: no python3-venv, python3-h5py, python3-pandas or python3-matplotlib'; exit 77; }
. "$here/../common.sh"
unset HEDDLE PYTHONPATH PYTHONHOME VIRTUAL_ENV

# It is made twice, by other users' settings; it is then what it says it is.
"$source/packaging/make_wheel.py" "$build" -o first > made.txt || { fail 'make_wheel.py'; end; }
(umask 077; TZ=Asia/Tokyo LC_ALL=C "$source/packaging/make_wheel.py" "$build" -o second/folder > /dev/null) || fail 'make_wheel.py, again'
wheel=$(echo first/*)
name=$(basename "$wheel")
case $name in heddle-[0-9]*-py3-none-linux_"$(uname -m)".whl) ;; *) fail "its name is $name" ;; esac
cmp "$wheel" "second/folder/$name" || fail 'other bytes from the same build'
/usr/bin/python3 "$here/wheel_contents.py" "$wheel" || fail 'contents'
[ "$(ls first second/folder)" = "$(printf 'first:\n%s\n\nsecond/folder:\n%s' "$name" "$name")" ] || fail "other files: $(ls first second/folder)"

# What is no build, or none for other machines.
# refused WORDS BUILD
refused() {
  "$source/packaging/make_wheel.py" "$2" -o refused > out.txt 2>&1
  [ $? = 3 ] && grep -qF "$1" out.txt || { fail "not refused: $1"; cat out.txt; }
  [ ! -e refused ] || fail "something is left: $1"
}
mkdir none other native broken
refused 'no build of CMake' none
echo 'CMAKE_PROJECT_NAME:STATIC=other' > other/CMakeCache.txt
refused 'a build of other. Expected: one of heddle' other
sed 's/^HEDDLE_NATIVE:BOOL=.*/HEDDLE_NATIVE:BOOL=ON/' "$build/CMakeCache.txt" > native/CMakeCache.txt
refused 'the very processor of this machine' native
cp "$build/CMakeCache.txt" broken
echo 'message(FATAL_ERROR "it is not built")' > broken/cmake_install.cmake
refused 'it is not built' broken

/usr/bin/python3 -m venv --system-site-packages environment || { fail 'venv'; end; }
environment/bin/pip install --no-index --no-cache-dir --disable-pip-version-check -q "$wheel" > out.txt 2>&1 ||
  { fail 'pip install'; cat out.txt; end; }
site=$(echo "$work"/environment/lib/python3*/site-packages)

# bare COMMAND...: in an empty folder, with nothing of the caller's environment, and where root may do so with empty folders in place of the
# build, of ns-3's cache and of the package in the sources.
mkdir empty
ns3=$(sed -n 's/^NS3_PREFIX:PATH=//p' "$build/CMakeCache.txt")
hide=()
if [ "$(id -u)" = 0 ] && [ -d "$ns3" ] && unshare -m true 2> /dev/null; then
  # shellcheck disable=SC2016  # expanded by the inner shell
  hide=(unshare -m bash -c 'for folder in "$1" "$2" "$3"; do mount -t tmpfs none "$folder" || exit 99; done; shift 3; exec "$@"' hide
    "$build" "$ns3" "$source/io/python")
else
  echo '!!! not root, or no mount namespaces here: the build is NOT hidden !!!'
fi
bare() {
  (cd empty && "${hide[@]}" env -i PATH="$work/environment/bin:/usr/bin:/bin" HOME="$work" LANG=C.UTF-8 MPLBACKEND=Agg OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@")
}
[ ${#hide[@]} = 0 ] || ! bare ls "$build/CMakeCache.txt" 2> /dev/null || fail 'the build is still there'

# The package.
bare python "$here/wheel_study.py" "$site/heddle/bin/heddle" "${mpirun[*]}" > out.txt 2>&1 || { fail 'from Python'; cat out.txt; }
bare env LD_DEBUG=libs LD_DEBUG_OUTPUT="$work/loaded" heddle --version > /dev/null || fail 'LD_DEBUG'
[ "$(sed -n 's/.*calling init: //p' loaded.* | grep -c "^$site/heddle/bin/\.\./lib.*libns3")" -ge 3 ] || { fail "ns-3's libraries"; grep -h ns3 loaded.* | head; }

# The command: the program's own output, exit codes and signals.
bare heddle --version > version.txt || fail 'heddle --version'
grep -q "^heddle $(echo "$name" | cut -d - -f 2)\b" version.txt || fail "the wheel is named $name, and the program says $(cat version.txt)"
bare heddle topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > out.txt 2>&1 || { fail 'heddle topo'; cat out.txt; }
echo '1 ALLREDUCE 1048576 DP' > empty/w.txt
bare heddle run -n topo.txt -w w.txt -q -o one.h5 || fail "heddle run: exit code $?"
bare "${mpirun[@]}" -n 2 heddle run -n topo.txt -w w.txt -q -o two.h5 || fail "heddle run on two ranks: exit code $?"
bare heddle compare one.h5 two.h5 > out.txt || { fail 'another result on two ranks'; cat out.txt; }
bare heddle run -n topo.txt -w w.txt --pases 2 2> out.txt
[ $? = 2 ] && grep -q '^heddle: .*--pases' out.txt || { fail 'an unknown flag'; cat out.txt; }
bare bash -c '(sleep 0.5; exec heddle options) | true; exit "${PIPESTATUS[0]}"' 2> out.txt
[ $? = 141 ] && [ ! -s out.txt ] || { fail 'a reader that goes away does not end it as SIGPIPE does'; cat out.txt; }
bare bash -c 'ulimit -f 1; heddle options --markdown > options.md' 2> out.txt
[ $? = 153 ] || { fail 'a file beyond its limit does not end it as SIGXFSZ does'; cat out.txt; }
bare heddle-plot fct one.h5 -o fct.svg > out.txt 2>&1 && grep -q '</svg>' empty/fct.svg || { fail 'heddle-plot'; cat out.txt; }
printf '[run]\ntopology = "topo.txt"\nworkload = "w.txt"\n[vary]\nCC_MODE = [1, 3]\n' > empty/table.toml
mkdir fake
printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' > fake/sbatch
chmod +x fake/sbatch
bare env PATH="$work/fake:$work/environment/bin:/usr/bin:/bin" heddle sweep table.toml --slurm --jobs 2 > out.txt || { fail 'heddle sweep --slurm'; cat out.txt; }
grep -qxF "$site/heddle/share/heddle/slurm/sweep.sbatch" out.txt || { fail 'the job script'; cat out.txt; }

# Machines that lack Open MPI or HDF5: the program asks for libraries of names that are as long, and that nobody has.
cp "$site/heddle/bin/heddle" whole
cp "$site/heddle/needs.txt" needs.txt
run="import heddle; heddle.run('topo.txt', 'w.txt', ranks=int(__import__('sys').argv[1]), launcher=__import__('sys').argv[2])"
for change in libmpi.so.40/libmpx.so.40 libhdf5_openmpi.so/libhdf5_openmpx.so; do
  sed "s/${change}/" needs.txt > "$site/heddle/needs.txt"
  LC_ALL=C sed "s/${change}/g" whole > "$site/heddle/bin/heddle"
  library="${change#*/}[.0-9]*" install='On .*: apt install .*libhdf5-openmpi.* libopenmpi.* openmpi-bin'
  bare heddle --version > out.txt 2>&1
  [ $? = 127 ] && grep -qE "^heddle: $library: not found on this machine\. $install" out.txt || { fail "heddle without ${change%/*}"; cat out.txt; }
  for ranks in 1 2; do
    bare python -c "$run" "$ranks" "${mpirun[*]}" > out.txt 2>&1
    tail -n 1 out.txt | grep -qE "^heddle.LaunchError: .*/heddle/bin/heddle needs $library, which this machine lacks\. $install.*\(exit code 127\)" ||
      { fail "Python without ${change%/*}, on $ranks"; cat out.txt; }
  done
done
cp whole "$site/heddle/bin/heddle"
cp needs.txt "$site/heddle/needs.txt"
bare env PATH="$work/environment/bin" python -c "$run" 2 mpirun > out.txt 2>&1
tail -n 1 out.txt | grep -qE '^heddle.LaunchError: mpirun: No such file .*apt install .*openmpi-bin' || { fail 'Python without mpirun'; cat out.txt; }
rm "$site/heddle/bin/heddle"
bare heddle --version > out.txt 2>&1
[ $? = 127 ] && grep -q "^heddle: $site/heddle/bin/heddle: No such file or directory: install the wheel again" out.txt || { fail 'heddle without the program'; cat out.txt; }

environment/bin/pip --disable-pip-version-check uninstall -y -q heddle > out.txt 2>&1 || { fail 'pip uninstall'; cat out.txt; }
[ -z "$(find environment -iname '*heddle*')" ] || fail "pip uninstall leaves $(find environment -iname '*heddle*')"
end
