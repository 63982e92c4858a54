// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/uec/uec_traffic.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::testing {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

FlowRequest Flow(std::uint32_t source, std::uint32_t destination, std::int64_t bytes,
                 Time start = Time{0}) {
  FlowRequest flow;
  flow.start = start;
  flow.source = NodeId(source);
  flow.destination = NodeId(destination);
  flow.size = Bytes{bytes};
  return flow;
}

std::vector<FlowRequest> Permutation(const std::string& name, std::int64_t bytes) {
  std::ifstream in(std::string(HEDDLE_TEST_DATA) + "/uec/permutations.csv");
  std::vector<FlowRequest> flows;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string traffic;
    std::uint32_t source, destination;
    char comma;
    std::getline(cells, traffic, ',');
    if (traffic == name && cells >> source >> comma >> destination)
      flows.push_back(Flow(source, destination, bytes));
  }
  if (flows.empty()) throw std::runtime_error("no " + name + " in permutations.csv");
  return flows;
}

std::vector<FlowRequest> Tornado(std::uint32_t hosts, std::int64_t bytes) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < hosts; ++i)
    flows.push_back(Flow(i, (i + hosts / 2) % hosts, bytes));
  return flows;
}

constexpr std::uint32_t kHostsOfLeaf = 16, kLeavesOfTree = 8;

/// From leaves `first` to the last in turn.
std::vector<FlowRequest> Incast(std::uint32_t senders, std::uint32_t first, Time start) {
  const std::uint32_t leaves = kLeavesOfTree - first;
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < senders; ++i)
    flows.push_back(Flow(kHostsOfLeaf * (first + i % leaves) + i / leaves, 0, kMiB, start));
  return flows;
}

std::vector<FlowRequest> Victims() {
  std::vector<FlowRequest> flows = Incast(16, 2, MicroSeconds(20));
  for (std::uint32_t i = 1; i < kHostsOfLeaf; ++i)
    flows.push_back(Flow(kHostsOfLeaf + i, i, 2 * kMiB));
  return flows;
}

std::vector<FlowRequest> AllToAll(std::uint32_t hosts) {
  const std::uint32_t step = kHostsOfLeaf * kLeavesOfTree / hosts;
  std::vector<FlowRequest> flows;
  for (std::uint32_t distance = 1; distance < hosts; ++distance)
    for (std::uint32_t i = 0; i < hosts; ++i)
      flows.push_back(Flow(i * step, (i + distance) % hosts * step, 4 * kMiB / hosts));
  return flows;
}

}  // namespace

std::vector<FlowRequest> MakeUecTraffic(const std::string& name) {
  if (name == "perm16") return Permutation(name, kMiB);
  if (name == "perm128") return Permutation(name, 2 * kMiB);
  if (name == "perm128L") return Permutation("perm128", 8 * kMiB);
  if (name == "torn16") return Tornado(16, kMiB);
  if (name == "torn128") return Tornado(128, 2 * kMiB);
  if (name == "victim16") return Victims();
  if (name.rfind("incast", 0) == 0)
    return Incast(static_cast<std::uint32_t>(std::stoul(name.substr(6))), 1, Time{0});
  if (name.rfind("a2a", 0) == 0)
    return AllToAll(static_cast<std::uint32_t>(std::stoul(name.substr(3))));
  throw std::runtime_error("no traffic " + name);
}

}  // namespace heddle::testing
