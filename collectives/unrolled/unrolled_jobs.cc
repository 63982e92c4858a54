// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/unrolled/unrolled_jobs.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "collectives/job/placed_job.h"
#include "collectives/program/routed_experts.h"
#include "collectives/schedule/schedule.h"
#include "core/base/check.h"
#include "core/goal/goal_rank_builder.h"

namespace heddle {
namespace {

constexpr std::uint8_t kComputeCpu = 0, kMessageCpu = 1, kMarkCpu = 2;
constexpr std::uint32_t kNone = ~0U;

std::int64_t Nanoseconds(Time time) { return (time.ps + 500) / 1000; }

/// The operations of all ranks, so far.
class UnrolledRanks {
 public:
  UnrolledRanks(std::uint32_t ranks, const std::string& file) : builders_(ranks), file_(file) {}

  std::uint32_t Calc(NodeId gpu, std::int64_t nanoseconds, std::uint8_t cpu,
                     const std::vector<std::uint32_t>& after) {
    GoalOperation calc;
    calc.amount = nanoseconds;
    calc.cpu = cpu;
    const std::uint32_t number = Add(gpu, calc);
    for (const std::uint32_t earlier : after) Follow(gpu, number, earlier);
    return number;
  }
  std::uint32_t Message(NodeId gpu, GoalOperation::Kind kind, NodeId peer, std::int64_t bytes,
                        std::uint32_t tag) {
    GoalOperation message;
    message.kind = kind;
    message.peer = peer.value;
    message.amount = bytes;
    message.tag = tag;
    message.cpu = kMessageCpu;
    return Add(gpu, message);
  }
  void Follow(NodeId gpu, std::uint32_t later, std::uint32_t earlier, bool start = false) {
    if (later != kNone && earlier != kNone) builders_[gpu.value].Follow(later, earlier, start);
  }
  /// Number of a further message from one to the other.
  std::uint32_t NextTag(NodeId from, NodeId to) { return tags_[{from.value, to.value}]++; }

  GoalSchedule Take() {
    GoalSchedule schedule;
    schedule.file = file_;
    for (GoalRankBuilder& builder : builders_) schedule.ranks.push_back(builder.Take());
    return schedule;
  }

 private:
  std::uint32_t Add(NodeId gpu, const GoalOperation& operation) {
    if (++total_ > kMostUnrolled)
      throw UserError(
          fmt::format("{}: more than {} operations. Expected: fewer passes, layers or GPUs", file_,
                      kMostUnrolled));
    return builders_[gpu.value].Add(operation);
  }

  std::vector<GoalRankBuilder> builders_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> tags_;
  const std::string& file_;
  std::uint64_t total_ = 0;
};

/// One job.
class UnrolledJob {
 public:
  UnrolledJob(PlacedJob* placed, UnrolledRanks* ranks)
      : placed_(*placed), job_(placed->job()), ranks_(*ranks) {}

  void Unroll() {
    if (job_.program.graph != nullptr)
      throw UserError(job_.name +
                      ": a trace, whose graph is not unrolled yet. Expected: a workload of steps");
    placed_.LayTrees();
    for (std::uint32_t rank = 0; rank < job_.gpus.size(); ++rank) UnrollProgram(rank);
    for (const auto& [name, marks] : marks_) UnrollCollective(name.first, name.second, marks);
  }

 private:
  /// What is kept of a participation: begin and end, operations of its GPU.
  struct Marks {
    std::uint32_t begin = kNone, end = kNone;
  };
  using OfRanks = std::map<std::uint32_t, Marks>;  ///< by rank in the group

  /// A GPU's place in its program (collectives/execution/step_clock.h).
  struct Place {
    NodeId gpu;
    std::uint32_t rank = 0, pass = 0;
    std::vector<std::uint32_t> after;             ///< what its next step waits for
    std::map<std::uint32_t, std::uint32_t> open;  ///< ends of operations that are not waited for
    std::uint32_t last[kGroupTypes];              ///< ends of the communicators' last operations
  };

  void UnrollProgram(std::uint32_t rank) {
    Place place;
    place.gpu = job_.gpus[rank];
    place.rank = rank;
    for (std::uint32_t& last : place.last) last = kNone;
    if (job_.start > Time{}) Compute(job_.start, &place);
    const auto& steps = job_.program.steps[job_.groups.StageOf(rank)];
    for (place.pass = 0; place.pass < job_.program.passes; ++place.pass) {
      for (const ProgramStep& step : steps) Do(step, &place);
    }
  }

  void Compute(Time time, Place* place) {
    if (time == Time{}) return;
    place->after = {ranks_.Calc(place->gpu, Nanoseconds(time), kComputeCpu, place->after)};
  }

  void Do(const ProgramStep& step, Place* place) {
    const auto ops = static_cast<std::uint32_t>(job_.program.ops.size());
    const std::uint32_t operation = place->pass * ops + step.op;
    switch (step.kind) {
      case ProgramStep::Kind::kPause:
      case ProgramStep::Kind::kCompute:
        return Compute(TimeOnRank(job_.program, step, job_.groups, place->rank), place);
      case ProgramStep::Kind::kOverlapped:
        if (TakesPart(operation, place->rank)) Issue(operation, place);
        return;
      case ProgramStep::Kind::kBlocking:
        if (!TakesPart(operation, place->rank)) return;
        Issue(operation, place);
        return WaitFor(operation, place);
      case ProgramStep::Kind::kWait:
        if (place->open.count(operation) != 0) return WaitFor(operation, place);
        if (place->pass > 0) WaitFor(operation - ops, place);
        return;
    }
  }

  bool TakesPart(std::uint32_t operation, std::uint32_t rank) const {
    const CollectiveSpec& spec = placed_.Op(operation).spec;
    if (!IsBetweenTwo(spec)) return true;
    const std::uint32_t me = job_.groups.RankIn(spec.group, rank);
    return me == spec.root || me == spec.peer;
  }

  void Issue(std::uint32_t operation, Place* place) {
    const ProgramOp& op = placed_.Op(operation);
    std::uint32_t& last = place->last[static_cast<int>(op.spec.group)];
    const bool in_turn = op.spec.operation != Operation::kSendRecv;
    Marks marks;
    marks.begin = ranks_.Calc(place->gpu, 0, kMarkCpu, place->after);
    if (in_turn) ranks_.Follow(place->gpu, marks.begin, last);
    marks.end = ranks_.Calc(place->gpu, Nanoseconds(op.update), kMarkCpu, {marks.begin});
    if (in_turn) last = marks.end;
    const std::uint32_t me = job_.groups.RankIn(op.spec.group, place->rank);
    marks_[{operation, job_.groups.GroupOf(op.spec.group, place->rank)}][me] = marks;
    // Who only sends goes on, and waits at the end of its program.
    if (!IsBetweenTwo(op.spec) || me != op.spec.root) place->open[operation] = marks.end;
  }

  void WaitFor(std::uint32_t operation, Place* place) {
    const auto end = place->open.find(operation);
    if (end == place->open.end()) return;
    place->after.push_back(end->second);
    place->open.erase(end);
  }

  /// All messages of a group's collective.
  void UnrollCollective(std::uint32_t operation, std::uint32_t group, const OfRanks& marks) {
    const PlannedCollective& planned = placed_.Collective(operation, group);
    if (planned.in_phases())
      throw UserError(placed_.NameOf(operation) +
                      ": collectives in phases have no messages of their own. Expected: "
                      "phases.collectives=off");
    if (planned.schedule == nullptr) return;
    using Name = std::tuple<Participant, Participant, std::uint32_t, std::uint32_t, Connection>;
    const auto name_of = [](const GroupFlow& flow) {
      return Name(flow.source, flow.destination, flow.channel, flow.chunk, flow.connection);
    };
    std::map<Name, std::pair<std::uint32_t, std::uint32_t>> known;  // send and receive
    planned.schedule->ForEach([&](const GroupFlow& flow) {
      known[name_of(flow)] = AddMessage(operation, planned, flow, marks);
    });
    std::vector<GroupFlow> earlier;
    planned.schedule->ForEach([&](const GroupFlow& flow) {
      const NodeId gpu = planned.shape->node(flow.source);
      const std::uint32_t send = known.at(name_of(flow)).first;
      earlier.clear();
      planned.schedule->Parents(flow, &earlier);
      for (const GroupFlow& parent : earlier)
        ranks_.Follow(gpu, send, known.at(name_of(parent)).second);
      // A parent is received after the begin.
      if (earlier.empty()) ranks_.Follow(gpu, send, MarksOf(marks, flow.source).begin);
      earlier.clear();
      planned.schedule->Predecessors(flow, &earlier);
      for (const GroupFlow& before : earlier)
        ranks_.Follow(gpu, send, known.at(name_of(before)).first);
      if (const auto before = planned.schedule->PreviousInTurn(flow))
        ranks_.Follow(gpu, send, known.at(name_of(*before)).first, /*start=*/true);
    });
  }

  std::pair<std::uint32_t, std::uint32_t> AddMessage(std::uint32_t operation,
                                                     const PlannedCollective& planned,
                                                     const GroupFlow& flow, const OfRanks& marks) {
    const GroupShape& shape = *planned.shape;
    if (!shape.is_rank(flow.source) || !shape.is_rank(flow.destination))
      throw UserError(fmt::format(
          "{} by {}: its messages end at {}, which GOAL does not know. Expected: another algorithm "
          "(algorithm.*, collective.nvls=false)",
          placed_.NameOf(operation), ToText(planned.choice.algorithm),
          shape.adds(flow.source) || shape.adds(flow.destination) ? "switches that add"
                                                                  : "NVSwitches"));
    const NodeId from = shape.node(flow.source), to = shape.node(flow.destination);
    const std::int64_t bytes = ProtocolBytes(planned.choice.protocol, flow.wire_bytes());
    const std::uint32_t tag = ranks_.NextTag(from, to);
    const std::uint32_t send = ranks_.Message(from, GoalOperation::Kind::kSend, to, bytes, tag);
    const std::uint32_t receive =
        ranks_.Message(to, GoalOperation::Kind::kReceive, from, bytes, tag);
    ranks_.Follow(to, receive, MarksOf(marks, flow.destination).begin);
    ranks_.Follow(from, MarksOf(marks, flow.source).end, send);
    ranks_.Follow(to, MarksOf(marks, flow.destination).end, receive);
    return {send, receive};
  }
  /// None of a rank that only passes on what is others'.
  static Marks MarksOf(const OfRanks& marks, Participant rank) {
    const auto of = marks.find(rank);
    return of == marks.end() ? Marks{} : of->second;
  }

  PlacedJob& placed_;
  const Job& job_;
  UnrolledRanks& ranks_;
  /// By operation and group.
  std::map<std::pair<std::uint32_t, std::uint32_t>, OfRanks> marks_;
};

}  // namespace

GoalSchedule UnrollJobs(const Graph& graph, const std::vector<Job>& jobs,
                        const CollectiveOptions& options, const std::string& file) {
  UnrolledRanks ranks(graph.gpu_count(), file);
  for (std::uint32_t index = 0; index < jobs.size(); ++index) {
    PlacedJob placed(index, jobs[index], graph, options);
    UnrolledJob(&placed, &ranks).Unroll();
  }
  return ranks.Take();
}

}  // namespace heddle
