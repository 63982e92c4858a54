// SPDX-License-Identifier: GPL-2.0-only
/// One phase of a chunk on one line of a dimension, as steps: which messages a member sends first,
/// and which one follows a message that it received. By arithmetic, nothing is stored.
///
/// Source: ASTRA-SIM (ISPASS 2020) and its code, class Ring and AllToAll. Messages have one size.
/// - ring: message k goes to the next member once message k - 1 has come from the one before: n - 1
///   steps for reduce-scatter and all-gather, 2 (n - 1) for all-reduce; all-to-all by software:
///   n (n - 1) / 2, as every message is passed on from neighbour to neighbour; by hardware: n - 1,
///   to distance 1, 2, ...
/// - direct: n - 1 messages to all others at once; all-reduce: a second round when all of the first
///   have come.
#ifndef HEDDLE_COLLECTIVES_PHASED_LINE_STEPS_H_
#define HEDDLE_COLLECTIVES_PHASED_LINE_STEPS_H_

#include <cstdint>

#include "core/traffic/workload.h"

namespace heddle {

struct LineSteps {
  enum class Shape : std::uint8_t { kRing, kFarRing, kDirect };

  Shape shape = Shape::kRing;
  std::uint32_t members = 1;   ///< of the line, > 1
  std::uint32_t rounds = 1;    ///< of a direct exchange
  std::uint32_t messages = 0;  ///< that a member sends, and receives, in all

  /// Of AllReduce, ReduceScatter, AllGather or AllToAll. `hardware`: routers pass messages on.
  static LineSteps Of(Operation operation, bool direct, bool hardware, std::uint32_t members);

  /// Messages sent at the beginning: numbers 0 to this.
  std::uint32_t first() const { return shape == Shape::kDirect ? members - 1 : 1; }
  /// How far from its sender message `number` goes, in members.
  std::uint32_t DistanceOf(std::uint32_t number) const {
    if (shape == Shape::kRing) return 1;
    return number % (members - 1) + 1;
  }
  /// The step of message `number`; also the step that a member awaits that has received so many.
  /// A later step's message may come first, as members are not equally far.
  std::uint32_t StepOf(std::uint32_t number) const {
    return shape == Shape::kDirect ? number / (members - 1) : number;
  }
  /// Messages, from *begin on, that may be sent once `received` messages have come, and not before.
  std::uint32_t After(std::uint32_t received, std::uint32_t* begin) const;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_PHASED_LINE_STEPS_H_
