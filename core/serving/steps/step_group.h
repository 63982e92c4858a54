// SPDX-License-Identifier: GPL-2.0-only
/// The near GPUs of an instance in its steps: they compute a slice, take part in a collective, and
/// so on to the end of the step.
///
/// The first group of an instance is notified of a step by the instance, the others by a message
/// with what they must know: its number, its tokens, its time of computing. So the sizes of
/// collectives are known only then. A message that comes before its step has begun here, or before
/// the GPUs are so far, is kept by its name.
///
/// The GPUs of a group begin and end a collective together; between that each ring goes on by
/// itself. What happens depends on the times in the calls only, not on their order.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/units.h"
#include "core/serving/steps/step_program.h"

namespace heddle {

/// A step that an instance begins.
struct StepOrder {
  std::uint32_t step = 0;  ///< its number in the instance, from 0
  std::int64_t tokens = 0;
  Time computing;  ///< without collectives
  Time at;         ///< it begins, or the group hears of it

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& step& tokens& computing& at;
  }
};

/// A message of a collective. Its size follows from the step's order at its source.
struct StepMessage {
  std::uint32_t instance = 0;
  std::uint32_t step = 0;
  std::uint32_t operation = 0;                ///< of the step
  std::uint32_t round = 0;                    ///< of the operation
  std::uint32_t source = 0, destination = 0;  ///< ranks
};

/// What carries the messages.
class StepNetwork {
 public:
  /// Sends a message of `bytes` that is ready at `at`, which may be ahead of the time of the call.
  virtual void SendPart(const StepMessage& message, std::int64_t bytes, Time at) = 0;
  /// Reports that the first group of an instance ends a step at `at`, likewise.
  virtual void StepEnded(std::uint32_t instance, Time at) = 0;

 protected:
  ~StepNetwork() = default;
};

class StepGroup {
 public:
  /// `program` leaves groups, and must outlive it, as `network` must.
  StepGroup(const StepProgram& program, std::uint32_t instance, std::uint32_t group,
            StepNetwork* network);

  /// The next step is known here.
  void Begin(const StepOrder& order);
  /// A message to a GPU of the group came at `when`.
  void Received(const StepMessage& message, Time when);

  std::uint32_t instance() const { return instance_; }
  std::uint32_t group() const { return group_; }
  /// Whether a step is under way here.
  bool busy() const { return !orders_.empty(); }
  /// Throws UserError for loaded state that no group of this program can have saved.
  void CheckState() const;
  std::size_t memory() const;  ///< bytes that it has allocated

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& orders_& next_step_& operation_& begun_& free_& members_& arrivals_;
  }

 private:
  /// A GPU in the collective under way.
  struct Member {
    std::uint32_t round = 0;  ///< whose messages it waits for
    Time at;                  ///< it was so far
    bool done = false;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& round& at& done;
    }
  };
  /// Messages of one GPU and round that have come.
  struct Arrivals {
    std::uint32_t count = 0;
    Time latest;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& count& latest;
    }
  };
  struct Key {
    std::uint32_t step = 0, operation = 0, round = 0, member = 0;

    friend bool operator<(const Key& a, const Key& b) {
      const auto all = [](const Key& key) {
        return std::tie(key.step, key.operation, key.round, key.member);
      };
      return all(a) < all(b);
    }
    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& step& operation& round& member;
    }
  };

  const StepOrder& order() const { return orders_.front(); }
  StepOperation now() const { return program_.At(operation_); }
  /// Begins the collective `operation_` after its slice of computing, from `ready` on.
  void Enter(Time ready);
  void SendRound(std::uint32_t member, Time at);
  /// Takes a GPU as far as what has come allows. Returns whether it is done.
  bool Advance(std::uint32_t member);
  /// Goes on as long as all GPUs are done: to the next collective, step, or to rest.
  void GoOn();
  /// Ends the step under way at `at`; begins the next one that is known.
  void EndStep(Time at);

  const StepProgram& program_;
  std::uint32_t instance_, group_;
  StepNetwork* network_;
  std::deque<StepOrder> orders_;  ///< known steps, the first one under way
  std::uint32_t next_step_ = 0;   ///< number of the step that is not known yet
  std::uint32_t operation_ = 0;
  Time begun_;  ///< the collective under way, its part within the group included
  Time free_;   ///< end of the last step here
  std::vector<Member> members_;
  std::map<Key, Arrivals> arrivals_;
};

}  // namespace heddle
