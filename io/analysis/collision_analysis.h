// SPDX-License-Identifier: GPL-2.0-only
/// Which flows shared which port of a switch, and when.
///
/// Two flows collide on a port if both cross it and their spans overlap; spans are half open, so a
/// flow that starts when another ends does not collide with it. Each port is swept in time: O(n log
/// n) for n flows on it, however many pairs they make.
#ifndef HEDDLE_IO_ANALYSIS_COLLISION_ANALYSIS_H_
#define HEDDLE_IO_ANALYSIS_COLLISION_ANALYSIS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/table.h"
#include "io/analysis/flow_paths.h"
#include "topology/graph/graph.h"

namespace heddle {

/// When a flow is under way [ps]: from `from` to before `until`. Never, if these are equal.
struct FlowSpan {
  std::int64_t from = 0;
  std::int64_t until = 0;
};

/// Of each flow of table "flows": from its start to its completion. One that did not finish lasts
/// until the last flow finished; one that did not start is never under way.
std::vector<FlowSpan> SpansOfFlows(const Table& flows);

/// The spans for asking who meets whom whatever the time: all the same.
std::vector<FlowSpan> AllAtOnce(std::size_t flows);

/// Of each flow: whether it goes from a GPU of one server to a GPU of another.
std::vector<bool> BetweenServers(const Graph& graph, const Table& flows);

/// Of each flow: the ports on which it can meet others by a choice of path, in ascending order. All
/// of its path but the last hop, which no source port changes; none for a flow that is not between
/// servers.
PortLists ContestedPorts(const Graph& graph, const Table& flows, const PortLists& paths);

/// The flows of each port that are ever under way, by start, then number.
class PortUsers {
 public:
  PortUsers(const PortLists& ports_of_flows, const std::vector<FlowSpan>& spans,
            std::uint32_t port_count);

  struct Range {
    const std::uint32_t* first;
    const std::uint32_t* last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
  };
  Range operator[](HopIndex port) const {
    return {flows_.data() + first_[port], flows_.data() + first_[port + 1]};
  }
  std::uint32_t port_count() const { return static_cast<std::uint32_t>(first_.size() - 1); }

 private:
  std::vector<std::size_t> first_;  // by port, and the end
  std::vector<std::uint32_t> flows_;
};

/// A port that flows use.
struct PortSharing {
  HopIndex port = 0;
  std::uint32_t flows = 0;
  std::uint32_t most_at_once = 0;
  std::int64_t shared_ps = 0;  ///< with two or more flows under way
  std::uint64_t pairs = 0;     ///< of flows that overlap
};

/// A time in which the same flows, two or more, are under way on a port.
struct SharedPeriod {
  HopIndex port = 0;
  std::int64_t from = 0, until = 0;  ///< [ps]
};

/// Two flows on a port for as long as both are under way, first < second.
struct PortPair {
  HopIndex port = 0;
  std::uint32_t first = 0, second = 0;
  std::int64_t from = 0, until = 0;  ///< [ps]
};

class CollisionAnalysis {
 public:
  /// Keeps copies of what it needs.
  CollisionAnalysis(const PortLists& ports_of_flows, std::vector<FlowSpan> spans,
                    std::uint32_t port_count);

  /// One entry a port with flows, by port.
  const std::vector<PortSharing>& ports() const { return ports_; }
  const PortUsers& users() const { return users_; }

  using VisitPeriod =
      std::function<void(const SharedPeriod&, const std::vector<std::uint32_t>& flows)>;
  /// The shared periods of these ports, one port after the other, each in time; the flows come in
  /// no order.
  void ForEachPeriod(const std::vector<HopIndex>& ports, const VisitPeriod& visit) const;
  /// The ports on which flows collide: those with pairs.
  std::vector<HopIndex> SharedPorts() const;

  /// The first pairs of all ports, at most `limit`: by port, by the time at which they meet.
  std::vector<PortPair> Pairs(std::size_t limit) const;

 private:
  std::vector<FlowSpan> spans_;
  PortUsers users_;
  std::vector<PortSharing> ports_;
};

}  // namespace heddle

#endif  // HEDDLE_IO_ANALYSIS_COLLISION_ANALYSIS_H_
