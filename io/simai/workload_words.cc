// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/workload_words.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "core/options/nearest_name.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

/// 11.6 days: about a hundred of them fit into Time; MakeProgram checks the sum.
constexpr std::int64_t kMostNanoseconds = 1'000'000'000'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;
constexpr Operation kOperations[] = {
    Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter, Operation::kAllToAll,
    Operation::kBroadcast, Operation::kReduce,    Operation::kSendRecv};
constexpr const char* kOperationNames =
    "ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, BROADCAST, REDUCE or SENDRECV";
constexpr GroupType kGroups[] = {GroupType::kTensor, GroupType::kData, GroupType::kExpert,
                                 GroupType::kDataExpert, GroupType::kAll};
constexpr Policy kPolicies[] = {Policy::kMicro,
                                Policy::kData,
                                Policy::kModel,
                                Policy::kHybridDataModel,
                                Policy::kHybridModelData,
                                Policy::kHybridTransformer,
                                Policy::kHybridDlrm,
                                Policy::kHybridDlrmEnhanced,
                                Policy::kHybridCustomized,
                                Policy::kTransformerFwdInBckwd,
                                Policy::kDistributedInference};

/// Policies that determine which communications a layer has, and among whom.
constexpr Policy kLayerPolicies[] = {Policy::kData, Policy::kModel, Policy::kHybridDataModel,
                                     Policy::kHybridModelData, Policy::kHybridTransformer};

/// Limits the length of a word: edit distances cost its square, and it may be as long as its file.
std::string NearestName(std::string_view word, const std::vector<std::string>& names) {
  return NearestIs(word.substr(0, 60), names);
}

std::vector<std::string> OperationNames() {
  std::vector<std::string> names;
  for (const Operation operation : kOperations) names.emplace_back(ToText(operation));
  return names;
}

bool FindOperation(std::string_view word, Operation* operation) {
  for (const Operation candidate : kOperations) {
    if (word == ToText(candidate)) return *operation = candidate, true;
  }
  return false;
}

bool FindGroup(std::string_view word, GroupType* group) {
  for (const GroupType candidate : kGroups) {
    if (word == ToText(candidate)) return *group = candidate, true;
  }
  return false;
}

}  // namespace

bool FindPolicy(std::string_view name, Policy* policy) {
  for (const Policy candidate : kPolicies) {
    if (name == ToText(candidate)) return *policy = candidate, true;
  }
  return false;
}

std::string NearestPolicy(std::string_view name) {
  std::vector<std::string> names;
  for (const Policy policy : kPolicies) names.emplace_back(ToText(policy));
  return NearestName(name, names);
}

std::string_view WorkloadWords::Next() {
  ++column_;
  return TakeWord(&rest_);
}

void WorkloadWords::Fail(const std::string& found, const std::string& expected) const {
  FailInput(lines_.where(), fmt::format("column {}: {}", column_, found), expected);
}

std::int64_t WorkloadWords::Number(const char* name, std::int64_t low, std::int64_t high) {
  return ToNumber(Next(), name, low, high);
}

std::int64_t WorkloadWords::ToNumber(std::string_view word, const char* name, std::int64_t low,
                                     std::int64_t high) const {
  const std::string expected = fmt::format("an integer from {} to {}", low, high);
  if (word.empty()) Fail(fmt::format("the line ends before {}", name), expected);
  std::int64_t number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || number < low || number > high) {
    Fail(fmt::format("{} {}", name, Quote(word)), expected);
  }
  return number;
}

Time WorkloadWords::NanoSecondsOf(const char* name) {
  return NanoSeconds(Number(name, 0, kMostNanoseconds));
}

std::int64_t WorkloadWords::BytesOf(const char* name, std::int64_t low) {
  return Number(name, low, kMostBytes);
}

std::int64_t WorkloadWords::CutBytesOf(const char* name) {
  const std::string_view word = Next();
  const std::size_t dot = word.find('.');
  const bool decimals = dot != std::string_view::npos &&
                        word.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return ToNumber(decimals && dot > 0 ? word.substr(0, dot) : word, name, 0, kMostBytes);
}

Communication WorkloadWords::CommunicationOf(const char* name, GroupType plain) {
  const std::string_view word = Next();
  const std::size_t underscore = word.find('_');
  Communication found{Operation::kNone, plain};
  if (word == ToText(Operation::kNone)) return found;
  if (FindOperation(word.substr(0, underscore), &found.operation) &&
      (underscore == std::string_view::npos ||
       FindGroup(word.substr(underscore + 1), &found.group))) {
    return found;
  }
  std::vector<std::string> names = {ToText(Operation::kNone)};
  for (const std::string& operation : OperationNames()) {
    names.push_back(operation);
    for (const GroupType group : kGroups) names.push_back(operation + "_" + ToText(group));
  }
  Fail(fmt::format("{} {}", name, Quote(word)),
       fmt::format("NONE, or {}, with _TP, _DP, _EP, _DP_EP, _ALL or nothing behind it{}",
                   kOperationNames, NearestName(word, names)));
}

Operation WorkloadWords::OperationOf(const char* name) {
  const std::string_view word = Next();
  Operation operation = Operation::kNone;
  if (FindOperation(word, &operation)) return operation;
  if (word.empty()) Fail(fmt::format("the line ends before {}", name), kOperationNames);
  Fail(fmt::format("{} {}", name, Quote(word)),
       kOperationNames + NearestName(word, OperationNames()));
}

GroupType WorkloadWords::GroupOf(std::string_view word, const char* name) const {
  GroupType group = GroupType::kTensor;
  if (!FindGroup(word, &group))
    Fail(fmt::format("{} {}", name, Quote(word)), "TP, DP, EP, DP_EP or ALL");
  return group;
}

Policy WorkloadWords::LayerPolicyOf(const char* name) {
  const std::string_view word = Next();
  std::vector<std::string> names;
  for (const Policy candidate : kLayerPolicies) {
    if (word == ToText(candidate)) return candidate;
    names.emplace_back(ToText(candidate));
  }
  Fail(fmt::format("{} {}", name, Quote(word)),
       fmt::format("{}{}", fmt::join(names, ", "), NearestName(word, names)));
}

void WorkloadWords::End() {
  const std::string_view word = Next();
  if (!word.empty()) Fail(Quote(word), "the end of the line");
}

}  // namespace heddle
