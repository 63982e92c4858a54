// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/port_load.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collectives/choice/issue_delay.h"

namespace heddle {
namespace {

/// Bytes of a port, or of a switch's cables to others.
struct Bytes {
  double sent = 0, received = 0;
  double most() const { return std::max(sent, received); }
};

/// The switch of a GPU's first NIC; invalid if it has none.
NodeId EdgeOf(const Graph& graph, NodeId gpu) {
  for (const Attachment& port : graph.ports(gpu)) {
    if (graph.kind(port.peer) == NodeKind::kSwitch) return port.peer;
  }
  return NodeId();
}

/// Sum of the rates of a switch's links to other switches [bit/s].
double UplinksOf(const Graph& graph, NodeId edge) {
  double rate = 0;
  for (const Attachment& port : graph.ports(edge)) {
    if (graph.kind(port.peer) == NodeKind::kSwitch)
      rate += static_cast<double>(graph.link(port.link).rate.bps);
  }
  return rate;
}

class Loads {
 public:
  Loads(const Graph& graph, const GroupShape& shape, std::uint32_t queue_pairs)
      : graph_(graph), shape_(shape), queue_pairs_(queue_pairs) {
    inside_.resize(shape.participants());
    network_.resize(shape.participants());
    for (Participant rank = 0; rank < shape.ranks(); ++rank)
      edge_.push_back(EdgeOf(graph, shape.node(rank)));
  }

  void Add(Participant from, Participant to, double bytes) {
    if (shape_.adds(from) || shape_.adds(to)) return AddToTree(from, to, bytes);
    std::vector<Bytes>& ports = StaysInside(shape_, from, to) ? inside_ : network_;
    ports[from].sent += bytes;
    ports[to].received += bytes;
    if (&ports == &network_) {
      receivers_[from].insert(to);
      senders_[to].insert(from);
    }
    if (&ports == &inside_ || edge_[from] == edge_[to]) return;
    edges_[edge_[from].value].sent += bytes;
    edges_[edge_[to].value].received += bytes;
  }

  PortLoad Largest() const {
    PortLoad load;
    constexpr double kBits = 8;
    for (Participant p = 0; p < shape_.participants(); ++p) {
      if (const double most = inside_[p].most(); most > 0)
        load.inside = std::max(load.inside, kBits * most / RateOfInside(p));
      if (const double most = network_[p].most(); most > 0)
        load.network = std::max(load.network, kBits * most / RateOfNics(p));
    }
    for (const auto& [ends, bytes] : tree_) {
      const bool at_gpu = ends.first < shape_.ranks() || ends.second < shape_.ranks();
      double& slowest = at_gpu ? load.network : load.fabric;
      slowest = std::max(slowest, kBits * bytes / RateBetween(ends.first, ends.second));
    }
    for (const auto& [edge, bytes] : edges_)
      load.fabric = std::max(load.fabric, kBits * bytes.most() / UplinksOf(graph_, NodeId(edge)));
    return load;
  }

 private:
  /// A link of a tree of switches that add, in one direction.
  void AddToTree(Participant from, Participant to, double bytes) { tree_[{from, to}] += bytes; }

  double RateBetween(Participant from, Participant to) const {
    double rate = 0;
    for (const Attachment& port : graph_.ports(shape_.node(from))) {
      if (port.peer == shape_.node(to))
        rate = std::max(rate, static_cast<double>(graph_.link(port.link).rate.bps));
    }
    return rate;
  }

  /// Rate of a GPU's NVLinks; an NVSwitch's bytes share its links to the GPUs of the group.
  double RateOfInside(Participant p) const {
    const double all = RatesOf(graph_, shape_.node(p)).inside;
    if (!shape_.is_nvswitch(p)) return all;
    const auto links = static_cast<double>(graph_.ports(shape_.node(p)).size());
    return all / links * shape_.locals(shape_.server_of(p));
  }

  /// Rate of the ports that its connections can use.
  double RateOfNics(Participant p) const {
    const auto count = [p](const auto& peers) {
      const auto found = peers.find(p);
      return found == peers.end() ? std::size_t{0} : found->second.size();
    };
    const auto connections = static_cast<double>(std::max(count(receivers_), count(senders_)));
    return RatesOf(graph_, shape_.node(p)).NetworkOf(connections * queue_pairs_);
  }

  const Graph& graph_;
  const GroupShape& shape_;
  double queue_pairs_;  ///< of a connection
  using Peers = std::unordered_map<Participant, std::unordered_set<Participant>>;
  Peers receivers_, senders_;            ///< over NICs
  std::vector<Bytes> inside_, network_;  ///< by participant
  std::vector<NodeId> edge_;             ///< by rank
  std::unordered_map<std::uint32_t, Bytes> edges_;
  std::map<std::pair<Participant, Participant>, double> tree_;
};

}  // namespace

PortRates RatesOf(const Graph& graph, NodeId node) {
  PortRates rates;
  for (const Attachment& port : graph.ports(node)) {
    const bool nvlink =
        graph.kind(port.peer) == NodeKind::kNvSwitch || graph.kind(node) == NodeKind::kNvSwitch;
    (nvlink ? rates.inside : rates.network) += static_cast<double>(graph.link(port.link).rate.bps);
    if (!nvlink) ++rates.nics;
  }
  return rates;
}

bool StaysInside(const GroupShape& shape, Participant a, Participant b) {
  const std::uint32_t server = shape.server_of(a);
  return server == shape.server_of(b) && shape.nvswitches(server) > 0;
}

PortLoad LoadOf(const Graph& graph, const GroupShape& shape, const Schedule& schedule,
                Protocol protocol, const WireFigures& wire) {
  Loads loads(graph, shape, wire.queue_pairs);
  schedule.ForEachBundle([&](const FlowBundle& bundle) {
    const std::int64_t message = ProtocolBytes(protocol, std::max<std::int64_t>(bundle.bytes, 1));
    loads.Add(bundle.source, bundle.destination,
              wire.BytesOnWire(message) * static_cast<double>(bundle.count));
  });
  return loads.Largest();
}

}  // namespace heddle
