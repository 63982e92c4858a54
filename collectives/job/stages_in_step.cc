// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/stages_in_step.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace heddle {
namespace {

/// What a switch or NVSwitch adds to a group's price.
struct SwitchPorts {
  std::int64_t ports = 0, rate = 0, uplinks = 0, uplink_rate = 0;  ///< uplinks: to switches
};

class PlacesOfGroups {
 public:
  explicit PlacesOfGroups(const Graph& graph) : graph_(graph), switches_(graph.node_count()) {
    for (std::uint32_t node = graph.gpu_count(); node < graph.node_count(); ++node) {
      SwitchPorts& found = switches_[node];
      for (const Attachment& port : graph.ports(NodeId(node))) {
        const std::int64_t rate = graph.link(port.link).rate.bps;
        ++found.ports;
        found.rate += rate;
        if (graph.kind(port.peer) != NodeKind::kSwitch) continue;
        ++found.uplinks;
        found.uplink_rate += rate;
      }
    }
  }

  /// Returns what distinguishes a group from others of its size.
  std::vector<std::int64_t> Of(const Job& job, GroupType type, std::uint32_t group) const {
    std::map<std::uint32_t, std::int64_t> servers, rails, peers;
    std::vector<std::int64_t> places;
    const auto number = [](auto* numbers, std::uint32_t of) {
      return numbers->emplace(of, static_cast<std::int64_t>(numbers->size()));
    };
    for (const std::uint32_t rank : job.groups.Members(type, group)) {
      const NodeId gpu = job.gpus[rank];
      places.push_back(number(&servers, graph_.ServerOf(gpu)).first->second);
      places.push_back(number(&rails, graph_.PlaceInServer(gpu)).first->second);
      for (const Attachment& port : graph_.ports(gpu)) {
        const auto [peer, is_new] = number(&peers, port.peer.value);
        const Link& link = graph_.link(port.link);
        places.insert(places.end(), {static_cast<std::int64_t>(graph_.kind(port.peer)),
                                     peer->second, link.rate.bps, link.delay.ps});
        if (!is_new) continue;
        const SwitchPorts& of = switches_[port.peer.value];
        places.insert(places.end(), {of.ports, of.rate, of.uplinks, of.uplink_rate});
      }
    }
    return places;
  }

 private:
  const Graph& graph_;
  std::vector<SwitchPorts> switches_;  ///< by node
};

/// Whether all groups for which one stands are like it.
bool AreAlike(const Job& job, GroupType type, std::uint32_t first, const PlacesOfGroups& places) {
  const JobGroups::Range groups = GroupsAlike(job, type, first);
  const std::vector<std::int64_t> expected = places.Of(job, type, first);
  for (std::uint32_t group = groups.first + 1; group < groups.end(); ++group) {
    if (places.Of(job, type, group) != expected) return false;
  }
  return true;
}

}  // namespace

JobGroups::Range GroupsAlike(const Job& job, GroupType type, std::uint32_t group) {
  const std::uint32_t all = job.groups.count(type);
  if (type == GroupType::kPipeline) return {0, all};
  const std::uint32_t of_stage = all / job.groups.pipeline();  // groups are numbered by stage
  return {group / of_stage * of_stage, of_stage};
}

bool StagesInStep(const Job& job, const Graph& graph) {
  if (job.program.graph != nullptr || job.program.experts != nullptr || graph.switches_add())
    return false;
  if (job.groups.ranks() == job.groups.pipeline()) return false;  // nobody to stand for
  std::array<bool, kGroupTypes> used = {};
  for (const ProgramOp& op : job.program.ops) {
    const GroupType type = op.spec.group;
    if (type == GroupType::kListed || op.spec.sizes != nullptr) return false;
    if (IsBetweenTwo(op.spec) && type != GroupType::kPipeline) return false;
    used[static_cast<std::size_t>(type)] = true;
  }
  const PlacesOfGroups places(graph);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto type = static_cast<GroupType>(i);
    for (std::uint32_t stage = 0; used[i] && stage < job.groups.pipeline(); ++stage) {
      if (!AreAlike(job, type, job.groups.GroupOf(type, StandInOf(job, stage)), places))
        return false;
      if (type == GroupType::kPipeline) break;
    }
  }
  return true;
}

}  // namespace heddle
