// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/step_time.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "collectives/closed_form/group_spread.h"
#include "collectives/closed_form/stages_time.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Prices each kind of collective once: the slowest of a type's groups.
class PriceList {
 public:
  PriceList(const ParallelGroups& groups, const StepRules& rules)
      : groups_(groups), rules_(rules) {}

  CollectivePrice Of(Operation operation, GroupType group, std::int64_t bytes) {
    if (operation == Operation::kNone || bytes == 0) return {};
    const auto [at, is_new] = known_.try_emplace({operation, group, bytes});
    if (!is_new) return at->second;
    if (rules_.fabric) {
      if (const auto price = rules_.fabric(operation, group, bytes)) return at->second = *price;
    }
    const PriceRules rules = rules_.rules(group, operation);
    for (const GroupSpread& spread : SpreadsOfType(group)) {
      const CollectivePrice price = PriceOf(
          operation, bytes, operation == Operation::kSendRecv ? PairIn(spread) : spread, rules);
      if (price.seconds > at->second.seconds) at->second = price;
    }
    return at->second;
  }

 private:
  /// Every rank sends to one other: the slowest pair of the group.
  static GroupSpread PairIn(const GroupSpread& spread) {
    if (spread.ranks < 2) return spread;
    return spread.servers > 1 ? GroupSpread{2, 2, 1, 1} : GroupSpread{2, 1, 2, 2};
  }

  const std::vector<GroupSpread>& SpreadsOfType(GroupType group) {
    std::vector<GroupSpread>& spreads = spreads_[static_cast<std::size_t>(group)];
    if (spreads.empty()) spreads = SpreadsOf(groups_, group, rules_.gpus_per_server);
    return spreads;
  }

  const ParallelGroups& groups_;
  const StepRules& rules_;
  std::array<std::vector<GroupSpread>, kGroupTypes> spreads_;
  std::map<std::tuple<Operation, GroupType, std::int64_t>, CollectivePrice> known_;
};

PhaseTime PricedPhase(const LayerPhase& phase, PriceList* prices) {
  PhaseTime time;
  time.computing = phase.compute.seconds();
  time.price = prices->Of(phase.operation, phase.group, phase.bytes);
  return time;
}

/// By layer: where the forward that is repeated before its gradients begins; itself: none.
std::vector<std::size_t> RepeatedFrom(const Workload& workload) {
  const std::size_t count = workload.layers.size();
  std::vector<std::size_t> from(count);
  std::iota(from.begin(), from.end(), std::size_t{0});
  for (const std::int64_t initiates : workload.checkpoint_initiates) {
    std::int64_t nearest = -1;
    for (const std::int64_t checkpoint : workload.checkpoints) {
      if (checkpoint <= initiates) nearest = std::max(nearest, checkpoint);
    }
    if (nearest >= 0) from[static_cast<std::size_t>(initiates)] = static_cast<std::size_t>(nearest);
  }
  return from;
}

std::vector<RowTime> PriceRows(const Workload& workload, PriceList* prices) {
  std::vector<RowTime> rows(workload.layers.size());
  const bool backward = !workload.inference && workload.policy != Policy::kDistributedInference;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Layer& layer = workload.layers[i];
    rows[i].forward = PricedPhase(layer.forward, prices);
    if (!backward) continue;
    rows[i].input_gradient = PricedPhase(layer.input_gradient, prices);
    rows[i].weight_gradient = PricedPhase(layer.weight_gradient, prices);
  }
  return rows;
}

double ShareOf(GroupType group, const OverlapShares& overlaps) {
  switch (group) {
    case GroupType::kTensor:
      return overlaps.tensor;
    case GroupType::kExpert:
      return overlaps.expert;
    case GroupType::kData:
    case GroupType::kDataExpert:
    case GroupType::kAll:
      return overlaps.data;
    case GroupType::kPipeline:
      return overlaps.pipeline;
    case GroupType::kContext:  // plans only, which this sum does not take
    case GroupType::kListed:
      break;
  }
  return 0;
}

/// Communication of the forward rows or of the gradients, and the computing that may hide it.
struct Direction {
  double computing = 0, hidden = 0;
  void Add(const PhaseTime& phase, double share) {
    computing += phase.computing;
    hidden += phase.price.seconds * share;
  }
  /// The part of the wanted overlap that there is computing for.
  double possible() const { return hidden > computing ? computing / hidden : 1; }
};

/// Calls `use` with each phase of a row and what the workload says of it.
template <class Use>
void ForEachPhase(const Layer& layer, RowTime* row, const Use& use) {
  use(layer.forward, &row->forward, true);
  use(layer.input_gradient, &row->input_gradient, false);
  use(layer.weight_gradient, &row->weight_gradient, false);
}

void HideCommunication(const Workload& workload, const OverlapShares& overlaps,
                       std::vector<RowTime>* rows) {
  Direction forward, backward;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    ForEachPhase(workload.layers[i], &(*rows)[i],
                 [&](const LayerPhase& phase, const PhaseTime* time, bool is_forward) {
                   (is_forward ? forward : backward).Add(*time, ShareOf(phase.group, overlaps));
                 });
  }
  for (std::size_t i = 0; i < rows->size(); ++i) {
    ForEachPhase(workload.layers[i], &(*rows)[i],
                 [&](const LayerPhase& phase, PhaseTime* time, bool is_forward) {
                   const double possible = (is_forward ? forward : backward).possible();
                   time->exposed =
                       time->price.seconds * (1 - possible * ShareOf(phase.group, overlaps));
                 });
  }
}

/// Adds the repeated forwards: each to the layer that waits for it.
void RepeatForwards(const Workload& workload, PredictedStep* step) {
  const std::vector<std::size_t> from = RepeatedFrom(workload);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t l = from[i]; l < i; ++l) {
      const PhaseTime& forward = step->rows[l].forward;
      const auto group = static_cast<std::size_t>(workload.layers[l].forward.group);
      step->rows[i].again += forward.computing + forward.exposed;
      step->rows[i].again_exposed += forward.exposed;
      step->computing += forward.computing;
      step->exposed[group] += forward.exposed;
      step->communication[group] += forward.price.seconds;
    }
  }
}

void AddRows(const Workload& workload, PredictedStep* step) {
  for (std::size_t i = 0; i < step->rows.size(); ++i) {
    ForEachPhase(workload.layers[i], &step->rows[i],
                 [&](const LayerPhase& phase, const PhaseTime* time, bool) {
                   const auto group = static_cast<std::size_t>(phase.group);
                   step->computing += time->computing;
                   step->exposed[group] += time->exposed;
                   step->communication[group] += time->price.seconds;
                 });
  }
}

}  // namespace

PredictedStep TimeOfStep(const Workload& workload, const ParallelGroups& groups,
                         const StepRules& rules) {
  HEDDLE_EXPECT(rules.stage_weights.empty() || rules.stage_weights.size() == groups.pipeline());
  PriceList prices(groups, rules);
  PredictedStep step;
  step.rows = PriceRows(workload, &prices);
  HideCommunication(workload, rules.overlaps, &step.rows);
  AddRows(workload, &step);
  RepeatForwards(workload, &step);
  if (groups.pipeline() > 1) {
    step.stage_message =
        prices.Of(Operation::kSendRecv, GroupType::kPipeline, workload.pipeline_bytes);
    const StagesTime stages = TimeOfStages(workload, groups.pipeline(), rules, step);
    step.bubble = stages.bubble;
    constexpr auto kPipeline = static_cast<std::size_t>(GroupType::kPipeline);
    step.communication[kPipeline] += stages.messages;
    step.exposed[kPipeline] += stages.exposed_messages;
  }
  step.total =
      std::accumulate(step.exposed.begin(), step.exposed.end(), step.computing + step.bubble);
  return step;
}

}  // namespace heddle
