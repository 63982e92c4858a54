// SPDX-License-Identifier: GPL-2.0-only
/// A step's collectives on a fabric: its groups by their placement, priced as `heddle run --backend
/// analytical` does.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/closed_form/closed_prices.h"
#include "collectives/job/job.h"
#include "collectives/program/groups.h"
#include "core/app/run/traffic/pricing_fabric.h"
#include "core/app/studies/analytical/step_arguments.h"
#include "topology/graph/graph.h"

namespace heddle {

/// "packed", "random" or "round-robin".
Placement PlacementOf(const std::string& word);

class StepFabric {
 public:
  /// Reads the fabric of -n. Throws UserError for one that no closed form knows, or with file and
  /// line.
  explicit StepFabric(const StepArguments& given);

  const Graph& graph() const { return fabric_.graph(); }  ///< the file's; NVSwitches may be joined
  const AllOptions& options() const { return fabric_.options(); }  ///< as set for this fabric
  /// Whether the settings say how pipeline stages are scheduled.
  bool SetsSchedule() const;
  /// Returns a GPU's rates: of its NVLinks, and of its other links [byte/s].
  GpuRates rates() const;
  /// Returns what the fabric's reader warns of.
  const std::vector<std::string>& warnings() const { return fabric_.warnings(); }

  /// Places the ranks by --placement. `calibration`: null: none. Throws UserError if the fabric has
  /// too few GPUs.
  void Place(const StepArguments& given, const ParallelGroups& groups,
             const Calibration* calibration);
  /// Returns the GPU of each rank.
  const std::vector<NodeId>& gpus() const { return gpus_; }

  /// Returns the price of the slowest group of a type; of PP, of a message between two stages that
  /// follow each other. Requires Place().
  CollectivePrice PriceOf(Operation operation, GroupType type, std::int64_t bytes);

 private:
  PricingFabric fabric_;
  std::vector<NodeId> gpus_;
  std::array<std::vector<std::vector<NodeId>>, kGroupTypes> members_;  ///< by type and group
  std::unique_ptr<ClosedPrices> prices_;
};

}  // namespace heddle
