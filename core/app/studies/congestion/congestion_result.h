// SPDX-License-Identifier: GPL-2.0-only
/// Writes a study of static congestion as a result file (docs/formats/congestion.md).
#pragma once

#include <string>
#include <vector>

#include "core/app/studies/congestion/queue_pair_split.h"
#include "core/app/studies/static_study/congestion_study.h"
#include "core/base/table.h"

namespace heddle {

/// Where and from what it was made.
struct CongestionSource {
  std::vector<Attribute> about;  ///< command_line, placement, digests of inputs
  std::string path;              ///< of the result
  bool force = false;            ///< replace an existing file
};

/// `split`: of no queue pairs, if they were not studied. Throws FileError.
void WriteCongestionResult(const StaticPaths& paths, const CongestionRequest& request,
                           const CongestionStudy& study, const QueuePairSplit& split,
                           const CongestionSource& source);

}  // namespace heddle
