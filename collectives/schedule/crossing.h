// SPDX-License-Identifier: GPL-2.0-only
/// The legs of a message from rank to rank: direct, or by PXN over NVLink if it would change rails
/// between servers.
///
/// Source: SimAI's MockNcclGroup.cc (AllReduce: the rail is changed within the sender's server),
/// and the three phases of PXN in the description of SimAI's communication stack: if the group has
/// no GPU on the destination's rail there, the rail is changed within the receiver's server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace heddle {

struct Leg {
  Participant source = 0, destination = 0;
  Connection connection = Connection::kDirect;
};

/// One or two legs; the second waits for the first.
struct Crossing {
  Leg legs[2];
  std::uint32_t count = 1;

  const Leg& last() const { return legs[count - 1]; }  ///< the leg that ends at the receiver
  /// Which leg a message is, by its ends and connection: 0 or 1. The message must be one of them.
  std::uint32_t LegOf(const GroupFlow& flow) const;
};

/// `straight`: the connection of a message without PXN. The message is direct if both ends are in
/// one server or on one rail, or if the group has no GPU to relay it.
Crossing MakeCrossing(const GroupShape& shape, Participant from, Participant to,
                      Connection straight, bool pxn);

/// Number of legs that begin and end at each rank.
class LegCounts {
 public:
  /// Starts with no legs; `ranks`: size of the group.
  explicit LegCounts(std::uint32_t ranks) : counts_(ranks) {}

  /// Counts each leg of `hop` at its source and at its destination.
  void Add(const Crossing& hop);
  /// Zero for NVSwitches.
  FlowCounts Of(Participant p) const { return p < counts_.size() ? counts_[p] : FlowCounts{}; }
  std::uint64_t total() const { return total_; }  ///< legs added so far
  /// Memory of the counts [byte].
  std::size_t memory() const { return counts_.capacity() * sizeof(FlowCounts); }

 private:
  std::vector<FlowCounts> counts_;
  std::uint64_t total_ = 0;
};

}  // namespace heddle
