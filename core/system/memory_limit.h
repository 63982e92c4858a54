// SPDX-License-Identifier: GPL-2.0-only
/// How much more memory this process and its node may use, and the bound that applies.
///
/// Bounds: the node's memory (/proc/meminfo, MemAvailable); the control groups of the process and
/// their ancestors (version 1 and 2: limit less usage; inactive file pages count as free);
/// RLIMIT_AS and RLIMIT_DATA.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "core/mpi/communicator.h"
#include "core/system/process_memory.h"

namespace heddle {

/// Free memory under one bound.
struct MemoryRoom {
  /// Bytes that may still be allocated; at least 0.
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::string bound;  ///< "free on this node", "control group /job1", "ulimit -v"

  /// Whether any bound applies; else `bytes` is the largest number.
  bool bounded() const { return !bound.empty(); }
};

/// Returns the tightest bound on all processes of the node together. `root`: for tests, a prefix of
/// /proc and /sys.
MemoryRoom RoomOfNode(const std::string& root = "");
/// Returns the tightest bound on this process alone.
MemoryRoom RoomOfProcess(const ProcessMemory& now);

/// Memory that the ranks of this node need, against what is free.
struct MemoryDemand {
  /// Additional memory needed [byte]: by this rank, by all ranks of its node.
  std::int64_t mine = 0, node = 0;
  std::uint32_t ranks_here = 1;
  MemoryRoom node_room, process_room;

  /// Whether both demands are within their bounds.
  bool fits() const { return node <= node_room.bytes && mine <= process_room.bytes; }
};

/// Returns the demands of this rank and of its node. `mine`: bytes that this rank will allocate.
/// Collective.
MemoryDemand DemandOnNode(const Communicator& world, std::int64_t mine);

}  // namespace heddle
