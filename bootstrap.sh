#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# From a fresh clone to a built, tested and demonstrated heddle. ./bootstrap.sh help lists the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Required packages: compiler and build tools, tools to unpack ns-3's source, MPI, the libraries of CMakeLists.txt,
# and the Python packages of io/python, heddle-plot and docs/studies.
packages=(
  g++ cmake ninja-build git
  dpkg-dev xz-utils bzip2
  openmpi-bin libopenmpi-dev
  libhdf5-openmpi-dev hdf5-tools libboost-serialization-dev libmetis-dev libcli11-dev libfmt-dev libxxhash-dev
  libdeflate-dev libgraphviz-dev
  nlohmann-json3-dev libtomlplusplus-dev libgtest-dev
  python3-h5py python3-matplotlib python3-pandas
  clang-format  # the test of the sources' format
  chromium chromium-driver  # tests of heddle report only
)
readonly modules="cmake >= 3.25, ninja, gcc >= 12, openmpi, hdf5 (parallel), boost, metis, fmt, cli11, xxhash, libdeflate, graphviz (cgraph), nlohmann-json, toml++, googletest, python with h5py, matplotlib and pandas"

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'bootstrap: %s\n' "$*" >&2; exit 1; }

# stage NAME COMMAND...: runs the command and prints its run time.
stage() {
  local name=$1 start=$SECONDS
  shift
  say "$name"
  "$@"
  say "$name: $((SECONDS - start)) s"
}

# The functions below are called through stage.
# shellcheck disable=SC2317,SC2329
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "no Debian packages here; load these modules if anything is missing: $modules"
    return
  fi
  local package missing=() as_root=()
  [ -n "${UPLOT_SOURCE:-}" ] || command -v npm >/dev/null || packages+=(nodejs npm)  # to fetch uPlot
  for package in "${packages[@]}"; do
    # shellcheck disable=SC2016  # dpkg-query's own variable
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      say "neither root nor sudo without a password, so these packages stay missing: ${missing[*]}"
      say "install them, or load modules: $modules. Going on with what is here"
      return
    fi
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get -qq update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${missing[@]}" >&2
}

# shellcheck disable=SC2317,SC2329
find_ns3() {
  ns3=$(bash core/ns3/build_ns3.sh)
}

# uPlot draws the charts of heddle report; everything else works without it.
# shellcheck disable=SC2317,SC2329
find_uplot() {
  uplot=$(bash io/report/page/fetch_uplot.sh) || { uplot=""; say "going on without uPlot: heddle report will not work"; }
}

set_up() {
  stage "packages" install_packages
  say "Debian's ns-3 has no MPI: the first time, ns-3 is compiled here, which takes minutes"
  stage "ns-3 3.37 with MPI" find_ns3
  stage "uPlot" find_uplot
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  export OMPI_MCA_rmaps_base_oversubscribe=1
}

# configure PRESET: drops cached paths of ns-3, so that a moved or deleted prefix is found again.
# shellcheck disable=SC2317,SC2329
configure() {
  local preset=$1 cache=build/$1/CMakeCache.txt arguments=()
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    arguments+=(--fresh)  # the tree was moved or copied together with its build
  fi
  cmake --preset "$preset" "${arguments[@]}" -U 'Ns3WithMpi_*' "-DNS3_PREFIX=$ns3" "-DUPLOT_DIR=$uplot" \
    "-DCMAKE_COMPILE_WARNING_AS_ERROR=${HEDDLE_WERROR:-OFF}" --log-level=WARNING >&2
}

# build_preset PRESET [TARGET]
build_preset() {
  local preset=$1 target=${2:-all}
  stage "configure $preset" configure "$preset"
  stage "build $preset (minutes, the first time)" cmake --build --preset "$preset" --target "$target" >&2
}

# shellcheck disable=SC2317,SC2329
run_tests() { ctest --test-dir build/release --output-on-failure -j "$(nproc)" "$@"; }

# simulate FOLDER TRAFFIC...: runs heddle on two ranks, in that folder.
simulate() {
  (cd "$1" && mpirun -n 2 ../../release/heddle run -n topology.txt "${@:2}" -o result.h5 --force)
}

# Prints the spine of each flow: the third node of its path, after source and leaf.
# shellcheck disable=SC2317,SC2329
demo_burst() {
  local folder=build/demo/burst gpu
  mkdir -p "$folder"
  build/release/heddle topo DCN-SingleToR -g 16 -gps 8 -gt A100 -bw 100Gbps -nvbw 2400Gbps -asn 2 -npa 8 -psn 8 \
    -apbw 100Gbps -app 2 -o "$folder/topology.txt" --force
  {
    echo "timestamp_ns,src,dst,size_bytes"
    for gpu in {0..7}; do echo "0,$gpu,$((gpu + 8)),10485760"; done
  } > "$folder/trace.csv"
  AS_SEND_LAT=3 simulate "$folder" --trace trace.csv
  build/release/heddle export "$folder/result.h5" --paths "$folder/paths.txt" --fct "$folder/fct.txt" --force
  echo
  echo "flow         spine    completion   of the same flow alone"
  # fct.txt has the addresses 0b<GPU in four hex digits>01, and the times in ns: columns 7 and 8.
  awk '
    function hex(text,  value, i) {
      for (i = 1; i <= length(text); ++i) value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
      return value
    }
    FNR == NR { key = hex(substr($1, 3, 4)) " " hex(substr($2, 3, 4)); time[key] = $7; alone[key] = $8; next }
    /^#/ { next }
    { key = $2 " " $3; split($0, part, "|"); split(part[2], node, " ")
      printf "%2d -> %-2d     %5d   %8.1f us   %.2fx\n", $2, $3, node[2], time[key] / 1000, time[key] / alone[key]
      ++users[node[2]] }
    END { for (spine in users) if (users[spine] > 1) { ++shared; flows += users[spine] }
          printf "%d of %d flows share a spine with another: %d spines carry them\n", flows, FNR - 1, shared }
  ' "$folder/fct.txt" "$folder/paths.txt"
}

# demo_collectives NAME: runs the workload from standard input on 128 GPUs.
# shellcheck disable=SC2317,SC2329
demo_collectives() {
  local folder=build/demo/$1
  mkdir -p "$folder"
  cat > "$folder/workload.txt"
  build/release/heddle topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -nvbw 2400Gbps -o "$folder/topology.txt" --force
  simulate "$folder" -w workload.txt
  echo
  build/release/heddle export "$folder/result.h5" --nccl-tests -
}

demo() {
  stage "demo 1: eight 10 MB flows from one server to another over eight spines, on two ranks" demo_burst
  # Tensor parallel groups are servers of 8 GPUs, data parallel ones the 16 GPUs of a rail.
  stage "demo 2: AllReduce of 64 MiB within servers, then along rails, 128 GPUs on Spectrum-X" demo_collectives allreduce <<'END'
1 ALLREDUCE 67108864 TP
1 ALLREDUCE 67108864 DP
END
  # The policy MICRO has no tensor parallelism: all GPUs are one data parallel group.
  stage "demo 3: AllToAll of 16 MiB among all 128 GPUs" demo_collectives alltoall <<'END'
MICRO
1
exchange -1 0 NONE 0 0 NONE 0 0 ALLTOALL 16777216 0
END
  say "inputs and results are in build/demo/"
}

help() {
  cat <<'TEXT'
Usage: ./bootstrap.sh COMMAND
  setup            install missing Debian packages (as root or by sudo), build ns-3 with MPI into the user's cache
  build [PRESET [TARGET]]  setup, then build a preset of CMakePresets.json (release, debug, dev); default release, with all tests.
                   "build release heddle" is the program alone, as cmake --install needs it
  demo             setup, build the program, run three small studies on two ranks
  test [ARGS...]   setup, build, run the default tests; ARGS go to ctest (-R NAME, -j 2, ...)
  slow [ARGS...]   setup, build, run the tests labelled slow, and slurm (a Slurm of one node)
  help             this text
Environment: NS3_SOURCE  a tarball of ns-3 3.37 for machines without apt
             NS3_PREFIX  an installed ns-3 3.37 with MPI, used as it is
             UPLOT_SOURCE  a tarball of uPlot (io/report/page/uplot.lock says which) for machines without npm
             HEDDLE_WERROR=ON  a compiler's warning ends the build, as in CI
TEXT
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
  setup) set_up ;;
  build) set_up; build_preset "${1:-release}" "${2:-all}" ;;
  demo) set_up; build_preset release heddle; demo ;;
  test) set_up; build_preset release; stage "tests" run_tests -LE 'slow|bench|slurm' "$@" ;;
  slow) set_up; build_preset release; stage "slow tests" run_tests -L 'slow|slurm' "$@" ;;
  help | -h | --help) help ;;
  *) help >&2; die "unknown command '$command'" ;;
esac
