// SPDX-License-Identifier: GPL-2.0-only
/// A schedule of GOAL as data: what each rank computes, sends and receives, and what waits for
/// what.
///
/// Source: Hoefler et al., "Group Operation Assembly Language" (2009); the files of LogGOPSim and
/// ATLAHS (docs/formats/goal.md).
#pragma once

#include <cstddef>
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
  std::uint8_t nic = 0;  ///< not of calc

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

struct GoalSchedule {
  std::string file;  ///< its name for messages, printable
  bool is_text = true;
  std::vector<GoalRank> ranks;

  /// Returns the number of ranks; numbers are below it.
  std::size_t rank_count() const { return ranks.size(); }
  /// Returns the number of operations of all ranks.
  std::uint64_t CountOperations() const;
  /// Returns memory in bytes, itself included.
  std::size_t memory() const;
  /// Returns where an operation is: "FILE:812", or of a binary schedule "operation 812 of rank 5 in
  /// FILE".
  std::string PlaceOf(std::uint32_t rank, std::uint32_t operation) const;
};

/// Returns what an operation is: "a receive from 3, tag 7", "a calc of 500 ns".
std::string Describe(const GoalOperation& operation);

}  // namespace heddle
