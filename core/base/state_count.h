// SPDX-License-Identifier: GPL-2.0-only
/// How many elements of saved state follow, as its own type, so that readers can bound it before
/// memory is asked for; and the refusal of state that no run can have saved.
#ifndef HEDDLE_CORE_BASE_STATE_COUNT_H_
#define HEDDLE_CORE_BASE_STATE_COUNT_H_

#include <boost/serialization/collection_size_type.hpp>
#include <string>

#include "core/base/check.h"

namespace heddle {

/// core/checkpoint/state_archive.h checks it against the bytes that are left; for other archives it
/// is a plain number.
using StateCount = boost::serialization::collection_size_type;

/// For what is loaded, before it is used as an index or a size. `what` completes "the saved state
/// has ". Throws UserError.
inline void ExpectState(bool sound, const char* what) {
  if (!sound) throw UserError(std::string("the saved state has ") + what);
}

}  // namespace heddle

#endif  // HEDDLE_CORE_BASE_STATE_COUNT_H_
