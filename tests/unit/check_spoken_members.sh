#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A member that nobody has spoken for (core/base/future.h) must not compile: each record that decides what is replayed is compiled as
# it is, and once more with another member.
# Usage: check_spoken_members.sh COMPILER SOURCE
set -uo pipefail
compiler=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

compile() { "$compiler" -std=c++17 -fsyntax-only -x c++ -I "$folder" -I "$source" "$1" 2>&1; }
fail() { printf 'check_spoken_members: %s\n' "$1"; exit 1; }

check() {
  local header=$1 record=$2 output
  output=$(compile "$source/$header") || fail "$header does not compile: $output"
  mkdir -p "$folder/$(dirname "$header")"
  sed "s/^struct \(alignas([0-9]*) \)\?$record {/&\n  std::uint8_t nobody_spoke_for_me = 0;/" "$source/$header" > "$folder/$header"
  cmp -s "$source/$header" "$folder/$header" && fail "$header has no struct $record"
  output=$(compile "$folder/$header") && fail "$record compiles with a member that nobody has spoken for"
  grep -q 'say in VisitFuture()' <<< "$output" || fail "$record fails for another reason: $output"
  rm "$folder/$header"
}

check transport/domain/state/port.h Port
check transport/model/nic/queue_pair.h QueuePair
check transport/model/nic/queue_pair.h ReceiveQueuePair
check transport/model/congestion/pace.h Pace
check transport/model/wire/packet.h Packet
check core/records/flow_vocabulary.h FlowRecovery
check collectives/schedule/collective_spec.h CollectiveSpec
check collectives/schedule/collective_spec.h AlgorithmChoice
