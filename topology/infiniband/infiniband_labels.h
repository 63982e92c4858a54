// SPDX-License-Identifier: GPL-2.0-only
/// What people call the nodes of an InfiniBand subnet.
#ifndef HEDDLE_TOPOLOGY_INFINIBAND_INFINIBAND_LABELS_H_
#define HEDDLE_TOPOLOGY_INFINIBAND_INFINIBAND_LABELS_H_

#include <string>
#include <vector>

namespace heddle {

/// A node's description ("node01 HCA-1", "leaf3"), by node. If others have the same, its name
/// follows in brackets; if it has none, the name stands alone. `names` are unique. Characters that
/// a terminal would obey are written out.
std::vector<std::string> InfinibandLabels(const std::vector<std::string>& names,
                                          const std::vector<std::string>& descriptions);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_INFINIBAND_INFINIBAND_LABELS_H_
