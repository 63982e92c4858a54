// SPDX-License-Identifier: GPL-2.0-only
/// Bytes by data structure, for the estimate before a run and for `heddle run --memory-report`.
///
/// Every structure counts the capacity of its own allocations in bytes. The allocator's overhead
/// for each block (8 bytes and up) is not included.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// Categories of memory, in the order of reports.
enum class Structure : std::uint8_t {
  kInput,  ///< flows of a trace, jobs and their programs
  kGraph,
  kPartition,  ///< nodes by domain, domains by rank
  kRoutes,     ///< distances, path metrics
  kNextHops,   ///< forwarding tables of switches
  kPorts,
  kBuffers,      ///< accounts of switches' buffers
  kDomains,      ///< the domains themselves: nodes, hosts, NICs
  kEvents,       ///< event queues
  kPackets,      ///< in flight or queued, without those in inboxes
  kTelemetry,    ///< tails of packets
  kInboxes,      ///< messages between domains of a rank
  kExchange,     ///< batches to and from other ranks
  kFlowPlans,    ///< flows known before the run
  kPostedFlows,  ///< waiting flows of collectives, and messages in flight
  kSenders,      ///< queue pairs
  kReceivers,
  kRateControl,  ///< state of congestion control
  kController,   ///< the central controller, and path grants of hosts
  kStatistics,
  kReplay,     ///< episodes that may be replayed
  kRecords,    ///< rows not yet written, or kept for the summary
  kSchedules,  ///< groups of GPUs, and schedules of their collectives
  kExecution,  ///< programs and collectives in progress
  kOutput,     ///< buffers of result files
};
constexpr std::size_t kStructures = static_cast<std::size_t>(Structure::kOutput) + 1;
/// Returns a name for reports: "ports", "event queues", ...
const char* ToText(Structure structure);

class MemoryAccount {
 public:
  /// Adds `bytes` to one structure's.
  void Add(Structure structure, std::size_t bytes) {
    Of(structure) += static_cast<std::int64_t>(bytes);
  }
  /// Adds another account, structure by structure.
  void Add(const MemoryAccount& other) {
    for (std::size_t i = 0; i < kStructures; ++i) bytes_[i] += other.bytes_[i];
  }
  /// Returns the bytes of one structure; 0 if nothing was added.
  std::int64_t of(Structure structure) const { return bytes_[static_cast<std::size_t>(structure)]; }
  /// Returns the bytes of all structures together.
  std::int64_t total() const;
  /// Returns the structure with the most bytes; the first among equals.
  Structure largest() const;

 private:
  /// Returns the place of a structure's sum.
  std::int64_t& Of(Structure structure) { return bytes_[static_cast<std::size_t>(structure)]; }

  std::array<std::int64_t, kStructures> bytes_{};
};

/// Returns the bytes that a vector has allocated, without those of its elements.
template <class T, class Allocator>
std::size_t MemoryOf(const std::vector<T, Allocator>& values) {
  return values.capacity() * sizeof(T);
}
/// Counts one bit for each element of the capacity.
template <class Allocator>
std::size_t MemoryOf(const std::vector<bool, Allocator>& values) {
  return values.capacity() / 8;
}
/// Returns the bytes that a vector of vectors has allocated, with those of its elements.
template <class T, class Inner, class Outer>
std::size_t MemoryOf(const std::vector<std::vector<T, Inner>, Outer>& rows) {
  std::size_t sum = rows.capacity() * sizeof(rows[0]);
  for (const auto& row : rows) sum += MemoryOf(row);
  return sum;
}

/// Returns the resident bytes of a vector that only grows: the system has assigned no memory to
/// capacity that was never written.
template <class T, class Allocator>
std::size_t MemoryReached(const std::vector<T, Allocator>& values) {
  return values.size() * sizeof(T);
}

/// Overhead of a node of std::map, std::set or an unordered map of large values: three pointers and
/// a colour, or a pointer and a hash.
constexpr std::size_t kTreeNode = 4 * sizeof(void*);
constexpr std::size_t kHashNode = 2 * sizeof(void*);
/// Returns the bytes of the nodes of a std::map or std::set, without what their values own.
template <class Map>
std::size_t MemoryOfTree(const Map& map) {
  return map.size() * (kTreeNode + sizeof(typename Map::value_type));
}
/// Returns the bytes of nodes and buckets of an unordered map, without what its values own.
template <class Map>
std::size_t MemoryOfHash(const Map& map) {
  return map.size() * (kHashNode + sizeof(typename Map::value_type)) +
         map.bucket_count() * sizeof(void*);
}

}  // namespace heddle
