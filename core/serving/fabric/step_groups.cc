// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/fabric/step_groups.h"

#include <algorithm>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <tuple>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/checkpoint/state_archive.h"

namespace heddle {
namespace {

auto KeyOfGroup(const StepGroup& one) { return std::make_tuple(one.instance(), one.group()); }

}  // namespace

StepGroups::StepGroups(const ServingGround& ground, const std::vector<NodeId>& gpus,
                       StepNetwork* network)
    : ground_(ground) {
  const auto here = [&](NodeId gpu) {
    return std::binary_search(gpus.begin(), gpus.end(), gpu,
                              [](NodeId a, NodeId b) { return a.value < b.value; });
  };
  for (std::uint32_t i = 0; i < ground.plan.instances.size(); ++i) {
    const InstancePlan& instance = ground.plan.instances[i];
    if (!instance.sends_in_steps()) continue;
    const StepProgram& program = instance.collectives;
    for (std::uint32_t group = 0; group < program.layout().groups; ++group) {
      if (here(ground.GpuAt(i, group, 0))) groups_.emplace_back(program, i, group, network);
    }
  }
}

const StepGroup* StepGroups::Find(std::uint32_t instance, std::uint32_t group) const {
  const auto key = std::make_tuple(instance, group);
  const auto found =
      std::lower_bound(groups_.begin(), groups_.end(), key,
                       [](const StepGroup& one, const auto& of) { return KeyOfGroup(one) < of; });
  return found != groups_.end() && KeyOfGroup(*found) == key ? &*found : nullptr;
}

StepGroup& StepGroups::Get(std::uint32_t instance, std::uint32_t group) {
  const StepGroup* found = Find(instance, group);
  HEDDLE_INVARIANT(found != nullptr, "serving: a step of GPUs that are elsewhere");
  return groups_[static_cast<std::size_t>(found - groups_.data())];
}

void StepGroups::Begin(std::uint32_t instance, std::uint32_t group, const StepOrder& order) {
  Get(instance, group).Begin(order);
}

void StepGroups::Received(const StepMessage& message, Time when) {
  const StepLayout& layout = ground_.plan.instances[message.instance].collectives.layout();
  Get(message.instance, layout.GroupOf(message.destination)).Received(message, when);
}

void StepGroups::Save(StateWriter* to) const {
  for (const StepGroup& group : groups_) *to << group;
}

void StepGroups::Load(StateReader* from) {
  for (StepGroup& group : groups_) {
    *from >> group;
    group.CheckState();
  }
}

std::size_t StepGroups::memory() const {
  std::size_t sum = MemoryOf(groups_);
  for (const StepGroup& group : groups_) sum += group.memory();
  return sum;
}

}  // namespace heddle
