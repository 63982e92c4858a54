// SPDX-License-Identifier: GPL-2.0-only
/// How long dependent messages take in all: a rank sends in a level after it has received all that
/// came to it in earlier ones, and a message takes as long as its weight says. ORCS's
/// dep_max_delay, as its description has it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/patterns/level_pattern.h"

namespace heddle {

/// Times in transfers of weight 1.
class MessageDelay {
 public:
  virtual ~MessageDelay() = default;
  /// Forgets all messages: every rank may send at time 0.
  virtual void BeginRun() = 0;
  /// Adds a message of the open level, in the order of the pattern; it lasts `weight`, from the
  /// time at which its source has received all of earlier levels.
  virtual void Add(const RankPair& ranks, double weight) = 0;
  /// Ends the open level: what arrived in it holds up its receivers from the next level on.
  virtual void EndLevel() = 0;
  /// Returns the latest end of a message since BeginRun(); 0 without messages.
  virtual double Latest() const = 0;
};

/// Makes the delay by the description's rule.
std::unique_ptr<MessageDelay> MakeMessageDelay();

}  // namespace heddle
