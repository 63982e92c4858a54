// SPDX-License-Identifier: GPL-2.0-only
/// Algorithms of collectives that are traces: for each rank of a group a file with what it sends,
/// receives and computes.
///
/// Source: ASTRA-sim 2's custom collectives (docs/formats/chakra.md).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/chakra/chakra_trace.h"

namespace heddle {

class OptionSet;

/// Which files have algorithms: prefixes of PREFIX.POSITION.et; empty: heddle's own.
struct ChakraAlgorithmOptions {
  std::string all_reduce, all_gather, reduce_scatter, all_to_all;

  /// Whether some files are named.
  bool any() const {
    return !(all_reduce.empty() && all_gather.empty() && reduce_scatter.empty() &&
             all_to_all.empty());
  }
  /// Binds chakra.allreduce and so on.
  void Declare(OptionSet* options);
};

/// By the kind of collective that it carries out. Peers of their messages are places in the group.
using ChakraAlgorithms = std::map<ChakraCollective, std::shared_ptr<const ChakraTrace>>;

/// Throws UserError for an algorithm that no group can run: other nodes than messages and
/// computing, nodes that lack attributes or wait for each other, peers that do not exist, messages
/// whose other end is missing.
void CheckChakraAlgorithm(const ChakraTrace& algorithm);

}  // namespace heddle
