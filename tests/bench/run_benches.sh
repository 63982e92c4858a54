#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# All benches, side by side in one run. Prints rates and ratios; exits 0 unless something does not run at all.
# Usage: run_benches.sh BUILD_DIRECTORY MPIRUN
set -u
build=$1 mpirun=$2
echo "machine: $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
failures=0
rates=$(mktemp)
trap 'rm -f "$rates"' EXIT
run() { timeout 300 "$@" || { echo "FAILED: $*"; failures=$((failures + 1)); }; }
# The middle of three runs, by rate.
middle() { for _ in 1 2 3; do timeout 300 "$@" || echo FAILED; done | sort -t/ -k1 -b | sort -k5 -g | sed -n 2p; }

echo; echo "Event queue against ns-3's schedulers (hold model)"
run "$build/event_queue_bench"

echo; echo "The controller's path search against the sequential one (goal: at most 3 us a request, pairs asked once, all taken)"
run "$build/path_search_bench"
run "$build/message_bench"

echo; echo "Traces of Chakra, on one core (goal: 0.2 M nodes/s read)"
run "$build/chakra_bench"
run "$(dirname "$0")/trace_window.sh" "$build"

echo; echo "Schedules in GOAL, on one core (goals: 5 M operations/s read, 1 M/s run)"
run "$build/goal_bench"
run "$(dirname "$0")/goal_window.sh" "$build"

echo; echo "A step in closed forms, on one core (goal: 15,360 GPUs in 2 s and 300 MiB)"
run "$(dirname "$0")/closed_forms.sh" "$build"

echo; echo "Permutation on a leaf-spine fabric, one core, everything on: DCQCN, ECN, PFC armed (goals: 4 M at 128 hosts, 2.5 M at 15,360)"
middle "$build/fabric_bench" 128 100 16
middle "$build/fabric_bench" 1024 100 8
middle "$build/fabric_bench" 15360 400 2

echo; echo "Each congestion control, 128 hosts; without the window, so that queues are long, packets marked and ports paused"
for mode in 0 1 3 7 8 10; do
  echo "CC_MODE $mode"
  middle "$build/fabric_bench" 128 100 16 domain auto CC_MODE=$mode
  middle "$build/fabric_bench" 128 100 16 domain auto CC_MODE=$mode HAS_WIN=0
done

echo; echo "Many paths (goals: spraying 4 M at 128 hosts, 2 M at 15,360; Ultra Ethernet 3 M and 1.5 M)"
kept=reliability.reorder=512
for options in "" "balance.ports=random $kept" "balance.ports=adaptive $kept" balance.ports=flowlet "entropy.scheme=reps $kept" \
  transport.protocol=uec "transport.protocol=uec entropy.scheme=reps uec.congestion=both" \
  "nic.qps_per_connection=4 requests.scheduler=cast-stripe"; do
  echo "${options:-by hash}"
  # shellcheck disable=SC2086  # options are words
  { middle "$build/fabric_bench" 128 100 16 domain auto $options; middle "$build/fabric_bench" 15360 400 1 domain auto $options; } | tee -a "$rates"
done
awk '{for (k = 2; k < NF; ++k) if ($(k + 1) == "M" && $(k + 2) ~ /^packet-hops/) r[$1, n[$1]++] = $k}
  END {for (w in n) {printf "%s hosts, share of the rate by hash:", w; for (i = 1; i < n[w]; ++i) printf " %.2f", r[w, i] / r[w, 0]; print ""}}' "$rates"

echo; echo "Monitors at SimAI's default intervals against none, in turn (goal: less than 5 % of the time)"
for _ in 1 2 3 4 5; do
  for kinds in none all; do
    echo "$kinds $(timeout 300 "$build/fabric_bench" 128 100 64 domain auto monitor.kinds=$kinds)"
  done
done | awk '{for (k = 2; k <= NF; ++k) if ($(k + 1) == "M" && $(k + 2) ~ /^packet-hops/) r[$1, ++n[$1]] = $k}
  END {for (w in n) {for (i = 1; i <= n[w]; ++i) for (j = i + 1; j <= n[w]; ++j) if (r[w, j] < r[w, i]) {t = r[w, i]; r[w, i] = r[w, j]; r[w, j] = t}
       m[w] = r[w, int((n[w] + 1) / 2)]}
       if (m["none"] > 0) printf "middle of 5: none %.2f, all %.2f M packet-hops/s: monitors cost %.1f %%\n", m["none"], m["all"], 100 * (m["none"] / m["all"] - 1)}'

echo; echo "Collectives: a ring AllReduce of 128 GPUs, 260,096 flows (goal: at most 0.8 s; no more memory for more flows)"
ring=$(run "$build/collective_bench" 128 128:ALLREDUCE:16777216 1); more=$(run "$build/collective_bench" 128 128:ALLREDUCE:16777216 8)
echo "$ring"; echo "$more"
peak() { sed -E 's/.* ([0-9]+) flows in.*peak ([0-9]+) KiB.*/\1 \2/' <<<"$1"; }
read -r f1 p1 <<<"$(peak "$ring")"; read -r f2 p2 <<<"$(peak "$more")"
awk -v f1="$f1" -v p1="$p1" -v f2="$f2" -v p2="$p2" 'BEGIN { if (f2 > f1) printf "%.3f bytes a flow\n", 1024 * (p2 - p1) / (f2 - f1) }'
echo "64 MiB AllReduce of DP 16 on 128 GPUs (goal: at most 2 s)"
run "$build/collective_bench" 128 8:dp:ALLREDUCE:67108864 1
echo "AllToAll among 128 GPUs, 16,256 flows, without and with the central controller, in turn (goal: at most 1.2 times)"
for _ in 1 2 3 4 5; do
  for enable in false true; do echo "$enable $(run "$build/collective_bench" 128 1:dp:ALLTOALL:16777216 1 controller.enable=$enable)"; done
done | awk '{for (k = 2; k < NF; ++k) if ($k == "flows" && $(k + 1) == "in") t[$1, ++n[$1]] = $(k + 2)}
  END {for (w in n) {for (i = 1; i <= n[w]; ++i) for (j = i + 1; j <= n[w]; ++j) if (t[w, j] < t[w, i]) {s = t[w, i]; t[w, i] = t[w, j]; t[w, j] = s}
       m[w] = t[w, int((n[w] + 1) / 2)]}
       if (m["false"] > 0) printf "middle of 5: without %.3f s, with %.3f s: %.2f times\n", m["false"], m["true"], m["true"] / m["false"]}'
gpt=$(dirname "$0")/../data/workloads/G13B-M1-C01_GPT13B_megatron_tp8_pp1_mbs1_A100.txt
if [ "${HEDDLE_LONG_BENCH:-0}" = 1 ]; then
  echo "One iteration of GPT-13B on 128 GPUs (goal: at most 300 s on one core, under 1 GiB)"
  run timeout 900 "$build/collective_bench" 128 "$gpt" 1
fi

echo; echo "Results with all flows against none (goal: less than 5 % of the time), and rows a second of the steps"
run "$(dirname "$0")/write_cost.sh" "$build"
[ -x "$build/row_log_bench" ] && run "$build/row_log_bench"

echo; echo "Engines on the same case"
for engine in domain ns3 ns3-null; do middle "$build/fabric_bench" 128 100 4 $engine; done

echo; echo "Two ranks against one, 1,024 hosts (goal: 1.7 times)"
one=$(middle "$build/fabric_bench" 1024 100 16); two=$(middle $mpirun -n 2 "$build/fabric_bench" 1024 100 16)
echo "$one"; echo "$two"
rate() { sed -E 's/.* ([0-9.]+) M packet-hops.*/\1/' <<<"$1"; }
awk -v a="$(rate "$one")" -v b="$(rate "$two")" 'BEGIN { if (a > 0) printf "speed-up %.2f\n", b / a }'

echo; echo "15,360 GPUs (HEDDLE_LONG_BENCH=1: their AllReduce and GPT-13B, too)"
# shellcheck disable=SC2086  # MPIRUN is words; each run has its own bound
"$(dirname "$0")/hpn_bench.sh" "$build" "$(dirname "$gpt")" $mpirun || failures=$((failures + 1))

echo; echo "Real traffic beside bare MPI (goals: a ring AllReduce of 64 MiB at 80 %; less than 2 us a message of bookkeeping)"
# shellcheck disable=SC2086  # mpirun's words
run "$(dirname "${BASH_SOURCE[0]}")/physical.sh" "$build" $mpirun

if command -v valgrind >/dev/null; then
  echo; echo "Instructions a packet-hop, 128 hosts (goal: at most 700; difference of two sizes, callgrind)"
  # Prints "instructions hops" of one run.
  count() {
    timeout 300 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/fabric_bench" 128 100 "$1" 2>&1 |
      awk '/Collected/ {i = $4} /hops exactly/ {for (k = 2; k <= NF; ++k) if ($k == "hops" && $(k + 1) ~ /^exactly/) h = $(k - 1)} END {print i, h}'
  }
  read -r i1 h1 <<<"$(count 0.5)"; read -r i2 h2 <<<"$(count 1.5)"
  awk -v i1="$i1" -v h1="$h1" -v i2="$i2" -v h2="$h2" 'BEGIN { if (h2 > h1) printf "%.0f instructions a packet-hop\n", (i2 - i1) / (h2 - h1) }'
fi
exit $((failures > 0))
