// SPDX-License-Identifier: GPL-2.0-only
#include "partition/played_nodes.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Two servers of four GPUs and an NVSwitch each, and a switch.
Graph TwoServers() {
  Graph graph(8, 2, 1, 4, "H100");
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{400'000'000'000}, NanoSeconds(500)});
  };
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
    link(gpu, 8 + gpu / 4);
    link(gpu, 10);
  }
  return graph;
}

std::vector<NodeId> Gpus(std::initializer_list<std::uint32_t> ids) {
  return {ids.begin(), ids.end()};
}

std::string Refusal(const std::vector<NodeId>& players, std::uint32_t ranks, std::uint32_t each) {
  try {
    PlayedNodes(TwoServers(), players, ranks, each);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(PlayedNodes, DealsGpusInOrderAndSwitchesWithTheFirstOfTheirs) {
  const Domains played = PlayedNodes(TwoServers(), Gpus({1, 3, 6, 7}), 4, 1);
  EXPECT_EQ(played.lookahead, Time::Max());
  ASSERT_EQ(played.nodes.size(), 4u);
  EXPECT_EQ(played.domain_of[1], DomainId(0));
  EXPECT_EQ(played.domain_of[3], DomainId(1));
  EXPECT_EQ(played.domain_of[6], DomainId(2));
  EXPECT_EQ(played.domain_of[7], DomainId(3));
  EXPECT_EQ(played.domain_of[8], DomainId(0)) << "of GPU 1, as GPU 0 has no part";
  EXPECT_EQ(played.domain_of[9], DomainId(2));
  EXPECT_EQ(played.nodes[2], Gpus({6, 9}));
  EXPECT_EQ(played.nodes[0], Gpus({0, 1, 2, 4, 5, 8, 10}));
}

TEST(PlayedNodes, GivesTheLastRankTheRest) {
  const Domains played = PlayedNodes(TwoServers(), Gpus({0, 1, 2, 3, 4}), 3, 2);
  EXPECT_EQ(played.domain_of[3], DomainId(1));
  EXPECT_EQ(played.domain_of[4], DomainId(2));
}

TEST(PlayedNodes, SaysWhatWouldFit) {
  const auto all = Gpus({0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(Refusal(all, 4, 1),
            "--backend physical: 8 GPUs take part, and 4 ranks play 1 each. Expected: mpirun -n 8, "
            "or --gpus-per-rank 2");
  EXPECT_EQ(Refusal(all, 9, 1),
            "--backend physical: 8 GPUs take part, and 9 ranks play 1 each. Expected: mpirun -n 8");
  EXPECT_EQ(Refusal(Gpus({5}), 2, 1),
            "--backend physical: 1 GPU takes part, and 2 ranks play 1 each. Expected: mpirun -n 1");
  EXPECT_EQ(Refusal(all, 1, 4),
            "--backend physical: 8 GPUs take part, and 1 rank plays 4 each. Expected: mpirun -n 2, "
            "or --gpus-per-rank 8");
  EXPECT_EQ(Refusal(all, 5, 1).find("--gpus-per-rank 2"), std::string::npos) << "five would not do";
}

}  // namespace
}  // namespace heddle
