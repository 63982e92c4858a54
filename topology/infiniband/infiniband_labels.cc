// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/infiniband_labels.h"

#include <map>

#include "core/base/check.h"

namespace heddle {
namespace {

/// The name of the server in the description of an HCA; empty if it has none.
std::string ServerOf(const std::string& description) {
  const std::size_t end = description.find_last_not_of(' ');
  if (end == std::string::npos) return "";
  const std::size_t blank = description.rfind(' ', end);
  if (blank == std::string::npos) return "";
  const std::string device = description.substr(blank + 1, end - blank);
  for (const char* kind : {"HCA-", "mlx4_", "mlx5_", "hfi1_", "qib", "mthca"}) {
    if (device.rfind(kind, 0) == 0 && device.size() > std::string(kind).size())
      return description.substr(0, description.find_last_not_of(' ', blank) + 1);
  }
  return "";
}

}  // namespace

std::vector<std::string> InfinibandLabels(const std::vector<std::string>& names,
                                          const std::vector<std::string>& descriptions) {
  HEDDLE_EXPECT(names.size() == descriptions.size());
  std::map<std::string, int> nodes;  // by description
  for (const std::string& description : descriptions) ++nodes[description];
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& description = descriptions[i];
    const bool blank = description.find_first_not_of(' ') == std::string::npos;
    labels.push_back(blank                     ? names[i]
                     : nodes[description] == 1 ? Printable(description)
                                               : Printable(description) + " (" + names[i] + ")");
  }
  return labels;
}

std::vector<std::vector<std::uint32_t>> InfinibandServers(
    const std::vector<std::string>& descriptions, std::uint32_t hosts) {
  std::vector<std::vector<std::uint32_t>> servers;
  std::map<std::string, std::size_t> by_name;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const std::string name = ServerOf(descriptions[host]);
    const auto [found, is_new] = by_name.emplace(name, servers.size());
    if (name.empty() || is_new) {
      servers.push_back({host});
    } else {
      servers[found->second].push_back(host);
    }
  }
  return servers;
}

}  // namespace heddle
