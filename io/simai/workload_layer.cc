// SPDX-License-Identifier: GPL-2.0-only
#include "io/simai/workload_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "core/options/token_reader.h"
#include "io/simai/workload_words.h"

namespace heddle {
namespace {

constexpr int kLayerFields = 12;
constexpr const char* kLayerColumns =
    "12 columns on one line: name dependency fwd_ns fwd_comm fwd_bytes ig_ns ig_comm ig_bytes "
    "wg_ns wg_comm wg_bytes "
    "update_ns";
constexpr const char* kCustomizedColumns =
    "13 columns on one line: name dependency fwd_ns fwd_comm fwd_bytes ig_ns ig_comm ig_bytes "
    "wg_ns wg_comm wg_bytes update_ns policy";

/// At most `most`.
int CountWords(std::string_view line, int most) {
  int count = 0;
  while (count < most && !TakeWord(&line).empty()) ++count;
  return count;
}

std::string ReadName(WorkloadWords* words) {
  const std::string_view word = words->Next();
  if (!std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c <= '~'; })) {
    words->Fail(fmt::format("name {}", Quote(word)), "a name in printable ASCII");
  }
  return std::string(word);
}

LayerPhase ReadPhase(WorkloadWords* words, const char* time, const char* communication,
                     const char* bytes, GroupType plain) {
  LayerPhase phase;
  phase.compute = words->NanoSecondsOf(time);
  const Communication found = words->CommunicationOf(communication, plain);
  phase.operation = found.operation;
  phase.group = found.group;
  phase.bytes = words->BytesOf(bytes, 0);
  return phase;
}

/// Groups of communications that name none.
struct PlainGroups {
  GroupType model = GroupType::kTensor;  ///< of forward steps and input gradients
  GroupType data = GroupType::kData;     ///< of weight gradients
};

/// TP groups are neighbours, DP groups lie across them. HYBRID_MODEL_DATA is the policy whose
/// weights are spread over DP groups and copied within TP groups.
PlainGroups PlainGroupsOf(Policy policy) {
  if (policy == Policy::kHybridModelData) return {GroupType::kData, GroupType::kTensor};
  return {};
}

/// The same of a layer of HYBRID_CUSTOMIZED, whose TP is that of its hybrid layers: those of DATA
/// and MODEL are all GPUs.
PlainGroups PlainGroupsOfLayer(Policy policy) {
  if (policy == Policy::kData || policy == Policy::kModel)
    return {GroupType::kAll, GroupType::kAll};
  return PlainGroupsOf(policy);
}

/// The policy of a layer of HYBRID_CUSTOMIZED: the word after the other columns.
Policy PolicyOfLayer(std::string_view line, const LineReader& lines) {
  WorkloadWords words(line, lines);
  for (int column = 0; column < kLayerFields; ++column) words.Next();
  return words.LayerPolicyOf("policy");
}

}  // namespace

Layer ReadWorkloadLayer(std::string_view line, const LineReader& lines, Policy policy) {
  const bool customized = policy == Policy::kHybridCustomized;
  const int fields = customized ? kLayerFields + 1 : kLayerFields;
  const int count = CountWords(line, fields);
  if (count < fields)
    FailInput(lines.where(), fmt::format("{} column{}", count, count == 1 ? "" : "s"),
              customized ? kCustomizedColumns : kLayerColumns);
  WorkloadWords words(line, lines);
  Layer layer;
  if (customized) layer.policy = PolicyOfLayer(line, lines);
  const PlainGroups plain = customized ? PlainGroupsOfLayer(layer.policy) : PlainGroupsOf(policy);
  layer.line = lines.number();
  layer.name = ReadName(&words);
  words.Number("dependency", std::numeric_limits<std::int32_t>::min(),
               std::numeric_limits<std::int32_t>::max());
  layer.forward = ReadPhase(&words, "fwd_ns", "fwd_comm", "fwd_bytes", plain.model);
  layer.input_gradient = ReadPhase(&words, "ig_ns", "ig_comm", "ig_bytes", plain.model);
  layer.weight_gradient = ReadPhase(&words, "wg_ns", "wg_comm", "wg_bytes", plain.data);
  layer.update = words.NanoSecondsOf("update_ns");
  return layer;
}

}  // namespace heddle
