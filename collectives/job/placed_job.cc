// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/placed_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "collectives/algorithms/algorithm_table.h"
#include "collectives/algorithms/make_schedule.h"
#include "collectives/choice/algorithm_choice.h"
#include "collectives/choice/tree_use.h"
#include "collectives/job/stages_in_step.h"
#include "core/base/check.h"
#include "core/traffic/flow_request.h"

namespace heddle {
namespace {

/// Throws UserError if NVSwitches of scale-up dimensions were to end flows: only GPUs do there.
void RequireNvSwitchesThatAdd(const CollectiveSpec& spec, Algorithm algorithm,
                              const GroupShape& shape, const Graph& graph) {
  const bool has_dimensions = graph.scale_up() != nullptr && !graph.scale_up()->dimensions.empty();
  if (!RowOf(algorithm).by_nvswitches || !has_dimensions) return;
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    if (shape.nvswitches(server) == 0) continue;
    throw UserError(fmt::format(
        "{} of a {} group of {} GPUs by {}: switches of a scale-up dimension do not add. "
        "Expected: ring",
        ToText(spec.operation), ToText(spec.group), shape.ranks(), ToText(algorithm)));
  }
}

}  // namespace

PlacedJob::PlacedJob(std::uint32_t index, const Job& job, const Graph& graph,
                     const CollectiveOptions& options, TreeGround* ground)
    : index_(index), job_(job), graph_(graph), options_(options), ground_(ground) {
  // Specs of listed groups count for each group.
  std::map<std::pair<std::uint32_t, CollectiveSpec>, std::uint32_t> specs;
  std::vector<std::uint32_t> count(job.all_groups().communicators(), 0);
  const CollectiveSpec* before = nullptr;
  for (const ProgramOp& op : job.program.ops) {
    const CollectiveSpec& spec = op.spec;
    if (before != nullptr && (*before < spec || spec < *before)) ++windows_;
    before = &spec;
    window_of_op_.push_back(windows_);
    const std::uint32_t of = JobGroups::CommunicatorOf(op);
    const auto [place, is_new] = specs.try_emplace({of, spec}, count[of]);
    if (is_new) ++count[of];
    spec_of_op_.push_back(place->second);
    const bool known =
        std::find(tree_types_.begin(), tree_types_.end(), spec.group) != tree_types_.end();
    if (is_new && !known && MayUseTrees(spec.operation, options)) tree_types_.push_back(spec.group);
  }
  for (std::size_t type = 0; type < kGroupTypes; ++type) {
    if (count[type] == 0) continue;
    groups_[type].resize(job.groups.count(static_cast<GroupType>(type)));
    for (Group& group : groups_[type]) group.collectives.resize(count[type]);
  }
  std::vector<Group>& listed = groups_[kGroupTypes];
  listed.resize(job.program.lists.count());
  for (std::size_t i = 0; i < listed.size(); ++i)
    listed[i].collectives.resize(count[kGroupTypes + i]);
}

std::uint32_t PlacedJob::RankIn(std::uint32_t operation, std::uint32_t rank) const {
  static_assert(GroupLists::kNone == GroupShape::kNone);
  return job_.all_groups().RankIn(Op(operation), rank);
}

std::uint32_t PlacedJob::StandInFor(std::uint32_t operation, std::uint32_t group) const {
  return in_step_ ? GroupsAlike(job_, Op(operation).spec.group, group).first : group;
}

std::vector<PlacedJob::GroupUse> PlacedJob::UsesOf(std::uint32_t operation) const {
  const JobGroups::Range all = GroupsOf(operation);
  std::vector<GroupUse> uses;
  for (std::uint32_t group = all.first; group < all.end();) {
    const std::uint32_t alike =
        in_step_ ? GroupsAlike(job_, Op(operation).spec.group, group).count : 1;
    uses.push_back({group, alike});
    group += alike;
  }
  return uses;
}

Time PlacedJob::WindowOf(std::uint32_t operation) const {
  if (options_.window == Time{}) return job_.start;
  const std::int64_t of_pass = window_of_op_[operation % job_.program.ops.size()];
  return job_.start + options_.window * (of_pass + std::int64_t{windows_ + 1} * PassOf(operation));
}

bool PlacedJob::Has(std::uint32_t operation, std::uint32_t group, Participant participant) {
  if (operation >= operations()) return false;
  const JobGroups::Range groups = GroupsOf(operation);
  return group >= groups.first && group < groups.end() &&
         participant < Shape(Op(operation).spec.group, group).participants();
}

std::string PlacedJob::NameOf(std::uint32_t operation) const {
  const ProgramOp& op = Op(operation);
  if (job_.program.graph != nullptr) {
    const std::string& name = job_.workload.layers[op.layer].name;
    return fmt::format("{}{} of {}", name.empty() ? "" : "'" + name + "' ",
                       ToText(op.spec.operation),
                       op.list == 0 ? "all ranks" : "group " + job_.program.lists.NameOf(op.list));
  }
  return fmt::format("pass {}, layer {} '{}', {} {} of {}", PassOf(operation), op.layer,
                     job_.workload.layers[op.layer].name, ToText(op.phase),
                     ToText(op.spec.operation), ToText(op.spec.group));
}

const GroupShape& PlacedJob::Shape(GroupType type, std::uint32_t number) {
  Group& group = groups_[static_cast<int>(type)][number];
  if (!group.shape) {
    std::vector<NodeId> members;
    for (const std::uint32_t rank : job_.all_groups().Members(type, number))
      members.push_back(job_.gpus[rank]);
    group.shape = std::make_unique<GroupShape>(graph_, std::move(members), TreesOf(type, number));
  }
  return *group.shape;
}

GroupShape::TreeRequest PlacedJob::TreesOf(GroupType type, std::uint32_t number) const {
  if (ground_ == nullptr) return {};
  GroupShape::TreeRequest request;
  if (std::find(tree_types_.begin(), tree_types_.end(), type) == tree_types_.end()) {
    request.why_none = "no collective of the group asks for CollNet";
    return request;
  }
  request.ground = ground_;
  request.holder = fmt::format("{} group {} of job {}", ToText(type), number, index_);
  if (options_.as_nccl())
    request.fewest_servers = static_cast<std::uint32_t>(options_.collnet_servers);
  return request;
}

void PlacedJob::LayTrees() {
  for (const GroupType type : tree_types_) {
    for (std::uint32_t group = 0; group < job_.all_groups().count(type); ++group)
      Shape(type, group);
  }
}

std::string PlacedJob::DescribeTrees() const {
  std::string text;
  for (const GroupType type : tree_types_) {
    std::size_t with = 0, several = 0;
    const GroupShape* without = nullptr;
    for (const Group& group : groups_[static_cast<int>(type)]) {
      if (group.shape->servers() < 2) continue;
      ++several;
      if (group.shape->trees() > 0) {
        ++with;
      } else if (without == nullptr) {
        without = group.shape.get();
      }
    }
    if (several == 0) continue;
    text += fmt::format("{}trees for {} of {} {} groups over several servers",
                        text.empty() ? "" : ", ", with, several, ToText(type));
    if (without != nullptr) text += fmt::format(" ({})", without->why_no_trees());
  }
  return text;
}

const PlannedCollective& PlacedJob::Collective(std::uint32_t operation, std::uint32_t number) {
  const std::size_t op = operation % job_.program.ops.size();
  const CollectiveSpec& spec = job_.program.ops[op].spec;
  std::unique_ptr<PlannedCollective>& planned =
      groups_[static_cast<int>(spec.group)][number].collectives[spec_of_op_[op]];
  if (!planned) {
    const GroupShape& shape = Shape(spec.group, number);
    planned = std::make_unique<PlannedCollective>();
    planned->spec = spec;
    planned->shape = &shape;
    if (options_.phased.on() && !IsBetweenTwo(spec)) {
      planned->choice.algorithm = Algorithm::kPhases;
      RequireServesPairs(spec, planned->choice);
    } else {
      planned->choice = ChooseAlgorithm(spec, shape, graph_.gpu_type(), options_);
      RequireNvSwitchesThatAdd(spec, planned->choice.algorithm, shape, graph_);
      planned->schedule = MakeSchedule(spec, planned->choice, shape, options_);
    }
  }
  return *planned;
}

PathKind PlacedJob::PathOf(const GroupShape& shape, const GroupFlow& flow) {
  const std::uint32_t server = shape.server_of(flow.source);
  if (server != shape.server_of(flow.destination)) return PathKind::kNet;
  return shape.has_nvlinks(server) ? PathKind::kNvLink : PathKind::kPci;
}

void PlacedJob::CheckSizes(const PlannedCollective& planned, const GroupShape& shape,
                           std::uint32_t op) const {
  const Protocol protocol = planned.choice.protocol;
  if (ProtocolBytes(protocol, planned.spec.bytes) <= kMaxFlowBytes) return;
  std::int64_t largest = 0;
  std::vector<GroupFlow> first;
  for (Participant rank = 0; rank < shape.ranks(); ++rank) planned.schedule->Begin(rank, &first);
  for (const GroupFlow& flow : first) largest = std::max(largest, flow.wire_bytes());
  // With PXN a rank bundles the data of all ranks of its server for another rank.
  const std::int64_t bundle = planned.choice.pxn && planned.spec.operation == Operation::kAllToAll
                                  ? shape.ranks() / shape.servers() + 1
                                  : 1;
  const bool fits = largest <= kMaxFlowBytes / bundle &&
                    ProtocolBytes(protocol, largest * bundle + 1) <= kMaxFlowBytes;
  if (fits) return;
  const Layer& layer = job_.workload.layers[Op(op).layer];
  throw UserError(
      fmt::format("{}, layer '{}' of job {}: {} of {} bytes in {} group of {} GPUs needs messages "
                  "of {} bytes{}. "
                  "Expected: at most {} bytes a message",
                  ToText(SourceLine{job_.workload.name, layer.line}), layer.name, index_,
                  ToText(planned.spec.operation), planned.spec.bytes, ToText(planned.spec.group),
                  shape.ranks(), largest,
                  bundle > 1 ? fmt::format(", {} of them in a bundle of PXN", bundle)
                  : protocol == Protocol::kLl || protocol == Protocol::kLl128
                      ? fmt::format(", and the flags of {}", ToText(protocol))
                      : "",
                  kMaxFlowBytes));
}

std::uint64_t PlacedJob::CountFlows() {
  std::uint64_t flows = 0;
  for (std::uint32_t op = 0; op < job_.program.ops.size(); ++op) {
    for (const GroupUse& use : UsesOf(op)) {
      const PlannedCollective& planned = Collective(op, use.group);
      if (!planned.schedule) continue;
      flows += planned.schedule->flow_count() * use.uses;
      CheckSizes(planned, *planned.shape, op);
    }
  }
  return flows * job_.program.passes;
}

std::size_t PlacedJob::memory() const {
  std::size_t sum = sizeof *this + spec_of_op_.capacity() * sizeof(std::uint32_t);
  for (const std::vector<Group>& groups : groups_) {
    for (const Group& group : groups) {
      sum += sizeof(Group) + (group.shape ? group.shape->memory() : 0) +
             group.collectives.capacity() * sizeof(void*);
      for (const auto& planned : group.collectives) {
        if (planned)
          sum += sizeof(PlannedCollective) + (planned->schedule ? planned->schedule->memory() : 0);
      }
    }
  }
  return sum;
}

std::vector<PlacedJob::SpecUse> PlacedJob::SpecsOf(GroupType type) const {
  std::vector<SpecUse> specs;
  // By listed group, spec and stages.
  std::map<std::tuple<std::uint32_t, std::uint32_t, StageRange>, std::size_t> index;
  for (std::uint32_t op = 0; op < job_.program.ops.size(); ++op) {
    const ProgramOp& program_op = job_.program.ops[op];
    if (program_op.spec.group != type) continue;
    const auto [at, is_new] =
        index.try_emplace({program_op.list, spec_of_op_[op], program_op.stages}, specs.size());
    if (is_new) specs.push_back({op, 0});
    ++specs[at->second].uses;
  }
  return specs;
}

void PlacedJob::ForEachTraffic(const std::function<void(const Traffic&)>& visit) {
  for (int type = 0; type <= kGroupTypes; ++type) {
    for (const SpecUse& use : SpecsOf(static_cast<GroupType>(type))) {
      const JobGroups::Range groups = GroupsOf(use.operation);
      for (std::uint32_t group = groups.first; group < groups.end(); ++group) {
        const PlannedCollective& planned = Collective(use.operation, group);
        if (!planned.schedule) continue;
        const GroupShape& shape = *planned.shape;
        planned.schedule->ForEachBundle([&](const FlowBundle& bundle) {
          const std::int64_t bytes =
              ProtocolBytes(planned.choice.protocol, std::max<std::int64_t>(bundle.bytes, 1));
          visit({shape.node(bundle.source), shape.node(bundle.destination), bytes,
                 bundle.count * use.uses * job_.program.passes});
        });
      }
    }
  }
}

std::uint64_t PlacedJob::CountFirstMessages(std::uint32_t operation) {
  std::uint64_t messages = 0;
  std::vector<GroupFlow> first;
  for (const GroupUse& use : UsesOf(operation)) {
    const PlannedCollective& planned = Collective(operation, use.group);
    if (!planned.schedule) continue;
    for (Participant rank = 0; rank < planned.shape->ranks(); ++rank) {
      first.clear();
      planned.schedule->Begin(rank, &first);
      messages += first.size() * use.uses;
    }
  }
  return messages;
}

std::uint64_t PlacedJob::CountOpenMessages() {
  std::uint64_t sum = 0;
  for (int type = 0; type < kGroupTypes; ++type) {
    std::uint64_t most = 0;
    for (const SpecUse& use : SpecsOf(static_cast<GroupType>(type)))
      most = std::max(most, CountFirstMessages(use.operation));
    sum += most;
  }
  // Listed groups run at once, and each rank may send a few messages at once.
  constexpr std::uint64_t kSendsOfRank = 4;
  std::vector<std::uint64_t> listed(groups_[kGroupTypes].size(), 0);
  std::uint64_t sends = 0;
  for (const SpecUse& use : SpecsOf(GroupType::kListed)) {
    const ProgramOp& op = Op(use.operation);
    if (IsBetweenTwo(op.spec)) {
      sends += use.uses;
    } else {
      listed[op.list] = std::max(listed[op.list], CountFirstMessages(use.operation));
    }
  }
  for (const std::uint64_t most : listed) sum += most;
  return sum + std::min<std::uint64_t>(sends, kSendsOfRank * job_.gpus.size());
}

}  // namespace heddle
