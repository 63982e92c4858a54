// SPDX-License-Identifier: GPL-2.0-only
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <unordered_map>

#include "core/base/check.h"
#include "tests/unit/collectives/algorithms/symbolic_buffers.h"

namespace heddle {
namespace {

constexpr std::size_t kEnoughFaults = 5;

using Name = std::array<std::uint64_t, 2>;
struct HashName {
  std::size_t operator()(const Name& name) const {
    return name[0] * 0x9E3779B97F4A7C15ULL ^ name[1] * 0xC2B2AE3D27D4EB4FULL;
  }
};
Name NameOf(const GroupFlow& flow) {
  return {static_cast<std::uint64_t>(flow.source) << 32 | flow.destination,
          static_cast<std::uint64_t>(flow.connection) << 48 |
              static_cast<std::uint64_t>(flow.channel) << 32 | flow.chunk};
}
/// A message with only its name set correctly.
GroupFlow OnlyName(GroupFlow flow) {
  flow.reduced = flow.reduces = true;
  flow.offset = flow.bytes = -1;
  return flow;
}
bool Equal(const GroupFlow& a, const GroupFlow& b) {
  return a.same_as(b) && a.reduced == b.reduced && a.reduces == b.reduces && a.offset == b.offset &&
         a.bytes == b.bytes;
}
/// Whether `child` forwards what `parent` brought.
bool HandsOn(const GroupFlow& parent, const GroupFlow& child) {
  return (parent.connection == Connection::kPxnInit && child.connection == Connection::kPxnNet) ||
         (parent.connection == Connection::kPxnNet && child.connection == Connection::kPxnFinal);
}

class SymbolicRun {
 public:
  SymbolicRun(const Schedule& schedule, const CollectiveSpec& spec, const GroupShape& shape,
              std::uint64_t seed)
      : schedule_(schedule), spec_(spec), shape_(shape), seed_(seed), random_(seed) {}

  std::vector<std::string> Faults() {
    ListAll();
    if (faults_.empty()) CheckRelations();
    if (faults_.empty()) Execute();
    return faults_;
  }

 private:
  using Index = std::size_t;
  using Question = void (Schedule::*)(const GroupFlow&, std::vector<GroupFlow>*) const;

  void Complain(const std::string& what) {
    if (faults_.size() < kEnoughFaults) faults_.push_back(what);
  }
  void Complain(const GroupFlow& flow, const std::string& what) {
    Complain(Describe(flow) + ": " + what);
  }

  void ListAll() {
    schedule_.ForEach([&](const GroupFlow& flow) {
      if (!index_.emplace(NameOf(flow), flows_.size()).second) Complain(flow, "is listed twice");
      if (!flows_.empty() && std::make_pair(flow.channel, flow.chunk) <
                                 std::make_pair(flows_.back().channel, flows_.back().chunk)) {
        Complain(flow, "is listed out of order");
      }
      flows_.push_back(flow);
      CheckFields(flow);
    });
    if (flows_.size() != schedule_.flow_count()) {
      Complain("ForEach lists " + std::to_string(flows_.size()) + " messages, flow_count says " +
               std::to_string(schedule_.flow_count()));
    }
  }

  void CheckFields(const GroupFlow& flow) {
    if (flow.source >= shape_.participants() || flow.destination >= shape_.participants() ||
        flow.source == flow.destination) {
      Complain(flow, "has wrong ends");
    }
    if (flow.channel >= schedule_.channels() || flow.chunk >= schedule_.chunk_count())
      Complain(flow, "has a wrong number");
    if (!schedule_.MayHave(flow)) Complain(flow, "is none, says MayHave");
    const std::int64_t copies = spec_.operation == Operation::kAllToAll ? shape_.ranks() : 1;
    std::int64_t bytes = 0;
    schedule_.ForEachRange(flow, [&](const ByteRange& range) {
      bytes += range.bytes;
      if (range.offset < 0 || range.offset > spec_.bytes || range.bytes < 0 ||
          range.bytes > spec_.bytes * copies ||
          (copies == 1 && range.offset + range.bytes > spec_.bytes)) {
        Complain(flow, "carries bytes " + std::to_string(range.offset) + " + " +
                           std::to_string(range.bytes));
      }
    });
    if (bytes != flow.bytes) Complain(flow, "has ranges of " + std::to_string(bytes) + " bytes");
  }

  /// Index of this message in the list; flows_.size() and an error if it is not listed, or differs
  /// from the listed one.
  Index Find(const GroupFlow& flow) {
    const auto found = index_.find(NameOf(flow));
    if (found == index_.end()) {
      Complain(flow, "is not listed by ForEach");
      return flows_.size();
    }
    if (!Equal(flow, flows_[found->second])) Complain(flow, "is not as ForEach lists it");
    return found->second;
  }

  std::vector<Index> Ask(Question question, Index flow) {
    std::vector<GroupFlow> answer;
    (schedule_.*question)(OnlyName(flows_[flow]), &answer);
    std::vector<Index> indices;
    for (const GroupFlow& found : answer) indices.push_back(Find(found));
    std::sort(indices.begin(), indices.end());
    return indices;
  }

  /// Checks that `forward` and `backward` are inverse. Returns the results of `forward`.
  std::vector<std::vector<Index>> CheckInverse(Question forward, Question backward,
                                               const char* what) {
    std::vector<std::vector<Index>> inverse(flows_.size()), answers(flows_.size());
    for (Index i = 0; i < flows_.size(); ++i) {
      for (const Index earlier : Ask(backward, i)) {
        if (earlier < flows_.size()) inverse[earlier].push_back(i);
      }
    }
    for (Index i = 0; i < flows_.size(); ++i) {
      answers[i] = Ask(forward, i);
      if (answers[i] != inverse[i])
        Complain(flows_[i], std::string("what comes after and before differ: ") + what);
    }
    return answers;
  }

  void CheckRelations() {
    children_ = CheckInverse(&Schedule::After, &Schedule::Parents, "After and Parents");
    later_ =
        CheckInverse(&Schedule::AfterSent, &Schedule::Predecessors, "AfterSent and Predecessors");
    CheckTurns();
    for (Index i = 0; i < flows_.size() && faults_.empty(); ++i) {
      waits_.push_back(schedule_.ParentCount(OnlyName(flows_[i])));
      std::vector<GroupFlow> parents, predecessors;
      schedule_.Parents(OnlyName(flows_[i]), &parents);
      schedule_.Predecessors(OnlyName(flows_[i]), &predecessors);
      if (waits_[i] != parents.size()) Complain(flows_[i], "ParentCount and Parents differ");
      waits_[i] = schedule_.WaitCount(OnlyName(flows_[i]));
      if (predecessors.size() > 1) Complain(flows_[i], "has more than one predecessor");
      if (!predecessors.empty() && waits_[i] > 0)
        Complain(flows_[i], "waits for an arrival and for a departure");
      for (const GroupFlow& parent : parents) {
        if (parent.destination != flows_[i].source)
          Complain(flows_[i], "waits for what arrives elsewhere");
      }
      for (const GroupFlow& earlier : predecessors) {
        if (earlier.source != flows_[i].source)
          Complain(flows_[i], "waits for what another one sends");
      }
    }
  }

  /// Checks that NextInTurn and PreviousInTurn are inverse, at one source.
  void CheckTurns() {
    next_.assign(flows_.size(), flows_.size());
    std::vector<Index> previous(flows_.size(), flows_.size());
    for (Index i = 0; i < flows_.size(); ++i) {
      if (const auto next = schedule_.NextInTurn(OnlyName(flows_[i]))) next_[i] = Find(*next);
      if (const auto earlier = schedule_.PreviousInTurn(OnlyName(flows_[i])))
        previous[i] = Find(*earlier);
    }
    for (Index i = 0; i < flows_.size() && faults_.empty(); ++i) {
      if (next_[i] < flows_.size() && previous[next_[i]] != i)
        Complain(flows_[i], "is not before the message after it");
      if (previous[i] < flows_.size() && next_[previous[i]] != i)
        Complain(flows_[i], "is not after the message before it");
      if (next_[i] < flows_.size() && flows_[next_[i]].source != flows_[i].source)
        Complain(flows_[i], "gives the turn to another source");
    }
  }

  void Execute() {
    buffers_.emplace_back(schedule_, spec_, shape_, flows_);
    state_.assign(flows_.size(), State::kWaiting);
    data_.resize(flows_.size());
    counts_.resize(shape_.participants());
    BeginAll();
    while (head_ < active_.size() && faults_.empty()) Step();
    if (!faults_.empty()) return;
    for (Index i = 0; i < flows_.size(); ++i) {
      if (state_[i] != State::kArrived) Complain(flows_[i], "never happens");
    }
    for (Participant p = 0; p < shape_.participants(); ++p) {
      const FlowCounts said = schedule_.CountsOf(p);
      if (said.sends != counts_[p].sends || said.receives != counts_[p].receives) {
        Complain("participant " + std::to_string(p) + " sent " + std::to_string(counts_[p].sends) +
                 " and got " + std::to_string(counts_[p].receives) + ", CountsOf says " +
                 std::to_string(said.sends) + " and " + std::to_string(said.receives));
      }
    }
    const std::string complaint = buffers_[0].CheckEnd();
    if (!complaint.empty()) Complain(complaint);
  }

  void BeginAll() {
    std::vector<Participant> order(shape_.participants());
    for (Participant p = 0; p < order.size(); ++p) order[p] = p;
    if (seed_ != 0) std::shuffle(order.begin(), order.end(), random_);
    for (const Participant p : order) {
      std::vector<GroupFlow> first;
      schedule_.Begin(p, &first);
      for (const GroupFlow& flow : first) {
        if (flow.source != p) Complain(flow, "is begun by participant " + std::to_string(p));
        const Index i = Find(flow);
        if (i < flows_.size() && waits_[i] != 0) Complain(flow, "is begun and has parents");
        if (i < flows_.size()) Issue(i);
      }
    }
  }

  /// Executes a departure or arrival: the oldest, or a random one.
  void Step() {
    if (seed_ != 0)
      std::swap(active_[head_], active_[head_ + random_() % (active_.size() - head_)]);
    const Index i = active_[head_++];
    if (state_[i] == State::kIssued) {
      state_[i] = State::kDeparted;
      ++counts_[flows_[i].source].sends;
      active_.push_back(i);
      for (const Index next : later_[i]) Issue(next);
    } else {
      Arrive(i);
    }
  }

  void Issue(Index i) {
    if (state_[i] != State::kWaiting) return Complain(flows_[i], "is sent twice");
    state_[i] = State::kIssued;
    active_.push_back(i);
    std::vector<GroupFlow> parents;
    schedule_.Parents(flows_[i], &parents);
    for (const GroupFlow& parent : parents) {
      if (HandsOn(parent, flows_[i])) HandOn(i, index_.at(NameOf(parent)));
    }
    const std::int64_t handed_on = buffers_[0].BytesOf(data_[i]);
    if (data_[i].content.empty() ||
        (spec_.operation == Operation::kAllToAll && handed_on < flows_[i].bytes)) {
      const std::string complaint = SymbolicBuffers::Gather(buffers_[0].Read(flows_[i]), &data_[i]);
      if (!complaint.empty()) Complain(flows_[i], complaint);
    }
    const std::int64_t bytes = buffers_[0].BytesOf(data_[i]);
    if (bytes != flows_[i].bytes)
      Complain(flows_[i], "should carry " + std::to_string(bytes) + " bytes");
    if (next_[i] < flows_.size() && --waits_[next_[i]] == 0) Issue(next_[i]);
  }

  void HandOn(Index flow, Index parent) {
    const std::string complaint = SymbolicBuffers::Gather(data_[parent], &data_[flow]);
    if (!complaint.empty()) Complain(flows_[flow], complaint);
    if (flows_[flow].offset != flows_[parent].offset)
      Complain(flows_[flow], "hands on another offset");
  }

  void Arrive(Index i) {
    state_[i] = State::kArrived;
    ++counts_[flows_[i].destination].receives;
    const bool handed_on = std::any_of(children_[i].begin(), children_[i].end(), [&](Index child) {
      return HandsOn(flows_[i], flows_[child]);
    });
    if (!handed_on) {
      const std::string complaint = buffers_[0].Write(flows_[i], data_[i]);
      if (!complaint.empty()) Complain(flows_[i], complaint);
      data_[i] = {};
    }
    for (const Index child : children_[i]) {
      if (--waits_[child] == 0) Issue(child);
    }
  }

  enum class State : std::uint8_t { kWaiting, kIssued, kDeparted, kArrived };

  const Schedule& schedule_;
  const CollectiveSpec& spec_;
  const GroupShape& shape_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::vector<std::string> faults_;

  std::vector<GroupFlow> flows_;  ///< in ForEach's order; Index refers to it
  std::unordered_map<Name, Index, HashName> index_;
  std::vector<std::vector<Index>> children_, later_;
  std::vector<Index> next_;           ///< whose turn comes by this one; flows_.size(): of none
  std::vector<std::uint32_t> waits_;  ///< what each still waits for: parents, its turn

  std::vector<SymbolicBuffers> buffers_;  ///< one element, once the list is known
  std::vector<State> state_;
  std::vector<SymbolicData> data_;
  std::vector<FlowCounts> counts_;
  std::vector<Index> active_;  ///< issued or departed messages, from head_ on
  std::size_t head_ = 0;
};

}  // namespace

std::string Describe(const GroupFlow& flow) {
  return std::string(ToText(flow.connection)) + " channel " + std::to_string(flow.channel) +
         " chunk " + std::to_string(flow.chunk) + ": " + std::to_string(flow.source) + " -> " +
         std::to_string(flow.destination);
}

std::vector<std::string> FindFaults(const Schedule& schedule, const CollectiveSpec& spec,
                                    const GroupShape& shape, std::uint64_t shuffle_seed) {
  try {
    return SymbolicRun(schedule, spec, shape, shuffle_seed).Faults();
  } catch (const InvariantError& error) {
    return {error.what()};  // debug builds check the preconditions of schedules
  }
}

void CheckSchedule(const Schedule& schedule, const CollectiveSpec& spec, const GroupShape& shape,
                   std::uint64_t shuffle_seed) {
  for (const std::string& fault : FindFaults(schedule, spec, shape, shuffle_seed)) {
    ADD_FAILURE() << ToText(spec.operation) << " of " << spec.bytes << " bytes over "
                  << shape.ranks() << " ranks, seed " << shuffle_seed << ": " << fault;
  }
}

}  // namespace heddle
