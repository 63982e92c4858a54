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
  std::int64_t operations = 0;                ///< computing: num_ops, >= 0
  std::uint32_t name = 0;                     ///< index of ChakraTrace::names
  std::uint32_t peer = 0;                     ///< rank; send: destination; receive: source
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

struct ChakraTrace {
  std::string name;                 ///< prefix of the files, printable
  std::string version, schema;      ///< of the first rank's file; empty: it has none
  std::vector<ChakraRank> ranks;    ///< at least one
  std::vector<ChakraGroup> groups;  ///< the first one is all ranks
  std::vector<std::string> names;   ///< of nodes, each once, as they are in the files
  ChakraOddities odd;

  /// Returns the node at a place, which must exist.
  const ChakraNode& at(ChakraPlace place) const { return ranks[place.rank].nodes[place.node]; }
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
