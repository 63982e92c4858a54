// SPDX-License-Identifier: GPL-2.0-only
/// Makes a rank of a trace from its nodes, whose dependencies name ids of the file, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/chakra/chakra_trace.h"

namespace heddle {

class ChakraRankBuilder {
 public:
  /// Appends a node in the order of the file; ids may come in any order.
  void Add(const ChakraNode& node) { rank_.nodes.push_back(node); }
  /// Lets the node that was added last wait for the node `id`.
  void WaitFor(std::uint64_t id, bool control) {
    waits_.push_back({id, static_cast<std::uint32_t>(rank_.nodes.size() - 1), control});
  }
  std::size_t nodes() const { return rank_.nodes.size(); }    ///< added so far
  std::size_t dependencies() const { return waits_.size(); }  ///< WaitFor() calls so far

  /// Returns the rank's nodes, ascending by id. Dependencies on ids that are not there, and of a
  /// node on itself, count as satisfied; `odd` counts them. `number`: of the rank; `file`: its
  /// name. Throws UserError for two nodes of one id, and for several nodes that wait for each
  /// other.
  ChakraRank Take(std::uint32_t number, const std::string& file, ChakraOddities* odd);

 private:
  struct Wait {
    std::uint64_t id;
    std::uint32_t node;
    bool control;
  };
  /// Sorts the nodes. Returns the new index of each.
  std::vector<std::uint32_t> Sort();
  /// Throws UserError for two nodes of one id. Requires sorted nodes.
  void CheckIds() const;
  /// Turns ids of dependencies into followers of nodes, and counts those on missing nodes and on a
  /// node itself in `odd`. `index`: of Sort(); `number`: of the rank.
  void Link(const std::vector<std::uint32_t>& index, std::uint32_t number, ChakraOddities* odd);
  /// Returns the index of a node; the number of nodes if there is none.
  std::uint32_t Find(std::uint64_t id) const;

  ChakraRank rank_;
  std::vector<Wait> waits_;
};

}  // namespace heddle
