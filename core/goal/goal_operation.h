// SPDX-License-Identifier: GPL-2.0-only
/// Operations of a rank of a schedule in GOAL (core/goal/goal_schedule.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// One operation of a rank. Its followers are a range of GoalRank::followers.
struct GoalOperation {
  enum class Kind : std::uint8_t { kSend, kReceive, kCalc };
  /// Any source, or any tag: as peer or tag of a receive.
  static constexpr std::uint32_t kAny = ~0U;

  std::int64_t amount = 0;           ///< send, receive: payload [byte]; calc: time [ns]; >= 0
  std::uint32_t peer = 0;            ///< send: destination; receive: source, or kAny; calc: 0
  std::uint32_t tag = 0;             ///< receive: or kAny; calc: 0
  std::uint32_t waits = 0;           ///< for so many starts and ends of operations of its rank
  std::uint32_t first_follower = 0;  ///< of those that its end releases; of its start: after them
  std::uint32_t after_end = 0;       ///< number of followers that its end releases
  std::uint32_t after_start = 0;     ///< number of followers that its start releases
  std::uint32_t line = 0;            ///< of a text, from 1; 0: the schedule was binary
  Kind kind = Kind::kCalc;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;      ///< not of calc
  bool only_of_key = false;  ///< of a send: the rank has no other to this peer with this tag

  std::uint32_t follower_count() const { return after_end + after_start; }
  bool is_send() const { return kind == Kind::kSend; }
  bool is_receive() const { return kind == Kind::kReceive; }
};

/// The operations of one rank, in the order of the file.
struct GoalRank {
  std::vector<GoalOperation> operations;
  /// Indices of operations, by the operation that they follow: first the operations that its end
  /// releases, then the ones that its start releases, each ascending.
  std::vector<std::uint32_t> followers;
};

/// What a run must know of a rank before it looks at its operations.
struct GoalRankHead {
  std::uint32_t operations = 0;      ///< their number
  std::uint32_t cpus = 0, nics = 0;  ///< the highest number of each, plus 1
  std::vector<std::uint32_t> roots;  ///< operations that wait for nothing, ascending
};

/// Returns the head of a rank.
GoalRankHead HeadOf(const GoalRank& rank);

/// Returns what an operation is: "a receive from 3, tag 7", "a calc of 500 ns".
std::string Describe(const GoalOperation& operation);

}  // namespace heddle
