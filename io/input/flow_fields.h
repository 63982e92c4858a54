// SPDX-License-Identifier: GPL-2.0-only
/// Fields of a flow in a text file, read with the same checks and messages in all formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "io/input/text_file.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Reads fields of the current line of `lines`. All functions throw UserError with file and line.
class FlowFields {
 public:
  /// Both must outlive it. `lines`: read by the caller, line by line.
  FlowFields(const Graph& graph, const LineReader& lines) : graph_(graph), lines_(lines) {}

  /// Reads an integer in [low, high]; `name` is its name in messages ("port").
  std::int64_t ReadNumber(std::string_view field, std::string_view name, std::int64_t low,
                          std::int64_t high) const;
  /// Reads the source and destination of a flow: two different GPUs, or a GPU and an NVSwitch
  /// linked to it (NVLS).
  void ReadEnds(std::string_view source_field, std::string_view destination_field, NodeId* source,
                NodeId* destination) const;
  Bytes ReadSize(std::string_view field) const;  ///< 1 byte or more
  /// Reads a time without a unit; decimals and exponent are allowed. `unit` is "ns" or "s".
  Time ReadTime(std::string_view field, std::string_view unit) const;

 private:
  /// Reads a GPU or an NVSwitch of the graph; `role` is "source" or "destination".
  NodeId ReadEnd(std::string_view field, std::string_view role) const;
  /// Throws UserError that names the nodes which can be ends of a flow here.
  [[noreturn]] void FailEnd(const std::string& found) const;

  const Graph& graph_;
  const LineReader& lines_;
};

}  // namespace heddle
