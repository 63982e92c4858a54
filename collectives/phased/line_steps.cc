// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/line_steps.h"

namespace heddle {

LineSteps LineSteps::Of(Operation operation, bool direct, bool hardware, std::uint32_t members) {
  LineSteps steps;
  steps.members = members;
  const std::uint32_t others = members - 1;
  const bool twice = operation == Operation::kAllReduce;
  if (direct) {
    steps.shape = Shape::kDirect;
    steps.rounds = twice ? 2 : 1;
    steps.messages = steps.rounds * others;
  } else if (operation == Operation::kAllToAll) {
    steps.shape = hardware ? Shape::kFarRing : Shape::kRing;
    steps.messages = hardware ? others : members * others / 2;
  } else {
    steps.messages = twice ? 2 * others : others;
  }
  if (twice || operation == Operation::kReduceScatter) steps.sums = others;
  return steps;
}

LineSteps LineSteps::OfTrees(std::uint32_t members) {
  LineSteps steps;
  steps.shape = Shape::kTrees;
  steps.members = members;
  steps.messages = TreeSteps::kNumbers;
  steps.sums = 1;
  return steps;
}

LineSteps LineSteps::OfHalving(Operation operation, std::uint32_t members) {
  LineSteps steps;
  steps.shape = Shape::kHalving;
  steps.members = members;
  steps.halving = HalvingSteps::Of(operation, members);
  steps.messages = steps.halving.messages();
  steps.sums = steps.halving.halves ? steps.halving.levels : 0;
  return steps;
}

std::uint32_t LineSteps::After(std::uint32_t received, std::uint32_t* begin,
                               LinePlace place) const {
  if (shape == Shape::kTrees) return TreeOf(place).After(received, begin);
  *begin = received;
  if (received >= messages) return 0;
  if (shape != Shape::kDirect) return 1;
  return received % (members - 1) == 0 ? members - 1 : 0;
}

std::uint32_t LineSteps::DistanceOf(std::uint32_t number, LinePlace place) const {
  if (shape == Shape::kTrees) {
    const std::uint32_t peer = TreeOf(place).PeerOf(number);
    return peer == DoubleBinaryTree::kNone ? 0 : (peer + members - place.member) % members;
  }
  if (shape == Shape::kRing) return 1;
  if (shape == Shape::kHalving) {
    const std::uint32_t peer = place.member ^ 1U << halving.LevelOf(number);
    return (peer + members - place.member) % members;
  }
  return number % (members - 1) + 1;
}

}  // namespace heddle
