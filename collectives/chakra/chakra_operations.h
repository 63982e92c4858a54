// SPDX-License-Identifier: GPL-2.0-only
/// The operations of a trace's job: which collectives and messages of its ranks belong together.
///
/// Source: ASTRA-sim 2. The n-th collective of a group on each of its ranks is one collective. A
/// send and a receive are one message if source, destination, tag and size are equal and both are
/// the n-th such ones. Nodes count in the order of core/chakra/chakra_order.h.
#pragma once

#include <cstdint>
#include <deque>
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
  /// Notes the rank's next collective, which an algorithm of `ranks` ranks carries out, and which
  /// is no operation itself. Returns the rank's place in the group; its number is last_list().
  /// Errors as AddCollective's, and for groups of another size; kNone: the group has one rank.
  std::uint32_t AddAlgorithm(ChakraPlace at, std::size_t ranks, const std::string& name);
  /// Returns the operation of a message of an algorithm: of the group of last_list(), between two
  /// places. `at`: the collective, `message`: the algorithm's node.
  std::uint32_t AddInner(ChakraPlace at, std::uint32_t place, const ChakraNode& message);
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
    ChakraCollective collective = ChakraCollective::kAllReduce;
  };
  /// A collective of a group.
  struct Instance {
    Said said;
    std::int64_t bytes = 0;
    std::uint32_t root = 0;
    std::uint32_t operation = kNone;  ///< kNone: an algorithm carries it out
  };
  /// Sends or receives of one key.
  struct Key {
    std::uint32_t source, destination, tag;
    std::int64_t bytes;
    std::uint32_t list = kNone;  ///< of an algorithm: the group
    bool operator<(const Key& other) const {
      return std::tie(source, destination, tag, list, bytes) <
             std::tie(other.source, other.destination, other.tag, other.list, other.bytes);
    }
  };
  /// Ends of one kind, sends or receives, whose other ends have not come yet: all that is left of a
  /// key, as the n-th of both are one message.
  struct Open {
    std::vector<std::uint32_t> operations;  ///< from `first` on, in order
    std::size_t first = 0;
    bool sends = false;

    std::size_t size() const { return operations.size() - first; }  ///< how many there are
  };

  /// Returns the instance of the rank's next collective of a list, checked to be as on other ranks.
  std::uint32_t NextInstance(ChakraPlace at, std::uint32_t list, const ProgramOp& op,
                             bool is_operation);
  /// Throws UserError if the rank is not in its collective's group.
  void CheckMember(ChakraPlace at, std::uint32_t list) const;
  /// Returns the operation of the next end of a message.
  std::uint32_t NextEnd(const Key& key, bool sends, ChakraPlace at);
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
  /// Throws UserError if the node is of another kind or size than the instance's first.
  void ExpectAlike(std::uint32_t instance, ChakraPlace at, const ProgramOp& op) const;
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
  std::deque<ProgramOp> ops_;
  std::deque<Said> said_;           ///< by operation, of messages
  std::deque<Instance> instances_;  ///< of all groups
  std::vector<std::uint32_t> list_of_group_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> list_of_line_;
  /// Instances of each list in the order of their collectives.
  std::vector<std::vector<std::uint32_t>> of_list_;
  /// By rank and list: collectives so far.
  std::unordered_map<std::uint64_t, std::uint32_t> used_;
  std::map<Key, Open> messages_;
  std::uint32_t last_list_ = 0;
  ChakraCount without_dimensions_;
};

}  // namespace heddle
