// SPDX-License-Identifier: GPL-2.0-only
/// How a GPU with several ports towards a destination chooses one for a flow (option nic.ports).
///
/// Either rule is a function of the flow's addresses and ports alone. So tools that trace paths and
/// the central controller know it without a record, and no rank needs another's state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/ids.h"

namespace heddle {

enum class NicPorts : std::uint8_t {
  kHash,        ///< the hash of the flow (ecmp_hash.h), as SimAI
  kRoundRobin,  ///< the flows of a pair of GPUs take turns, as their source ports count up
};

/// Returns the words of the option (core/options/enum_words.h).
constexpr auto WordsOf(NicPorts /*type*/) { return std::array{"hash", "round-robin"}; }
/// Returns the rule of a word. Throws UserError for a word of none.
NicPorts ParseNicPorts(const std::string& word);

/// A flow as its end sees it: for ACKs with both ends and both ports swapped.
struct NicFlow {
  NodeId from, to;
  std::uint16_t source_port = 0, destination_port = 0;
};

/// Returns the index of the port among `count` > 0 ports. kRoundRobin: the sum of both source and
/// destination port, of the places of both GPUs in their servers and of their servers' numbers,
/// modulo `count`. So consecutive flows of a pair differ, as do the first flows of a GPU to
/// neighbouring GPUs or servers, and those to a GPU from them; an ACK has the index of its data.
std::size_t ChooseNicPort(NicPorts how, std::uint32_t gpus_per_server, const NicFlow& flow,
                          std::size_t count);

}  // namespace heddle
