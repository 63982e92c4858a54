// SPDX-License-Identifier: GPL-2.0-only
/// A two-tier leaf-spine fabric and traffic for it, for benches and tests.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/random.h"
#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle::testing {

struct LeafSpine {
  std::uint32_t leaves = 8, hosts_per_leaf = 16, spines = 16;
  BitRate rate{100'000'000'000};
  Time delay = NanoSeconds(500);

  std::uint32_t hosts() const { return leaves * hosts_per_leaf; }
  Graph Build() const {
    Graph graph(hosts(), 0, leaves + spines, 1, "NONE");
    for (std::uint32_t h = 0; h < hosts(); ++h) {
      graph.AddLink({NodeId(h), NodeId(hosts() + h / hosts_per_leaf), rate, delay, 0});
    }
    for (std::uint32_t l = 0; l < leaves; ++l) {
      for (std::uint32_t s = 0; s < spines; ++s) {
        graph.AddLink({NodeId(hosts() + l), NodeId(hosts() + leaves + s), rate, delay, 0});
      }
    }
    return graph;
  }
};

/// Flows of `size` from every host to another one, so that each host receives one (Sattolo's
/// cycle), all at time 0.
inline std::vector<FlowRequest> Permutation(std::uint32_t hosts, Bytes size, std::uint64_t seed) {
  std::vector<std::uint32_t> to(hosts);
  std::iota(to.begin(), to.end(), 0U);
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  for (std::uint32_t i = hosts - 1; i > 0; --i) std::swap(to[i], to[random.Below(i)]);
  std::vector<FlowRequest> flows;
  for (std::uint32_t h = 0; h < hosts; ++h) {
    FlowRequest flow;
    flow.source = NodeId(h);
    flow.destination = NodeId(to[h]);
    flow.size = size;
    flows.push_back(flow);
  }
  return flows;
}

}  // namespace heddle::testing
