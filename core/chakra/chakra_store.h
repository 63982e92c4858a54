// SPDX-License-Identifier: GPL-2.0-only
/// Ranks of a trace that do not stay in memory: in a file without a name, one of them loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/spill_file.h"
#include "core/chakra/chakra_node.h"

namespace heddle {

class ChakraStore {
 public:
  /// Writes the nodes and followers of the next rank, and empties both in `rank`. Throws Error of
  /// code 6.
  void Put(ChakraRank* rank);
  /// Returns the number of ranks that were put.
  std::size_t size() const { return places_.size(); }
  /// Returns the number of nodes of a rank that was put.
  std::uint64_t nodes(std::uint32_t rank) const { return places_[rank].nodes; }
  /// Returns a rank that was put; valid until another one is asked for. Throws Error of code 6.
  const ChakraRank& Load(std::uint32_t rank);
  /// Returns memory in bytes, itself included.
  std::size_t memory() const;

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Place {
    std::int64_t at = 0;
    std::uint64_t nodes = 0, followers = 0;
  };

  SpillFile file_;
  std::vector<Place> places_;  ///< by rank
  ChakraRank loaded_;
  std::uint32_t number_ = kNone;  ///< of the loaded one
};

}  // namespace heddle
