// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job.h"

#include <algorithm>
#include <numeric>

#include "collectives_test_util.h"

namespace heddle {
namespace {

using Ids = std::vector<std::uint32_t>;

/// As many GPUs, four a server; links do not matter here.
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

TEST(ParseJobSpec, Everything) {
  const JobSpec spec =
      ParseJobSpec("workload=dir/w.txt,gpus=0-7+32-39,start=1.5ms,placement=round-robin,passes=2");
  EXPECT_EQ(spec.workload, "dir/w.txt");
  EXPECT_EQ(spec.gpus, "0-7+32-39");
  EXPECT_EQ(spec.start, MicroSeconds(1500));
  EXPECT_EQ(spec.placement, Placement::kRoundRobin);
  EXPECT_EQ(spec.passes, 2u);
  const JobSpec least = ParseJobSpec("workload=w.txt");
  EXPECT_EQ(least.gpus, "");
  EXPECT_EQ(least.start, Time{});
  EXPECT_EQ(least.placement, Placement::kPacked);
  EXPECT_EQ(least.passes, 1u);
}

TEST(ParseJobSpec, Mistakes) {
  const auto message = [](const std::string& text) {
    return MessageOf([&] { ParseJobSpec(text); }, ExitCode::kUsage);
  };
  const std::string usage = "workload=FILE[,gpus=0-63][,start=0ms][,placement=packed][,passes=1]";
  EXPECT_EQ(message(""), "--job: no workload in ''. Expected: " + usage);
  EXPECT_EQ(message("gpus=0-3"), "--job: no workload in 'gpus=0-3'. Expected: " + usage);
  EXPECT_EQ(message("w.txt"), "--job: item 'w.txt'. Expected: KEY=VALUE, as in " + usage);
  EXPECT_EQ(message("workload="), "--job: no value for 'workload'. Expected: " + usage);
  EXPECT_EQ(message("workload=a,workload=b"), "--job: twice 'workload'. Expected: each key once");
  EXPECT_EQ(message("workload=a,gpu=3"),
            "--job: unknown key 'gpu'. Expected: " + usage + "; the nearest is gpus");
  EXPECT_EQ(
      message("workload=a,placement=rnd"),
      "--job: placement 'rnd'. Expected: packed, random, round-robin, list; the nearest is random");
  EXPECT_EQ(message("workload=a,start=5"),
            "--job: start '5'. Expected: a time with its unit, such as 0ms or 1.5us");
  EXPECT_EQ(message("workload=a,start=-5ms"),
            "--job: start '-5ms'. Expected: a time with its unit, such as 0ms or 1.5us");
  EXPECT_EQ(message("workload=a,start=2246401s"),
            "--job: start '2246401s'. Expected: at most 26 days");
  EXPECT_EQ(ParseJobSpec("workload=a,start=2246400s").start, kLatestStart);
  EXPECT_EQ(message("workload=a,passes=0"),
            "--job: passes '0'. Expected: an integer from 1 to 1000000");
  EXPECT_EQ(message("workload=a,placement=list"),
            "--job: placement=list with gpus ''. Expected: the GPUs in their order, such as "
            "gpus=3-3+0-2");
  EXPECT_EQ(message("workload=a,placement=list,gpus=8"),
            "--job: placement=list with gpus '8'. Expected: the GPUs in their order, such as "
            "gpus=3-3+0-2");
  for (const std::string bad :
       {"0", "-1", "7-3", "1-", "+", "1+", "+1", "a", "1-2-3", "0-99999999999", "1 2", "0x3"}) {
    EXPECT_EQ(message("workload=a,gpus=" + bad),
              "--job: gpus '" + bad +
                  "'. Expected: ranges of GPUs such as 0-63 or 0-7+32-39 (one GPU: 5-5), or a "
                  "number of GPUs such as 64");
  }
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
