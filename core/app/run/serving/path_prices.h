// SPDX-License-Identifier: GPL-2.0-only
/// Prices of single messages on a fabric: each as if it had the fabric for itself.
///
/// A message takes the first of the shortest paths: the delays of its links, and its bytes at the
/// rate of the slowest link. A message without KV has kServingControlBytes bytes.
///
/// Omitted: what others send meanwhile, so that no transfer waits or collides; headers; the
/// switches' own time; a GPU's other NICs.
#pragma once

#include <vector>

#include "core/serving/priced_serving.h"
#include "topology/graph/graph.h"
#include "topology/graph/nvlink_groups.h"
#include "topology/routes/routes.h"

namespace heddle {

class PathPrices final : public TransferPrices {
 public:
  /// Both must outlive it.
  PathPrices(const Graph& graph, const ServingPlan& plan)
      : graph_(graph), routes_(graph), plan_(plan), domains_(NvLinkGroups(graph)) {}

  Time ControlTime(std::uint32_t from, std::uint32_t to) const override;
  Time TransferTime(NodeId from, NodeId to, std::int64_t bytes) const override;

  /// Returns the collectives of a step of one instance, each message at the price of the longest
  /// and slowest path of its kind: between neighbours within a group of GPUs that NVSwitches join,
  /// between groups along a ring, and to all experts if they are apart. Throws UserError if there
  /// is no path.
  StepProgram CollectivesOf(const InstancePlan& instance, const StepProgram::Shape& shape) const;

  /// Throws UserError for an instance whose GPUs, or two instances that exchange KV, have no path.
  void CheckPaths() const;

 private:
  struct Path {
    Time delay;
    BitRate rate{0};  ///< 0: there is none
  };
  Path Find(NodeId from, NodeId to) const;
  /// Finds a path. Throws UserError if there is none.
  Path FindNeeded(NodeId from, NodeId to) const;
  /// Makes `worst` as long and as slow as the path between two GPUs.
  void AddPath(NodeId from, NodeId to, Path* worst) const;
  Path WorstNear(const StepLayout& layout, const std::vector<NodeId>& gpus) const;
  Path WorstFar(const StepLayout& layout, const std::vector<NodeId>& gpus, bool to_all) const;

  const Graph& graph_;
  Routes routes_;
  const ServingPlan& plan_;
  std::vector<std::uint32_t> domains_;  ///< by GPU: equal for those that NVSwitches join
};

}  // namespace heddle
