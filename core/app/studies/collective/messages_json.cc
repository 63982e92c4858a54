// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/collective/messages_json.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr int kCollectiveSchema = 1;

PrintedColumns<SingleFlow> FlowColumns() {
  using Flow = SingleFlow;
  const auto prev = [](const Flow& flow) {
    std::vector<std::uint32_t> nodes;
    for (const NodeId node : flow.prev) nodes.push_back(node.value);
    return OrderedJson(nodes);
  };
  return {{"flow_id", &Flow::id},
          {"src", [](const Flow& flow) { return flow.src.value; }},
          {"dst", [](const Flow& flow) { return flow.dst.value; }},
          {"flow_size_bytes", &Flow::bytes},
          {"prev", prev},
          {"parents", &Flow::parents},
          {"children", &Flow::children},
          {"channel", &Flow::channel},
          {"chunk", &Flow::chunk},
          {"chunk_count", &Flow::chunk_count},
          {"connection", [](const Flow& flow) { return ToText(flow.connection); }}};
}

}  // namespace

OrderedJson CollectiveJson(const char* kind, OrderedJson part) {
  OrderedJson document = JsonDocument("collective", kCollectiveSchema);
  document["kind"] = kind;
  for (const char* key : {"messages", "tune", "phases"}) document[key] = nullptr;
  document[kind] = std::move(part);
  return document;
}

OrderedJson MessagesJson(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                         const GroupShape& shape, std::uint32_t channels,
                         const std::vector<SingleFlow>& flows) {
  const auto [least, most] = SentByRanks(shape, flows);
  return {{"operation", ToText(spec.operation)},
          {"size_bytes", spec.bytes},
          {"ranks", shape.ranks()},
          {"servers", shape.servers()},
          {"algorithm", ToText(choice.algorithm)},
          {"pxn", choice.pxn},
          {"protocol", ToText(choice.protocol)},
          {"channels", channels},
          {"least_sent_bytes", least},
          {"most_sent_bytes", most},
          {"flows", PrintedList(FlowColumns(), flows)}};
}

std::pair<std::int64_t, std::int64_t> SentByRanks(const GroupShape& shape,
                                                  const std::vector<SingleFlow>& flows) {
  std::vector<std::int64_t> sent(shape.ranks());
  for (const SingleFlow& flow : flows) {
    if (flow.src.value < shape.ranks())
      sent[flow.src.value] += flow.bytes;  // rank r is GPU r; NVSwitches follow
  }
  const auto [least, most] = std::minmax_element(sent.begin(), sent.end());
  return {*least, *most};
}

}  // namespace heddle
