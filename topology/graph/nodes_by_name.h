// SPDX-License-Identifier: GPL-2.0-only
/// Nodes by the names that messages, tables and pages give them (topology/graph/node_names.h).
#pragma once

#include <string>
#include <unordered_map>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

class NodesByName {
 public:
  /// Indexes the names of all nodes; `graph` may go then.
  explicit NodesByName(const Graph& graph);

  /// Returns the node of a name, capitals or not; "leaf 5" also names "leaf 5 (rail 5)". Throws
  /// UserError with `where` and the nearest name if none has it, or several have.
  NodeId Get(const std::string& name, const SourceLine& where) const;

 private:
  /// Adds a name in small letters; a second node with it makes it ambiguous.
  void AddAlias(const std::string& alias, NodeId node);

  std::unordered_map<std::string, NodeId> nodes_;  ///< by name
  /// By name in small letters, with and without rails; invalid: several nodes have it.
  std::unordered_map<std::string, NodeId> aliases_;
};

}  // namespace heddle
