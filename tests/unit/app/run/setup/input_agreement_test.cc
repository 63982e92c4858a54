// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/setup/input_agreement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/app/base/cli/file_digest.h"
#include "core/app/base/cli/rank_lines.h"
#include "core/app/run/arguments/patience_option.h"
#include "core/app/run/execution/lost_rank.h"

namespace heddle {
namespace {

TEST(DescribeRanks, InWords) {
  EXPECT_EQ(DescribeRanks({2}, 4), "rank 2");
  EXPECT_EQ(DescribeRanks({0, 3}, 4), "ranks 0 and 3");
  EXPECT_EQ(DescribeRanks({0, 2, 3}, 4), "ranks 0, 2 and 3");
  EXPECT_EQ(DescribeRanks({1, 2, 3, 4, 5, 6, 7, 8, 9}, 16),
            "9 of 16 ranks (1, 2, 3, 4, 5, 6, 7, 8, ...)");
}

TEST(InputDifference, NamesFileRankAndMachine) {
  const RankInputs root{"node1", {{"topo.txt", "digest a"}, {"w.txt", "digest b"}}};
  EXPECT_EQ(DescribeDifference({root}), "");
  EXPECT_EQ(DescribeDifference({root, root, root}), "");
  RankInputs stale = root;
  stale.host = "node7";
  EXPECT_EQ(DescribeDifference({root, stale}), "") << "machines may have names of their own";
  stale.inputs[1].content = "digest c";
  EXPECT_EQ(
      DescribeDifference({root, root, stale, stale}),
      "w.txt: not the same on ranks 2 and 3 as on rank 0: rank 2 on node7 has 'digest c', rank 0 "
      "on node1 has 'digest b'. "
      "Expected: the same on all ranks: copy it to all machines, or use a folder that they share");
}

TEST(InputDifference, TellsTheFirst) {
  const RankInputs root{"a", {{"the command line", "run x"}, {"x", "digest 1"}}};
  const RankInputs other{"b", {{"the command line", "run y"}, {"y", "digest 1"}}};
  EXPECT_EQ(DescribeDifference({root, other}).rfind("the command line: ", 0), 0U);
  const RankInputs none{"b", {}};
  EXPECT_NE(DescribeDifference({root, none}).find("'not there'"), std::string::npos);
}

TEST(FileDigest, OfAllBytes) {
  const std::string path = ::testing::TempDir() + "heddle_digest_" + std::to_string(getpid());
  std::ofstream(path) << "";
  EXPECT_EQ(FileDigest(path), "2d06800538d394c2");  // XXH3 of empty input, from its specification
  std::ofstream(path) << std::string(3'000'000, 'x');
  const std::string whole = FileDigest(path);
  std::ofstream(path) << std::string(2'999'999, 'x') << 'y';
  EXPECT_NE(FileDigest(path), whole);
  std::remove(path.c_str());
  EXPECT_THROW(FileDigest(path), UserError);
}

TEST(LostRank, SaysWhoSinceWhenAndHowToGoOn) {
  RollCall call{WaitKind::kWindow, 60.04, {2}};
  LostRun run{Time{1'500'000'000}, "r.h5", false, true};
  EXPECT_EQ(DescribeLoss(call, Communicator::Serial(), run),
            "rank 0 waited 60 s (--patience) at 1.5ms of simulated time, and rank 2 did not "
            "answer: stopped, on a machine that is stuck, "
            "or held up by a file system. heddle recover r.h5 makes a result of what was flushed");
  run.saved = true;
  EXPECT_NE(
      DescribeLoss(call, Communicator::Serial(), run).find("--restart auto goes on from r.h5.ckpt"),
      std::string::npos);
  call.kind = WaitKind::kCollective;
  call.missing.clear();
  EXPECT_NE(DescribeLoss(call, Communicator::Serial(), run).find("a message was lost"),
            std::string::npos);
}

TEST(LostRank, WithTrafficNamesMachinesAndWhatWasWaitedFor) {
  RollCall call{WaitKind::kTraffic, 3, {2}};
  LostRun run{Time{1'500'000'000}, "r.h5", false, true, {"a", "b", "c"}, "GPU 0 waits for it"};
  EXPECT_EQ(DescribeLoss(call, Communicator::Serial(), run),
            "rank 0 (on a) waited 3 s (--patience) at 1.5ms into the run, and rank 2 (on c) did "
            "not answer: stopped, on a machine that is stuck, or held up by a file system. GPU 0 "
            "waits for it. heddle recover r.h5 makes a result of what was flushed");
  call.missing.clear();
  EXPECT_NE(DescribeLoss(call, Communicator::Serial(), run)
                .find("(ten times --patience) at 1.5ms into the run, and all ranks answer, and "
                      "wait for each other, so a message was lost"),
            std::string::npos);
  call.working = {1};
  EXPECT_NE(DescribeLoss(call, Communicator::Serial(), run)
                .find("all ranks answer, but rank 1 (on b) did not wait: slow, or computing for "
                      "longer. GPU 0 waits for it"),
            std::string::npos);
}

TEST(LostRank, PatienceIsATimeOrNever) {
  RunArguments run;
  EXPECT_EQ(PatienceOf(run), 60);
  run.patience = "never";
  EXPECT_EQ(PatienceOf(run), 0);
  run.patience = "00:02:00";
  EXPECT_EQ(PatienceOf(run), 120);
  run.patience = "0s";
  EXPECT_THROW(PatienceOf(run), UsageError);
}

}  // namespace
}  // namespace heddle
