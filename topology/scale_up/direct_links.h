// SPDX-License-Identifier: GPL-2.0-only
/// NVLinks straight from GPU to GPU in servers without NVSwitches, over which GPUs pass on what is
/// for others of their server.
///
/// Models servers such as the DGX-1 (NVIDIA, "DGX-1 with Tesla V100 System Architecture", WP-08437:
/// eight GPUs on a hybrid cube mesh) in which not every pair of GPUs has a link. NCCL sends between
/// such pairs through a GPU that both are linked to (NCCL_P2P_LEVEL=NVB), or lays its rings along
/// the links. Here messages take a path of the fewest links; the GPUs between store and forward
/// packets, without using their kernels' time. Not modelled: rings that follow the links; several
/// paths of one pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

/// The next link from each GPU to each other GPU of its server.
class DirectLinks {
 public:
  /// GPUs of a server at most, as tables are stored by pair.
  static constexpr std::uint32_t kMostGpus = 256;

  /// Finds the paths in every server, and frees them again unless pass_on().
  explicit DirectLinks(const Graph& graph);

  /// Whether these links join all GPUs of every server, and some pair has no link of its own. A
  /// fabric with NVSwitches, routes of its own or scale-up links has none.
  bool pass_on() const { return pass_on_; }
  /// Returns the number of whole servers.
  std::uint32_t servers() const { return gpus_ / each_; }

  /// Whether both are GPUs, and of one server.
  bool in_one_server(NodeId a, NodeId b) const {
    return a.value < gpus_ && b.value < gpus_ && a.value / each_ == b.value / each_;
  }
  /// Returns the port of `from` that leads on to `to`, another GPU of its server. Requires
  /// pass_on(). Pairs share out the paths that are equally short.
  PortId Next(NodeId from, NodeId to) const { return PortId(At(from, to).port); }
  /// Returns the links from one GPU to another of its server, 0 to itself. Requires pass_on().
  std::uint32_t Hops(NodeId from, NodeId to) const { return from == to ? 0 : At(from, to).hops; }

  /// Returns the bytes of the table; 0 unless pass_on().
  std::size_t memory() const { return table_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint32_t port = 0;
    std::uint32_t hops = 0;  ///< 0: no path
  };

  /// Returns the entry of a pair of one server.
  const Entry& At(NodeId from, NodeId to) const {
    return table_[std::size_t{from.value} * each_ + to.value % each_];
  }
  /// Fills the entries towards GPU `to` by a search back from it. Of the ports that lead on, a GPU
  /// takes one by the numbers of both.
  void FindPaths(const Graph& graph, std::uint32_t to);

  std::uint32_t gpus_, each_;
  bool pass_on_ = false;
  std::vector<Entry> table_;  ///< by GPU and place of the destination in the server
};

}  // namespace heddle
