// SPDX-License-Identifier: GPL-2.0-only
/// Forwarding tables of a domain's switches: from destination class to a shared set of equal-cost
/// ports.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"
#include "topology/routes/route_timeline.h"
#include "topology/routes/routes.h"

namespace heddle {

/// A GPU's index in every forwarding table: its class and its place in the class. Shared by all
/// domains of a rank that are in the same epoch. A table works only with the places of its own
/// epoch.
struct HostPlace {
  std::uint16_t host_class = 0;
  std::uint16_t index = 0;
};
/// Returns the places of all GPUs, by node number. Fails an invariant with more than 65,535
/// classes.
std::vector<HostPlace> PlaceHosts(const Graph& graph, const Routes& routes);

/// Places of one epoch; epochs in which no GPU moves share those of the previous epoch.
using SharedPlaces = std::shared_ptr<const std::vector<HostPlace>>;
/// Returns the places of every epoch of the timeline.
std::vector<SharedPlaces> PlaceHostsByEpoch(const Graph& graph, const RouteTimeline& timeline);

/// The table of one switch or NVSwitch. Ports are numbered within the domain.
class ForwardingTable {
 public:
  /// Stores the next hops of `node`. `first_port`: number of the node's port 0 within the domain.
  ForwardingTable(const Graph& graph, const Routes& routes, const std::vector<HostPlace>& places,
                  NodeId node, std::uint32_t first_port);

  /// Changes from the previous epoch to `epoch`, whose places are given, and stores only what that
  /// epoch changed. Epochs must not be skipped; a new table may be made in any epoch. Other
  /// arguments as at construction.
  void Update(const Graph& graph, const RouteEpoch& epoch, const std::vector<HostPlace>& places,
              NodeId node, std::uint32_t first_port);

  /// Equal-cost egress ports towards a GPU. count 0: no route.
  struct NextHops {
    const std::uint32_t* ports;
    std::uint32_t count;
  };
  /// Returns the ports towards a GPU, in the order in which the hash counts them. Valid until
  /// Update().
  NextHops Find(NodeId gpu, const std::vector<HostPlace>& places) const {
    Set set;
    if (classes_.empty()) {
      const std::uint32_t index = gpu.value - lowest_;
      if (index >= direct_.size()) return {nullptr, 0};
      set = direct_[index];
    } else {
      const HostPlace place = places[gpu.value];
      set = classes_[place.host_class];
      if (set.count == kAttached) set = direct_[set.first + place.index];
    }
    return {ports_.data() + set.first, set.count};
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return (classes_.capacity() + direct_.capacity()) * sizeof(Set) +
           ports_.capacity() * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kAttached = ~0U;  ///< the class' GPUs are attached to this switch
  struct Set {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// Next-hop sets, shared by the classes with the same ports.
  struct KnownSets;
  /// Appends a set of ports and returns it.
  Set Store(const std::vector<PortId>& ports, std::uint32_t first_port);
  /// Whether a stored set has exactly these ports.
  bool Holds(Set set, const std::vector<PortId>& ports, std::uint32_t first_port) const;
  /// Stores the set of a class; classes with the same ports share one (`known`).
  void StoreClass(const Routes& routes, std::uint32_t host_class, NodeId node,
                  std::uint32_t first_port, KnownSets* known);
  /// Stores the GPUs attached to this switch, one set each. `only` (ascending) names the classes to
  /// store; null: all.
  void StoreAttached(const Graph& graph, const Routes& routes, const std::vector<HostPlace>& places,
                     NodeId node, std::uint32_t first_port, const std::vector<std::uint32_t>* only);
  /// Fills a table with classes, that of a core node.
  void BuildForClasses(const Graph& graph, const Routes& routes,
                       const std::vector<HostPlace>& places, NodeId node, std::uint32_t first_port);

  /// By class; empty at an NVSwitch, which has routes to its own GPUs only.
  std::vector<Set> classes_;
  std::vector<Set> direct_;  ///< GPUs attached here: by place in their class, or from lowest_ on
  std::vector<std::uint32_t> ports_;
  std::uint32_t lowest_ = 0;
  /// Size of ports_ and direct_ when the table was made; updates leave gaps.
  std::size_t built_size_ = 0;
};

}  // namespace heddle
