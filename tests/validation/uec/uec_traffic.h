// SPDX-License-Identifier: GPL-2.0-only
/// The traffic of uet-htsim's cases. Unless said, all flows start at time 0.
///
///   perm16, perm128, perm128L   a permutation (tests/data/uec/permutations.csv) of 1, 2, 8 MiB
///   torn16, torn128             host i to i + n/2 modulo n, 1 and 2 MiB
///   incastN                     1 MiB each to host 0 from hosts of leaves 1 to 7 in turn
///   victim16                    the same from leaves 2 to 7 at 20 us, and hosts 17 to 31 send 2
///   MiB
///                               to hosts 1 to 15, whose leaf is host 0's
///   a2aN                        4 MiB / N from every (128/N)-th host to all others of them
#pragma once

#include <string>
#include <vector>

#include "core/traffic/flow_request.h"

namespace heddle::testing {

/// Throws std::runtime_error for another name.
std::vector<FlowRequest> MakeUecTraffic(const std::string& name);

}  // namespace heddle::testing
