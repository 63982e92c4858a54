// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/chakra/chakra_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;
/// A barrier is an all-reduce of one number, as PyTorch makes it.
constexpr std::int64_t kBarrierBytes = 4;

/// kNone: it is not simulated.
Operation OperationOfKind(ChakraCollective collective) {
  switch (collective) {
    case ChakraCollective::kAllReduce:
    case ChakraCollective::kBarrier:
      return Operation::kAllReduce;
    case ChakraCollective::kReduce:
      return Operation::kReduce;
    case ChakraCollective::kAllGather:
      return Operation::kAllGather;
    case ChakraCollective::kBroadcast:
      return Operation::kBroadcast;
    case ChakraCollective::kAllToAll:
      return Operation::kAllToAll;
    case ChakraCollective::kReduceScatter:
    case ChakraCollective::kReduceScatterBlock:
      return Operation::kReduceScatter;
    case ChakraCollective::kGather:
    case ChakraCollective::kScatter:
      break;
  }
  return Operation::kNone;
}

std::string GroupName(const GroupLists& lists, std::uint32_t list) {
  return list == 0 ? "all ranks" : "group " + lists.NameOf(list);
}

/// "1st", "22nd".
std::string Ordinal(std::size_t number) {
  constexpr const char* kEnds[] = {"th", "st", "nd", "rd"};
  const bool teens = number / 10 % 10 == 1;
  return std::to_string(number) + kEnds[!teens && number % 10 < 4 ? number % 10 : 0];
}

}  // namespace

ChakraOperations::ChakraOperations(const ChakraTrace& trace, const ChakraFabric& fabric)
    : trace_(trace), dimensions_(fabric.dimensions), splits_(fabric.splits) {
  list_of_group_.assign(trace.groups.size(), kNone);
  list_of_group_[0] = lists_.Add("0", trace.groups[0].ranks);
  of_list_.resize(1);
}

std::uint32_t ChakraOperations::ListOfGroup(std::uint32_t group, ChakraPlace at) {
  std::uint32_t& list = list_of_group_[group];
  if (list != kNone) return list;
  const ChakraGroup& of = trace_.groups[group];
  const auto fail = [&](const std::string& found, const char* expected) {
    throw UserError(fmt::format("{}: {}, {}. Expected: {}", trace_.PlaceOf(at),
                                trace_.Describe(trace_.at(at)), found, expected));
  };
  if (!of.known)
    fail("and nothing says which ranks that group has",
         "a METADATA node with the group, or --chakra-groups");
  for (const std::uint32_t rank : of.ranks) {
    if (rank >= trace_.ranks.size())
      fail(fmt::format("which has rank {}, and the trace has {} ranks", rank, trace_.ranks.size()),
           "groups of the trace's ranks");
  }
  list = lists_.Add(Printable(of.name), of.ranks);
  of_list_.resize(lists_.count());
  return list;
}

std::uint32_t ChakraOperations::ListOfLine(std::uint32_t rank, std::uint32_t mask) {
  // The lowest rank of the line names it.
  std::uint32_t base = rank, stride = 1;
  std::vector<std::uint32_t> line = {0};
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if ((mask >> d & 1) != 0) {
      base -= rank / stride % dimensions_[d] * stride;
      const std::size_t before = line.size();
      for (std::uint32_t step = 1; step < dimensions_[d]; ++step) {
        for (std::size_t i = 0; i < before; ++i) line.push_back(line[i] + step * stride);
      }
    }
    stride *= dimensions_[d];
  }
  const auto [at, is_new] = list_of_line_.try_emplace({mask, base}, 0);
  if (!is_new) return at->second;
  for (std::uint32_t& member : line) member += base;
  at->second = lists_.Add(fmt::format("of rank {} in dimensions {:#b}", base, mask), line, true);
  of_list_.resize(lists_.count());
  return at->second;
}

std::uint32_t ChakraOperations::ListOf(ChakraPlace at) {
  const ChakraNode& node = trace_.at(at);
  const bool all = node.dimensions == ChakraNode::kAllDimensions || node.group != 0;
  if (!all && dimensions_.empty()) without_dimensions_.Add(at);
  if (all || dimensions_.empty()) return ListOfGroup(node.group, at);
  const std::uint32_t every = (1U << dimensions_.size()) - 1;
  const std::uint32_t mask = node.dimensions & every;
  return mask == every ? 0 : ListOfLine(at.rank, mask);
}

ProgramOp ChakraOperations::OperationOf(ChakraPlace at, std::uint32_t list) const {
  const ChakraNode& node = trace_.at(at);
  ProgramOp op;
  op.spec.operation = OperationOfKind(node.collective);
  op.spec.group = GroupType::kListed;
  op.list = list;
  op.layer = node.name;
  op.spec.root = node.peer;
  if (op.spec.operation == Operation::kNone)
    throw UserError(
        fmt::format("{}: {}, which is not simulated. Expected: another collective, or "
                    "sends and receives in its place",
                    trace_.PlaceOf(at), trace_.Describe(node)));
  const bool gathers = node.collective == ChakraCollective::kAllGather;
  const std::int64_t ranks = gathers ? lists_.size(list) : 1;
  op.spec.bytes = node.collective == ChakraCollective::kBarrier
                      ? kBarrierBytes
                      : std::max<std::int64_t>(node.bytes, 1);
  if (op.spec.bytes > kMostBytes / ranks)
    throw UserError(fmt::format("{}: {} of {} bytes a rank. Expected: at most {} in all",
                                trace_.PlaceOf(at), trace_.Describe(node), node.bytes, kMostBytes));
  op.spec.bytes *= ranks;
  // ASTRA-sim's chunks are alike, and have a byte for each rank at least; all-gathers excepted.
  if (splits_ > 0 && !gathers)
    op.spec.bytes = std::max<std::int64_t>(op.spec.bytes / splits_, lists_.size(list)) * splits_;
  return op;
}

std::string ChakraOperations::DescribeWithSize(ChakraPlace at) const {
  const ChakraNode& node = trace_.at(at);
  return fmt::format("{} is {} with {} bytes", trace_.PlaceOf(at), trace_.Describe(node),
                     node.bytes);
}

void ChakraOperations::ExpectAlike(std::uint32_t instance, ChakraPlace at,
                                   const ProgramOp& op) const {
  const Instance& first = instances_[instance];
  const ChakraNode node = trace_.at(at);
  const bool kinds = first.said.collective == node.collective;
  if (kinds && first.bytes == op.spec.bytes && first.root == op.spec.root) return;
  throw UserError(fmt::format(
      "{}, and {}: both are the {} collective of {} on their ranks. Expected: the same collectives "
      "in the same order on all ranks of a group",
      DescribeWithSize(first.said.first), DescribeWithSize(at),
      Ordinal(static_cast<std::size_t>(
                  std::find(of_list_[op.list].begin(), of_list_[op.list].end(), instance) -
                  of_list_[op.list].begin()) +
              1),
      GroupName(lists_, op.list)));
}

std::uint32_t ChakraOperations::NextInstance(ChakraPlace at, std::uint32_t list,
                                             const ProgramOp& op, bool is_operation) {
  const ChakraNode node = trace_.at(at);
  const std::uint32_t number = used_[std::uint64_t{at.rank} << 32 | list]++;
  std::vector<std::uint32_t>& of_list = of_list_[list];
  if (number == of_list.size()) {
    of_list.push_back(static_cast<std::uint32_t>(instances_.size()));
    Instance& made = instances_.emplace_back();
    made.said = {at, 0, node.collective};
    made.bytes = op.spec.bytes;
    made.root = op.spec.root;
    if (is_operation) {
      made.operation = static_cast<std::uint32_t>(ops_.size());
      ops_.push_back(op);
      said_.emplace_back();
    }
  }
  const std::uint32_t instance = of_list[number];
  ExpectAlike(instance, at, op);
  ++instances_[instance].said.count;
  return instance;
}

void ChakraOperations::CheckMember(ChakraPlace at, std::uint32_t list) const {
  if (lists_.RankIn(list, at.rank) != GroupLists::kNone) return;
  throw UserError(fmt::format("{}: {}, in which rank {} is not. Expected: groups of the rank",
                              trace_.PlaceOf(at), trace_.Describe(trace_.at(at)), at.rank));
}

std::uint32_t ChakraOperations::AddCollective(ChakraPlace at) {
  const ChakraNode node = trace_.at(at);
  if (node.missing != 0)
    throw UserError(
        fmt::format("{}: {} without {}. Expected: comm_type and comm_size", trace_.PlaceOf(at),
                    trace_.Describe(node),
                    (node.missing & ChakraNode::kType) != 0 ? "comm_type" : "comm_size"));
  const std::uint32_t list = last_list_ = ListOf(at);
  const ProgramOp op = OperationOf(at, list);
  CheckMember(at, list);
  if (lists_.size(list) == 1) return kNone;
  return instances_[NextInstance(at, list, op, true)].operation;
}

std::uint32_t ChakraOperations::AddAlgorithm(ChakraPlace at, std::size_t ranks,
                                             const std::string& name) {
  const std::uint32_t list = last_list_ = ListOf(at);
  CheckMember(at, list);
  if (lists_.size(list) == 1) return kNone;
  if (lists_.size(list) != ranks)
    throw UserError(fmt::format(
        "{}: {}, which has {} ranks, and the algorithm {} has {}. "
        "Expected: as many",
        trace_.PlaceOf(at), trace_.Describe(trace_.at(at)), lists_.size(list), name, ranks));
  NextInstance(at, list, OperationOf(at, list), false);
  return lists_.RankIn(list, at.rank);
}

std::uint32_t ChakraOperations::AddInner(ChakraPlace at, std::uint32_t place,
                                         const ChakraNode& message) {
  const std::vector<std::uint32_t>& ranks = lists_.Members(last_list_);
  const std::uint32_t here = ranks[place], there = ranks[message.peer];
  const bool sends = message.is_send();
  Key key{sends ? here : there, sends ? there : here, message.tag, message.bytes};
  key.list = last_list_;
  return NextEnd(key, sends, at);
}

std::uint32_t ChakraOperations::NextEnd(const Key& key, bool sends, ChakraPlace at) {
  const auto [found, is_new] = messages_.try_emplace(key);
  Open& open = found->second;
  if (is_new || open.sends == sends) {
    ProgramOp op;
    op.spec = {Operation::kSendRecv, GroupType::kListed, std::max<std::int64_t>(key.bytes, 1),
               key.source,           key.destination,    nullptr};
    op.layer = trace_.at(at).name;
    open.sends = sends;
    open.operations.push_back(static_cast<std::uint32_t>(ops_.size()));
    ops_.push_back(op);
    said_.push_back({at, 1, ChakraCollective()});
    return open.operations.back();
  }
  const std::uint32_t operation = open.operations[open.first++];
  ++said_[operation].count;
  if (open.size() == 0) messages_.erase(found);
  return operation;
}

std::uint32_t ChakraOperations::AddMessage(ChakraPlace at) {
  const ChakraNode& node = trace_.at(at);
  const auto fail = [&](const std::string& found, const std::string& expected) {
    throw UserError(fmt::format("{}: {}{}. Expected: {}", trace_.PlaceOf(at), trace_.Describe(node),
                                found, expected));
  };
  if (node.missing != 0) {
    const char* peer = node.is_send() ? "comm_dst" : "comm_src";
    const bool lacks_peer = (node.missing & ChakraNode::kPeer) != 0;
    const bool lacks_tag = (node.missing & ChakraNode::kTag) != 0;
    fail(fmt::format(" without {}", lacks_peer  ? peer
                                    : lacks_tag ? "comm_tag"
                                                : "comm_size"),
         fmt::format("comm_size, {} and comm_tag", peer));
  }
  if (node.peer >= trace_.ranks.size())
    fail(fmt::format(", and the trace has {} ranks", trace_.ranks.size()), "ranks of the trace");
  const bool sends = node.is_send();
  const Key key{sends ? at.rank : node.peer, sends ? node.peer : at.rank, node.tag, node.bytes};
  return NextEnd(key, sends, at);
}

void ChakraOperations::CheckCollectives() const {
  for (std::uint32_t list = 0; list < of_list_.size(); ++list) {
    for (std::size_t number = 0; number < of_list_[list].size(); ++number) {
      const Said& said = instances_[of_list_[list][number]].said;
      if (said.count == lists_.size(list)) continue;
      std::uint32_t missing = 0;
      for (const std::uint32_t rank : lists_.Members(list)) {
        const auto used = used_.find(std::uint64_t{rank} << 32 | list);
        missing = rank;
        if (used == used_.end() || used->second <= number) break;
      }
      throw UserError(fmt::format(
          "{}: {}, the {} of its ranks' collectives there, to which {} of its {} ranks do not "
          "come, such as rank {}. Expected: the same collectives on all ranks of a group",
          trace_.PlaceOf(said.first), trace_.Describe(trace_.at(said.first)), Ordinal(number + 1),
          lists_.size(list) - said.count, lists_.size(list), missing));
    }
  }
}

void ChakraOperations::CheckMessages() const {
  std::uint64_t sends = 0, receives = 0;
  const Said* first = nullptr;
  const Key* key = nullptr;
  for (const auto& [of, open] : messages_) {
    (open.sends ? sends : receives) += open.size();
    if (first != nullptr) continue;
    first = &said_[open.operations[open.first]];
    key = &of;
  }
  if (first == nullptr) return;
  const bool is_send = trace_.at(first->first).is_send();
  // The other end may have another size.
  std::string size;
  for (auto at = messages_.lower_bound({key->source, key->destination, key->tag, 0});
       at != messages_.end() && at->first.source == key->source &&
       at->first.destination == key->destination && at->first.tag == key->tag;
       ++at) {
    if (at->second.sends != is_send && size.empty())
      size =
          fmt::format("; {} has {} bytes",
                      trace_.PlaceOf(said_[at->second.operations.back()].first), at->first.bytes);
  }
  throw UserError(fmt::format(
      "{}: {} of {} bytes without a {}{}; there are {} such sends and {} such receives. Expected: "
      "a send for each receive, with the same source, destination, tag and size",
      trace_.PlaceOf(first->first), trace_.Describe(trace_.at(first->first)), key->bytes,
      is_send ? "receive" : "send", size, sends, receives));
}

void ChakraOperations::Check() const {
  CheckCollectives();
  CheckMessages();
}

void ChakraOperations::Take(Program* program) {
  program->ops.reserve(ops_.size());
  for (; !ops_.empty(); ops_.pop_front()) program->ops.push_back(ops_.front());
  said_.clear();
  instances_.clear();
  program->lists = std::move(lists_);
}

}  // namespace heddle
