// SPDX-License-Identifier: GPL-2.0-only
/// The cables at which a pattern collides worst, and who meets there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/app/studies/static_study/congestion_study.h"

namespace heddle {

struct HostPair {
  std::uint32_t source = 0, destination = 0;
};

struct WorstCable {
  std::uint32_t cable = 0;
  CablePeak peak;
  std::vector<HostPair> sharers;  ///< hosts whose messages crossed it at the peak
};

/// Returns at most `most` cables: those whose peak takes the longest at the cable's rate first,
/// then those with more messages in all. Each is one that at least two messages shared at once.
/// Repeats the runs of the peaks.
std::vector<WorstCable> FindWorstCables(const StaticPaths& paths, const CongestionRequest& request,
                                        const CongestionStudy& study, std::size_t most);

}  // namespace heddle
