// SPDX-License-Identifier: GPL-2.0-only
/// One phase of a chunk on one line of a dimension, as steps: which messages a member sends first,
/// and which one follows a message that it received. By arithmetic, nothing is stored.
///
/// Source: ASTRA-SIM (ISPASS 2020) and its code, class Ring and AllToAll. Messages have one size,
/// but those of halving and doubling.
/// - ring: message k goes to the next member once message k - 1 has come from the one before: n - 1
///   steps for reduce-scatter and all-gather, 2 (n - 1) for all-reduce; all-to-all by software:
///   n (n - 1) / 2, as every message is passed on from neighbour to neighbour; by hardware: n - 1,
///   to distance 1, 2, ...
/// - direct: n - 1 messages to all others at once; all-reduce: a second round when all of the first
///   have come.
/// - trees: tree_steps.h; halving and doubling: halving_steps.h.
#pragma once

#include <cstdint>

#include "collectives/phased/halving_steps.h"
#include "collectives/phased/tree_steps.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Who sends or receives: a member of a line, by its coordinate, and for which chunk.
struct LinePlace {
  std::uint32_t member = 0;
  std::uint32_t chunk = 0;
};

struct LineSteps {
  enum class Shape : std::uint8_t { kRing, kFarRing, kDirect, kTrees, kHalving };

  Shape shape = Shape::kRing;
  std::uint32_t members = 1;   ///< of the line, > 1
  std::uint32_t rounds = 1;    ///< of a direct exchange
  std::uint32_t messages = 0;  ///< that a member sends, and receives, in all; of trees, at most
  std::uint32_t sums = 0;      ///< messages below this number are added to what the receiver has
  HalvingSteps halving;        ///< of Shape::kHalving

  /// Returns the steps of AllReduce, ReduceScatter, AllGather or AllToAll. `hardware`: routers pass
  /// messages on.
  static LineSteps Of(Operation operation, bool direct, bool hardware, std::uint32_t members);
  /// Returns the steps of an AllReduce by a double binary tree.
  static LineSteps OfTrees(std::uint32_t members);
  /// Returns the steps of an AllReduce, ReduceScatter or AllGather by halving and doubling.
  /// Requires HalvingSteps::Fits().
  static LineSteps OfHalving(Operation operation, std::uint32_t members);

  /// Counts the messages that a member sends, and receives, in all.
  std::uint32_t MessagesOf(LinePlace place) const {
    return shape == Shape::kTrees ? TreeOf(place).messages() : messages;
  }
  /// Sums MessagesOf() over all members.
  std::uint64_t MessagesOfLine() const {
    return shape == Shape::kTrees ? 2 * (std::uint64_t{members} - 1)
                                  : std::uint64_t{members} * messages;
  }
  /// Returns how many messages, from *begin on, are sent once `received` messages have come, and
  /// not before; for 0, what is sent at the beginning.
  std::uint32_t After(std::uint32_t received, std::uint32_t* begin, LinePlace place = {}) const;
  /// Returns how far from its sender message `number` goes, in members; 0 if the sender has no such
  /// message.
  std::uint32_t DistanceOf(std::uint32_t number, LinePlace place = {}) const;
  /// Counts how often message `number` is halved, as seen from the largest one.
  std::uint32_t HalvingsOf(std::uint32_t number) const {
    return shape == Shape::kHalving ? halving.LevelOf(number) : 0;
  }
  /// Whether peers are named by their coordinates, so that distances count clockwise on every lane;
  /// else distances count along the lane.
  bool names_peers() const { return shape == Shape::kTrees || shape == Shape::kHalving; }
  /// Returns the step of message `number`. A later step's message may come first, as members are
  /// not equally far.
  std::uint32_t StepOf(std::uint32_t number) const {
    if (shape == Shape::kTrees) return TreeSteps::StepOf(number);
    return shape == Shape::kDirect ? number / (members - 1) : number;
  }
  /// Returns the step that a member awaits that has received so many messages, but not all.
  std::uint32_t AwaitedStep(std::uint32_t received, LinePlace place) const {
    return shape == Shape::kTrees ? TreeOf(place).AwaitedStep(received) : StepOf(received);
  }

 private:
  /// Returns the member's part in the tree of its chunk; of Shape::kTrees only.
  TreeSteps TreeOf(LinePlace place) const { return {members, place.member, place.chunk}; }
};

}  // namespace heddle
