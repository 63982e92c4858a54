// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/analytical/step_fabric.h"

#include <fmt/format.h>

#include "collectives/closed_form/port_load.h"
#include "collectives/job/placement.h"
#include "core/base/check.h"
#include "core/base/printable.h"

namespace heddle {
namespace {

constexpr double kBitsPerByte = 8;
constexpr std::uint64_t kSeed = 1;  ///< of random placements

std::vector<NodeId> GpusByRank(const StepArguments& given, const Graph& graph,
                               std::uint32_t ranks) {
  JobSpec spec;
  spec.gpus = std::to_string(ranks);
  spec.placement = PlacementOf(given.placement);
  return PlaceJobs({spec}, graph, kSeed)[0];
}

/// Those of --set, and the algorithm of the flag.
std::vector<std::string> SettingsOf(const StepArguments& given) {
  std::vector<std::string> settings = given.settings;
  if (given.algorithm != "auto") settings.push_back("algorithm.allreduce=" + given.algorithm);
  return settings;
}

}  // namespace

Placement PlacementOf(const std::string& word) {
  for (const Placement placement : {Placement::kRandom, Placement::kRoundRobin}) {
    if (word == ToText(placement)) return placement;
  }
  return Placement::kPacked;
}

StepFabric::StepFabric(const StepArguments& given)
    : fabric_(given.topology, SettingsOf(given), "", "heddle analytical -n") {}

bool StepFabric::SetsSchedule() const {
  const std::vector<const Option*> found = options().options.FindByName("pipeline.schedule");
  return !found.empty() && found[0]->set_by_user;
}

GpuRates StepFabric::rates() const {
  const PortRates ports = RatesOf(graph(), NodeId(0));
  return {ports.inside / kBitsPerByte, ports.network / kBitsPerByte, 0};
}

void StepFabric::Place(const StepArguments& given, const ParallelGroups& groups,
                       const Calibration* calibration) {
  if (groups.ranks() > graph().gpu_count())
    throw UserError(fmt::format("-g: {} GPUs, and {} has {}. Expected: at most as many",
                                groups.ranks(), Printable(given.topology), graph().gpu_count()));
  if (fabric_.collectives().experts.on())
    throw UserError(
        "experts.routing: heddle analytical takes all ranks of a group for alike. Expected: "
        "experts.routing=even, or heddle run --backend analytical");
  gpus_ = GpusByRank(given, graph(), groups.ranks());
  for (int i = 0; i < kGroupTypes; ++i) {
    const auto type = static_cast<GroupType>(i);
    for (std::uint32_t group = 0; group < groups.count(type); ++group) {
      members_[i].emplace_back();
      for (const std::uint32_t rank : groups.Members(type, group))
        members_[i].back().push_back(gpus_[rank]);
    }
  }
  prices_ = std::make_unique<ClosedPrices>(
      graph(), fabric_.collectives(), fabric_.wire(),
      calibration == nullptr ? nullptr : std::make_unique<Calibration>(*calibration));
}

CollectivePrice StepFabric::PriceOf(Operation operation, GroupType type, std::int64_t bytes) {
  CollectivePrice slowest;
  const auto& groups = members_[static_cast<std::size_t>(type)];
  CollectiveCall call;
  call.operation = operation;
  call.group_type = type;
  call.bytes = bytes;
  const auto add = [&] {
    const CollectivePrice& price = prices_->WholePriceOf(call);
    if (price.seconds > slowest.seconds) slowest = price;
  };
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    call.name.group = group;
    call.members = groups[group].data();
    call.ranks = static_cast<std::uint32_t>(groups[group].size());
    if (call.ranks < 2) continue;
    if (type != GroupType::kPipeline) {
      add();
      continue;
    }
    for (call.root = 0; call.root + 1 < call.ranks; ++call.root) {
      call.peer = call.root + 1;
      add();
    }
  }
  return slowest;
}

}  // namespace heddle
