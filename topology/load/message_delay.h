// SPDX-License-Identifier: GPL-2.0-only
/// How long dependent messages take in all: a rank sends in a level after it has received what came
/// to it in earlier ones, and a message takes as long as its weight says. ORCS's dep_max_delay.
#ifndef HEDDLE_TOPOLOGY_LOAD_MESSAGE_DELAY_H_
#define HEDDLE_TOPOLOGY_LOAD_MESSAGE_DELAY_H_

#include <cstdint>
#include <vector>

#include "core/patterns/level_pattern.h"

namespace heddle {

/// What a message waits for.
enum class DelayRules {
  kDescribed,  ///< all that reached its sender in earlier levels
  /// ORCS 2.0: the first listed that reached its sender in the level just before, and that only if
  /// it is its sender's first of the level; other messages begin at 0.
  kOrcs20,
  /// ORCS 1.1: the same, but it follows only the chains that begin at the messages whose places in
  /// its graph, two for each message, are numbers of ranks that send in the first level.
  kOrcs11,
};

class MessageDelay {
 public:
  explicit MessageDelay(DelayRules rules) : rules_(rules) {}

  void BeginRun();
  /// A message of the level that is open, in the order of the pattern. `weight`: its duration.
  void Add(const RankPair& ranks, double weight);
  void EndLevel();
  /// The latest end of a message since BeginRun(), in transfers of weight 1.
  double Latest() const;

 private:
  static constexpr std::uint32_t kNone = ~0U;

  struct Message {
    RankPair ranks;
    double weight = 0, end = 0;
    std::uint32_t after = kNone;  ///< the message that it waits for
  };
  /// By rank.
  struct Rank {
    double received = 0;                 ///< end of all that came in earlier levels
    std::uint32_t first_before = kNone;  ///< first message that came in the level before
    bool sends = false;                  ///< in the open level
  };

  Rank& At(std::uint32_t rank);
  double LatestOfChains() const;

  DelayRules rules_;
  std::vector<Message> messages_;             ///< of the run
  std::size_t level_begin_ = 0;               ///< of the open level
  std::vector<std::uint32_t> first_senders_;  ///< of the first level
  std::vector<Rank> ranks_;
};

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_LOAD_MESSAGE_DELAY_H_
