// SPDX-License-Identifier: GPL-2.0-only
/// What the end of a job waited for, backwards from the GPU that ended last.
///
/// A GPU goes on when a computation or a collective of its ended. A collective ends at a GPU with a
/// message; that was sent when an earlier message of it had arrived, and so on to the first, which
/// was sent when its sender had reached the collective. Each of these times is in the result, so
/// the pieces of the path follow each other without a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/step/message_index.h"
#include "io/step/step_activities.h"

namespace heddle {

struct PathPiece {
  enum class Kind : std::uint8_t {
    kCompute,
    kSoftware,    ///< from the cause of a message to its start
    kMessage,     ///< under way
    kCollective,  ///< of a collective whose messages have no rows
    kOther,       ///< between two activities of a GPU
  };
  Kind kind = Kind::kOther;
  std::int64_t from_ps = 0, to_ps = 0;
  std::uint32_t node = 0;  ///< GPU that computed, or sender
  std::uint32_t layer = 0;
  std::string phase;                      ///< of a computation
  std::int64_t operation = -1;            ///< of what communicates
  std::size_t row = MessageIndex::kNone;  ///< of kMessage
  bool alone = false;  ///< a computation while the other GPUs of a group waited for this one only
};

/// Returns the pieces in order of time, from `start_ps` to `end_ps`, at which GPU `gpu` ended.
/// `messages` may be null.
std::vector<PathPiece> FindCriticalPath(const StepActivities& activities,
                                        const MessageIndex* messages, std::uint32_t gpu,
                                        std::int64_t start_ps, std::int64_t end_ps);

}  // namespace heddle
