// SPDX-License-Identifier: GPL-2.0-only
/// A type for the number of elements in saved state, so that readers can bound it before they
/// allocate; and the rejection of state that no run can have saved.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/check.h"

namespace heddle {

/// A number of elements. core/checkpoint/state_archive.h checks it against the remaining bytes;
/// other archives treat it as a plain number. It is Boost's collection_size_type without Boost's
/// headers, which would be a sixth of what most units read.
class StateCount {
 public:
  StateCount() = default;
  /// Wraps a number of elements to be saved.
  explicit StateCount(std::size_t count) : count_(count) {}
  /// Converts back, so that it serves as a size.
  operator std::size_t() const { return count_; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& count_;
  }

 private:
  std::size_t count_ = 0;
};

/// Checks loaded state before it is used as an index or a size. `what` completes "the saved state
/// has ". Throws UserError.
inline void ExpectState(bool sound, const char* what) {
  if (!sound) throw UserError(std::string("the saved state has ") + what);
}

}  // namespace heddle
