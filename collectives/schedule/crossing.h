// SPDX-License-Identifier: GPL-2.0-only
/// A message from rank to rank as the legs it takes: straight, or by PXN over NVLink where it would
/// change rails between servers.
///
/// Source: SimAI's MockNcclGroup.cc (AllReduce: the rail is changed within the sender's server),
/// and the three phases of PXN in the description of SimAI's communication stack: where the group
/// has no GPU on the destination's rail there, within the receiver's server.
#ifndef HEDDLE_COLLECTIVES_SCHEDULE_CROSSING_H_
#define HEDDLE_COLLECTIVES_SCHEDULE_CROSSING_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace heddle {

struct Leg {
  Participant source = 0, destination = 0;
  Connection connection = Connection::kDirect;
};

/// One or two legs; each waits for the one before.
struct Crossing {
  Leg legs[2];
  std::uint32_t count = 1;

  const Leg& last() const { return legs[count - 1]; }
  /// Which leg a message is, by its ends and connection: 0 or 1. Requires that it is one of them.
  std::uint32_t LegOf(const GroupFlow& flow) const;
};

/// `straight`: what a message is called that needs no PXN. From `from` to `to` straight if both are
/// in one server or on one rail, or if the group has no GPU that could help.
Crossing MakeCrossing(const GroupShape& shape, Participant from, Participant to,
                      Connection straight, bool pxn);

/// How many legs begin and end at each rank.
class LegCounts {
 public:
  explicit LegCounts(std::uint32_t ranks) : counts_(ranks) {}

  void Add(const Crossing& hop);
  /// NVSwitches have none.
  FlowCounts Of(Participant p) const { return p < counts_.size() ? counts_[p] : FlowCounts{}; }
  std::uint64_t total() const { return total_; }
  std::size_t memory() const { return counts_.capacity() * sizeof(FlowCounts); }

 private:
  std::vector<FlowCounts> counts_;
  std::uint64_t total_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_SCHEDULE_CROSSING_H_
