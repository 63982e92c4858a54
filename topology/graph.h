// SPDX-License-Identifier: GPL-2.0-only
/// The fabric as a graph: nodes with a kind, cables with a rate, a delay and a packet error rate. Parallel cables are allowed.
#ifndef HEDDLE_TOPOLOGY_GRAPH_H_
#define HEDDLE_TOPOLOGY_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/units.h"

namespace heddle {

enum class NodeKind : std::uint8_t { kGpu, kNvSwitch, kSwitch };

/// A cable between two different nodes, the same in both directions.
struct Link {
  NodeId a;                ///< first node of its line in the file
  NodeId b;
  BitRate rate;            ///< each direction, > 0
  Time delay;              ///< propagation, >= 0
  double error_rate = 0;   ///< probability that a packet is lost on it, in [0, 1)
};

/// One end of a cable as seen from its node.
struct Attachment {
  LinkId link;
  NodeId peer;
  PortId peer_port;
};

/// A fabric. Node ids are dense: GPUs first, then NVSwitches, then switches, as in SimAI's files.
/// Ports of a node are numbered from 0 in the order in which the links were added.
class Graph {
 public:
  /// `gpus_per_server` > 0 groups GPU i into server i / gpus_per_server. `gpu_type` is free text ("H100").
  Graph(std::uint32_t gpus, std::uint32_t nvswitches, std::uint32_t switches,
        std::uint32_t gpus_per_server, std::string gpu_type);

  /// Throws UserError for a self loop, an id out of range, a rate <= 0, a delay < 0, an error rate outside [0, 1).
  LinkId AddLink(const Link& link);

  std::uint32_t node_count() const { return gpus_ + nvswitches_ + switches_; }
  std::uint32_t gpu_count() const { return gpus_; }
  std::uint32_t nvswitch_count() const { return nvswitches_; }
  std::uint32_t switch_count() const { return switches_; }
  std::uint32_t gpus_per_server() const { return gpus_per_server_; }
  const std::string& gpu_type() const { return gpu_type_; }

  NodeKind kind(NodeId node) const {
    return node.value < gpus_ ? NodeKind::kGpu
           : node.value < gpus_ + nvswitches_ ? NodeKind::kNvSwitch : NodeKind::kSwitch;
  }
  bool is_gpu(NodeId node) const { return node.value < gpus_; }

  const std::vector<Link>& links() const { return links_; }
  const Link& link(LinkId id) const { return links_[id.value]; }
  /// The ports of a node: index = PortId.
  const std::vector<Attachment>& ports(NodeId node) const { return ports_[node.value]; }

 private:
  std::uint32_t gpus_, nvswitches_, switches_, gpus_per_server_;
  std::string gpu_type_;
  std::vector<Link> links_;
  std::vector<std::vector<Attachment>> ports_;
};

/// "GPU 5", "NVSwitch 16", "switch 20": how messages name a node.
std::string Describe(const Graph& graph, NodeId node);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_GRAPH_H_
