// SPDX-License-Identifier: GPL-2.0-only
/// Execution traces of Chakra as data: what each rank computes, sends, receives and reduces, and
/// what waits for what.
///
/// Source: mlcommons/chakra's schema, the same in its versions 0.0.4 to 1.0.0
/// (docs/formats/chakra.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/chakra/chakra_node.h"

namespace heddle {

/// Ranks that take part in collectives together. The order of the list is that of the group.
struct ChakraGroup {
  std::string name;
  std::vector<std::uint32_t> ranks;
  bool known = true;  ///< false: nodes name it, and nothing says which ranks it has
};

/// A node of a trace.
struct ChakraPlace {
  static constexpr std::uint32_t kNone = ~0U;
  std::uint32_t rank = kNone, node = kNone;  ///< index of the node, not its id

  /// Whether there is such a node.
  bool found() const { return rank != kNone; }
};

/// So many nodes are odd, and the first of them.
struct ChakraCount {
  std::uint64_t count = 0;
  ChakraPlace first;

  /// Counts a node; the first call sets `first`.
  void Add(ChakraPlace at) {
    if (count++ == 0) first = at;
  }
};

/// What was met while reading that a trace need not have.
struct ChakraOddities {
  ChakraCount missing_data, missing_control;  ///< dependencies on ids that the file does not have
  ChakraCount on_itself;                      ///< dependencies of a node on itself
  ChakraCount converted;                      ///< integers given as text or as a floating number
  ChakraCount cpu_collectives;                ///< taken for computing on the CPU
  std::map<std::int32_t, ChakraCount> unknown_types;
};

class ChakraStore;

/// Its ranks are in memory, or those of a long trace in its store.
struct ChakraTrace {
  std::string name;                    ///< prefix of the files, printable
  std::string version, schema;         ///< of the first rank's file; empty: it has none
  std::vector<ChakraRank> ranks;       ///< at least one; without nodes if they are in the store
  std::shared_ptr<ChakraStore> store;  ///< has all ranks or the first ones; null: has none
  std::uint64_t window = 0;            ///< nodes of all ranks that stay in memory; 0: all
  std::vector<ChakraGroup> groups;     ///< the first one is all ranks
  std::vector<std::string> names;      ///< of nodes, each once, as they are in the files
  ChakraOddities odd;

  /// Returns a rank with its nodes; valid until another rank is asked for. Throws Error of code 6
  /// if the store cannot be read.
  const ChakraRank& Rank(std::uint32_t rank) const;
  /// Returns the node at a place, which must exist. Errors as Rank's.
  ChakraNode at(ChakraPlace place) const { return Rank(place.rank).nodes[place.node]; }
  /// Returns the number of nodes of all ranks.
  std::uint64_t CountNodes() const;
  /// Returns memory in bytes, itself included.
  std::size_t memory() const;
  /// Returns the place for messages: "node 812 of trace.5.et".
  std::string PlaceOf(ChakraPlace place) const;
  /// Returns what a node is: "a receive from 3, tag 7", "an ALL_REDUCE of group 1", "a
  /// computation".
  std::string Describe(const ChakraNode& node) const;
};

}  // namespace heddle
