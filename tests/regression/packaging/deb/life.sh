# SPDX-License-Identifier: GPL-2.0-only
# For deb.sh, which sources it: what a user does with an installed package, in the folder root.
# shellcheck shell=bash
other heddle --version && grep -q '^heddle [0-9]' out.txt || { fail 'heddle --version'; cat out.txt; }
other heddle --help || fail 'heddle --help'
if grep -q '^  demo ' out.txt; then
  began=$SECONDS
  other heddle demo || { fail "heddle demo: exit code $?"; cat out.txt; }
  [ -s root/home/other/heddle-demo/report.html ] || fail "the demo's page"
  echo "heddle demo: $((SECONDS - began)) s"
else
  echo '!!! no heddle demo in this program !!!'
fi
other heddle topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -o topo.txt || { fail 'heddle topo'; cat out.txt; }
echo '1 ALLREDUCE 1048576 DP' > root/home/other/w.txt
other heddle run -n topo.txt -w w.txt -q -o one.h5 || { fail "heddle run: exit code $?"; cat out.txt; }
other mpirun -n 2 heddle run -n topo.txt -w w.txt -q -o two.h5 || { fail "heddle run on two ranks: exit code $?"; cat out.txt; }
other heddle compare one.h5 two.h5 || { fail 'another result on two ranks'; cat out.txt; }

# The guide's first chapter, as it is installed.
cp -r "$here/../guide" root/tmp/walk
other /usr/bin/python3 -B /tmp/walk/walk_guide.py /usr/bin/heddle --source /usr/share/doc/heddle guide/01-first-run.md ||
  { fail 'guide, chapter 1'; cat out.txt; }
typed=$(sed -n 's/^ok .*01-first-run.md: \([0-9]*\) blocks typed.*/\1/p' out.txt)
[ "${typed:-0}" -ge 6 ] || { fail "guide, chapter 1: ${typed:-no} blocks"; cat out.txt; }

# The examples, as they are installed.
# shellcheck disable=SC2016  # expanded by the inner shell
other sh -c '/usr/bin/python3 -B /tmp/walk/walk_guide.py /usr/bin/heddle --source /usr/share/heddle /usr/share/heddle/examples/*/README.md' ||
  { fail 'examples'; cat out.txt; }
[ "$(grep -c '^ok .*examples/.*/README.md: 3 blocks typed' out.txt)" = 5 ] || { fail 'not five examples'; cat out.txt; }

# Completion, as bash loads it, and what it then proposes.
cat > root/tmp/complete.sh << 'END'
set -e
if [ -r /usr/share/bash-completion/bash_completion ]; then
  . /usr/share/bash-completion/bash_completion
  _completion_loader heddle || [ $? = 124 ]
else
  . /usr/share/bash-completion/completions/heddle
fi
complete -p heddle
function=$(complete -p heddle | sed -n 's/.* -F \([^ ]*\) .*/\1/p')
COMP_WORDS=(heddle vali) COMP_CWORD=1 COMP_LINE='heddle vali' COMP_POINT=11
$function heddle vali heddle || true
printf '%s\n' "${COMPREPLY[@]}"
END
add_packages bash-completion || echo '!!! no package bash-completion here: its script is loaded by hand !!!'
other bash /tmp/complete.sh && grep -qE '^validate *$' out.txt || { fail 'completion'; cat out.txt; }

# Manual pages: found by name, and without a warning of groff's.
if add_packages man-db; then
  [ "$(other man -w heddle-run; cat out.txt)" = /usr/share/man/man1/heddle-run.1.gz ] || { fail 'man -w heddle-run'; cat out.txt; }
  other man heddle && grep -q 'heddle-run(1)' out.txt || { fail 'man heddle'; cat out.txt; }
  # shellcheck disable=SC2016  # expanded by the inner shell
  other bash -c 'for page in /usr/share/man/man1/heddle*; do for width in 60 120; do
      MANWIDTH=$width man --warnings -E UTF-8 -l -Tutf8 "$page" 2>&1 > /dev/null | sed "s|^|$page, $width: |"; done; done'
  [ ! -s out.txt ] || { fail 'warnings in manual pages'; head out.txt; }
else
  echo '!!! no package man-db here: manual pages were NOT shown !!!'
fi

# Debian's Python finds the package, and the package the program of this installation; root has compiled it.
if add_packages python3-h5py; then
  cat > root/tmp/study.py << 'END'
import heddle
result = heddle.run("topo.txt", "w.txt", output="three.h5")
print(heddle.find_program(), result.complete, bool(heddle.compare(result, "one.h5")))
END
  other /usr/bin/python3 /tmp/study.py || { fail 'Python'; cat out.txt; }
  [ "$(cat out.txt)" = '/usr/bin/heddle True True' ] || { fail 'what Python says'; cat out.txt; }
else
  echo '!!! no package python3-h5py here: the package for Python was NOT used !!!'
fi
[ -n "$(find root/usr/lib/python3/dist-packages/heddle/__pycache__ -name '*.pyc')" ] || fail 'modules of Python are not compiled'
