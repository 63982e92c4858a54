#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A long trace of Chakra: nodes read a second, and the most memory of a run that holds all of it or a window, and whether the results are
# the same. Usage: trace_window.sh BUILD_DIRECTORY [RANKS [NODES]], NODES of each rank (default: 1024 ranks, 1000 nodes each).
set -u
heddle=$1/heddle maker=$1/trace_maker ranks=${2:-1024} nodes=${3:-1000}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset AS_SEND_LAT CC_ENABLE CC_LOG_FILE TRACE_INJECT_FILE
"$maker" long "$ranks" "$nodes" || exit 1
"$heddle" topo Spectrum-X -g "$ranks" -gps 8 -gt H100 -bw 400Gbps -nvbw 3600Gbps -o fabric.txt > /dev/null 2>&1 || exit 1
# measure NAME ARGUMENTS...: seconds and MiB of a process.
measure() {
  local name=$1
  shift
  /usr/bin/python3 - "$name" "$heddle" "$@" <<'PYTHON'
import resource, subprocess, sys, time
start = time.monotonic()
done = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]:<44} {used.ru_utime + used.ru_stime:8.2f} s of a core {used.ru_maxrss / 1024:9.0f} MiB at most"
      + ("" if done.returncode == 0 else f"  FAILED ({done.returncode})"))
PYTHON
}
long=(run -n fabric.txt --chakra long --chakra-groups long.groups.json --backend analytical --record timeline=none --record collectives=none)
echo "$((ranks * nodes)) nodes of $ranks ranks"
measure 'read' trace show long --chakra-groups long.groups.json
measure 'read, and the program made, all held' "${long[@]}" --set chakra.window=0 --estimate
measure 'read, and the program made, 100,000 held' "${long[@]}" --set chakra.window=100000 --estimate
measure 'run, all held' "${long[@]}" -q --set chakra.window=0 -o all.h5
measure 'run, 100,000 held' "${long[@]}" -q --set chakra.window=100000 -o window.h5
"$heddle" compare -q all.h5 window.h5 || echo 'the results differ'
