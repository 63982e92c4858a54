// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/flow_coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/coordinator/domain_gpus.h"
#include "collectives/coordinator/phased_collectives.h"
#include "collectives/coordinator/scheduled_collectives.h"
#include "collectives/job/stages_in_step.h"
#include "core/checkpoint/state_archive.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

std::unique_ptr<CollectiveMethod> MakeMethod(const Graph& graph, const PhasedOptions& phased) {
  if (phased.on()) return std::make_unique<PhasedCollectives>(graph, phased);
  return std::make_unique<ScheduledCollectives>();
}

}  // namespace

FlowCoordinator::FlowCoordinator(const Graph& graph, const std::vector<Job>& jobs,
                                 const CollectiveOptions& options, bool timeline,
                                 const std::vector<LinkEvent>& failures, bool stand_ins)
    : graph_(graph),
      context_(options.Resolved()),
      method_(MakeMethod(graph, context_.options.phased)),
      seats_(graph.gpu_count()) {
  context_.timeline = timeline;
  for (const Job& job : jobs) method_->AddJob(job);
  DelayMessages(jobs);
  if (graph.switches_add()) ground_.emplace(graph);
  TreeGround* const ground = ground_ ? &*ground_ : nullptr;
  for (std::uint32_t j = 0; j < jobs.size(); ++j) {
    context_.jobs.push_back(
        std::make_unique<PlacedJob>(j, jobs[j], graph, context_.options, ground));
    if (ground != nullptr) {
      ground->SetDown(LinksDownAt(failures, graph.links().size(), jobs[j].start));
      context_.jobs.back()->LayTrees();
    }
    if (stand_ins && StagesInStep(jobs[j], graph)) context_.jobs.back()->StandForStages();
    TakeSeats(*context_.jobs.back());
  }
}

/// Seats the ranks that run: all, or the stand-ins.
void FlowCoordinator::TakeSeats(const PlacedJob& placed) {
  const Job& job = placed.job();
  const std::uint32_t stages = placed.in_step() ? job.groups.pipeline() : 0;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const std::uint32_t rank = StandInOf(job, stage);
    seats_[job.gpus[rank].value] = {placed.index(), rank};
  }
  for (std::uint32_t rank = 0; stages == 0 && rank < job.gpus.size(); ++rank)
    seats_[job.gpus[rank].value] = {placed.index(), rank};
}

/// Sets delays for messages between two ranks beside collectives in phases, and for graphs.
void FlowCoordinator::DelayMessages(const std::vector<Job>& jobs) {
  bool until_arrival = false;
  for (const Job& job : jobs) {
    const GraphProgram* graph = job.program.graph.get();
    graphs_ = graphs_ || graph != nullptr;
    until_arrival = until_arrival || (graph != nullptr && graph->sends_until_arrival);
  }
  context_.message_delay = method_->MessageDelay(until_arrival);
  // Scale-up links report an arrival when it happens; others up to a notice delay later.
  if (graphs_)
    context_.graph_lag = (context_.message_delay ? Time{0} : notice_delay()) + PicoSeconds(1);
}

FlowCoordinator::~FlowCoordinator() = default;

std::vector<std::string> FlowCoordinator::DescribeTrees() const {
  std::vector<std::string> lines;
  if (!ground_) return lines;
  for (const auto& job : context_.jobs) {
    if (const std::string text = job->DescribeTrees(); !text.empty())
      lines.push_back(fmt::format("job {}: {}", job->index(), text));
  }
  return lines;
}

std::vector<std::string> FlowCoordinator::DescribeStandIns() const {
  std::vector<std::string> lines;
  for (const auto& job : context_.jobs) {
    if (!job->in_step()) continue;
    lines.push_back(
        fmt::format("job {}: {} of {} GPUs run, each for those of its stage, which do "
                    "the same",
                    job->index(), job->job().groups.pipeline(), job->job().gpus.size()));
  }
  return lines;
}

FlowAgent* FlowCoordinator::AgentOf(DomainId, const std::vector<NodeId>& nodes) {
  // NVSwitches may be a domain of their own, if their links are slow.
  const bool takes_part = std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
    return node.value < seats_.size() ? seats_[node.value].job != Seat::kNobody
                                      : graph_.ends_flows(node);
  });
  if (!takes_part) return nullptr;
  for (const NodeId node : nodes) {
    if (contents_ && node.value < seats_.size() && seats_[node.value].job != Seat::kNobody)
      contents_->AddGpu(node, seats_[node.value].job);
  }
  agents_.push_back(method_->MakeAgent(&context_, seats_, nodes));
  return agents_.back().get();
}

void FlowCoordinator::KeepContents(ResultChecks checks) {
  contents_ = std::make_unique<CollectiveContents>(context_.jobs, checks);
}

Time FlowCoordinator::notice_delay() const {
  const Time least = method_->LeastDelay(context_);
  // What follows a completion at T starts at T + least, after a graph has run T.
  return graphs_ ? least - PicoSeconds(2) : least;
}

std::optional<CollectiveCall> FlowCoordinator::CallOf(const CollectiveName& name) {
  return CallOfFirst(context_, name);
}

std::uint64_t FlowCoordinator::CountFlows() {
  std::uint64_t flows = 0;
  for (const auto& job : context_.jobs) flows += method_->CountFlows(job.get());
  return flows;
}

std::uint64_t FlowCoordinator::CountOpenMessages() {
  std::uint64_t messages = 0;
  for (const auto& job : context_.jobs) messages += method_->CountOpenMessages(job.get());
  return messages;
}

void FlowCoordinator::ForEachTraffic(const std::function<void(const PlacedJob::Traffic&)>& visit) {
  for (const auto& job : context_.jobs) method_->ForEachTraffic(job.get(), visit);
}

std::uint32_t FlowCoordinator::gpus() const {
  std::size_t sum = 0;
  for (const auto& agent : agents_) sum += agent->gpus().gpus().size();
  return static_cast<std::uint32_t>(sum);
}

std::map<NodeId, std::string> FlowCoordinator::Waiting(std::size_t most) const {
  std::map<NodeId, const GpuExecution*> open;
  for (const auto& agent : agents_) {
    for (const auto& gpu : agent->gpus().gpus()) {
      if (!gpu->finished()) open.emplace(gpu->runner().gpu(), gpu.get());
    }
  }
  if (open.empty()) return {};
  const NodeNames names(graph_);
  std::map<NodeId, std::string> lines;
  for (const auto& [id, gpu] : open) {
    if (lines.size() == most) break;
    lines.emplace(id, gpu->Waiting(names));
  }
  return lines;
}

std::vector<ChunkStand> FlowCoordinator::ChunkStands() const {
  std::vector<ChunkStand> stands;
  for (const auto& agent : agents_) agent->AddStands(&stands);
  return stands;
}

std::string FlowCoordinator::WaitsFor() const {
  const std::map<NodeId, std::string> first = Waiting(1);
  return first.empty() ? "" : first.begin()->second;
}

Time FlowCoordinator::end() const {
  Time last;
  for (const FinishRecord& record : context_.finishes) last = std::max(last, record.end);
  return last;
}

void FlowCoordinator::SavePiece(PieceWriter* to, RankId here) const {
  StateWriter state;
  context_.SaveCollectives(&state);
  to->Add(PieceKind::kCollectives, here.value, state.bytes());
}

void FlowCoordinator::LoadPieces(CheckpointPieces* from, const Communicator& world) {
  context_.ForgetRecords();
  from->LoadShare(PieceKind::kCollectives, world.rank(), world.size(),
                  [this](StateReader* state) { context_.AddCollectives(state); });
}

std::size_t FlowCoordinator::schedule_memory() const {
  std::size_t sum = 0;
  for (const auto& job : context_.jobs) sum += job->memory();
  return sum;
}

void FlowCoordinator::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kSchedules, schedule_memory());
  account->Add(Structure::kExecution, MemoryOf(seats_) + MemoryOf(agents_));
  for (const auto& agent : agents_) account->Add(Structure::kExecution, agent->memory());
  account->Add(Structure::kRecords, context_.record_memory());
}

}  // namespace heddle
