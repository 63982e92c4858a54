// SPDX-License-Identifier: GPL-2.0-only
#include "io/nccl_log/nccl_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/nccl_log/nccl_files.h"
#include "tests/support/io_test_util.h"
#include "tests/support/temporary_folder.h"

namespace heddle {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// The lines of process `pid`, whose GPU is `device`.
class Process {
 public:
  Process(int pid, int device) : pid_(pid), device_(device) {}

  Process& Begin(int comm, int rank, int ranks, const std::string& more = "") {
    return Line(fmt::format("comm {:#x} rank {} nranks {} cudaDev {} busId 1a000{} - Init COMPLETE",
                            comm, rank, ranks, device_, more));
  }
  Process& End(int comm) {
    return Line(
        fmt::format("comm {:#x} rank 0 nranks 1 cudaDev 0 busId 0 - Destroy COMPLETE", comm));
  }
  Process& Call(const std::string& name, int comm, int ranks, std::int64_t count, int op_count,
                int root = 0, int stream = 0x51, int datatype = 7) {
    return Line(fmt::format(
        "{}: opCount {:x} sendbuff 0x10 recvbuff 0x20 count {} datatype {} op 0 root {} comm {:#x} "
        "[nranks={}] stream {:#x}",
        name, op_count, count, datatype, root, comm, ranks, stream));
  }
  Process& Line(const std::string& text) {
    text_ += fmt::format("host:{}:{} [{}] NCCL INFO {}\n", pid_, pid_ + 1, device_, text);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  int pid_, device_;
  std::string text_;
};

NcclTrace Read(const std::vector<Process>& processes) {
  NcclLogReader reader;
  for (std::size_t i = 0; i < processes.size(); ++i)
    reader.Read(processes[i].text(), fmt::format("log.{}", i));
  return reader.Take("log");
}

/// Indices of the nodes that wait for a node.
Ranks FollowersOf(const ChakraRank& rank, std::uint32_t node) {
  const auto first = rank.followers.begin() + rank.nodes[node].first_follower;
  return {first, first + rank.nodes[node].followers};
}

TEST(NcclLog, CallsOfAStreamFollowEachOther) {
  std::vector<Process> two;
  for (int rank = 0; rank < 2; ++rank) {
    two.emplace_back(10 + rank, rank);
    two.back()
        .Begin(0x7, 1 - rank, 2)
        .Call("AllReduce", 0x7, 2, 1000, 0)
        .Call("AllGather", 0x7, 2, 10, 1, 0, 0x52, 9)
        .Call("ReduceScatter", 0x7, 2, 10, 2, 0, 0x51, 1)
        .Call("Broadcast", 0x7, 2, 3, 3, 1);
  }
  const NcclTrace read = Read(two);
  EXPECT_EQ(read.why_not, "");
  EXPECT_TRUE(read.odd.empty());
  ASSERT_EQ(read.trace.ranks.size(), 2u);
  EXPECT_EQ(read.trace.ranks[0].file, "log.1") << "by rank";
  const std::vector<ChakraNode>& nodes = read.trace.ranks[0].nodes;
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].id, 2u) << "the line";
  EXPECT_EQ(nodes[0].bytes, 4000);
  EXPECT_EQ(nodes[0].group, 0u);
  EXPECT_EQ(nodes[1].collective, ChakraCollective::kAllGather);
  EXPECT_EQ(nodes[1].bytes, 20) << "one rank's part";
  EXPECT_EQ(nodes[2].bytes, 20) << "of all ranks";
  EXPECT_EQ(nodes[3].collective, ChakraCollective::kBroadcast);
  EXPECT_EQ(nodes[3].peer, 1u);
  EXPECT_EQ(FollowersOf(read.trace.ranks[0], 0), Ranks{2});
  EXPECT_EQ(FollowersOf(read.trace.ranks[0], 1), Ranks{}) << "another stream";
  EXPECT_EQ(FollowersOf(read.trace.ranks[0], 2), Ranks{3});
}

TEST(NcclLog, WhatIsLaunchedTogetherBeginsTogether) {
  std::vector<Process> two;
  for (int rank = 0; rank < 2; ++rank) {
    two.emplace_back(10 + rank, rank);
    two.back().Begin(0x7, rank, 2);
    for (int launch = 0; launch < 2; ++launch) {
      two.back().Call("Send", 0x7, 2, 5, launch, 1 - rank);
      two.back().Call("Recv", 0x7, 2, 5, launch, 1 - rank);
    }
  }
  const NcclTrace read = Read(two);
  const ChakraRank& rank = read.trace.ranks[1];
  ASSERT_EQ(rank.nodes.size(), 5u) << "a node joins the first launch";
  EXPECT_TRUE(rank.nodes[0].is_send());
  EXPECT_EQ(rank.nodes[0].peer, 0u);
  EXPECT_EQ(rank.nodes[0].bytes, 20);
  EXPECT_EQ(FollowersOf(rank, 0), Ranks{4});
  EXPECT_EQ(FollowersOf(rank, 1), Ranks{4});
  EXPECT_EQ(FollowersOf(rank, 4), (Ranks{2, 3}));
}

TEST(NcclLog, GroupsByIdByParentAndByOrder) {
  const auto groups_of = [](const std::string& world, const auto& pair_of) {
    std::vector<Process> four;
    for (int rank = 0; rank < 4; ++rank) {
      four.emplace_back(10 + rank, rank);
      four.back().Begin(0x7, rank, 4, world).Begin(0x8, rank / 2, 2, pair_of(rank % 2));
      four.back().Call("AllReduce", 0x8, 2, 1, 0).Call("AllReduce", 0x7, 4, 1, 0);
    }
    return Read(four);
  };
  const NcclTrace by_id =
      groups_of(" commId 0xabc", [](int pair) { return " commId 0x" + std::to_string(pair + 1); });
  EXPECT_EQ(by_id.why_not, "");
  ASSERT_EQ(by_id.trace.groups.size(), 3u);
  EXPECT_EQ(by_id.trace.groups[1].ranks, (Ranks{0, 2}));
  EXPECT_EQ(by_id.trace.groups[2].ranks, (Ranks{1, 3}));
  const NcclTrace by_parent = groups_of(
      "", [](int pair) { return " parent 0x7 color " + std::to_string(pair) + " key 0"; });
  EXPECT_EQ(by_parent.why_not, "");
  EXPECT_EQ(by_parent.trace.groups[2].ranks, (Ranks{1, 3}));
  const NcclTrace by_order = groups_of("", [](int) { return std::string(); });
  EXPECT_EQ(by_order.why_not.rfind("line 2 of log.0: communicator no 1 of 2 ranks has 2 ranks, and "
                                   "4 of the logs take part; nothing says who belongs together",
                                   0),
            0u)
      << by_order.why_not;
}

TEST(NcclLog, MissingRanksAreNamed) {
  std::vector<Process> two;
  for (const int rank : {0, 2}) {
    two.emplace_back(10 + rank, rank);
    two.back().Begin(0x7, rank, 4, " commId 0xabc").Call("AllReduce", 0x7, 4, 1, 0);
  }
  const NcclTrace read = Read(two);
  EXPECT_EQ(read.trace.ranks.size(), 2u);
  EXPECT_EQ(
      read.why_not,
      "line 1 of log.0: communicator 0xabc has 4 ranks, and the logs have 2 of them; missing: "
      "1, 3. Expected: the logs of all ranks");
}

TEST(NcclLog, WithoutInitTheOrderOfTheLogsCounts) {
  std::vector<Process> two;
  for (int rank = 0; rank < 2; ++rank) {
    two.emplace_back(20 - rank, 0);
    two.back().Call("AllReduce", 0x7 + rank, 2, 1, 0);
  }
  const NcclTrace read = Read(two);
  EXPECT_EQ(read.why_not, "");
  ASSERT_EQ(read.odd.size(), 1u);
  EXPECT_EQ(read.odd[0].rfind("nothing says which rank each GPU is", 0), 0u);
  EXPECT_EQ(read.trace.ranks[0].file, "log.0");
  EXPECT_EQ(read.trace.groups.size(), 1u);
}

TEST(NcclLog, APointerMayBeUsedAgain) {
  std::vector<Process> two;
  for (int rank = 0; rank < 2; ++rank) {
    two.emplace_back(10 + rank, rank);
    two.back().Begin(0x7, rank, 2, " commId 0x1").Call("AllReduce", 0x7, 2, 1, 0).End(0x7);
    two.back().Begin(0x7, 1 - rank, 2, " commId 0x2").Call("AllReduce", 0x7, 2, 1, 0);
  }
  const NcclTrace read = Read(two);
  EXPECT_EQ(read.why_not, "");
  ASSERT_EQ(read.trace.groups.size(), 2u);
  EXPECT_EQ(read.trace.groups[1].ranks, (Ranks{1, 0}));
  EXPECT_EQ(read.trace.ranks[0].nodes[1].group, 1u);
}

TEST(NcclLog, OddLinesAreCounted) {
  Process one(10, 0);
  one.Begin(0x7, 0, 1).Call("AllReduce", 0x7, 1, 1, 0).Call("AllThings", 0x7, 1, 1, 1);
  one.Line("AllReduce: opCount 3 sendbuff 0x1").Line("Reduce: opCount 3 sendbuff 0x1");
  one.Call("AllReduce", 0x7, 1, 1, 2, 0, 1, 99);
  const NcclTrace read = Read({one});
  EXPECT_EQ(read.trace.ranks[0].nodes.size(), 1u);
  const std::vector<std::string> odd = {
      "calls that are not known, and left out: 1; the first is line 3 of log.0",
      "calls with a type of data that is not known, left out: 1; the first is line 6 of log.0",
      "lines that begin as calls and go on otherwise: 2; the first is line 4 of log.0"};
  EXPECT_EQ(read.odd, odd);
}

TEST(NcclLog, LogsOfAFolder) {
  const TemporaryFolder folder;
  Process one(10, 0), two(11, 1);
  one.Begin(0x7, 0, 2).Call("AllReduce", 0x7, 2, 1, 0);
  two.Begin(0x7, 1, 2).Call("AllReduce", 0x7, 2, 1, 0);
  WriteBytes(folder.In("b.log"), "NCCL version 2.27.3+cuda12.9\n" + one.text());
  WriteBytes(folder.In("a.log"), two.text());
  WriteBytes(folder.In("notes"), "no log\n");
  const NcclTrace read = ReadNcclLogs(folder.path().string());
  EXPECT_EQ(read.trace.ranks.size(), 2u);
  EXPECT_EQ(read.trace.version, "2.27.3+cuda12.9");
  EXPECT_EQ(read.trace.ranks[0].file, folder.In("b.log"));
  EXPECT_TRUE(IsNcclLog(folder.path().string()));
  EXPECT_TRUE(IsNcclLog(folder.In("a.log")));
  EXPECT_FALSE(IsNcclLog(folder.In("notes")));
  EXPECT_EQ(MessageOf([&] { ReadNcclLogs(folder.In("notes")); }),
            folder.In("notes") +
                ": no call of NCCL. Expected: logs of NCCL_DEBUG=INFO with "
                "NCCL_DEBUG_SUBSYS=INIT,COLL");
}

}  // namespace
}  // namespace heddle
