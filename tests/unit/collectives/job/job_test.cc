// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/job/job.h"

#include <string>

#include "tests/unit/collectives/program/collectives_test_util.h"

namespace heddle {
namespace {

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

TEST(ParseJobSpec, OfASchedule) {
  const JobSpec spec = ParseJobSpec("goal=ring.goal,gpus=3-3+0-1,placement=list,priority=5");
  EXPECT_EQ(spec.workload, "ring.goal");
  EXPECT_EQ(spec.source, JobSpec::Source::kSchedule);
  EXPECT_EQ(spec.placement, Placement::kList);
  EXPECT_EQ(spec.priority, 5);
  EXPECT_EQ(ParseJobSpec("workload=w.txt").source, JobSpec::Source::kWorkload);
  EXPECT_EQ(ParseJobSpec("nccl-log=logs,gpus=8").source, JobSpec::Source::kNcclLog);
  const auto message = [](const std::string& text) {
    return MessageOf([&] { ParseJobSpec(text); }, ExitCode::kUsage);
  };
  EXPECT_EQ(message("goal=a,workload=b"),
            "--job: a second file 'b'. Expected: workload=FILE, goal=FILE or nccl-log=PATH, once a "
            "job");
  EXPECT_EQ(message("passes=2,goal=a"),
            "--job: passes with 'a'. Expected: no passes, as a schedule or a log runs once");
}

TEST(ParseJobSpec, Mistakes) {
  const auto message = [](const std::string& text) {
    return MessageOf([&] { ParseJobSpec(text); }, ExitCode::kUsage);
  };
  const std::string usage =
      "workload=FILE, goal=FILE or "
      "nccl-log=PATH[,gpus=0-63][,start=0ms][,placement=packed][,passes=1]"
      "[,priority=3]";
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

}  // namespace
}  // namespace heddle
