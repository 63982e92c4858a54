// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/chakra/chakra_of_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "collectives/program/routed_experts.h"
#include "core/base/check.h"

namespace heddle {
namespace {

ChakraCollective CollectiveOf(Operation operation) {
  switch (operation) {
    case Operation::kAllGather:
      return ChakraCollective::kAllGather;
    case Operation::kReduceScatter:
      return ChakraCollective::kReduceScatter;
    case Operation::kAllToAll:
      return ChakraCollective::kAllToAll;
    case Operation::kBroadcast:
      return ChakraCollective::kBroadcast;
    case Operation::kReduce:
      return ChakraCollective::kReduce;
    default:
      return ChakraCollective::kAllReduce;
  }
}

/// Nodes of one rank after the other.
class RankWriter {
 public:
  RankWriter(const Job& job, ChakraTrace* trace) : job_(job), trace_(*trace) {
    std::vector<std::uint32_t> all(job.gpus.size());
    std::iota(all.begin(), all.end(), 0);
    trace_.groups.push_back({"0", std::move(all), true});
  }

  void Write(std::uint32_t rank) {
    rank_ = rank;
    trace_.ranks.emplace_back();
    waits_.clear();
    now_.clear();
    node_of_op_.clear();
    const std::uint32_t passes = job_.program.passes;
    for (pass_ = 0; pass_ < passes; ++pass_) {
      for (const ProgramStep& step : job_.program.steps[job_.groups.StageOf(rank)]) Do(step);
    }
    Link();
  }

 private:
  using Kind = ChakraNode::Kind;
  static constexpr std::int32_t kCompute = 4, kSend = 5, kReceive = 6, kCollective = 7;

  void Do(const ProgramStep& step) {
    const auto ops = static_cast<std::uint32_t>(job_.program.ops.size());
    const std::uint32_t operation = pass_ * ops + step.op;
    switch (step.kind) {
      case ProgramStep::Kind::kPause:
      case ProgramStep::Kind::kCompute:
        now_ = {Compute(TimeOnRank(job_.program, step, job_.groups, rank_), step.layer, false)};
        return;
      case ProgramStep::Kind::kOverlapped:
        Communicate(operation);
        return;
      case ProgramStep::Kind::kBlocking:
        Communicate(operation);
        WaitFor(operation);
        return;
      case ProgramStep::Kind::kWait:
        if (node_of_op_.count(operation) > 0) {
          WaitFor(operation);
        } else if (pass_ > 0) {
          WaitFor(operation - ops);
        }
        return;
    }
  }

  /// The program goes on when the operation has ended, too.
  void WaitFor(std::uint32_t operation) {
    const auto node = node_of_op_.find(operation);
    if (node == node_of_op_.end()) return;
    now_.push_back(node->second);
    node_of_op_.erase(node);
  }

  std::uint32_t Compute(Time time, std::uint32_t layer, bool cpu) {
    ChakraNode node;
    node.kind = Kind::kCompute;
    node.type = kCompute;
    node.duration = time;
    node.on_cpu = cpu;
    return Add(node, layer, now_);
  }

  std::uint32_t Add(ChakraNode node, std::uint32_t layer, const std::vector<std::uint32_t>& after) {
    std::vector<ChakraNode>& nodes = trace_.ranks[rank_].nodes;
    node.id = nodes.size();
    node.name = layer;
    const auto index = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(node);
    for (const std::uint32_t before : after) waits_.emplace_back(before, index);
    return index;
  }

  void Communicate(std::uint32_t operation) {
    const ProgramOp& op = job_.program.ops[operation % job_.program.ops.size()];
    if (op.spec.sizes != nullptr)
      throw UserError(fmt::format("{}: a {} whose pairs differ. Expected: collectives of Chakra",
                                  job_.name, ToText(op.spec.operation)));
    std::uint32_t last = 0;
    if (op.spec.operation == Operation::kSendRecv) {
      if (!Exchange(op, operation, &last)) return;
    } else {
      last = Collective(op);
    }
    if (op.update > Time{0}) {
      ChakraNode update;
      update.kind = Kind::kCompute;
      update.type = kCompute;
      update.duration = op.update;
      update.on_cpu = true;
      last = Add(update, op.layer, {last});
    }
    node_of_op_[operation] = last;
  }

  std::uint32_t Collective(const ProgramOp& op) {
    const std::uint32_t group = job_.groups.GroupOf(op.spec.group, rank_);
    ChakraNode node;
    node.kind = Kind::kCollective;
    node.type = kCollective;
    node.collective = CollectiveOf(op.spec.operation);
    node.group = GroupIndex(op.spec.group, group);
    node.bytes = op.spec.bytes;
    if (op.spec.operation == Operation::kAllGather) {
      const std::int64_t ranks = job_.groups.size(op.spec.group);
      node.bytes = std::max<std::int64_t>(1, op.spec.bytes / ranks);
    }
    return Add(node, op.layer, now_);
  }

  /// Sends and receives of the rank. Returns whether it has a part in the operation.
  bool Exchange(const ProgramOp& op, std::uint32_t operation, std::uint32_t* last) {
    const std::uint32_t me = job_.groups.RankIn(op.spec.group, rank_);
    const std::vector<std::uint32_t> members =
        job_.groups.Members(op.spec.group, job_.groups.GroupOf(op.spec.group, rank_));
    const auto size = static_cast<std::uint32_t>(members.size());
    const bool all = op.spec.peer == GroupShape::kNone;
    const bool sends = all || me == op.spec.root, receives = all || me == op.spec.peer;
    if (!sends && !receives) return false;
    ChakraNode node;
    node.bytes = op.spec.bytes;
    node.tag = static_cast<std::uint32_t>(operation % kChakraTags);
    std::vector<std::uint32_t> parts;
    if (sends) {
      node.kind = Kind::kSend;
      node.type = kSend;
      node.peer = members[all ? (me + 1) % size : op.spec.peer];
      parts.push_back(Add(node, op.layer, now_));
    }
    if (receives) {
      node.kind = Kind::kReceive;
      node.type = kReceive;
      node.peer = members[all ? (me + size - 1) % size : op.spec.root];
      parts.push_back(Add(node, op.layer, now_));
    }
    *last = parts.back();
    if (parts.size() == 1) return true;
    ChakraNode both;  // of no time: metadata
    both.type = 1;
    *last = Add(both, op.layer, parts);
    return true;
  }

  std::uint32_t GroupIndex(GroupType type, std::uint32_t group) {
    std::vector<std::uint32_t> members = job_.groups.Members(type, group);
    if (members == trace_.groups[0].ranks) return 0;
    const auto [at, is_new] = groups_.try_emplace(members, trace_.groups.size());
    if (is_new) trace_.groups.push_back({std::to_string(at->second), std::move(members), true});
    return at->second;
  }

  void Link() {
    ChakraRank& rank = trace_.ranks[rank_];
    std::sort(waits_.begin(), waits_.end());
    waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
    for (const auto& [before, after] : waits_) {
      ++rank.nodes[before].followers;
      ++rank.nodes[after].waits;
      rank.followers.push_back(after);
    }
    std::uint32_t first = 0;
    for (ChakraNode& node : rank.nodes) {
      node.first_follower = first;
      first += node.followers;
    }
  }

  const Job& job_;
  ChakraTrace& trace_;
  std::uint32_t rank_ = 0, pass_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits_;  ///< the earlier, the later
  std::vector<std::uint32_t> now_;                     ///< nodes whose ends are the program's time
  std::map<std::uint32_t, std::uint32_t> node_of_op_;  ///< issued and not waited for
  std::map<std::vector<std::uint32_t>, std::uint32_t> groups_;
};

}  // namespace

ChakraTrace ChakraOfJob(const Job& job) {
  if (job.program.graph != nullptr)
    throw UserError(job.name + ": a trace of Chakra already. Expected: a workload");
  ChakraTrace trace;
  trace.name = job.name;
  trace.version = "1.0.0";
  for (const Layer& layer : job.workload.layers) trace.names.push_back(layer.name);
  if (trace.names.empty()) trace.names.emplace_back();
  RankWriter writer(job, &trace);
  for (std::uint32_t rank = 0; rank < job.gpus.size(); ++rank) writer.Write(rank);
  return trace;
}

}  // namespace heddle
