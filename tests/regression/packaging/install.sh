#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# An installation in a new folder works without the build's environment, and still does after it has been moved.
# Usage: install.sh CMAKE BUILD MPIRUN...
set -u
cmake=$1 build=$2
shift 2
mpirun=("$@")
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
"$cmake" --install "$build" --prefix "$work/first" > log.txt 2>&1 || { tail -5 log.txt; fail 'cmake --install'; end; }
mv first moved
prefix=$work/moved

# bare COMMAND...: with nothing of the caller's environment but what MPI asks root for.
bare() {
  env -i PATH="$work/fake:$prefix/bin:/usr/bin:/bin" HOME="$work" LANG=C.UTF-8 OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
}
for file in bin/heddle bin/heddle-plot share/heddle/python/heddle/{__init__.py,py.typed} share/heddle/slurm/{run,sweep,scaling}.sbatch \
  share/bash-completion/completions/heddle share/zsh/site-functions/_heddle share/fish/vendor_completions.d/heddle.fish \
  share/heddle/schemas/{analyze-step,bench,run}.json \
  share/heddle/examples/{README.md,{gpt-13b,llama-70b,mixture-of-experts,kv-transfers,infiniband}/README.md} share/doc/heddle/examples/README.md \
  share/man/man1/heddle{,-run,-analyze,-plot}.1 \
  share/doc/heddle/{README,index,exit-codes}.md share/doc/heddle/guide/12-cluster.md share/doc/heddle/notebook/two-fabrics.ipynb share/doc/heddle/LICENSE; do
  [ -r "$prefix/$file" ] || fail "$file is not installed"
done
bare heddle --version > version.txt || fail 'heddle --version'
grep -q '^heddle [0-9]' version.txt || fail "heddle --version: $(cat version.txt)"
version=$(sed -n '1s/^heddle \([^ ]*\).*/\1/p' version.txt)
! ldd "$prefix/bin/heddle" | grep 'not found' || fail 'libraries'
[ -r "$(echo "$prefix"/lib*/heddle/libns3*-core*.so)" ] || fail "ns-3's libraries are not installed"
if command -v readelf > /dev/null; then
  ! readelf -d "$prefix/bin/heddle" | grep -E 'R(UN)?PATH' | grep -F "$build" || fail 'the program looks for libraries in the build'
fi

bare heddle topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt > /dev/null || fail 'heddle topo'
mkdir example
(cd example && bare sh "$prefix/share/heddle/examples/gpt-13b/run.sh") > out.txt 2>&1 || { fail "an example: exit code $?"; cat out.txt; }
bare heddle validate -q example/step.h5 || fail 'its result'
for script in "$prefix"/share/heddle/examples/*/run.sh; do
  [ -x "$script" ] || fail "$script cannot be run"
done
echo '1 ALLREDUCE 1048576 DP' > w.txt
bare heddle run -n topo.txt -w w.txt -q -o one.h5 || fail "heddle run: exit code $?"
bare "${mpirun[@]}" -n 2 heddle run -n topo.txt -w w.txt -q -o two.h5 || fail "heddle run on two ranks: exit code $?"
bare heddle compare one.h5 two.h5 > out.txt || { fail 'another result on two ranks'; cat out.txt; }

# Python's package finds the program of its own installation.
if /usr/bin/python3 -c 'import h5py' 2> /dev/null; then
  bare PYTHONPATH="$prefix/share/heddle/python" PYTHONDONTWRITEBYTECODE=1 PATH=/usr/bin:/bin /usr/bin/python3 - > out.txt 2>&1 << 'END' || { fail 'Python'; cat out.txt; }
import heddle
result = heddle.run("topo.txt", "w.txt", output="three.h5")
print(heddle.find_program(), result.complete)
END
  [ "$(cat out.txt)" = "$prefix/bin/heddle True" ] || { fail "Python's program"; cat out.txt; }
  bare heddle compare one.h5 three.h5 > out.txt || { fail 'another result from Python'; cat out.txt; }
fi

# The job script is found from the program's own place; a stand-in says what sbatch would get.
mkdir fake
printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' > fake/sbatch
chmod +x fake/sbatch
printf '[run]\ntopology = "topo.txt"\nworkload = "w.txt"\n[vary]\nCC_MODE = [1, 3, 7]\n' > table.toml
bare heddle sweep table.toml --slurm --jobs 2 > out.txt || fail 'heddle sweep --slurm'
grep -qxF "$prefix/share/heddle/slurm/sweep.sbatch" out.txt || { fail 'the job script'; cat out.txt; }
grep -qxF -- '--array=0-2%2' out.txt || { fail 'the array'; cat out.txt; }

[ -r "$prefix/share/heddle/modulefiles/heddle/$version.lua" ] || fail 'the module file is not named after the version'
lmod=/usr/share/lmod/lmod/libexec/lmod
if [ -x "$lmod" ]; then
  "$lmod" bash use "$prefix/share/heddle/modulefiles" > use.sh 2> err.txt
  (. ./use.sh; eval "$("$lmod" bash load heddle 2>> err.txt)"; [ "$(command -v heddle)" = "$prefix/bin/heddle" ] &&
    [ -r "$HEDDLE_SLURM/run.sbatch" ]) || { fail 'module load'; cat err.txt; }
else
  echo '!!! no Lmod here: the module file is NOT loaded !!!'
fi
end
