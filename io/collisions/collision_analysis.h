// SPDX-License-Identifier: GPL-2.0-only
/// Which flows shared which port of a switch, and when.
///
/// Two flows collide on a port if both use it and their spans overlap. Spans are half open, so a
/// flow that starts when another ends does not collide with it. Each port is swept in order of
/// time: O(n log n) for n flows on it, for any number of pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/table.h"
#include "io/collisions/flow_paths.h"
#include "topology/graph/graph.h"

namespace heddle {

/// The time in which a flow is active [ps]: from `from` to before `until`. Equal values: never.
struct FlowSpan {
  std::int64_t from = 0;
  std::int64_t until = 0;
};

/// Returns the span of each flow of table "flows": from its start to its completion. An unfinished
/// flow lasts until the last flow finished; a flow that did not start is never active.
std::vector<FlowSpan> SpansOfFlows(const Table& flows);

/// Returns equal spans for all flows, to count collisions regardless of time.
std::vector<FlowSpan> AllAtOnce(std::size_t flows);

/// Returns for each flow: whether it goes from a GPU of one server to a GPU of another.
std::vector<bool> BetweenServers(const Graph& graph, const Table& flows);

/// Returns for each flow: the ports at which the choice of its path decides whether it meets
/// others, ascending. These are all ports of its path except the last hop, which no source port
/// changes; none for a flow within a server.
PortLists ContestedPorts(const Graph& graph, const Table& flows, const PortLists& paths);

/// The flows of each port that are active at some time, by start, then number.
class PortUsers {
 public:
  /// Lists the flows on each of `port_count` ports. Flows with an empty span are left out. `spans`:
  /// by flow.
  PortUsers(const PortLists& ports_of_flows, const std::vector<FlowSpan>& spans,
            std::uint32_t port_count);

  struct Range {
    const std::uint32_t* first;
    const std::uint32_t* last;
    const std::uint32_t* begin() const { return first; }
    const std::uint32_t* end() const { return last; }
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
  };
  /// Returns the numbers of the flows on a port; valid as long as this object.
  Range operator[](HopIndex port) const {
    return {flows_.data() + first_[port], flows_.data() + first_[port + 1]};
  }
  std::uint32_t port_count() const { return static_cast<std::uint32_t>(first_.size() - 1); }

 private:
  std::vector<std::size_t> first_;  // by port, with one more entry for the end
  std::vector<std::uint32_t> flows_;
};

/// The use of one port.
struct PortSharing {
  HopIndex port = 0;
  std::uint32_t flows = 0;
  std::uint32_t most_at_once = 0;
  std::int64_t shared_ps = 0;  ///< time with two or more active flows
  std::uint64_t pairs = 0;     ///< of flows that overlap
};

/// An interval in which the same two or more flows are active on a port.
struct SharedPeriod {
  HopIndex port = 0;
  std::int64_t from = 0, until = 0;  ///< [ps]
};

/// Two flows on a port, for as long as both are active; first < second.
struct PortPair {
  HopIndex port = 0;
  std::uint32_t first = 0, second = 0;
  std::int64_t from = 0, until = 0;  ///< [ps]
};

class CollisionAnalysis {
 public:
  /// Keeps copies of its arguments where it needs them later.
  CollisionAnalysis(const PortLists& ports_of_flows, std::vector<FlowSpan> spans,
                    std::uint32_t port_count);

  /// Returns one entry for each port with flows, by port.
  const std::vector<PortSharing>& ports() const { return ports_; }
  const PortUsers& users() const { return users_; }  ///< valid as long as this object

  using VisitPeriod =
      std::function<void(const SharedPeriod&, const std::vector<std::uint32_t>& flows)>;
  /// Visits the shared periods of these ports, port by port, each in order of time; the flows of a
  /// period are not sorted.
  void ForEachPeriod(const std::vector<HopIndex>& ports, const VisitPeriod& visit) const;
  /// Returns the ports on which flows collide, that is, with pairs.
  std::vector<HopIndex> SharedPorts() const;

  /// Returns the first pairs of all ports, at most `limit`: by port, then by start of the overlap.
  std::vector<PortPair> Pairs(std::size_t limit) const;

 private:
  std::vector<FlowSpan> spans_;
  PortUsers users_;
  std::vector<PortSharing> ports_;
};

}  // namespace heddle
