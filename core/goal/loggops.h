// SPDX-License-Identifier: GPL-2.0-only
/// A schedule over LogGOPS' ideal network: no fabric, every pair of ranks has a path of its own.
///
/// Source: Alexandrov et al. (LogGP), Hoefler et al. (LogGOPSim); semantics of ATLAHS' LogGOPSim,
/// as docs/formats/goal.md has them, with receives of any source or tag, and events of one time in
/// the order in which they were made. An operation that follows a start begins no earlier than
/// that; there it may begin at 0.
///
/// Left out: noise, congestion, networks with more than one path.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/goal/goal_frontier.h"
#include "core/goal/goal_schedule.h"
#include "core/goal/message_matcher.h"

namespace heddle {

/// Defaults are those of LogGOPSim.
struct LogGopsOptions {
  std::int64_t latency = 2500;       ///< L: from the last byte of the sender to its arrival [ns]
  std::int64_t overhead = 1500;      ///< o: of a cpu, for each message [ns]
  std::int64_t gap = 1000;           ///< g: of a NIC, between messages [ns]
  double gap_per_byte = 6;           ///< G [ns/byte]
  double overhead_per_byte = 0;      ///< O [ns/byte]
  std::int64_t eager_limit = 65535;  ///< S: larger sends end when their receive takes them [byte]
  /// A receive whose cpu or NIC is busy when its message arrives goes to the end of the posted
  /// ones, as in ATLAHS' LogGOPSim. Else receives keep the order in which they were posted.
  bool busy_receives_last = false;
};

class LogGops {
 public:
  /// `schedule` must outlive it.
  LogGops(const GoalSchedule& schedule, const LogGopsOptions& options);

  /// Runs until nothing is left to happen. Throws Error of code 4 beyond kEndOfTime.
  void Run();

  /// Returns by rank when it has ended: its last operation, or the last that its cpus did [ns].
  std::vector<std::int64_t> ends() const;
  std::uint64_t ended() const { return ended_; }  ///< number of operations
  /// Returns what the ranks with the lowest numbers wait for that have not ended, at most `most` of
  /// them.
  std::vector<std::string> Waiting(std::size_t most) const;
  /// Returns the number of ranks that have not ended.
  std::uint64_t waiting_ranks() const;

 private:
  struct Event {
    std::int64_t time = 0;
    /// Events of one time come in this order; one that finds its clock busy comes again under its
    /// number.
    std::uint64_t number = 0;
    std::uint32_t rank = 0;       ///< where it happens
    std::uint32_t source = 0;     ///< of a message; of an operation: the rank
    std::uint32_t operation = 0;  ///< of the source
    std::uint32_t tag = 0;        ///< of a message
    std::int64_t bytes = 0;       ///< of a message
    bool is_message = false;
  };
  struct Rank {
    GoalFrontier operations;                                      ///< ready: [ns]
    std::vector<std::int64_t> cpu = {}, send = {}, receive = {};  ///< clocks by cpu and nic [ns]
    MessageMatcher matcher = {};
  };
  /// Whether `a` comes after `b`: by time, then number.
  static bool IsLater(const Event& a, const Event& b);

  /// Throws Error of code 4 for a time of the event's operation beyond kEndOfTime [ns].
  void CheckTime(const Event& event, std::int64_t time) const;
  /// Adds an event to the heap. Throws Error of code 4 beyond kEndOfTime.
  void Push(const Event& event);
  /// Does what an event says, or schedules it again when its clock is free.
  void Handle(const Event& event);
  /// Schedules an operation that waits for nothing more, when its cpu (calc) or NIC (send) is free.
  void Release(std::uint32_t rank, std::uint32_t operation);
  /// Takes the calc's time from its cpu.
  void Calc(const Event& event, const GoalOperation& op);
  /// Takes o + (s - 1) O from the cpu and g + (s - 1) G from the NIC; the message arrives L + (s -
  /// 1) G after the cpu is done. Up to S bytes the send ends with that of the cpu.
  void Send(const Event& event, const GoalOperation& op);
  /// Posts a receive, which takes its message if that is there already.
  void Receive(const Event& event, const GoalOperation& op);
  /// Gives a message to the receive that fits, when its cpu and NIC are free; else keeps it.
  void Arrive(const Event& event);
  /// Ends a receive with its message; its NIC is free from `free` on [ns]. `bytes`: the size
  /// that counts, the send's if the receive was there first. A send above S bytes ends with its
  /// receive.
  void Take(std::uint32_t rank, std::uint32_t receive, const GoalMessage& message,
            std::int64_t free, std::int64_t bytes);
  /// Marks an operation as started at `at` [ns], and counts down what waits for its start.
  void Start(std::uint32_t rank, std::uint32_t operation, std::int64_t at);
  /// Marks an operation as ended at `at` [ns], and counts down what waits for its end.
  void End(std::uint32_t rank, std::uint32_t operation, std::int64_t at);
  /// Releases the operations of a rank that are in ready_.
  void ReleaseReady(std::uint32_t rank);

  const GoalSchedule& schedule_;
  const LogGopsOptions options_;
  std::vector<Rank> ranks_;
  std::vector<Event> events_;  ///< a heap, the earliest first
  std::vector<std::uint32_t> ready_;
  std::uint64_t next_event_ = 0, ended_ = 0;
};

}  // namespace heddle
