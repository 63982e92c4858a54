// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/flow_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/time_limits.h"
#include "core/options/token_reader.h"

namespace heddle {

std::int64_t FlowFields::ReadNumber(std::string_view field, std::string_view name, std::int64_t low,
                                    std::int64_t high) const {
  std::int64_t number = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  if (error != std::errc() || stop != end || number < low || number > high) {
    FailInput(lines_.where(), fmt::format("{} {}", name, Quote(field)),
              fmt::format("an integer from {} to {}", low, high));
  }
  return number;
}

NodeId FlowFields::ReadEnd(std::string_view field, std::string_view role) const {
  std::uint32_t id = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, id);
  const bool is_number = error == std::errc() && stop == end;
  if (!is_number || id >= graph_.node_count()) {
    FailEnd(fmt::format("{} {} is not a GPU", role, Quote(field)));
  }
  if (graph_.kind(NodeId(id)) == NodeKind::kSwitch) {
    FailEnd(fmt::format("{} {} is {}", role, id, Describe(graph_, NodeId(id))));
  }
  return NodeId(id);
}

void FlowFields::FailEnd(const std::string& found) const {
  if (graph_.gpu_count() == 0) FailInput(lines_.where(), found, "a topology with GPUs");
  const std::string gpus = fmt::format("a GPU of the topology, 0 to {}", graph_.gpu_count() - 1);
  FailInput(lines_.where(), found,
            graph_.nvswitch_count() == 0
                ? gpus
                : gpus + ", or an NVSwitch linked to the GPU at the other end");
}

void FlowFields::ReadEnds(std::string_view source_field, std::string_view destination_field,
                          NodeId* source, NodeId* destination) const {
  *source = ReadEnd(source_field, "source");
  *destination = ReadEnd(destination_field, "destination");
  if (*source == *destination) {
    FailInput(lines_.where(), fmt::format("{} sends to itself", Describe(graph_, *source)),
              "a destination that differs from the source");
  }
  if (graph_.is_gpu(*source) && graph_.is_gpu(*destination)) return;
  if (!graph_.is_gpu(*source) && !graph_.is_gpu(*destination)) {
    FailEnd(
        fmt::format("{} sends to {}", Describe(graph_, *source), Describe(graph_, *destination)));
  }
  const NodeId gpu = graph_.is_gpu(*source) ? *source : *destination;
  const NodeId nvswitch = graph_.is_gpu(*source) ? *destination : *source;
  const auto& ports = graph_.ports(gpu);  // a GPU has few
  if (std::none_of(ports.begin(), ports.end(),
                   [&](const Attachment& port) { return port.peer == nvswitch; })) {
    FailEnd(
        fmt::format("{} and {} are not linked", Describe(graph_, gpu), Describe(graph_, nvswitch)));
  }
}

Bytes FlowFields::ReadSize(std::string_view field) const {
  return {ReadNumber(field, "size", 1, std::numeric_limits<std::int64_t>::max())};
}

Time FlowFields::ReadTime(std::string_view field, std::string_view unit) const {
  Time time = Time::Max();
  try {
    time = ParseTime(std::string(field).append(unit));
  } catch (const UserError&) {
  }
  if (time > kLatestInput) {
    FailInput(lines_.where(), fmt::format("time {}", Quote(field)),
              fmt::format("a number of {}, zero or more, at most 100 days", unit));
  }
  return time;
}

}  // namespace heddle
