// SPDX-License-Identifier: GPL-2.0-only
/// A part of a job's critical path with its cause.
#pragma once

#include <cstdint>

#include "io/step/critical_path.h"
#include "io/step/message_causes.h"

namespace heddle {

struct CausedPiece {
  PathPiece piece;
  CausePart part;
  std::int64_t from_ps = 0;  ///< the parts of a message follow each other
};

}  // namespace heddle
