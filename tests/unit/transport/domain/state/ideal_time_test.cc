// SPDX-License-Identifier: GPL-2.0-only
/// Ideal times that are remembered: asked in any order, they are those of one who never was asked.
#include "transport/domain/state/ideal_time.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tests/unit/transport/domain/fabric_domain/one_domain.h"

namespace heddle {
namespace {

/// GPUs 0 to 3 at switch 4; 0 and 1 have a second, longer way over switch 5. The link of GPU 3 is
/// down from 20 to 30 us, that of GPU 2 to switch 4 is slow.
Graph Fabric() {
  Graph graph(4, 0, 2, 1, "NONE");
  const auto link = [&](std::uint32_t a, std::uint32_t b, std::int64_t gbps, std::int64_t ns) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{gbps * 1'000'000'000}, NanoSeconds(ns), 0});
  };
  link(0, 4, 100, 500);
  link(1, 4, 100, 500);
  link(2, 4, 25, 500);
  link(3, 4, 100, 500);
  link(0, 5, 100, 900);
  link(1, 5, 100, 900);
  return graph;
}

std::vector<LinkEvent> Failures() {
  return {{MicroSeconds(20), LinkId(3), LinkEvent::Kind::kDown, {}},
          {MicroSeconds(30), LinkId(3), LinkEvent::Kind::kUp, {}}};
}

constexpr std::pair<std::uint32_t, std::uint32_t> kPairs[] = {
    {0, 1}, {1, 0}, {2, 0}, {0, 2}, {0, 3}};

IdealTimes::Flow Flow(std::uint32_t from, std::uint32_t to, std::int64_t size,
                      std::uint16_t source_port) {
  return {NodeId(from), NodeId(to), source_port, 100, size};
}

TEST(IdealTime, IsTheSameWhateverWasAskedBefore) {
  testing::OneDomain fabric(Fabric(), {}, Failures());
  IdealTimes& asked = *fabric.context().ideal_times;
  std::set<std::int64_t> of_two_paths;
  for (int round = 0; round < 3; ++round) {
    for (std::uint16_t port = 10000; port < 10008; ++port) {
      for (const auto& [from, to] : kPairs) {
        for (const std::int64_t size : {1, 900, 1000, 1001, 5000, 200000}) {
          for (const std::int64_t us : {10, 25, 40}) {
            const IdealTimes::Flow flow = Flow(from, to, size, port);
            IdealTimes never(
                *fabric.context().graph, fabric.context().epochs, Failures(),
                IdealTimes::Sizes{fabric.context().trains, fabric.context().ack_bytes, false});
            const Time ideal = asked.Of(flow, MicroSeconds(us));
            ASSERT_EQ(ideal, never.Of(flow, MicroSeconds(us)))
                << from << " to " << to << ", " << size << " byte, port " << port;
            EXPECT_EQ(ideal == Time{}, to == 3 && us == 25);
            if (from == 0 && to == 1 && size == 1) of_two_paths.insert(ideal.ps);
          }
        }
      }
    }
  }
  EXPECT_GE(of_two_paths.size(), 2u);
}

}  // namespace
}  // namespace heddle
