// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/rank_hosts.h"

#include <unistd.h>

#include <array>
#include <cstring>

namespace heddle {

std::vector<std::string> RankHosts(const Communicator& world) {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  std::string all;
  for (const std::vector<char>& host :
       world.Gather({name.begin(), name.begin() + std::strlen(name.data())}))
    all += std::string(host.begin(), host.end()) + '\n';
  all = world.Broadcast(all);
  std::vector<std::string> hosts;
  for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1)
    hosts.push_back(all.substr(at, all.find('\n', at) - at));
  return hosts;
}

}  // namespace heddle
