#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# From a fresh clone to a built, tested and demonstrated heddle. ./bootstrap.sh help lists the commands.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Debian's packages by what needs them. ns-3 and the program share the first, so that ns-3 compiles while the others are installed.
readonly ns3_packages=(g++ cmake ninja-build bzip2 openmpi-bin libopenmpi-dev)
readonly program_packages=(
  make  # link-time optimisation uses all cores only where there is a make
  libhdf5-openmpi-dev libboost-serialization-dev libmetis-dev libcli11-dev libfmt-dev libxxhash-dev libdeflate-dev
  nlohmann-json3-dev libtomlplusplus-dev libyaml-cpp-dev
  protobuf-compiler libprotobuf-dev zlib1g-dev  # traces of Chakra
)
readonly test_packages=(
  libgtest-dev git dpkg-dev xz-utils hdf5-tools
  python3-h5py python3-matplotlib python3-pandas  # io/python, heddle-plot and docs/studies too
  python3-jsonschema  # by which what --json prints is checked
  python3-venv  # a wheel is installed by it
  file binutils  # a package for Debian is made with dpkg-dev and these
)
# Without these some tests are skipped or do less: those of the sources' format, of heddle report, charts of heddle report (npm brings uPlot),
# and of Debian's package, in whose roots manual pages are shown and words completed.
extra_packages=(clang-format chromium chromium-driver man-db bash-completion debootstrap)
readonly modules="cmake >= 3.25, ninja, gcc >= 12, openmpi, hdf5 (parallel), boost, metis, fmt, cli11, xxhash, libdeflate, zlib, protobuf, graphviz (cgraph), nlohmann-json, toml++, yaml-cpp, googletest, python with h5py, matplotlib, pandas and jsonschema"
readonly cache="${XDG_CACHE_HOME:-$HOME/.cache}/heddle"

stage_name="" stage_number=0 stages=0 ns3_process="" died=no
say() { printf '== %s\n' "$*" >&2; }
die() { died=yes; printf 'bootstrap: %s\n' "$*" >&2; exit 1; }

# free_mb PATH: what the disk of PATH, or of the folder where it will be, has left.
free_mb() {
  local path=$1
  while [ ! -e "$path" ]; do path=$(dirname "$path"); done
  df -Pm "$path" | awk 'END { print $4 }'
}

# shellcheck disable=SC2317,SC2329
finish() {
  local code=$? path
  [ -z "$ns3_process" ] || kill -- "-$ns3_process" 2>/dev/null || true
  [ "$code" -ne 0 ] && [ "$died" = no ] || return 0
  for path in . "$cache" "${TMPDIR:-/tmp}"; do
    [ "$(free_mb "$path")" -ge 20 ] || die "the disk of $path is full: free some room and give the command again"
  done
  [ -z "$stage_name" ] || say "$stage_name: failed"
}
trap finish EXIT

# stage NAME COMMAND...: runs the command and prints its run time.
stage() {
  local start=$SECONDS
  stage_name=$1
  shift
  stage_number=$((stage_number + 1))
  say "[$stage_number/$stages] $stage_name"
  "$@"
  say "[$stage_number/$stages] $stage_name: $((SECONDS - start)) s, $SECONDS s in all"
  stage_name=""
}

# The functions below are called through stage.
debian() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

# missing_of PACKAGE...: those that are not installed.
missing_of() {
  local installed
  # shellcheck disable=SC2016  # dpkg-query's own variables
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  printf '%s\n' "$@" | grep -vxFf <(sed -n 's/ installed$//p' <<< "$installed") || true
}

# need_commands: on machines where packages are not looked at, the tools that the build begins with.
need_commands() {
  local tool
  for tool in cmake ninja c++; do
    command -v "$tool" >/dev/null || die "no $tool here: load or install $modules"
  done
}

# need_room PACKAGES_MB BUILD_MB: ends unless the disks have room for what is still missing.
need_room() {
  local path mb mount
  local -A need=() place=()
  while read -r path mb; do
    [ "$mb" -gt 0 ] || continue
    mount=$path
    while [ ! -e "$mount" ]; do mount=$(dirname "$mount"); done
    mount=$(df -Pm "$mount" | awk 'END { print $6 }')
    need[$mount]=$((${need[$mount]:-0} + mb))
    place[$mount]="${place[$mount]:-}${place[$mount]:+, }$path"
  done <<END
/usr $1
$cache $([ -n "${NS3_PREFIX:-}" ] || compgen -G "$cache/ns3-*" >/dev/null && echo 0 || echo 300)
$PWD/build $2
END
  for mount in "${!need[@]}"; do
    [ "$(free_mb "$mount")" -ge "${need[$mount]}" ] ||
      die "the disk of ${place[$mount]} has $(free_mb "$mount") MB left, and about ${need[$mount]} MB are needed: free some room (XDG_CACHE_HOME=/path moves the cache)"
  done
}

# show_packages: of apt-get's output, how far it is, every 5 s.
show_packages() {
  local line total=0 steps=0 last=$SECONDS
  while read -r line; do
    case $line in
      *" newly installed, "*) total=${line#*upgraded, } total=${total%% *} ;;
      "Need to get "*) say "$total packages: ${line%.}" ;;
      Get:* | "Unpacking "* | "Setting up "*) steps=$((steps + 1)) ;;
    esac
    if [ $((SECONDS - last)) -ge 5 ] && [ "$total" -gt 0 ]; then
      last=$SECONDS
      say "$total packages: $((steps < 3 * total ? steps * 100 / (3 * total) : 99)) %"
    fi
  done
}

# install_packages PACKAGE...: as root or by sudo.
as_root=()
# shellcheck disable=SC2317,SC2329
install_packages() {
  [ $# -gt 0 ] || return 0
  local log=build/packages.log reason
  [ -n "${updated:-}" ] || "${as_root[@]}" apt-get -q update > "$log" 2>&1 || true
  updated=yes
  "${as_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@" 2>&1 |
    tee -a "$log" | show_packages && return
  reason=$(grep -m 1 -E 'No space left|Could not resolve|Failed to fetch|Unable to connect|Connection (failed|timed out)|Could not get lock' "$log" ||
    grep -m 1 '^E:' "$log" || true)
  case $reason in
    *"No space left"*) die "the disk is full: free some room and give the command again" ;;
    *"Could not get lock"*) die "another apt-get holds the lock for two minutes already: let it end and give the command again" ;;
  esac
  die "apt-get cannot install packages (${reason:-see $log}): connect this machine to its Debian servers, or install $*"
}

# set_up FOR BUILD_MB: FOR is demo or all. Packages, ns-3, and for all uPlot. ns-3 compiles while packages of the program are installed.
set_up() {
  local what=$1 build_mb=$2 first=() others=() extra=() packages_mb=0
  mkdir -p build 2>/dev/null || true
  [ -w build ] || die "cannot write $PWD/build: give this folder to the user who builds, or move the tree to another place"
  if [ "${HEDDLE_PACKAGES:-ON}" = OFF ] || ! debian; then
    need_commands
  else
    readarray -t first < <(missing_of "${ns3_packages[@]}")
    if [ "$what" = demo ]; then
      readarray -t others < <(missing_of "${program_packages[@]}" libcgraph6)
    else
      [ -n "${UPLOT_SOURCE:-}" ] || command -v npm >/dev/null || extra_packages+=(nodejs npm)  # to fetch uPlot
      readarray -t others < <(missing_of "${program_packages[@]}" libgraphviz-dev "${test_packages[@]}")
      readarray -t extra < <(missing_of "${extra_packages[@]}")
    fi
    if [ "$(id -u)" -ne 0 ] && [ $((${#first[@]} + ${#others[@]} + ${#extra[@]})) -gt 0 ]; then
      if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
      elif [ $((${#first[@]} + ${#others[@]})) -gt 0 ]; then
        die "no right to install packages: let root run 'apt-get install ${first[*]} ${others[*]}', or load modules and set HEDDLE_PACKAGES=OFF"
      else
        say "no right to install ${extra[*]}: going on without, some tests will be skipped"
        extra=()
      fi
    fi
    [ ${#first[@]} -eq 0 ] || packages_mb=$((packages_mb + 700))
    [ ${#others[@]} -eq 0 ] || packages_mb=$((packages_mb + 250))
    [ "$what" = demo ] || [ ${#others[@]} -eq 0 ] || packages_mb=$((packages_mb + 1500))
  fi
  need_room "$packages_mb" "$build_mb"
  stage "compiler, MPI" install_packages "${first[@]}"
  start_ns3
  stage "libraries, while ns-3 compiles" install_packages "${others[@]}" "${extra[@]}"
  stage "ns-3 3.37 with MPI (Debian's has none)" wait_for_ns3
  uplot="" cgraph=()
  if [ "$what" = demo ]; then
    find_cgraph
  else
    stage "uPlot" find_uplot
  fi
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  export OMPI_MCA_rmaps_base_oversubscribe=1
}

# In a process group of its own, which finish() can end as a whole.
start_ns3() {
  : > build/ns3.log  # the job may open it after the reader
  set -m
  bash core/ns3/build_ns3.sh > build/ns3.prefix 2> build/ns3.log &
  ns3_process=$!
  set +m
}

# shellcheck disable=SC2317,SC2329
wait_for_ns3() {
  local code=0 reader
  tail -s 0.2 -n +1 -f --pid="$ns3_process" build/ns3.log >&2 &
  reader=$!
  wait "$ns3_process" || code=$?
  wait "$reader" || true
  ns3_process=""
  [ "$code" -eq 0 ] || { stage_name=""; exit 1; }  # its last line says what to do
  ns3=$(cat build/ns3.prefix)
}

# libgraphviz-dev brings 70 packages (GTK, Cairo), of which the program needs the headers of cgraph. A demo takes only these.
find_cgraph() {
  local package
  debian && [ "${HEDDLE_PACKAGES:-ON}" != OFF ] && [ -n "$(missing_of libgraphviz-dev)" ] || return 0
  if [ ! -f build/graphviz/usr/include/graphviz/cgraph.h ]; then
    rm -rf build/graphviz
    mkdir -p build/graphviz
    (cd build/graphviz && apt-get -q -o APT::Sandbox::User=root download libgraphviz-dev >> ../packages.log 2>&1) ||
      die "apt-get cannot download libgraphviz-dev: connect this machine to its Debian servers, or install it"
    for package in build/graphviz/*.deb; do
      dpkg-deb --fsys-tarfile "$package" | tar -x -C build/graphviz ./usr/include/graphviz
    done
  fi
  cgraph=("-DCgraph_INCLUDE_DIR=$PWD/build/graphviz/usr/include" "-DCgraph_LIBRARY=$(dpkg-query -L libcgraph6 | grep '/libcgraph\.so\.6$')")
}

# uPlot draws the charts of heddle report; everything else works without it.
# shellcheck disable=SC2317,SC2329
find_uplot() {
  uplot=$(bash io/report/page/fetch_uplot.sh) || { uplot=""; say "going on without uPlot: heddle report will not work"; }
}

# configure PRESET TESTS: drops cached paths of ns-3 and cgraph, so that a moved or deleted prefix is found again.
# shellcheck disable=SC2317,SC2329
configure() {
  local preset=$1 cached=build/$1/CMakeCache.txt arguments=() built_in
  if [ -f "$cached" ]; then
    built_in=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cached")
    if [ "$built_in" != "$PWD" ]; then
      say "this tree was in $built_in when it was built: everything is compiled anew"
      arguments+=(--fresh)
    fi
  fi
  cmake --preset "$preset" "${arguments[@]}" -U 'Ns3WithMpi_*' -U 'Cgraph_*' "${cgraph[@]}" \
    "-DNS3_PREFIX=$ns3" "-DUPLOT_DIR=$uplot" "-DBUILD_TESTING=$2" \
    "-DCMAKE_COMPILE_WARNING_AS_ERROR=${HEDDLE_WERROR:-OFF}" --log-level=WARNING >&2 ||
    die "CMake misses something, as it says above: install it, or load $modules"
}

# build_preset PRESET TARGET TESTS
build_preset() {
  stage "configure $1" configure "$1" "$3"
  NINJA_STATUS='[%p, %f of %t, %e s] ' stage "build $1" cmake --build --preset "$1" --target "$2" >&2
}

# Many tests wait for ranks that start and for the disk: half as many again as there are processors keep these busy.
# shellcheck disable=SC2317,SC2329
run_tests() { ctest --test-dir build/release --output-on-failure -j $(($(nproc) * 3 / 2)) "$@"; }

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
  demo             what the program alone needs, build it, run three small studies on two ranks
  test [ARGS...]   setup, build, run the default tests; ARGS go to ctest (-R NAME, -j 2, ...)
  slow [ARGS...]   setup, build, run the tests labelled slow, and slurm (a Slurm of one node)
  help             this text
Environment: NS3_SOURCE  a tarball of ns-3 3.37 for machines without apt
             NS3_PREFIX  an installed ns-3 3.37 with MPI, used as it is
             UPLOT_SOURCE  a tarball of uPlot (io/report/page/uplot.lock says which) for machines without npm
             HEDDLE_PACKAGES=OFF  looks for no Debian packages: modules have what is needed
             HEDDLE_WERROR=ON  a compiler's warning ends the build, as in CI
TEXT
}

# build_mb PRESET: what a build with tests takes from nothing, 0 if there is one.
build_mb() { if [ -f "build/$1/heddle" ]; then echo 0; elif [ "$1" = release ]; then echo 1000; else echo 3000; fi; }
tests_of() { if [ "$1" = tidy ]; then echo OFF; else echo ON; fi; }
# A tree with tests keeps them: a demo switches them off only where it configures first.
demo_tests() { if grep -qs '^BUILD_TESTING:BOOL=ON' build/release/CMakeCache.txt; then echo ON; else echo OFF; fi; }

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
  setup) stages=4; set_up all 0 ;;
  build) stages=6; set_up all "$(build_mb "${1:-release}")"; build_preset "${1:-release}" "${2:-all}" "$(tests_of "${1:-release}")" ;;
  demo) stages=8; set_up demo "$(($(build_mb release) / 5))"; build_preset release heddle "$(demo_tests)"; demo ;;
  test) stages=7; set_up all "$(build_mb release)"; build_preset release all ON; stage "tests" run_tests -LE 'slow|bench|slurm' "$@" ;;
  slow) stages=7; set_up all "$(build_mb release)"; build_preset release all ON; stage "slow tests" run_tests -L 'slow|slurm' "$@" ;;
  help | -h | --help) help ;;
  *) help >&2; die "unknown command '$command'" ;;
esac
