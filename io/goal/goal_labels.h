// SPDX-License-Identifier: GPL-2.0-only
/// The labels of a rank's operations in a GOAL text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/containers/flat_map.h"

namespace heddle {

class GoalLabels {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Adds the label of an operation. Returns the operation that has it already, kNone if none has.
  std::uint32_t Add(std::string_view label, std::uint32_t operation);
  /// Returns the operation with this label; kNone if none has it.
  std::uint32_t Find(std::string_view label) const;
  /// Forgets all labels.
  void Clear();

 private:
  struct Label {
    std::size_t at = 0;  ///< in text_
    std::uint32_t length = 0, operation = 0;
    std::uint32_t next = kNone;  ///< index of one with the same hash
  };

  /// Returns a key for first_.
  static std::uint64_t KeyOf(std::string_view label);
  /// Returns the operation of the label among those with this key.
  std::uint32_t FindIn(std::uint64_t key, std::string_view label) const;

  std::string text_;  ///< all labels, one after the other
  std::vector<Label> labels_;
  FlatMap first_;  ///< by key: index of the label that was added last
};

}  // namespace heddle
