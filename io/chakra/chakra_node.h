// SPDX-License-Identifier: GPL-2.0-only
/// A node of a trace from its protobuf message.
#pragma once

#include <cstdint>
#include <string>

#include "core/chakra/chakra_trace.h"
#include "io/chakra/chakra_groups.h"

namespace heddle {

namespace chakra_wire {
class Node;
}

/// A node as it is read, without its dependencies.
struct ChakraNodeRead {
  ChakraNode node;
  std::uint64_t converted = 0;  ///< integers that were given as text or floating numbers
  bool cpu_collective = false;  ///< the CPU's side of a collective or message
  bool unknown_type = false;
};

/// Attribute of heddle's own traces: the duration [ps], where it is no whole number of us.
constexpr const char* kHeddleDuration = "heddle_duration_ps";

/// Reads a node. `where` begins messages: "node 812 of trace.5.et". Throws UserError for values out
/// of range, and for nodes of the schema before October 2023.
ChakraNodeRead ReadChakraNode(const chakra_wire::Node& from, const std::string& where,
                              ChakraGroups* groups);

}  // namespace heddle
