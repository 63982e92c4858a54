// SPDX-License-Identifier: GPL-2.0-only
/// Networks in ORCS's form: a directed graph in Graphviz's DOT whose edges name, in the attribute
/// `comment`, the hosts for which they are taken.
///
/// Grammar (T. Schneider, T. Hoefler, A. Lumsdaine, Indiana University TR 675, and ORCS 2.0): a
/// node whose name begins with a capital H is a host, any other a switch. A comment is a list of
/// host names parted by commas or white space; the comment "*" stands for all hosts. Of several
/// edges of a node that name a host the first is taken, in cgraph's order: by the first mention of
/// the edge's end in the file, then by place. Parallel edges are cables of their own. A `rate`
/// (heddle's own, such as "100Gbps") gives a cable's speed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "topology/load/static_network.h"

namespace heddle {

/// A file as it was read; cables have the numbers that ORCS gives them (edge_id).
class OrcsDot {
 public:
  /// Reads a file. `name` is for messages. Throws UserError for what Graphviz cannot read, a graph
  /// without a host, and one in which no edge has a comment.
  OrcsDot(const std::string& text, const std::string& name);
  /// Releases Graphviz's graph.
  ~OrcsDot();
  OrcsDot(OrcsDot&&) noexcept;
  OrcsDot& operator=(OrcsDot&&) noexcept;

  /// Returns the network of the file; owned by this object.
  const StaticNetwork& network() const;
  /// Returns the hosts in the order of a breadth-first search over edges from the first node of the
  /// file.
  std::vector<std::uint32_t> HostsBreadthFirst() const;
  /// Returns the graph as text with the attributes edge_id, congestion and color (green 0 to red 1)
  /// of every edge. `congestion`: by cable, 0 to 1.
  std::string Coloured(const std::vector<double>& congestion);

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace heddle
