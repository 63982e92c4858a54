// SPDX-License-Identifier: GPL-2.0-only
/// The paths of all flows of a result, each traced once, as 32-bit numbers of ports.
///
/// A path here consists of ports of switches (NVSwitches count): it omits the source's own port,
/// and its last hop leads to the destination. Paths assume that every link is up, because results
/// do not store failures; but a flow whose path the central controller reserved has that path.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/table.h"
#include "io/collisions/flow_lanes.h"
#include "io/result/result_reader.h"
#include "topology/graph/graph.h"
#include "topology/paths/hop_numbers.h"
#include "topology/paths/path_tracer.h"
#include "topology/routes/routes.h"

namespace heddle {

/// A list of ports for each of many flows, stored consecutively.
class PortLists {
 public:
  struct Range {
    const HopIndex* first;
    const HopIndex* last;
    const HopIndex* begin() const { return first; }
    const HopIndex* end() const { return last; }
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
    HopIndex operator[](std::size_t i) const { return first[i]; }
  };
  /// Returns the ports of a flow; valid until the next Push().
  Range operator[](std::size_t flow) const {
    return {ports_.data() + first_[flow], ports_.data() + first_[flow + 1]};
  }
  std::size_t size() const { return first_.size() - 1; }  ///< flows whose list has ended

  void Push(HopIndex port) { ports_.push_back(port); }  ///< appends to the open list
  /// Ends a flow's list: the ports pushed since the last call belong to it.
  void EndFlow() { first_.push_back(ports_.size()); }

 private:
  std::vector<std::size_t> first_ = {0};
  std::vector<HopIndex> ports_;
};

/// The data that determine the paths of flows: columns of tables "flows" and, with a controller,
/// its decisions. Holds references; the tables and the graph must outlive it.
class FlowPathSource {
 public:
  /// `requests` and `paths` are null for a run without the controller; `lanes` for one whose
  /// fabric has no dimensions. Flows need a column channel if there are lanes. Throws UserError for
  /// missing columns, and for a node or port that the graph does not have.
  FlowPathSource(const Graph& graph, const Table& flows, const Table* requests, const Table* paths,
                 const FlowLanes* lanes = nullptr);

  /// Returns for each flow: its last row of table "controller/requests", or kNoRow
  /// (io/analysis/controller_join.h).
  const std::vector<std::uint32_t>& decisions() const { return decisions_; }
  /// Returns for each flow: whether the controller chose its source port.
  const std::vector<bool>& chosen() const { return chosen_; }
  /// Returns for each flow: the source port in use, the last one if the controller chose several.
  const std::vector<std::uint16_t>& source_ports() const { return source_ports_; }

  /// Returns the path of every flow; `own`, unless null, becomes the source's own port by flow.
  /// Throws UserError if two ends are not connected.
  PortLists Trace(const Routes& routes, const HopNumbers& numbers,
                  std::vector<HopIndex>* own = nullptr) const;
  /// Returns the ports along the path of one flow, the source's own first, if no path was reserved
  /// for it.
  std::vector<Hop> PathOf(const Routes& routes, std::size_t flow) const {
    return Find(routes, flow, source_ports_[flow]);
  }
  /// Returns the path of every flow with these source ports, regardless of the controller.
  PortLists TraceWith(const Routes& routes, const HopNumbers& numbers,
                      const std::vector<std::uint16_t>& source_ports) const;

 private:
  /// Follows the hash or, between GPUs of a fabric with dimensions, the lanes; ignores what the
  /// controller reserved. Throws UserError if both ends are one node.
  std::vector<Hop> Find(const Routes& routes, std::size_t flow, std::uint16_t source_port) const;

  const Graph* graph_;
  const std::vector<std::uint32_t>& source_;
  const std::vector<std::uint32_t>& destination_;
  const std::vector<std::uint16_t>& destination_port_;
  std::vector<std::uint16_t> source_ports_;
  std::vector<std::uint32_t> decisions_;
  std::vector<bool> chosen_;
  std::vector<std::size_t> first_hop_;  // by decision, its first row of table "controller/paths"
  const std::vector<std::uint32_t>* hop_node_ = nullptr;
  const std::vector<std::uint16_t>* hop_port_ = nullptr;
  const FlowLanes* lanes_ = nullptr;                     // null: flows have none
  const std::vector<std::uint16_t>* channel_ = nullptr;  // if they have
};

/// Why paths of flows cannot be traced: the option by which packets of a flow take several
/// (attribute sprayed_by); empty if they can.
std::string SprayedBy(const ResultReader& result);
/// Throws UserError with SprayedBy() or WhyNoLanes(), if that says something.
void ExpectPathsByFlow(const ResultReader& result);

/// Returns the routes of a result: with every link up, and NICs chosen as in the run (option
/// nic.ports; runs without it hash).
Routes RoutesOfResult(const Graph& graph, const ResultReader& result);

/// Returns the source ports that hosts choose themselves: 10000, 10001, ... for each pair of source
/// and destination, in the order of rows, 16 bits wide.
std::vector<std::uint16_t> HostsOwnPorts(const Table& flows);

/// Returns the middle switch of a path of at least three switches (leaf, spine, leaf: the spine);
/// an invalid id for shorter paths.
NodeId MiddleSwitch(const HopNumbers& numbers, PortLists::Range path);

}  // namespace heddle
