# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What the studies of the central controller share. Sourced by them.

studies=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$studies/../.." && pwd)

say() { printf '== %s\n' "$*" >&2; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# begin NAME [BUILD_DIR [OUTPUT_DIR]]: finds the programs and goes to the folder that gets inputs, results and pictures.
begin() {
  local name=$1 build=${2:-$tree/build/release}
  [ $# -le 3 ] || die "usage: $(basename "$0") [BUILD_DIR [OUTPUT_DIR]]"
  local output=${3:-$build/studies/$name}
  [ -x "$build/heddle" ] || die "no program $build/heddle; ./bootstrap.sh build makes build/release/heddle"
  /usr/bin/python3 -c 'import h5py' 2> /dev/null || die "/usr/bin/python3 lacks h5py: apt-get install python3-h5py"
  heddle=$(cd "$build" && pwd)/heddle
  # shellcheck disable=SC2034  # for the scripts
  plot=$tree/io/plots/heddle-plot
  mkdir -p "$output"
  cd "$output" || die "cannot enter $output"
  # Settings of the ECMP controller's specification (its section on running the simulation),
  # and nothing of the caller's.
  unset "${!CC_@}" "${!NCCL_@}" "${!AS_@}"
  export AS_SEND_LAT=3 AS_NVLS_ENABLE=1
  if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
  rm -f without.h5 with.h5
}

# spectrum_x: the fabric of 128 GPUs of the ECMP controller's specification, in topology.txt.
spectrum_x() {
  "$heddle" topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -nvbw 2400Gbps -o topology.txt --force
}

# run_both INPUT...: the same run without and with the controller, into without.h5 and with.h5.
run_both() {
  local state enable
  results=(without.h5 with.h5)
  for state in without with; do
    say "run $state the controller"
    if [ $state = with ]; then enable=true; else enable=false; fi
    "$heddle" run -q -n topology.txt "$@" --set "controller.enable=$enable" -o $state.h5
  done
}

# table KIND ARGUMENTS...: a Markdown table of the results; tables.py says which.
table() {
  local kind=$1
  shift
  echo
  /usr/bin/python3 "$studies/tables.py" "$kind" "$@" "${results[@]}"
}
