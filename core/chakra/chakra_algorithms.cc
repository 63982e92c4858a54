// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_algorithms.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <tuple>

#include "core/base/check.h"
#include "core/chakra/chakra_order.h"
#include "core/options/options.h"

namespace heddle {
namespace {

[[noreturn]] void FailAlgorithm(const ChakraTrace& algorithm, ChakraPlace at,
                                const std::string& found, const std::string& expected) {
  throw UserError(fmt::format("{}: {} in an algorithm{}. Expected: {}", algorithm.PlaceOf(at),
                              algorithm.Describe(algorithm.at(at)), found, expected));
}

void CheckAlgorithmNode(const ChakraTrace& algorithm, ChakraPlace at) {
  const ChakraNode node = algorithm.at(at);
  const bool message = node.is_send() || node.is_receive();
  if (node.is_collective() || node.kind == ChakraNode::Kind::kMemory)
    FailAlgorithm(algorithm, at, "", "nodes that send, receive or compute");
  if (!message) return;
  constexpr std::uint8_t kNeeded = ChakraNode::kSize | ChakraNode::kPeer;
  if ((node.missing & kNeeded) != 0)
    FailAlgorithm(algorithm, at, " without its peer or size", "comm_size and comm_dst or comm_src");
  if (node.peer >= algorithm.ranks.size() || node.peer == at.rank)
    FailAlgorithm(algorithm, at, fmt::format(" of {} ranks", algorithm.ranks.size()),
                  "another rank of it");
}

}  // namespace

void ChakraAlgorithmOptions::Declare(OptionSet* options) {
  const auto add = [&](const char* key, const char* what, std::string* value) {
    options->Add({key, "",
                  fmt::format("{} of traces: PREFIX of the files PREFIX.PLACE.et with what each "
                              "place of a group does; empty: heddle's algorithms",
                              what),
                  "", "ASTRA-sim 2: custom collectives"},
                 value, {});
  };
  add("chakra.allreduce", "ALL_REDUCE", &all_reduce);
  add("chakra.allgather", "ALL_GATHER", &all_gather);
  add("chakra.reducescatter", "REDUCE_SCATTER", &reduce_scatter);
  add("chakra.alltoall", "ALL_TO_ALL", &all_to_all);
}

void CheckChakraAlgorithm(const ChakraTrace& algorithm) {
  // By source, destination, tag and size: sends less receives, and the first node.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t>,
           std::pair<std::int64_t, ChakraPlace>>
      messages;
  for (std::uint32_t number = 0; number < algorithm.ranks.size(); ++number) {
    const ChakraRank& rank = algorithm.Rank(number);
    if (const std::string cycle = DescribeCycle(rank); !cycle.empty())
      throw UserError(
          fmt::format("{}: nodes wait for each other: {}. Expected: no cycle", rank.file, cycle));
    for (std::uint32_t i = 0; i < rank.nodes.size(); ++i) {
      const ChakraPlace at{number, i};
      CheckAlgorithmNode(algorithm, at);
      const ChakraNode& node = rank.nodes[i];
      if (!node.is_send() && !node.is_receive()) continue;
      const bool sends = node.is_send();
      auto& [count, first] =
          messages[{sends ? number : node.peer, sends ? node.peer : number, node.tag, node.bytes}];
      if (!first.found()) first = at;
      count += sends ? 1 : -1;
    }
  }
  for (const auto& [key, ends] : messages) {
    if (ends.first != 0)
      FailAlgorithm(algorithm, ends.second, " without its other end",
                    "a send for each receive, with the same source, destination, tag and size");
  }
}

}  // namespace heddle
