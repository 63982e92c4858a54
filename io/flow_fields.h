// SPDX-License-Identifier: GPL-2.0-only
/// The fields of a flow in a text file, read with the same checks and messages in every format.
#ifndef HEDDLE_IO_FLOW_FIELDS_H_
#define HEDDLE_IO_FLOW_FIELDS_H_

#include <cstdint>
#include <string_view>

#include "core/ids.h"
#include "core/units.h"
#include "io/text_file.h"
#include "topology/graph.h"

namespace heddle {

/// Reads fields of the line where `lines` stands. All functions throw UserError with file and line.
class FlowFields {
 public:
  FlowFields(const Graph& graph, const LineReader& lines) : graph_(graph), lines_(lines) {}

  /// An integer in [low, high]; `name` is what the message calls it ("port").
  std::int64_t ReadNumber(std::string_view field, std::string_view name, std::int64_t low,
                          std::int64_t high) const;
  /// A GPU of the graph; `role` is "source" or "destination".
  NodeId ReadGpu(std::string_view field, std::string_view role) const;
  Bytes ReadSize(std::string_view field) const;
  /// A time without a unit, decimals and exponent allowed; `unit` is "ns" or "s".
  Time ReadTime(std::string_view field, std::string_view unit) const;
  void RefuseSelf(NodeId source, NodeId destination) const;

 private:
  const Graph& graph_;
  const LineReader& lines_;
};

}  // namespace heddle

#endif  // HEDDLE_IO_FLOW_FIELDS_H_
