// SPDX-License-Identifier: GPL-2.0-only
/// The fabric as a graph: nodes with a kind, cables with a rate, a delay and a packet error rate.
/// Parallel cables are allowed. The maker of a graph may declare its routing and its tiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/memory_account.h"
#include "core/base/units.h"
#include "topology/graph/scale_up.h"

namespace heddle {

class RoutingPolicy;  // topology/routes/routing_policy.h

enum class NodeKind : std::uint8_t { kGpu, kNvSwitch, kSwitch };

/// Tiers in display order: GPUs, NVSwitches, then switches by distance from the GPUs.
enum : std::uint32_t { kGpuTier = 0, kNvSwitchTier = 1, kLeafTier = 2 };

/// Tiers of a fabric, as declared by its maker.
struct NodeTiers {
  std::vector<std::uint32_t> of_node;
  std::vector<std::string> names;  ///< by tier
};

/// A cable between two different nodes, with equal properties in both directions.
struct Link {
  NodeId a;  ///< first node of its line in the file
  NodeId b;
  BitRate rate;           ///< of each direction, > 0
  Time delay;             ///< propagation, >= 0
  double error_rate = 0;  ///< probability that a packet is lost on it, in [0, 1)
  /// Its link layer: kEthernet, or 1 + the index of its level in Graph::scale_up().
  std::uint8_t layer = kEthernet;

  static constexpr std::uint8_t kEthernet = 0;
};

/// One end of a cable, seen from its node.
struct Attachment {
  LinkId link;
  NodeId peer;
  PortId peer_port;
};

/// Limit that keeps a wrong number in a file from using up all memory; ten times the largest study.
inline constexpr std::uint32_t kMaxLinks = 16'000'000;

/// Length of a node's name; longer ones make tables and drawings unreadable.
inline constexpr std::size_t kMostNameBytes = 100;

/// Link rates that readers accept, 1 Mbps to 1 Pbps: others are likely wrong units, and times would
/// overflow.
inline constexpr BitRate kLowestLinkRate{1'000'000};
inline constexpr BitRate kHighestLinkRate{1'000'000'000'000'000};
inline constexpr const char* kLinkRateRange =
    "a rate from 1Mbps to 1000000Gbps with its unit, such as 400Gbps";

/// Operations that a group's sums in switches are cut into (SHARP's low-latency mode): a switch
/// keeps each as a whole, and has room for few.
struct SumOperations {
  std::uint32_t bytes = 0;      ///< payload of one, at most; 0: sums are streams of any length
  std::uint32_t under_way = 0;  ///< of a group in one tree at once, at most

  /// Whether sums are cut at all.
  bool any() const { return bytes > 0; }
};

/// A fabric. Node ids are dense: GPUs first, then NVSwitches, then switches, as in SimAI's files.
/// Ports of a node are numbered from 0 in the order in which the links were added.
class Graph {
 public:
  /// `gpus_per_server` > 0 groups GPU i into server i / gpus_per_server. `gpu_type` is free text
  /// ("H100"). Throws UserError if gpus_per_server is 0 or there are more than kMaxNodes nodes.
  Graph(std::uint32_t gpus, std::uint32_t nvswitches, std::uint32_t switches,
        std::uint32_t gpus_per_server, std::string gpu_type);

  /// Reserves memory for this many links in all; affects speed only.
  void ReserveLinks(std::size_t links);

  /// Throws UserError for a self loop, an id out of range, a rate <= 0, a delay < 0, an error rate
  /// outside [0, 1), or more than kMaxPorts links at a node.
  LinkId AddLink(const Link& link);

  /// Returns the number of all nodes; ids are below it.
  std::uint32_t node_count() const { return gpus_ + nvswitches_ + switches_; }
  /// Returns the number of GPUs; their ids are below it.
  std::uint32_t gpu_count() const { return gpus_; }
  /// Returns the number of NVSwitches; their ids follow the GPUs'.
  std::uint32_t nvswitch_count() const { return nvswitches_; }
  /// Returns the number of other switches; their ids follow the NVSwitches'.
  std::uint32_t switch_count() const { return switches_; }
  /// Returns the GPUs of a server, > 0; the last server may have fewer.
  std::uint32_t gpus_per_server() const { return gpus_per_server_; }
  /// Returns the number of servers, an incomplete last one included.
  std::uint32_t server_count() const { return (gpus_ + gpus_per_server_ - 1) / gpus_per_server_; }
  /// Returns the server of a GPU, from 0.
  std::uint32_t ServerOf(NodeId gpu) const { return gpu.value / gpus_per_server_; }
  /// Returns the place of a GPU among those of its server, from 0.
  std::uint32_t PlaceInServer(NodeId gpu) const { return gpu.value % gpus_per_server_; }
  /// Whether two GPUs are in one server.
  bool SameServer(NodeId a, NodeId b) const { return ServerOf(a) == ServerOf(b); }
  /// Whether two nodes are GPUs of different servers.
  bool InTwoServers(NodeId a, NodeId b) const {
    return is_gpu(a) && is_gpu(b) && !SameServer(a, b);
  }
  /// Returns the type as it was given; it need not be one of GpuTypes().
  const std::string& gpu_type() const { return gpu_type_; }

  /// Returns the kind of a node, which follows from its id.
  NodeKind kind(NodeId node) const {
    return node.value < gpus_                 ? NodeKind::kGpu
           : node.value < gpus_ + nvswitches_ ? NodeKind::kNvSwitch
                                              : NodeKind::kSwitch;
  }
  /// Whether a node is a GPU, a host or an NPU: an end of flows.
  bool is_gpu(NodeId node) const { return node.value < gpus_; }
  /// Whether a flow may begin or end at a node: at GPUs, at NVSwitches, which reduce (NVLS), and at
  /// switches that add.
  bool ends_flows(NodeId node) const { return kind(node) != NodeKind::kSwitch || adds_; }
  /// Whether switches add what arrives (SHARP). They do so after LetSwitchesAdd().
  bool switches_add() const { return adds_; }
  /// Lets all switches add. `streams`: trees that a switch can have at once. `operations`: how
  /// their sums are cut.
  void LetSwitchesAdd(std::uint32_t streams = kAnyStreams, SumOperations operations = {}) {
    adds_ = true, streams_ = streams, operations_ = operations;
  }
  static constexpr std::uint32_t kAnyStreams = std::numeric_limits<std::uint32_t>::max();
  /// Returns the trees that a switch can have at once; kAnyStreams: no limit.
  std::uint32_t streams_of_switch() const { return streams_; }
  /// Returns how the sums of switches are cut, as given to LetSwitchesAdd().
  const SumOperations& sum_operations() const { return operations_; }
  /// Whether packets of others pass through a node. GPUs pass on what comes by scale-up links only
  /// (RoutingPolicy::gpus_transit()).
  bool passes_on(NodeId node) const { return !is_gpu(node); }

  /// Returns the links by LinkId, in the order in which they were added.
  const std::vector<Link>& links() const { return links_; }
  /// Returns a link by its id, which must exist.
  const Link& link(LinkId id) const { return links_[id.value]; }
  /// Returns the ports of a node, by PortId.
  const std::vector<Attachment>& ports(NodeId node) const { return ports_[node.value]; }

  /// Returns the routing policy. Null means equal cost: so it is after reading SimAI's topology
  /// file. Use RoutingOf() to resolve that.
  const RoutingPolicy* routing() const { return routing_.get(); }
  /// Sets the policy, shared with other graphs; null: equal cost. Routes made before keep theirs.
  void SetRouting(std::shared_ptr<const RoutingPolicy> routing) { routing_ = std::move(routing); }

  /// Returns the tiers as declared. Empty, as after reading a file, if tiers are derived from the
  /// links. Use FindTiers() to resolve that.
  const NodeTiers& declared_tiers() const { return tiers_; }
  /// Declares tiers, after all links are added. Throws UserError unless every node has a tier with
  /// a name, exactly the GPUs have tier 0, exactly the NVSwitches tier 1, and the tiers of linked
  /// nodes other than NVSwitches differ by at most one.
  void DeclareTiers(NodeTiers tiers);

  /// Returns the names of its nodes for people, by node; empty, as after generating it: then
  /// NodeNames makes them (topology/graph/node_names.h).
  const std::vector<std::string>& names() const { return names_; }
  /// Names the nodes. Throws UserError unless there is a name for every node, of 1 to
  /// kMostNameBytes bytes without control characters, and no two are equal.
  void SetNames(std::vector<std::string> names);

  /// Sets a link's layer. Call it before SetScaleUp(), which says what the layers are.
  void SetLayer(LinkId link, std::uint8_t layer) { links_[link.value].layer = layer; }
  /// Returns the scale-up levels of its links and the dimensions that they make; null: it has none.
  const ScaleUpShape* scale_up() const { return scale_up_.get(); }
  /// Sets the levels, after all links are added. Throws UserError unless every link's layer exists,
  /// and the sizes of the dimensions, if there are any, multiply to the number of GPUs.
  void SetScaleUp(std::shared_ptr<const ScaleUpShape> shape);

  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return MemoryOf(links_) + MemoryOf(ports_) + MemoryOf(tiers_.of_node) + MemoryOf(tiers_.names) +
           MemoryOf(names_);
  }

 private:
  std::uint32_t gpus_, nvswitches_, switches_, gpus_per_server_;
  std::string gpu_type_;
  std::vector<Link> links_;
  std::vector<std::vector<Attachment>> ports_;
  std::shared_ptr<const RoutingPolicy> routing_;
  NodeTiers tiers_;
  std::vector<std::string> names_;
  std::shared_ptr<const ScaleUpShape> scale_up_;
  bool adds_ = false;                    ///< its switches
  std::uint32_t streams_ = kAnyStreams;  ///< of a switch that adds
  SumOperations operations_;
};

/// Returns the smallest delay of a link between two domains; Time::Max() if there is none.
/// `domain_of` is by node.
Time SmallestDelayAcross(const Graph& graph, const std::vector<DomainId>& domain_of);

/// Divides domains into sides 0 and 1, so that every link between two domains joins different
/// sides, as in layered fabrics. Returns the side by domain; empty if there is no such division.
std::vector<std::uint8_t> TwoSides(const Graph& graph, const std::vector<DomainId>& domain_of);

/// Returns the port of `node` that `link` is attached to. `node` must be one of the link's ends.
PortId PortOf(const Graph& graph, NodeId node, LinkId link);

/// Returns the name of a node in messages: "GPU 5", "NVSwitch 16", "switch 20".
std::string Describe(const Graph& graph, NodeId node);

}  // namespace heddle
