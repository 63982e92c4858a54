// SPDX-License-Identifier: GPL-2.0-only
/// Which receive of a rank takes which message.
///
/// As in MPI: a receive takes the first message that fits its source and tag, and a message goes to
/// the first posted receive that it fits. Messages of one source and tag count in the order of
/// their sends: one that overtakes another waits for it here. Messages that wait are in the order
/// in which they came to be the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/containers/flat_map.h"

namespace heddle {

class StateReader;
class StateWriter;

/// A message as its receiver knows it.
struct GoalMessage {
  std::uint32_t source = 0, tag = 0;
  std::uint32_t operation = 0;  ///< of the source: the send

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& source& tag& operation;
  }
};

/// Receives and messages of one rank.
class MessageMatcher {
 public:
  /// Posts a receive: `source` and `tag` may be GoalOperation::kAny. Returns the message that it
  /// takes, if there is one already.
  std::optional<GoalMessage> Post(std::uint32_t source, std::uint32_t tag, std::uint32_t receive);

  /// A message's number if there is no other of its source and tag.
  static constexpr std::uint32_t kOnly = ~0U;
  /// Adds a message that has arrived, the `number`th of its source and tag, from 0. Returns the
  /// receives that have a message by it, in order.
  std::vector<std::uint32_t> Arrive(const GoalMessage& message, std::uint32_t number);

  /// Returns the receive that a message of this source and tag would take now, if there is one.
  std::optional<std::uint32_t> FindReceive(std::uint32_t source, std::uint32_t tag) const;
  /// Adds the next message of its source and tag: it takes the receive that is returned, or waits.
  /// For messages that do not overtake each other; others come by Arrive().
  std::optional<std::uint32_t> Offer(const GoalMessage& message);

  /// Returns the bytes of all queues.
  std::size_t memory() const;

  /// Saves all queues; equal states give equal bytes.
  void Save(StateWriter* to) const;
  /// Throws UserError for what no run can have saved. `is_receive` says whether an operation of the
  /// rank is a posted receive, `is_message` whether a message may exist.
  template <class IsReceive, class IsMessage>
  void Load(StateReader* from, IsReceive is_receive, IsMessage is_message) {
    LoadAll(from);
    for (const auto& [key, receive] : receives_) Expect(is_receive(receive));
    for (const auto& [order, receive] : wild_) Expect(is_receive(receive.operation));
    for (const auto* messages : {&messages_, &early_}) {
      for (const auto& [key, operation] : *messages)
        Expect(is_message(GoalMessage{key.source, key.tag, operation}));
    }
  }

 private:
  /// A place in a queue of one source and tag: `order` is a position among all messages or all
  /// receives, or a message's number.
  struct Key {
    std::uint32_t source = 0, tag = 0;
    std::uint64_t order = 0;

    /// Orders by source, tag, then position, so that the first of a stream comes first.
    bool operator<(const Key& other) const {
      return std::tie(source, tag, order) < std::tie(other.source, other.tag, other.order);
    }
    /// Whether it is of this source and tag, neither of which is kAny.
    bool fits(std::uint32_t of_source, std::uint32_t of_tag) const {
      return source == of_source && tag == of_tag;
    }
    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& source& tag& order;
    }
  };
  using Queue = std::map<Key, std::uint32_t>;

  /// Throws UserError unless `sound`.
  static void Expect(bool sound);
  /// Loads all queues without a look at the schedule.
  void LoadAll(StateReader* from);
  /// Finds the first message that fits; end() if none does.
  Queue::iterator Find(std::uint32_t source, std::uint32_t tag);
  using Wild = std::map<std::uint64_t, GoalMessage>;
  /// Finds the first receive of this source and tag, and the first of any source or tag that fits.
  std::pair<Queue::const_iterator, Wild::const_iterator> FirstReceives(std::uint32_t source,
                                                                       std::uint32_t tag) const;
  /// Whether the first of these is the one of any source or tag.
  bool IsWildFirst(Queue::const_iterator exact, Wild::const_iterator wild) const {
    return wild != wild_.end() && (exact == receives_.end() || wild->first < exact->first.order);
  }

  FlatMap arrived_;  ///< by source and tag: messages that came in order, without those of kOnly
  Queue early_;      ///< messages that overtook; `order` is the number
  Queue messages_;   ///< that wait for a receive
  Queue receives_;   ///< of one source and tag, that wait
  /// Receives of any source or any tag that wait, by order; `operation` is the receive.
  Wild wild_;
  std::uint64_t next_message_ = 0, next_receive_ = 0;
};

}  // namespace heddle
