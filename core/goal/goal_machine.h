// SPDX-License-Identifier: GPL-2.0-only
/// Runs the operations of some ranks of a schedule: when each starts and ends.
///
/// Source: LogGOPSim's semantics without o, g and G, which a network of packets does not need
/// (docs/formats/goal.md).
/// - A calc starts when all that it waits for has happened and its cpu is free, and keeps the cpu
///   for its time. Calcs of one cpu run in the order in which they could start.
/// - A send starts likewise and takes the cpu no time; it ends when its message has left.
/// - A receive starts when all that it waits for has happened. It ends when its message is there
///   and its cpu is free.
///
/// Nothing here depends on when it is called, only on the times in the calls: the ranks are
/// independent of each other, and what happens to one of them at one time is put into an order of
/// its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"
#include "core/containers/flat_map.h"
#include "core/goal/goal_frontier.h"
#include "core/goal/goal_schedule.h"
#include "core/goal/message_matcher.h"

namespace heddle {

class StateReader;
class StateWriter;

/// A message in transit: the `number`th of its source, destination and tag, from 0.
struct GoalTransfer {
  std::uint32_t source = 0, destination = 0;  ///< ranks
  std::uint32_t operation = 0;                ///< of the source: the send
  std::uint32_t tag = 0;
  std::uint32_t number = 0;  ///< MessageMatcher::kOnly: there is no other
};

/// What carries the messages.
class GoalNetwork {
 public:
  /// Sends a message of `bytes`, which is ready at `at`. Answered by GoalMachine::Left at the
  /// source and Arrived at the destination, both later than `at`. Not called for messages of a rank
  /// to itself.
  virtual void Send(const GoalTransfer& transfer, std::int64_t bytes, Time at) = 0;

 protected:
  ~GoalNetwork() = default;
};

class GoalMachine {
 public:
  /// `ranks`: those to run, ascending. `schedule` and `network` must outlive it.
  GoalMachine(const GoalSchedule& schedule, const std::vector<std::uint32_t>& ranks,
              GoalNetwork* network);

  /// Starts what waits for nothing, at the time at which the schedule begins.
  void Begin(Time start = {});
  /// Returns the time of the next event, Time::Max() if there is none.
  Time next() const { return events_.empty() ? Time::Max() : events_.front().time; }
  /// Runs all events up to `until`, which all calls below with such times have preceded. Throws
  /// Error of code 4 for a calc that would end after kEndOfTime.
  void RunUntil(Time until);

  /// Records that the message of a send of a rank here has left at `when`, after all that has run.
  void Left(std::uint32_t rank, std::uint32_t operation, Time when);
  /// Records that a message to a rank here has arrived at `when`, after all that has run.
  void Arrived(const GoalTransfer& transfer, Time when);

  /// Whether this machine runs the rank.
  bool Has(std::uint32_t rank) const;
  std::uint64_t operations() const { return operations_; }  ///< of all ranks here
  std::uint64_t ended() const { return ended_; }            ///< of them
  /// One rank here.
  struct Progress {
    std::uint32_t rank = 0;
    std::uint64_t open = 0;  ///< operations that have not ended
    Time end;                ///< of its last operation so far
  };
  /// Returns the progress of all ranks here, ascending by rank.
  std::vector<Progress> progress() const;
  /// Returns what the ranks with the lowest numbers wait for that have not ended, at most `most` of
  /// them.
  std::vector<std::pair<std::uint32_t, std::string>> Waiting(std::size_t most) const;

  /// Returns memory in bytes, itself included.
  std::size_t memory() const;
  /// Saves all ranks and the open events, these in their order.
  void Save(StateWriter* to) const;
  /// Loads what Save() wrote, after Begin(). Throws UserError for what no run of this schedule can
  /// have saved.
  void Load(StateReader* from);

 private:
  struct Rank {
    std::uint32_t rank = 0;
    GoalFrontier operations;
    std::vector<Time> cpu_free = {};  ///< by cpu
    Time end = {};
    std::uint64_t sequence = 0;
    MessageMatcher matcher = {};
    FlatMap sent =
        {};  ///< messages so far, by destination and tag, but for the only ones of theirs
  };
  struct ByNumber {
    /// Orders ranks by their numbers, for binary search.
    bool operator()(const Rank& rank, std::uint32_t number) const { return rank.rank < number; }
    /// Orders a number before a rank, likewise.
    bool operator()(std::uint32_t number, const Rank& rank) const { return number < rank.rank; }
  };
  struct Event {
    /// kArrived, kLeft: from outside; kStart, kEnd: of a release here.
    enum class Kind : std::uint8_t { kArrived, kLeft, kStart, kEnd };
    Time time;
    std::uint32_t slot = 0;  ///< of the rank in ranks_
    Kind kind = Kind::kArrived;
    std::uint64_t sequence = 0;  ///< of kStart, kEnd: the order in which they were made
    std::uint32_t operation = 0;
    std::uint32_t source = 0, tag = 0, number = 0;  ///< of kArrived

    /// Whether the event was made here: its place among those of one time is its sequence.
    bool is_local() const { return kind >= Kind::kStart; }
    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& time& slot& kind& sequence& operation& source& tag& number;
    }
  };
  /// Whether `a` comes after `b`: by time, rank, then an order that does not depend on the calls'.
  static bool IsLater(const Event& a, const Event& b);

  /// Returns the place of a rank in ranks_. Throws InvariantError if it is not here.
  std::uint32_t SlotOf(std::uint32_t rank) const;
  /// Adds an event to the heap.
  void Push(const Event& event);
  /// Adds an event of a rank's own, with the rank's next sequence number.
  void PushLocal(Event::Kind kind, std::uint32_t slot, std::uint32_t operation, Time at);
  /// Does what an event says; what that releases waits in ready_.
  void Handle(const Event& event);
  /// Releases what `Start` and `End` have made ready, and what follows from that, at `at`.
  void ReleaseReady(std::uint32_t slot, Time at);
  /// Starts an operation that waits for nothing more, or schedules its start when its cpu is free.
  void Release(std::uint32_t slot, std::uint32_t operation, Time at);
  /// Takes the calc's time from its cpu at once, so that calcs keep the order of their releases.
  /// Throws Error of code 4 beyond kEndOfTime.
  void ReleaseCalc(std::uint32_t slot, std::uint32_t operation, Time at);
  /// Marks an operation as started, and counts down what waits for its start.
  void Start(std::uint32_t slot, std::uint32_t operation);
  /// Hands the message to the network; one to the same rank arrives and leaves at `at`.
  void StartSend(std::uint32_t slot, std::uint32_t operation, Time at);
  /// Ends a receive whose message is there, at `at` or when its cpu is free.
  void Receive(std::uint32_t slot, std::uint32_t operation, Time at);
  /// Marks an operation as ended at `at`, and counts down what waits for its end. Throws
  /// InvariantError unless it was open.
  void End(std::uint32_t slot, std::uint32_t operation, Time at);
  /// Returns a line about a rank's first started operation, and how many are open.
  std::string WaitsFor(const Rank& rank) const;

  /// Saves a rank, its messages sent in the order of (destination, tag).
  void SaveRank(const Rank& rank, StateWriter* to) const;
  /// Loads a rank. Throws UserError for what does not fit the schedule.
  void LoadRank(Rank* rank, StateReader* from);
  /// Throws UserError for an event that its operation cannot have, or one of the past.
  void CheckEvent(const Event& event) const;
  /// Whether the schedule has the send of a message to this rank.
  bool MayExist(const GoalMessage& message, std::uint32_t destination) const;

  const GoalSchedule& schedule_;
  GoalNetwork* network_;
  std::vector<Rank> ranks_;
  std::vector<Event> events_;         ///< a heap, the earliest first
  std::vector<std::uint32_t> ready_;  ///< of the rank that is handled
  std::uint64_t operations_ = 0, ended_ = 0;
  Time until_{-1};  ///< all up to here has run
};

}  // namespace heddle
