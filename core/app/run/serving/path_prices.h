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
#include "topology/routes/routes.h"

namespace heddle {

class PathPrices final : public TransferPrices {
 public:
  /// Both must outlive it.
  PathPrices(const Graph& graph, const ServingPlan& plan)
      : graph_(graph), routes_(graph), plan_(plan) {}

  Time ControlTime(std::uint32_t from, std::uint32_t to) const override;
  Time TransferTime(NodeId from, NodeId to, std::int64_t bytes) const override;

  /// The collectives of a step of one instance: in each layer two AllReduces of the tokens'
  /// activations (2 bytes an element) as rings over its GPUs, of 2 (T - 1) messages of bytes / T
  /// one after the other, each at the price of the longest and slowest path between neighbours.
  StepCollectives CollectivesOf(const InstancePlan& instance) const;

  /// Throws UserError for an instance whose GPUs, or two instances that exchange KV, have no path.
  void CheckPaths() const;

 private:
  struct Path {
    Time delay;
    BitRate rate{0};  ///< 0: there is none
  };
  Path Find(NodeId from, NodeId to) const;

  const Graph& graph_;
  Routes routes_;
  const ServingPlan& plan_;
};

}  // namespace heddle
