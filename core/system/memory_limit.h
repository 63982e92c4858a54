// SPDX-License-Identifier: GPL-2.0-only
/// How much more memory this process and its node may take, and which bound says so.
///
/// Bounds: what the node has (/proc/meminfo, MemAvailable); the control groups that the process is
/// in, and those above them (version 1 and 2: limit less what is used; pages of files that nobody
/// uses now count as free); RLIMIT_AS and RLIMIT_DATA.
#ifndef HEDDLE_CORE_SYSTEM_MEMORY_LIMIT_H_
#define HEDDLE_CORE_SYSTEM_MEMORY_LIMIT_H_

#include <cstdint>
#include <limits>
#include <string>

#include "core/mpi/communicator.h"
#include "core/system/process_memory.h"

namespace heddle {

/// Room under one bound.
struct MemoryRoom {
  std::int64_t bytes =
      std::numeric_limits<std::int64_t>::max();  ///< more that may be taken; not below 0
  std::string bound;  ///< "free on this node", "control group /job1", "ulimit -v"

  bool bounded() const { return !bound.empty(); }
};

/// The tightest bound on all processes of the node together. `root`: for tests, before /proc and
/// /sys.
MemoryRoom RoomOfNode(const std::string& root = "");
/// The tightest bound on this process alone.
MemoryRoom RoomOfProcess(const ProcessMemory& now);

/// What the ranks of this node want, against what there is.
struct MemoryDemand {
  std::int64_t mine = 0,
               node = 0;  ///< more than they have now [byte]: this rank, all ranks of its node
  std::uint32_t ranks_here = 1;
  MemoryRoom node_room, process_room;

  bool fits() const { return node <= node_room.bytes && mine <= process_room.bytes; }
};

/// `mine`: bytes that this rank will take more. Collective.
MemoryDemand DemandOnNode(const Communicator& world, std::int64_t mine);

}  // namespace heddle

#endif  // HEDDLE_CORE_SYSTEM_MEMORY_LIMIT_H_
