// SPDX-License-Identifier: GPL-2.0-only
/// The nodes of one rank of an execution trace of Chakra, as data.
///
/// Source: mlcommons/chakra's schema, the same in its versions 0.0.4 to 1.0.0
/// (docs/formats/chakra.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// The collectives of Chakra, by their numbers.
enum class ChakraCollective : std::uint8_t {
  kAllReduce,
  kReduce,
  kAllGather,
  kGather,
  kScatter,
  kBroadcast,
  kAllToAll,
  kReduceScatter,
  kReduceScatterBlock,
  kBarrier,
};
constexpr int kChakraCollectives = 10;
/// Returns "ALL_REDUCE" and so on, as in Chakra's schema.
const char* ToText(ChakraCollective collective);

/// One node of a rank. Its followers are a range of ChakraRank::followers.
struct ChakraNode {
  enum class Kind : std::uint8_t {
    kNothing,  ///< takes no time: metadata, and types that are not known
    kCompute,  ///< also the CPU's side of a collective
    kMemory,   ///< a load or a store of remote memory
    kSend,
    kReceive,
    kCollective,
  };
  /// What a node must have to be run, as bits of `missing`.
  enum Attribute : std::uint8_t { kType = 1, kSize = 2, kPeer = 4, kTag = 8, kOperations = 16 };
  static constexpr std::uint32_t kAllDimensions = ~0U;

  std::uint64_t id = 0;  ///< in the file
  Time duration;         ///< as the file says; of computing, and of all nodes that are replayed
  /// Message, memory: bytes; collective: comm_size, which is one rank's shard of an all-gather and
  /// the whole buffer of the others; computing: tensor_size; >= 0.
  std::int64_t bytes = 0;
  std::int64_t operations = 0;  ///< computing: num_ops, >= 0
  std::uint32_t name = 0;       ///< index of ChakraTrace::names
  /// Rank: of a send the destination, of a receive the source. Of a collective the place of its
  /// root in the group.
  std::uint32_t peer = 0;
  std::uint32_t tag = 0;                      ///< of messages, below kChakraTags
  std::uint32_t group = 0;                    ///< collective: index of ChakraTrace::groups
  std::uint32_t dimensions = kAllDimensions;  ///< collective: bit d: dimension d takes part
  std::uint32_t waits = 0;                    ///< for so many nodes of its rank
  std::uint32_t first_follower = 0;
  std::uint32_t followers = 0;  ///< number of nodes that wait for it
  std::int32_t type = 0;        ///< number in the file
  Kind kind = Kind::kNothing;
  ChakraCollective collective = ChakraCollective::kAllReduce;
  bool on_cpu = false;
  std::uint8_t missing = 0;  ///< attributes that a run needs and the file does not have

  bool is_send() const { return kind == Kind::kSend; }
  bool is_receive() const { return kind == Kind::kReceive; }
  /// Whether it is a collective of a group, on a GPU.
  bool is_collective() const { return kind == Kind::kCollective; }
  /// Whether it computes, also on the CPU.
  bool is_compute() const { return kind == Kind::kCompute; }
};

/// Tags count modulo this number, as in ASTRA-sim.
constexpr std::int64_t kChakraTags = 500'000'000;

struct ChakraRank {
  std::string file;                      ///< its name for messages, printable
  std::vector<ChakraNode> nodes;         ///< ascending by id
  std::vector<std::uint32_t> followers;  ///< indices of nodes, by the node that they follow
};

}  // namespace heddle
