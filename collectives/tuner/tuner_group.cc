// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_group.h"

#include <algorithm>

namespace heddle {

TunerGroup TunerGroupOf(const GroupShape& shape, const std::string& gpu_type, double nics) {
  TunerGroup group;
  if (nics > 0) group.nic_rate = nics / 1e9;
  group.ranks = shape.ranks();
  group.servers = shape.servers();
  group.fewest_locals = shape.fewest_locals();
  group.gpu_type = gpu_type;
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    group.most_locals = std::max(group.most_locals, shape.locals(server));
    group.has_nvswitches = group.has_nvswitches && shape.nvswitches(server) > 0;
  }
  return group;
}

}  // namespace heddle
