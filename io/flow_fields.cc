// SPDX-License-Identifier: GPL-2.0-only
#include "io/flow_fields.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "topology/token_reader.h"

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

NodeId FlowFields::ReadGpu(std::string_view field, std::string_view role) const {
  std::uint32_t id = 0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, id);
  if (error != std::errc() || stop != end || id >= graph_.gpu_count()) {
    const bool is_node = error == std::errc() && stop == end && id < graph_.node_count();
    FailInput(lines_.where(),
              is_node ? fmt::format("{} {} is {}", role, id, Describe(graph_, NodeId(id)))
                      : fmt::format("{} {} is not a GPU", role, Quote(field)),
              graph_.gpu_count() == 0
                  ? std::string("a topology with GPUs")
                  : fmt::format("a GPU of the topology, 0 to {}", graph_.gpu_count() - 1));
  }
  return NodeId(id);
}

Bytes FlowFields::ReadSize(std::string_view field) const {
  return {ReadNumber(field, "size", 1, std::numeric_limits<std::int64_t>::max())};
}

Time FlowFields::ReadTime(std::string_view field, std::string_view unit) const {
  try {
    return ParseTime(std::string(field).append(unit));
  } catch (const UserError&) {
    FailInput(lines_.where(), fmt::format("time {}", Quote(field)),
              fmt::format("a number of {}, zero or more, below 106 days", unit));
  }
}

void FlowFields::RefuseSelf(NodeId source, NodeId destination) const {
  if (source == destination) {
    FailInput(lines_.where(), fmt::format("GPU {} sends to itself", source.value),
              "a destination that differs from the source");
  }
}

}  // namespace heddle
