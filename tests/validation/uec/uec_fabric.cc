// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/uec/uec_fabric.h"

#include <map>
#include <stdexcept>

#include "tests/support/leaf_spine.h"

namespace heddle::testing {
namespace {

constexpr BitRate kRate{400'000'000'000};
constexpr Time kDelay = MicroSeconds(1);

const std::map<std::string, LeafSpine>& TwoTiers() {
  static const std::map<std::string, LeafSpine> made = {{"ls16", {4, 4, 4, kRate, kDelay}},
                                                        {"ls128", {8, 16, 16, kRate, kDelay}},
                                                        {"ls128os2", {8, 16, 8, kRate, kDelay}}};
  return made;
}

constexpr std::uint32_t kPods = 8, kLeaves = 4, kHosts = 4, kMiddle = 4;  // of a pod
constexpr std::uint32_t kAllHosts = kPods * kLeaves * kHosts;
constexpr NodeId kFirstMiddle(kAllHosts + kPods * kLeaves);

/// Switches are numbered leaves, aggregation, cores; a core is linked to the aggregation switches
/// of one number in all pods.
Graph ThreeTiers(std::uint32_t cores_each) {
  Graph graph(kAllHosts, 0, kPods * (kLeaves + kMiddle) + kMiddle * cores_each, 1, "NONE");
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), kRate, kDelay, 0});
  };
  const std::uint32_t leaf = kAllHosts, middle = kFirstMiddle.value,
                      core = middle + kPods * kMiddle;
  for (std::uint32_t h = 0; h < kAllHosts; ++h) link(h, leaf + h / kHosts);
  for (std::uint32_t l = 0; l < kPods * kLeaves; ++l)
    for (std::uint32_t m = 0; m < kMiddle; ++m) link(leaf + l, middle + l / kLeaves * kMiddle + m);
  for (std::uint32_t m = 0; m < kPods * kMiddle; ++m)
    for (std::uint32_t c = 0; c < cores_each; ++c)
      link(middle + m, core + m % kMiddle * cores_each + c);
  return graph;
}

}  // namespace

Graph MakeUecFabric(const std::string& name) {
  if (name == "ft128") return ThreeTiers(4);
  if (name == "ft128os2") return ThreeTiers(2);
  const auto found = TwoTiers().find(name);
  if (found == TwoTiers().end()) throw std::runtime_error("no fabric " + name);
  return found->second.Build();
}

std::vector<LinkEvent> SlowLinks(const Graph& graph, const std::string& name, std::uint32_t count) {
  const auto shape = TwoTiers().find(name);
  const bool two = shape != TwoTiers().end();
  const std::uint32_t first_spine =
      two ? shape->second.hosts() + shape->second.leaves : graph.node_count();
  std::vector<LinkEvent> events;
  for (std::uint32_t l = 0; l < graph.links().size(); ++l) {
    const Link& link = graph.links()[l];
    const bool slow = two ? link.b.value >= first_spine && link.b.value < first_spine + count
                          : link.a == kFirstMiddle && events.size() < count;
    if (!slow) continue;
    events.push_back({Time{0}, LinkId(l), LinkEvent::Kind::kRate, BitRate{kRate.bps / 4},
                      two ? NodeId() : link.b});
  }
  return events;
}

}  // namespace heddle::testing
