// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/placement.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

using Ids = std::vector<std::uint32_t>;

/// A graph with this many GPUs, four a server; these tests need no links.
Graph Servers(std::uint32_t gpus) { return Graph(gpus, 0, 1, 4, "H100"); }

std::vector<Ids> Place(const std::vector<std::string>& texts, std::uint32_t gpus,
                       std::uint64_t seed = 1) {
  std::vector<JobSpec> specs;
  for (const std::string& text : texts) specs.push_back(ParseJobSpec("workload=w.txt" + text));
  std::vector<Ids> ids;
  for (const auto& job : PlaceJobs(specs, Servers(gpus), seed)) {
    ids.emplace_back();
    for (const NodeId gpu : job) ids.back().push_back(gpu.value);
  }
  return ids;
}

Ids Range(std::uint32_t first, std::uint32_t last) {
  Ids ids(last - first + 1);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

TEST(PlaceJobs, ListsThenNumbersThenTheRest) {
  EXPECT_EQ(Place({""}, 8), (std::vector<Ids>{Range(0, 7)}));
  EXPECT_EQ(Place({"", ",gpus=3", ",gpus=1-2+7"}, 8),
            (std::vector<Ids>{{5, 6}, {0, 3, 4}, {1, 2, 7}}));
}

TEST(PlaceJobs, Placements) {
  EXPECT_EQ(Place({",gpus=6-7+0-1"}, 8), (std::vector<Ids>{{0, 1, 6, 7}}));
  EXPECT_EQ(Place({",gpus=6-7+0-1,placement=list"}, 8), (std::vector<Ids>{{6, 7, 0, 1}}));
  EXPECT_EQ(Place({",placement=round-robin"}, 12),
            (std::vector<Ids>{{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}}));
  EXPECT_EQ(Place({",gpus=2-8,placement=round-robin"}, 12),
            (std::vector<Ids>{{2, 4, 8, 3, 5, 6, 7}}));
}

TEST(PlaceJobs, RandomIsAPermutationOfItsOwn) {
  const auto placed = Place({",gpus=32,placement=random", ",gpus=32,placement=random"}, 64);
  Ids sorted = placed[0];
  EXPECT_NE(sorted, Range(0, 31));
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, Range(0, 31));
  Ids second = placed[1];
  for (std::uint32_t& gpu : second) gpu -= 32;
  EXPECT_NE(placed[0], second) << "two jobs draw the same";
  EXPECT_EQ(Place({",gpus=32,placement=random"}, 64)[0], placed[0]) << "other jobs do not matter";
  EXPECT_NE(Place({",gpus=32,placement=random"}, 64, 2)[0], placed[0]) << "the seed does";
}

TEST(PlaceJobs, Mistakes) {
  const auto message = [](const std::vector<std::string>& texts) {
    return MessageOf([&] { Place(texts, 8); });
  };
  EXPECT_EQ(message({",gpus=4-8"}),
            "job 0 (w.txt): GPU 8. Expected: GPUs of the topology, which has 8, numbered from 0");
  EXPECT_EQ(message({",gpus=0-4294967295"}),
            "job 0 (w.txt): GPU 8. Expected: GPUs of the topology, which has 8, numbered from 0");
  EXPECT_EQ(message({",gpus=0-3+3-4"}), "job 0 (w.txt): GPU 3 twice. Expected: each GPU once");
  EXPECT_EQ(message({",gpus=0-3", ",gpus=3-5"}),
            "job 1 (w.txt): GPU 3, which job 0 (w.txt) has too. Expected: GPUs of no other job");
  EXPECT_EQ(message({",gpus=6", ",gpus=3"}),
            "job 1 (w.txt): 3 GPUs. Expected: at most what is free, 2 of 8 GPUs");
  EXPECT_EQ(message({"", ""}),
            "job 1 (w.txt): all free GPUs. Expected: at most what is free, 0 of 8 GPUs");
}

}  // namespace
}  // namespace heddle
