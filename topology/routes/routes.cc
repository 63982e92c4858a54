// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/routes.h"

#include <algorithm>

#include "topology/routes/equal_cost.h"

namespace heddle {

Routes::Routes(const Graph& graph, NicPorts nic_ports)
    : table_(RoutingOf(graph).MakeTable(graph)), nic_ports_(nic_ports) {}

Routes Routes::WithDown(std::vector<LinkId> down, Change* change) const {
  std::sort(down.begin(), down.end());
  down.erase(std::unique(down.begin(), down.end()), down.end());
  *change = {};
  return {table_->WithDown(std::move(down), change), nic_ports_};
}

}  // namespace heddle
