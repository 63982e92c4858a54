// SPDX-License-Identifier: GPL-2.0-only
/// A part of a job's critical path with its cause.
#ifndef HEDDLE_IO_STEP_CAUSED_PIECE_H_
#define HEDDLE_IO_STEP_CAUSED_PIECE_H_

#include <cstdint>

#include "io/step/critical_path.h"
#include "io/step/message_causes.h"

namespace heddle {

struct CausedPiece {
  PathPiece piece;
  CausePart part;
  std::int64_t from_ps = 0;  ///< the parts of a message stand one behind the other
};

}  // namespace heddle

#endif  // HEDDLE_IO_STEP_CAUSED_PIECE_H_
