// SPDX-License-Identifier: GPL-2.0-only
/// What a message of a level counts for (run_load.h): the description's rules, and the place where
/// a program that is reproduced puts its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "topology/load/message_delay.h"

namespace heddle {

/// The rules of the model's description. Immutable.
class LoadRules {
 public:
  virtual ~LoadRules() = default;
  /// Returns the count of dependent delays for one RunLoad, which owns it.
  virtual std::unique_ptr<MessageDelay> MakeDelay() const { return MakeMessageDelay(); }
  /// Whether a message whose path has no end loads the cables that it crosses, and counts as one
  /// that arrives.
  virtual bool CountsBroken() const { return false; }
  /// Returns how often the message at `place` (from 0) of the `messages` of its level counts in the
  /// sums of the cables that it crosses.
  virtual std::uint64_t TimesInSums(std::size_t /*place*/, std::size_t /*messages*/) const {
    return 1;
  }
};

}  // namespace heddle
