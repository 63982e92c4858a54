// SPDX-License-Identifier: GPL-2.0-only
/// What a job's end lost to other jobs: time on its critical path, by job and link.
///
/// A piece of the path that waited for others on a link is divided by their bytes there meanwhile:
/// what other jobs sent is lost to them, what the job itself sent is not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/step/caused_piece.h"

namespace heddle {

struct JobLoss {
  std::uint32_t job = 0;  ///< to which it was lost
  HopIndex hop = kNoHop;
  std::string link;  ///< name of `hop`; filled by the caller
  std::int64_t ps = 0;
};

/// Returns the largest losses first. `flows`: the table of which `causes` was made, with a column
/// "job".
std::vector<JobLoss> LossesToOtherJobs(const std::vector<CausedPiece>& pieces, std::uint32_t job,
                                       const MessageCauses& causes, const Table& flows);

}  // namespace heddle
