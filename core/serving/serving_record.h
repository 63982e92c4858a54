// SPDX-License-Identifier: GPL-2.0-only
/// What happened to a request in one instance, and what an instance did.
#pragma once

#include <cstdint>
#include <map>

#include "core/base/units.h"

namespace heddle {

/// A request in an instance: its parts in a prefill and a decode instance have a record each. Times
/// of what has not happened there are negative.
struct ServingRecord {
  static constexpr Time kNever{-1};

  std::uint32_t request = 0;
  std::uint32_t instance = 0;
  Time begun = kNever;          ///< its first step begins
  Time computed = kNever;       ///< its prompt is computed, for the first time
  Time granted = kNever;        ///< the decode instance has room for its KV
  Time sending = kNever;        ///< the prefill instance begins to send its KV
  Time arrived = kNever;        ///< the last byte of its KV is at the decode instance
  Time first = kNever;          ///< first token that this instance generates
  Time last = kNever;           ///< the last one so far
  std::uint32_t preempted = 0;  ///< times
  std::uint32_t tokens = 0;     ///< generated here
  /// Of its prompt, that were in the prefix cache when it first began here: not computed, and of a
  /// decode instance not sent.
  std::uint32_t cached = 0;
  bool rejected = false;  ///< its KV never fits, or its prompt no step

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& request& instance& begun& computed& granted& sending& arrived& first& last& preempted&
        tokens& cached& rejected;
  }
};

/// Times between two tokens of one request: how many there were of each length [ps].
using TokenGaps = std::map<std::int64_t, std::int64_t>;

/// Sums of an instance.
struct InstanceTotals {
  std::uint32_t instance = 0;
  std::int64_t steps = 0;
  Time busy;                     ///< in steps that ended
  Time collectives;              ///< of it, beyond computing
  std::int64_t computed = 0;     ///< tokens, those that are computed again included
  std::int64_t generated = 0;    ///< tokens of answers
  std::int64_t preempted = 0;    ///< sequences
  std::int64_t most_blocks = 0;  ///< of KV memory at once
  std::int64_t cached = 0;       ///< tokens of ServingRecord::cached

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& instance& steps& busy& collectives& computed& generated& preempted& most_blocks&
        cached;
  }
};

}  // namespace heddle
