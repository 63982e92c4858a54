// SPDX-License-Identifier: GPL-2.0-only
/// The groups of near GPUs in one domain whose collectives are messages, of all its instances.
#pragma once

#include <cstdint>
#include <vector>

#include "core/serving/fabric/serving_ground.h"
#include "core/serving/fabric/serving_parcel.h"

namespace heddle {

class StateReader;
class StateWriter;

class StepGroups {
 public:
  /// Finds the groups whose first GPU is among `gpus`, which are of instances. All must outlive it.
  StepGroups(const ServingGround& ground, const std::vector<NodeId>& gpus, StepNetwork* network);

  /// Begins a step in a group here.
  void Begin(std::uint32_t instance, std::uint32_t group, const StepOrder& order);
  /// A message to a GPU here came at `when`.
  void Received(const StepMessage& message, Time when);
  /// Whether the group is here.
  bool Has(std::uint32_t instance, std::uint32_t group) const {
    return Find(instance, group) != nullptr;
  }

  void Save(StateWriter* to) const;
  /// Loads what Save() wrote. Throws UserError for what no run of this plan can have saved.
  void Load(StateReader* from);
  std::size_t memory() const;  ///< bytes

 private:
  /// Null: the group is elsewhere.
  const StepGroup* Find(std::uint32_t instance, std::uint32_t group) const;
  StepGroup& Get(std::uint32_t instance, std::uint32_t group);

  const ServingGround& ground_;
  std::vector<StepGroup> groups_;  ///< by instance, then group
};

}  // namespace heddle
