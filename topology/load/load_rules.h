// SPDX-License-Identifier: GPL-2.0-only
/// What a message of a level counts for (run_load.h): the description's rules, and the place where
/// a program that is reproduced puts its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "topology/load/message_delay.h"

namespace heddle {

/// The description's. Immutable.
class LoadRules {
 public:
  virtual ~LoadRules() = default;
  virtual std::unique_ptr<MessageDelay> MakeDelay() const { return MakeMessageDelay(); }
  /// Whether a message whose path has no end loads the cables that it crosses, and counts as one
  /// that arrives.
  virtual bool CountsBroken() const { return false; }
  /// How often a message counts in the sums of the cables that it crosses: the one at `place` (from
  /// 0) of `messages` in its level.
  virtual std::uint64_t TimesInSums(std::size_t /*place*/, std::size_t /*messages*/) const {
    return 1;
  }
};

}  // namespace heddle
