// SPDX-License-Identifier: GPL-2.0-only
/// A program that is a graph: nodes of each rank that compute or communicate, and that wait for
/// other nodes of their rank.
///
/// Collectives and messages are operations of the job (ProgramOp), which all ranks that take part
/// name alike. A message is an operation between two ranks: the node of one sends, that of the
/// other receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/spill_file.h"
#include "core/base/units.h"
#include "core/containers/node_window.h"

namespace heddle {

/// Its followers are a range of GraphRank::followers.
struct GraphNode {
  enum class Kind : std::uint8_t {
    kNothing,  ///< takes no time
    kOpen,     ///< likewise; keeps the place of a communication until its kClose has ended
    kClose,
    kDelay,   ///< `time`, of nothing that serves one at a time
    kCpu,     ///< `time` on the CPU
    kGpu,     ///< `time` on the GPU
    kMemory,  ///< `time` of remote memory
    kCollective,
    kSend,
    kReceive,
  };

  std::uint64_t id = 0;         ///< for messages
  Time time;                    ///< kCpu, kGpu, kMemory, kDelay; >= 0
  std::uint32_t operation = 0;  ///< kCollective, kSend, kReceive
  std::uint32_t name = 0;       ///< index among the workload's layers, whose names are the nodes'
  std::uint32_t tag = 0;        ///< kSend, kReceive: for messages
  std::uint32_t waits = 0;      ///< for so many nodes
  std::uint32_t first_follower = 0;
  std::uint32_t followers = 0;  ///< number of nodes that wait for it
  Kind kind = Kind::kNothing;
  bool inner = false;  ///< of an algorithm: needs no place of a communication

  std::uint32_t follower_count() const { return followers; }
  bool takes_no_time() const { return kind <= Kind::kClose; }      ///< ends when it starts
  bool communicates() const { return kind >= Kind::kCollective; }  ///< is an operation of the job
};

/// Its nodes are in memory, or in the program's file (collectives/graph/graph_window.h).
struct GraphRank {
  std::string file;  ///< its name, for messages
  std::vector<GraphNode> nodes;
  std::vector<std::uint32_t> followers;  ///< indices of nodes
  std::vector<std::uint32_t> roots;      ///< nodes that wait for nothing, ascending
  SpilledNodes place;                    ///< in the file

  /// Returns the number of nodes.
  std::uint32_t size() const {
    return place.count > 0 ? place.count : static_cast<std::uint32_t>(nodes.size());
  }
};

struct GraphProgram {
  std::vector<GraphRank> ranks;
  /// Whether a rank has at most one collective, message to send or access of memory at a time.
  bool one_communication = false;
  /// Whether a node that sends ends when the message has arrived; else when its last byte has left.
  bool sends_until_arrival = false;
  std::shared_ptr<SpillFile> file;  ///< has the nodes of ranks; null: memory has them
  std::uint32_t window = 0;         ///< nodes of each rank that are in memory besides

  /// Moves nodes and followers of a rank to the file, which is made if there is none. Throws Error
  /// of code 6.
  void Spill(GraphRank* rank);
  /// Memory in bytes, itself included; without what windows hold.
  std::size_t memory() const {
    std::size_t sum = sizeof *this + MemoryOf(ranks);
    for (const GraphRank& rank : ranks)
      sum += MemoryOf(rank.nodes) + MemoryOf(rank.followers) + MemoryOf(rank.roots);
    return sum;
  }
};

}  // namespace heddle
