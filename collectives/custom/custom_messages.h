// SPDX-License-Identifier: GPL-2.0-only
/// The messages of an algorithm that a user brings, and which of them each one waits for.
///
/// A GPU does all steps of its blocks once for each round: a round has a piece of every chunk. A
/// message leaves when all that its block does before it has happened, and all that those steps
/// wait for; of these only arrivals take time. A block sends in order, so a message waits for the
/// one before it, and for the arrivals that that one did not wait for.
#ifndef HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_MESSAGES_H_
#define HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/custom/custom_algorithm.h"

namespace heddle {

/// Immutable; memory O(messages).
class CustomMessages {
 public:
  /// A message: number `index` of a connection, from 0, over all rounds.
  struct Id {
    std::uint32_t connection = 0, index = 0;
  };
  /// What is the same in every round.
  struct Kind {
    CustomChunks source;      ///< of the sender's step
    std::uint32_t count = 0;  ///< chunks
    bool reduced = false;     ///< the sender adds before it sends
    bool reduces = false;     ///< the receiver adds
  };
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 25;  ///< messages

  /// A proved algorithm (custom_proof.h). Throws UserError for more than kMost messages.
  CustomMessages(const CustomAlgorithm& algorithm, std::uint32_t rounds);

  std::uint32_t rounds() const { return rounds_; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(sends_.size()); }
  const std::vector<CustomConnection>& connections() const { return connections_; }
  /// Messages of a connection in a round, and in all rounds.
  std::uint32_t per_round(std::uint32_t connection) const {
    return first_kind_[connection + 1] - first_kind_[connection];
  }
  std::uint32_t count(std::uint32_t connection) const { return per_round(connection) * rounds_; }
  const Kind& kind(const Id& id) const {
    return kinds_[first_kind_[id.connection] + id.index % per_round(id.connection)];
  }
  /// The connection of this name, if there is one.
  std::optional<std::uint32_t> FindIfAny(std::uint32_t source, std::uint32_t destination,
                                         std::uint32_t channel) const;
  /// The same; throws InvariantError if there is none.
  std::uint32_t Find(std::uint32_t source, std::uint32_t destination, std::uint32_t channel) const;

  /// Arrivals that a message waits for: a range.
  const Id* parents_begin(const Id& id) const { return parents_.data() + first_parent_[Slot(id)]; }
  const Id* parents_end(const Id& id) const {
    return parents_.data() + first_parent_[Slot(id) + 1];
  }
  /// Messages that wait for an arrival: a range.
  const Id* children_begin(const Id& id) const { return children_.data() + first_child_[Slot(id)]; }
  const Id* children_end(const Id& id) const {
    return children_.data() + first_child_[Slot(id) + 1];
  }
  std::uint64_t total() const { return first_message_.back(); }
  /// Messages that a GPU sends and receives.
  std::uint64_t sends(std::uint32_t gpu) const { return sends_[gpu]; }
  std::uint64_t receives(std::uint32_t gpu) const { return receives_[gpu]; }
  std::uint32_t most_in_connection() const { return most_; }
  std::uint32_t channels() const { return channels_; }
  std::size_t memory() const;

 private:
  std::size_t Slot(const Id& id) const { return first_message_[id.connection] + id.index; }
  void SetKinds(const CustomAlgorithm& algorithm);
  void SetParents(const CustomAlgorithm& algorithm);
  void SetChildren();

  std::uint32_t rounds_, most_ = 0, channels_ = 0;
  std::vector<CustomConnection> connections_;
  std::vector<std::uint32_t> first_kind_;  ///< by connection, and the end
  std::vector<Kind> kinds_;
  std::vector<std::uint64_t> first_message_;               ///< by connection, and the end
  std::vector<std::uint64_t> first_parent_, first_child_;  ///< by message, and the end
  std::vector<Id> parents_, children_;
  std::vector<std::uint64_t> sends_, receives_;  ///< by GPU
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CUSTOM_CUSTOM_MESSAGES_H_
