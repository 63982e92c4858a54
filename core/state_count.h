// SPDX-License-Identifier: GPL-2.0-only
/// How many elements of saved state follow, as its own type, so that readers can bound it before memory is asked for.
#ifndef HEDDLE_CORE_STATE_COUNT_H_
#define HEDDLE_CORE_STATE_COUNT_H_

#include <boost/serialization/collection_size_type.hpp>

namespace heddle {

/// core/state_archive.h checks it against the bytes that are left; for other archives it is a plain number.
using StateCount = boost::serialization::collection_size_type;

}  // namespace heddle

#endif  // HEDDLE_CORE_STATE_COUNT_H_
