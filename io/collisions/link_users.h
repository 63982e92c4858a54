// SPDX-License-Identifier: GPL-2.0-only
/// The users of given links by bytes: pairs of ends or, in runs of workloads, collectives.
///
/// Paths are those of io/collisions/flow_paths.h: of data, with every link up, or as reserved by
/// the central controller. Flows that never started use no link.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/analysis/result_view.h"

namespace heddle {

struct LinkUser {
  std::string name;  ///< "GPU 3 to GPU 9", "job 0: fwd ALLREDUCE of TP"
  std::int64_t flows = 0, bytes = 0;
};

struct LinkUse {
  std::int64_t flows = 0, bytes = 0;  ///< payload
  std::int64_t users_in_all = 0;
  std::vector<LinkUser> users;  ///< most bytes first
};

/// Returns one entry for each link of `links`, with its first `most_users` users. Follows the first
/// `most_flows` rows of table "flows"; empty if there are none, or two ends are not connected.
std::vector<LinkUse> FindLinkUsers(const ReportSource& source, const std::vector<HopIndex>& links,
                                   std::size_t most_users, std::uint64_t most_flows);

}  // namespace heddle
