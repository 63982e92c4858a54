// SPDX-License-Identifier: GPL-2.0-only
/// A type for the number of elements in saved state, so that readers can bound it before they
/// allocate; and the rejection of state that no run can have saved.
#ifndef HEDDLE_CORE_BASE_STATE_COUNT_H_
#define HEDDLE_CORE_BASE_STATE_COUNT_H_

#include <boost/serialization/collection_size_type.hpp>
#include <string>

#include "core/base/check.h"

namespace heddle {

/// core/checkpoint/state_archive.h checks the count against the remaining bytes; other archives
/// treat it as a plain number.
using StateCount = boost::serialization::collection_size_type;

/// Checks loaded state before it is used as an index or a size. `what` completes "the saved state
/// has ". Throws UserError.
inline void ExpectState(bool sound, const char* what) {
  if (!sound) throw UserError(std::string("the saved state has ") + what);
}

}  // namespace heddle

#endif  // HEDDLE_CORE_BASE_STATE_COUNT_H_
