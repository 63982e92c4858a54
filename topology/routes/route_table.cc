// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/route_table.h"

#include <iterator>

namespace heddle {

std::vector<std::uint32_t> RouteChange::ClassesAt(NodeId node) const {
  if (std::binary_search(touched.begin(), touched.end(), node)) {
    return classes;
  }
  std::vector<std::uint32_t> either;
  std::set_union(recomputed.begin(), recomputed.end(), regrouped.begin(), regrouped.end(),
                 std::back_inserter(either));
  return either;
}

}  // namespace heddle
