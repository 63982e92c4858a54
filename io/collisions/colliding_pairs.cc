// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/colliding_pairs.h"

#include <algorithm>

namespace heddle {
namespace {

/// Flows that all use the same set of ports, sorted by start.
using Group = std::vector<std::uint32_t>;

class PairCounter {
 public:
  PairCounter(const PortLists& ports_of_flows, const std::vector<FlowSpan>& spans)
      : lists_(ports_of_flows), spans_(spans) {}

  /// Adds or subtracts the pairs of a group, then recurses into groups that share one more port,
  /// above `last_port`.
  void Count(const Group& group, HopIndex last_port, bool add) {
    const std::uint64_t pairs = Overlaps(group);
    total_ = add ? total_ + pairs : total_ - pairs;
    std::vector<Crossing> crossings;
    for (const std::uint32_t flow : group) {
      for (const HopIndex port : lists_[flow]) {
        if (port > last_port) crossings.push_back({port, flow});
      }
    }
    std::stable_sort(crossings.begin(), crossings.end(),
                     [](const Crossing& a, const Crossing& b) { return a.port < b.port; });
    for (std::size_t first = 0, end = 0; first < crossings.size(); first = end) {
      Group both;
      for (; end < crossings.size() && crossings[end].port == crossings[first].port; ++end)
        both.push_back(crossings[end].flow);
      if (both.size() > 1) Count(both, crossings[first].port, !add);
    }
  }
  std::uint64_t total() const { return total_; }

 private:
  struct Crossing {
    HopIndex port;
    std::uint32_t flow;
  };

  /// Counts pairs: each flow overlaps with flows that started before it and have not ended.
  std::uint64_t Overlaps(const Group& group) {
    ends_.clear();
    for (const std::uint32_t flow : group) ends_.push_back(spans_[flow].until);
    std::sort(ends_.begin(), ends_.end());
    std::uint64_t pairs = 0;
    std::size_t ended = 0;
    for (std::size_t started = 0; started < group.size(); ++started) {
      while (ended < ends_.size() && ends_[ended] <= spans_[group[started]].from) ++ended;
      pairs += started - ended;
    }
    return pairs;
  }

  const PortLists& lists_;
  const std::vector<FlowSpan>& spans_;
  std::vector<std::int64_t> ends_;
  std::uint64_t total_ = 0;
};

}  // namespace

std::uint64_t CountCollidingPairs(const PortLists& ports_of_flows,
                                  const std::vector<FlowSpan>& spans, const PortUsers& users) {
  PairCounter counter(ports_of_flows, spans);
  for (HopIndex port = 0; port < users.port_count(); ++port) {
    const PortUsers::Range flows = users[port];
    if (flows.size() > 1) counter.Count(Group(flows.begin(), flows.end()), port, true);
  }
  return counter.total();
}

}  // namespace heddle
