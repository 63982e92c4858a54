// SPDX-License-Identifier: GPL-2.0-only
/// What a trace consists of, in numbers.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/chakra/chakra_trace.h"

namespace heddle {

/// Collectives of one kind and group, of all ranks.
struct ChakraUse {
  std::uint64_t count = 0;  ///< nodes
  double bytes = 0;         ///< sum of their comm_size; exact below 2^53
};

struct ChakraSummary {
  std::uint64_t nothing = 0;                ///< nodes that take no time
  std::uint64_t computing = 0, on_cpu = 0;  ///< all, and those on the CPU
  std::uint64_t memory = 0, sends = 0, receives = 0, collectives = 0;
  std::uint64_t dependencies = 0;    ///< on nodes that are there
  std::uint64_t idle_ranks = 0;      ///< without a node
  double sent_bytes = 0;             ///< of all sends; exact below 2^53
  std::int64_t largest_message = 0;  ///< [byte]
  double memory_bytes = 0;
  /// By group and kind; of collectives that say what they are.
  std::map<std::pair<std::uint32_t, ChakraCollective>, ChakraUse> uses;
  double computing_ns = 0;  ///< sum of the durations of computing, of all ranks
  /// The longest time of computing in nodes of one rank that wait for each other [ns].
  double longest_chain_ns = 0;
  std::uint32_t longest_chain_rank = 0;  ///< the first rank with that time
  std::uint64_t stuck = 0;               ///< nodes that wait for nodes that wait for each other
  std::uint32_t stuck_rank = 0;          ///< the first rank with such nodes
  ChakraCount incomplete;      ///< sends, receives and collectives that lack what a run needs
  ChakraCount unknown_groups;  ///< collectives of groups of which nothing says the ranks
};

/// Counts all nodes of all ranks; does not check that messages have a partner.
ChakraSummary Summarize(const ChakraTrace& trace);

}  // namespace heddle
