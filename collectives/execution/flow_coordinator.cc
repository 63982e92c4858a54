// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/flow_coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/serialization/map.hpp>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "collectives/execution/gpu_execution.h"
#include "collectives/execution/known_messages.h"
#include "collectives/execution/phased_port.h"
#include "collectives/execution/step_loop.h"
#include "collectives/phased/chunk_deadlock.h"
#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"
#include "core/traffic/future_visitors.h"
#include "core/traffic/whole_collectives.h"
#include "topology/graph/node_names.h"

namespace heddle {

/// The GPUs of jobs in one domain, and the participations of NVSwitches in their collectives.
class FlowCoordinator::DomainAgent final : public FlowAgent, private WholeCollectives {
 public:
  /// `seats`, of all GPUs, must outlive it. `planner`: of collectives in phases; null if they are
  /// not.
  DomainAgent(ExecutionContext* context, const std::vector<Seat>& seats,
              const std::vector<NodeId>& nodes, const PhasePlanner* planner)
      : context_(context), all_seats_(seats), planner_(planner), first_node_(nodes.front().value) {
    index_.assign(nodes.back().value - first_node_ + 1, Seat::kNobody);
    for (NodeId node : nodes) {
      if (node.value >= seats.size() || seats[node.value].job == Seat::kNobody) continue;
      index_[node.value - first_node_] = static_cast<std::uint32_t>(seats_.size());
      seats_.push_back(seats[node.value]);
      gpu_nodes_.push_back(node);
    }
  }

  void Begin(FlowPoster* port) override {
    if (planner_ != nullptr) {
      phased_ = std::make_unique<PhasedPort>(
          *planner_, port, gpu_nodes_,
          [this](const CollectiveName& name, NodeId node, Time when) {
            Completed(name, node, when);
          },
          [this](const CollectiveName& name, std::uint32_t phase, const PhaseDelays& delays) {
            context_->AddDelays(name, phase, delays);
          });
      port = phased_.get();
    }
    port_ = port;
    gpus_.reserve(seats_.size());
    for (std::uint32_t i = 0; i < seats_.size(); ++i) {
      gpus_.push_back(std::make_unique<GpuExecution>(context_, port, seats_[i].job, seats_[i].rank,
                                                     [this, i](Time when) {
                                                       alarms_.insert({when, i});
                                                       port_->WakeAt(when);
                                                     }));
    }
    for (const auto& gpu : gpus_) gpu->Begin();
  }

  void Woken() override {
    ChunkScheduler* scheduler = phased_ ? &phased_->scheduler() : nullptr;
    const Time of_graph = alarms_.empty() ? Time::Max() : alarms_.begin()->first;
    if (scheduler != nullptr && scheduler->next_wake() <= of_graph) return scheduler->Woken();
    const std::uint32_t gpu = alarms_.begin()->second;
    alarms_.erase(alarms_.begin());
    gpus_[gpu]->Woken(of_graph);
  }

  void Sent(const FlowCookie& cookie, Time when) override {
    if (IsPhased(cookie)) return;
    const MessageName name = cookie.As<MessageName>();
    PlacedJob& job = *context_->jobs[name.job];
    const NodeId source =
        job.Shape(job.Op(name.operation).spec.group, name.group).node(name.source);
    if (GpuExecution* gpu = GpuAt(source.value)) {
      gpu->runner().Sent(name, when);
    } else {
      Participation& part = SwitchPart(name, name.source);
      StepOnDeparture(context_, job, &part, name.flow(), when, port_);
      Retire(name, name.source);
    }
  }

  void Received(const FlowCookie& cookie, Time when) override {
    if (IsPhased(cookie)) return phased_->scheduler().Received(cookie, when);
    const MessageName name = cookie.As<MessageName>();
    if (GpuExecution* gpu = GpuAt(name.node)) {
      TellSender(name, when);
      gpu->runner().Received(name, when);
      return;
    }
    Participation& part = SwitchPart(name, name.destination);
    StepOnArrival(context_, *context_->jobs[name.job], &part, name.numbered(), when, port_);
    Retire(name, name.destination);
  }

  StreamName Begun(const FlowCookie& cookie, Time when) override {
    const MessageName name = cookie.As<MessageName>();
    Received(cookie, when);
    return context_->StreamOf(name, name.destination);
  }

  WholeCollectives* whole() override {
    const bool graphs = context_->graph_lag > Time{0};
    return phased_ || graphs ? nullptr : this;
  }

  void Completed(const CollectiveName& name, NodeId node, Time when) override {
    GpuExecution* gpu = GpuAt(node.value);
    HEDDLE_INVARIANT(
        gpu != nullptr && gpu->runner().job().index() == name.job,
        fmt::format("node {} takes no part in collectives of job {}", node.value, name.job));
    gpu->runner().Completed(name.operation, when);
  }

  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override {
    if (IsPhased(cookie)) return KnowsPhased(cookie.As<PhasedName>(), source, destination);
    const MessageName name = cookie.As<MessageName>();
    const bool here = destination.valid() || name.node - first_node_ < index_.size();
    return here && KnowsMessage(*context_, name, source, destination);
  }

  bool Awaits(const std::vector<Time>& wakes) const override {
    std::vector<Time> own;
    for (const auto& [when, gpu] : alarms_) own.push_back(when);
    if (phased_) {
      const std::set<Time>& more = phased_->scheduler().wakes();
      own.insert(own.end(), more.begin(), more.end());
      std::sort(own.begin(), own.end());
    }
    return wakes == own;
  }

  void Save(StateWriter* to) const override {
    for (const auto& gpu : gpus_) gpu->Save(to);
    if (phased_) phased_->scheduler().Save(to);
    StateCount count(switches_.size());
    *to << count;
    for (const auto& [key, part] : switches_) *to << std::get<0>(key) << part;
  }

  void Load(StateReader* from) override {
    for (const auto& gpu : gpus_) gpu->Load(from);
    alarms_.clear();
    for (std::uint32_t i = 0; i < gpus_.size(); ++i) {
      for (const Time when : gpus_[i]->wakes())
        ExpectState(alarms_.insert({when, i}).second, "a program that is woken twice at once");
    }
    if (phased_) {
      phased_->scheduler().Load(
          from, [this](const CollectiveName& name, NodeId npu) { return CallAt(name, npu); });
    }
    switches_.clear();
    StateCount count;
    *from >> count;
    for (std::size_t i = 0; i < count; ++i) {
      std::uint16_t job = 0;
      Participation part;
      *from >> job >> part;
      ExpectState(job < context_->jobs.size() &&
                      context_->jobs[job]->Has(part.operation, part.group, part.me),
                  "a collective that no job has");
      part.collective = &context_->jobs[job]->Collective(part.operation, part.group);
      ExpectState(part.collective->schedule != nullptr &&
                      IsSwitchHere(part.collective->shape->node(part.me)),
                  "a collective of a switch that is elsewhere");
      part.Check(context_->jobs[job].get(), phased_ != nullptr);
      switches_.emplace(SwitchKey{job, part.operation, part.group, part.me}, std::move(part));
    }
  }

  const std::vector<std::unique_ptr<GpuExecution>>& gpus() const { return gpus_; }
  void AddStands(std::vector<ChunkStand>* to) const {
    if (phased_) phased_->scheduler().AddStands(to);
  }
  /// Memory in bytes, itself included.
  std::size_t memory() const {
    std::size_t sum = sizeof(*this) + MemoryOf(index_) + MemoryOf(seats_) + MemoryOf(gpus_) +
                      MemoryOfTree(switches_) + MemoryOfTree(alarms_);
    for (const auto& gpu : gpus_) sum += gpu->memory();
    if (phased_) sum += phased_->scheduler().memory();
    for (const auto& [key, part] : switches_) sum += part.memory();
    return sum;
  }

 private:
  using SwitchKey = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, Participant>;

  // WholeCollectives.
  CollectiveName CollectiveOf(const FlowCookie& cookie) const override {
    const MessageName name = cookie.As<MessageName>();
    return {name.operation, name.group, name.job};
  }

  std::vector<NodeId> MembersOf(const CollectiveName& name) override {
    const PlannedCollective& planned = PlannedOf(name);
    const GroupShape& shape = *planned.shape;
    if (planned.schedule == nullptr || IsBetweenTwo(planned.spec) || shape.servers() > 1) return {};
    for (Participant p = 0; p < shape.participants(); ++p) {
      const FlowCounts counts = planned.schedule->CountsOf(p);
      const bool is_here = shape.node(p).value - first_node_ < index_.size() &&
                           GpuAt(shape.node(p).value) != nullptr;
      if (shape.is_rank(p) ? !is_here : counts.sends + counts.receives > 0) return {};
    }
    return {shape.gpus(), shape.gpus() + shape.ranks()};
  }

  bool AddState(const CollectiveName& name, Time origin,
                std::vector<std::uint64_t>* words) override {
    const PlannedCollective& planned = PlannedOf(name);
    const GroupShape& shape = *planned.shape;
    FutureWords visit(words);
    CollectiveSpec::VisitFuture(planned.spec, visit);
    AlgorithmChoice::VisitFuture(planned.choice, visit);
    words->insert(words->end(),
                  {context_->jobs[name.job]->job().priority, shape.ranks(), shape.nvswitches(0)});
    for (Participant rank = 0; rank < shape.ranks(); ++rank) {
      const Participation* part = GpuAt(shape.node(rank).value)->runner().FindFresh(name.operation);
      if (part == nullptr) return false;
      words->push_back(shape.rail(rank));
      words->push_back(static_cast<std::uint64_t>((part->from - origin).ps));
    }
    return true;
  }

  void EndWhole(const CollectiveName& name, NodeId node, Time when) override {
    GpuAt(node.value)->runner().EndWhole(name.operation, when);
  }

  void ForgetWhole(const CollectiveName& name) override {
    const GroupShape& shape = *PlannedOf(name).shape;
    for (Participant rank = 0; rank < shape.ranks(); ++rank)
      GpuAt(shape.node(rank).value)->runner().ForgetWhole(name.operation);
  }

  void TakeBackEnds(const CollectiveName& name) override {
    const GroupShape& shape = *PlannedOf(name).shape;
    for (Participant rank = 0; rank < shape.ranks(); ++rank)
      GpuAt(shape.node(rank).value)->runner().TakeBackEnd(name.operation);
  }

  const PlannedCollective& PlannedOf(const CollectiveName& name) {
    return context_->jobs[name.job]->Collective(name.operation, name.group);
  }

  /// Whether it is of a chunk of a collective in phases. Messages between two ranks have a name of
  /// their own there too.
  bool IsPhased(const FlowCookie& cookie) const {
    static_assert(static_cast<int>(Connection::kRing) == 0 && sizeof(PhasedName) == 32);
    return phased_ != nullptr && cookie.As<PhasedName>().unused == 0;
  }
  /// Notifies a sender in this domain that its message has arrived, if its program asks for that.
  void TellSender(const MessageName& name, Time when) {
    const Job& job = context_->jobs[name.job]->job();
    if (job.program.graph == nullptr || !job.program.graph->sends_until_arrival) return;
    const CollectiveSpec& spec = context_->jobs[name.job]->Op(name.operation).spec;
    if (!IsBetweenTwo(spec) || name.destination != spec.peer) return;
    const NodeId sender = context_->jobs[name.job]->Shape(spec.group, name.group).node(spec.root);
    HEDDLE_INVARIANT(sender.value - first_node_ < index_.size() && GpuAt(sender.value) != nullptr,
                     "sends that end when they have arrived need one domain");
    GpuAt(sender.value)->runner().Delivered(name.operation, when);
  }
  bool IsSwitchHere(NodeId node) const {
    return node.value - first_node_ < index_.size() && GpuAt(node.value) == nullptr;
  }
  std::optional<CollectiveCall> CallAt(const CollectiveName& name, NodeId node) const {
    return CallOfGpu(*context_, all_seats_, name, node);
  }
  bool KnowsPhased(const PhasedName& name, NodeId source, NodeId destination) const {
    const ChunkScheduler& scheduler = phased_->scheduler();
    const bool ends =
        (!source.valid() || name.source == source.value) &&
        (destination.valid() ? name.node == destination.value : scheduler.has(NodeId(name.node)));
    const CollectiveName collective{name.operation, name.group, name.job};
    const std::optional<CollectiveCall> call = CallAt(collective, NodeId(name.node));
    return ends && call && CallAt(collective, NodeId(name.source)) && scheduler.Has(*call, name);
  }
  GpuExecution* GpuAt(std::uint32_t node) const {
    const std::uint32_t at = index_[node - first_node_];
    return at == Seat::kNobody ? nullptr : gpus_[at].get();
  }
  Participation& SwitchPart(const MessageName& name, Participant me) {
    const auto [at, is_new] = switches_.try_emplace({name.job, name.operation, name.group, me});
    Participation& part = at->second;
    if (is_new) {
      part.operation = name.operation;
      part.group = name.group;
      part.collective = &context_->jobs[name.job]->Collective(name.operation, name.group);
      part.me = me;
      part.begun = true;
      part.left = part.collective->schedule->CountsOf(me);
    }
    return part;
  }
  void Retire(const MessageName& name, Participant me) {
    const auto at = switches_.find({name.job, name.operation, name.group, me});
    if (at->second.done()) switches_.erase(at);
  }

  ExecutionContext* context_;
  const std::vector<Seat>& all_seats_;  ///< by GPU
  const PhasePlanner* planner_;
  std::unique_ptr<PhasedPort> phased_;  ///< null: collectives are not in phases
  FlowPoster* port_ = nullptr;
  std::uint32_t first_node_;
  std::vector<std::uint32_t> index_;  ///< by node, from first_node_ on
  std::vector<Seat> seats_;
  std::vector<NodeId> gpu_nodes_;  ///< of seats_
  std::vector<std::unique_ptr<GpuExecution>> gpus_;
  std::map<SwitchKey, Participation> switches_;
  std::set<std::pair<Time, std::uint32_t>> alarms_;  ///< when programs are woken: indices in gpus_
};

FlowCoordinator::FlowCoordinator(const Graph& graph, const std::vector<Job>& jobs,
                                 const CollectiveOptions& options, bool timeline,
                                 const std::vector<LinkEvent>& failures)
    : graph_(graph), context_(options.Resolved()), seats_(graph.gpu_count()) {
  context_.timeline = timeline;
  if (options.phased.on()) planner_.emplace(graph, context_.options.phased);
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
    for (std::uint32_t rank = 0; rank < jobs[j].gpus.size(); ++rank)
      seats_[jobs[j].gpus[rank].value] = {j, rank};
  }
}

/// Named groups of some GPUs are rings in phases.
void FlowCoordinator::AddLines(const Job& job) {
  const GroupLists& lists = job.program.lists;
  for (std::uint32_t list = 0; planner_ && list < lists.count(); ++list) {
    const bool all = lists.size(list) == job.gpus.size() && job.gpus.size() == seats_.size();
    if (lists.is_along_dimensions(list) || all) continue;
    std::vector<NodeId> members;
    for (const std::uint32_t rank : lists.Members(list)) members.push_back(job.gpus[rank]);
    planner_->AddLine(members);
  }
}

/// Sets delays for messages between two ranks beside collectives in phases, and for graphs.
void FlowCoordinator::DelayMessages(const std::vector<Job>& jobs) {
  const bool hardware = planner_ && !context_.options.phased.is_logical();
  bool until_arrival = false;
  for (const Job& job : jobs) {
    AddLines(job);
    graphs_ = graphs_ || job.program.graph != nullptr;
    for (const ProgramOp& op : job.program.ops) messages_ = messages_ || IsBetweenTwo(op.spec);
    until_arrival =
        until_arrival || (job.program.graph != nullptr && job.program.graph->sends_until_arrival);
  }
  constexpr Time kAtOnce = PicoSeconds(2);  // ASTRA-sim's messages leave when they are issued
  if (hardware)
    context_.message_delay = until_arrival ? kAtOnce : planner_->options().endpoint_delay;
  // Scale-up links report an arrival when it happens; others up to a notice delay later.
  if (graphs_) context_.graph_lag = (hardware ? Time{0} : notice_delay()) + PicoSeconds(1);
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
  agents_.push_back(
      std::make_unique<DomainAgent>(&context_, seats_, nodes, planner_ ? &*planner_ : nullptr));
  return agents_.back().get();
}

void FlowCoordinator::KeepContents(ResultChecks checks) {
  contents_ = std::make_unique<CollectiveContents>(context_.jobs, checks);
}

Time FlowCoordinator::notice_delay() const {
  const Time least = planner_ ? std::min(planner_->options().endpoint_delay,
                                         planner_->options().local_endpoint_delay)
                              : context_.delay.least();
  // What follows a completion at T starts at T + least, after a graph has run T.
  return graphs_ ? least - PicoSeconds(2) : least;
}

std::uint64_t FlowCoordinator::CountFlows() {
  std::uint64_t flows = 0;
  for (const auto& job : context_.jobs)
    flows += planner_ ? CountPhasedFlows(*planner_, job.get()) : job->CountFlows();
  return flows;
}

std::uint64_t FlowCoordinator::CountOpenMessages() {
  std::uint64_t messages = 0;
  for (const auto& job : context_.jobs) {
    messages += planner_ ? CountOpenPhasedMessages(*planner_, job.get()) : job->CountOpenMessages();
  }
  return messages;
}

void FlowCoordinator::ForEachTraffic(const std::function<void(const PlacedJob::Traffic&)>& visit) {
  for (const auto& job : context_.jobs) {
    if (planner_) {
      ForEachPhasedTraffic(*planner_, job.get(), visit);
    } else {
      job->ForEachTraffic(visit);
    }
  }
}

std::uint32_t FlowCoordinator::gpus() const {
  std::size_t sum = 0;
  for (const auto& agent : agents_) sum += agent->gpus().size();
  return static_cast<std::uint32_t>(sum);
}

std::map<NodeId, std::string> FlowCoordinator::Waiting(std::size_t most) const {
  std::map<NodeId, const GpuExecution*> open;
  for (const auto& agent : agents_) {
    for (const auto& gpu : agent->gpus()) {
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
