// SPDX-License-Identifier: GPL-2.0-only
/// The operations of a trace's job: which collectives and messages of its ranks belong together.
///
/// Source: ASTRA-sim 2. The n-th collective of a group on each of its ranks is one collective. A
/// send and a receive are one message if source, destination, tag and size are equal and both are
/// the n-th such ones. Nodes count in the order of core/chakra/chakra_order.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/program/program.h"
#include "core/chakra/chakra_trace.h"

namespace heddle {

/// What the operations of a trace must know of the fabric.
struct ChakraFabric {
  /// Sizes of its dimensions, whose product is the number of ranks; empty: it has none, and
  /// involved_dim does not count.
  std::vector<std::uint32_t> dimensions;
  /// So many equal chunks have the collectives, as in ASTRA-sim; 0: sizes are the trace's.
  std::int64_t splits = 0;
};

class ChakraOperations {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// `trace` must outlive it.
  ChakraOperations(const ChakraTrace& trace, const ChakraFabric& fabric);

  /// Returns the operation of the rank's next collective, which has a type and a size; kNone: the
  /// group has one rank. Throws UserError for groups that do not exist or in which the rank is not,
  /// for collectives that are not simulated, and for ranks that disagree about one.
  std::uint32_t AddCollective(ChakraPlace at);
  /// Returns the operation of the next send or receive of its key, between two ranks. Throws
  /// UserError for ranks that do not exist, and for missing attributes.
  std::uint32_t AddMessage(ChakraPlace at);

  /// Checks the whole, when all are added: throws UserError, naming the first, for collectives that
  /// some rank of the group does not reach, and for sends or receives that stay alone.
  void Check() const;

  /// Nodes whose dimensions did not count, as the fabric has none.
  const ChakraCount& without_dimensions() const { return without_dimensions_; }
  /// The group's number of the collective that was added last.
  std::uint32_t last_list() const { return last_list_; }
  /// Moves the operations and groups to `program`.
  void Take(Program* program);

 private:
  /// What a rank said first of an operation, for messages.
  struct Said {
    ChakraPlace first;
    std::uint32_t count = 0;  ///< ranks that came to it
  };
  /// Sends or receives of one key.
  struct Key {
    std::uint32_t source, destination, tag;
    std::int64_t bytes;
    bool operator<(const Key& other) const {
      return std::tie(source, destination, tag, bytes) <
             std::tie(other.source, other.destination, other.tag, other.bytes);
    }
  };
  struct Ends {
    std::vector<std::uint32_t> operations;  ///< made so far, by the end that came first
    std::uint32_t sends = 0, receives = 0;
  };

  /// Returns the list of the node's group, or of the rank's line in the node's dimensions.
  std::uint32_t ListOf(ChakraPlace at);
  /// Returns the list of a group, added at its first use. Throws UserError if its ranks are unknown
  /// or not in the trace.
  std::uint32_t ListOfGroup(std::uint32_t group, ChakraPlace at);
  /// Returns the list of the rank's line through some of the fabric's dimensions.
  std::uint32_t ListOfLine(std::uint32_t rank, std::uint32_t mask);
  /// Makes the operation of a collective's node. Throws UserError if it is not simulated or too
  /// large.
  ProgramOp OperationOf(ChakraPlace at, std::uint32_t list) const;
  /// Throws UserError if the node is of another kind or size than the operation's first.
  void ExpectAlike(std::uint32_t operation, ChakraPlace at, const ProgramOp& op) const;
  /// Describes a node and its size, for messages.
  std::string DescribeWithSize(ChakraPlace at) const;
  /// Throws UserError for a collective that some rank of its group does not reach.
  void CheckCollectives() const;
  /// Throws UserError for sends without receives, and the reverse.
  void CheckMessages() const;

  const ChakraTrace& trace_;
  std::vector<std::uint32_t> dimensions_;
  std::int64_t splits_;
  GroupLists lists_;
  std::vector<ProgramOp> ops_;
  std::vector<Said> said_;  ///< by operation
  std::vector<std::uint32_t> list_of_group_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> list_of_line_;
  /// Operations of each list in the order of their collectives.
  std::vector<std::vector<std::uint32_t>> of_list_;
  /// By rank and list: collectives so far.
  std::unordered_map<std::uint64_t, std::uint32_t> used_;
  std::map<Key, Ends> messages_;
  std::uint32_t last_list_ = 0;
  ChakraCount without_dimensions_;
};

}  // namespace heddle
