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
  virtual void BeginRun() = 0;
  /// A message of the level that is open, in the order of the pattern. `weight`: its duration.
  virtual void Add(const RankPair& ranks, double weight) = 0;
  virtual void EndLevel() = 0;
  /// The latest end of a message since BeginRun().
  virtual double Latest() const = 0;
};

/// By the description.
std::unique_ptr<MessageDelay> MakeMessageDelay();

}  // namespace heddle
