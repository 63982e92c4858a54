// SPDX-License-Identifier: GPL-2.0-only
#include "core/chakra/chakra_trace.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "core/chakra/chakra_store.h"

namespace heddle {

std::uint64_t ChakraTrace::CountNodes() const {
  std::uint64_t sum = 0;
  for (const ChakraRank& rank : ranks) sum += rank.nodes.size();
  for (std::uint32_t rank = 0; store != nullptr && rank < store->size(); ++rank)
    sum += store->nodes(rank);
  return sum;
}

const ChakraRank& ChakraTrace::Rank(std::uint32_t rank) const {
  return store != nullptr && rank < store->size() ? store->Load(rank) : ranks[rank];
}

std::size_t ChakraTrace::memory() const {
  std::size_t sum = sizeof *this + MemoryOf(ranks) + MemoryOf(groups) + MemoryOf(names) +
                    (store != nullptr ? store->memory() : 0);
  for (const ChakraRank& rank : ranks) sum += MemoryOf(rank.nodes) + MemoryOf(rank.followers);
  for (const ChakraGroup& group : groups) sum += MemoryOf(group.ranks);
  for (const std::string& text : names) sum += text.capacity();
  return sum;
}

std::string ChakraTrace::PlaceOf(ChakraPlace place) const {
  return fmt::format("node {} of {}", at(place).id, ranks[place.rank].file);
}

std::string ChakraTrace::Describe(const ChakraNode& node) const {
  switch (node.kind) {
    case ChakraNode::Kind::kSend:
      return fmt::format("a send to {}, tag {}", node.peer, node.tag);
    case ChakraNode::Kind::kReceive:
      return fmt::format("a receive from {}, tag {}", node.peer, node.tag);
    case ChakraNode::Kind::kCollective: {
      if ((node.missing & ChakraNode::kType) != 0) return "a collective without comm_type";
      const std::string what = ToText(node.collective);
      const bool vowel = what[0] == 'A';
      const std::string of =
          node.group == 0 ? "all ranks" : "group " + Printable(groups[node.group].name);
      return fmt::format("{} {} of {}", vowel ? "an" : "a", what, of);
    }
    case ChakraNode::Kind::kMemory:
      return fmt::format("an access of {} bytes of memory", node.bytes);
    case ChakraNode::Kind::kCompute:
      return "a computation";
    case ChakraNode::Kind::kNothing:
      return fmt::format("a node of type {}", node.type);
  }
  return "";
}

}  // namespace heddle
