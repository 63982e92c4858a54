// SPDX-License-Identifier: GPL-2.0-only
/// What trees of switches that add may be laid over: switches with streams left, links that are up.
///
/// Source: NVIDIA's documents of SHARP: a switch has one flow of its streaming mode, or two by
/// special set-up. NCCL's plugin locks those of a communicator's trees when the communicator is
/// made, whether its collectives use them or not, until it ends: the end of the job. A communicator
/// that finds none takes other algorithms. Trees of several jobs share switches but, where there is
/// a choice, no links. Here communicators of all jobs are made before the run, job by job, so a job
/// that ends gives nothing back.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/ids.h"
#include "topology/aggregation/aggregation_tree.h"
#include "topology/graph/graph.h"

namespace heddle {

class TreeGround {
 public:
  /// Starts with the streams of the switches of `graph`, which must outlive it; all links are up.
  explicit TreeGround(const Graph& graph) : graph_(graph) {}

  /// Trees that are laid from here on avoid these links; by link. Empty: none.
  void SetDown(std::vector<bool> down) { down_ = std::move(down); }
  /// Whether trees may use a link; all may be used before SetDown().
  bool IsUp(LinkId link) const { return down_.empty() || !down_[link.value]; }

  /// Whether a switch has a stream left.
  bool HasStream(NodeId node) const;
  /// Returns the number of streams of a switch that are taken.
  std::uint32_t Taken(NodeId node) const;
  /// Returns the number of trees with the switch `below` under `above`.
  std::uint32_t TreesOver(NodeId below, NodeId above) const;
  /// Takes a stream of each switch of a tree, which have one left. `holder`: who takes them, in
  /// words.
  void Take(const AggregationTree& tree, const std::string& holder);
  /// Gives back what Take() of the same tree took last.
  void GiveBack(const AggregationTree& tree);
  /// Returns why a switch has none left: "switch 34 has no stream left: DP group 0 of job 0 holds
  /// it (aggregation.streams=1)".
  std::string WhyNoStream(NodeId node) const;

 private:
  struct Lock {
    std::uint32_t count = 0;
    std::uint32_t holder = 0;  ///< the last one, an index of holders_
  };

  const Graph& graph_;
  std::vector<bool> down_;
  std::unordered_map<std::uint32_t, Lock> locks_;           ///< by node
  std::unordered_map<std::uint64_t, std::uint32_t> links_;  ///< trees, by switch and the one above
  std::vector<std::string> holders_;
};

}  // namespace heddle
