// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/direct_links.h"

namespace heddle {

DirectLinks::DirectLinks(const Graph& graph)
    : gpus_(graph.gpu_count()), each_(graph.gpus_per_server()) {
  if (graph.nvswitch_count() > 0 || each_ < 3 || each_ > kMostGpus || gpus_ % each_ != 0) return;
  table_.resize(std::size_t{gpus_} * each_);
  for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) FindPaths(graph, gpu);
  bool joined = true, passes = false;
  for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) {
    for (std::uint32_t place = 0; place < each_; ++place) {
      if (gpu % each_ == place) continue;
      const std::uint32_t hops = table_[std::size_t{gpu} * each_ + place].hops;
      joined = joined && hops > 0;
      passes = passes || hops > 1;
    }
  }
  pass_on_ = joined && passes;
  if (!pass_on_) table_ = {};
}

/// A search from the destination back. Of the ports towards it, a GPU takes one by the numbers of
/// both.
void DirectLinks::FindPaths(const Graph& graph, std::uint32_t to) {
  const auto entry = [&](std::uint32_t gpu) -> Entry& {
    return table_[std::size_t{gpu} * each_ + to % each_];
  };
  const auto is_mate = [&](NodeId node) { return in_one_server(node, NodeId(to)); };
  std::vector<std::uint32_t> found = {to};
  for (std::size_t head = 0; head < found.size(); ++head) {
    const std::uint32_t hops = found[head] == to ? 0 : entry(found[head]).hops;
    for (const Attachment& port : graph.ports(NodeId(found[head]))) {
      const std::uint32_t peer = port.peer.value;
      if (!is_mate(port.peer) || peer == to || entry(peer).hops != 0) continue;
      entry(peer).hops = hops + 1;
      found.push_back(peer);
    }
  }
  for (const std::uint32_t gpu : found) {
    if (gpu == to) continue;
    std::vector<std::uint32_t> towards;
    const std::vector<Attachment>& ports = graph.ports(NodeId(gpu));
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      const NodeId peer = ports[port].peer;
      if (!is_mate(peer)) continue;
      const std::uint32_t left = peer.value == to ? 0 : entry(peer.value).hops;
      if (left + 1 == entry(gpu).hops) towards.push_back(port);
    }
    entry(gpu).port = towards[(gpu % each_ + to % each_) % towards.size()];
  }
}

}  // namespace heddle
