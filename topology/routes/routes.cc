// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/routes.h"

#include <algorithm>

#include "topology/routes/equal_cost.h"

namespace heddle {

Routes::Routes(const Graph& graph) : table_(RoutingOf(graph).MakeTable(graph)) {}

Routes Routes::WithDown(std::vector<LinkId> down, Change* change) const {
  std::sort(down.begin(), down.end());
  down.erase(std::unique(down.begin(), down.end()), down.end());
  *change = {};
  return Routes(table_->WithDown(std::move(down), change));
}

}  // namespace heddle
