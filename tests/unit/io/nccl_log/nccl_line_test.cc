// SPDX-License-Identifier: GPL-2.0-only
#include "io/nccl_log/nccl_line.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

using Kind = NcclLine::Kind;

const std::string kHead = "node-3:4711:4822 [5] NCCL INFO ";
const std::string kCall =
    "AllReduce: opCount 139d sendbuff 0x78d056200000 recvbuff 0x78d056200000 count 7382228 "
    "datatype "
    "7 op 0 root 0 comm 0x78cfda045840 [nranks=128] stream 0x78d07125e5e0";

TEST(NcclLine, ACall) {
  const std::string text = kHead + kCall;
  const NcclLine line = ParseNcclLine(text);
  ASSERT_EQ(line.kind, Kind::kCall);
  EXPECT_EQ(line.process, "node-3:4711");
  EXPECT_EQ(line.device, 5u);
  EXPECT_EQ(line.name, "AllReduce");
  EXPECT_EQ(line.op_count, 0x139du);
  EXPECT_EQ(line.count, 7382228);
  EXPECT_EQ(line.datatype, 7u);
  EXPECT_EQ(line.comm, 0x78cfda045840u);
  EXPECT_EQ(line.ranks, 128u);
  EXPECT_EQ(line.stream, 0x78d07125e5e0u);
  EXPECT_TRUE(line.global_rank.empty());
}

TEST(NcclLine, WhatLaunchersAndOtherVersionsAdd) {
  const std::string ray = "(Worker pid=615, ip=10.72.7.6) [2026-05-05 06:16:47] " + kHead + kCall +
                          " task 3 globalrank 77\r";
  const NcclLine line = ParseNcclLine(ray);
  ASSERT_EQ(line.kind, Kind::kCall);
  EXPECT_EQ(line.process, "node-3:4711");
  EXPECT_EQ(line.global_rank, "77");
  const std::string send =
      kHead +
      "Send: opCount 12 sendbuff 0x7f505e93c000 recvbuff (nil) count 8 datatype "
      "7 op 0 root 1 comm 0x7f51 [nranks=2] stream (nil)";
  EXPECT_EQ(ParseNcclLine(send).kind, Kind::kCall);
  EXPECT_EQ(ParseNcclLine(send).root, 1u);
  EXPECT_EQ(ParseNcclLine(send).stream, 0u);
}

TEST(NcclLine, ACommunicator) {
  const std::string complete =
      kHead + "comm 0x7fdf08000d00 rank 15 nranks 16 cudaDev 7 busId e7000 - Init COMPLETE";
  NcclLine line = ParseNcclLine(complete);
  ASSERT_EQ(line.kind, Kind::kBegin);
  EXPECT_EQ(line.comm, 0x7fdf08000d00u);
  EXPECT_EQ(line.rank, 15u);
  EXPECT_EQ(line.ranks, 16u);
  EXPECT_EQ(line.device_of, 7u);
  EXPECT_TRUE(line.comm_id.empty());
  EXPECT_FALSE(line.has_parent);
  const std::string split =
      kHead +
      "ncclCommSplit comm 0x595122703ca0 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1a000 parent "
      "0x5951213c0f90 color 1684518034 key 0 commId 0x5a16c3838ce6f1f8 - Init START";
  line = ParseNcclLine(split);
  ASSERT_EQ(line.kind, Kind::kBegin);
  EXPECT_EQ(line.comm_id, "0x5a16c3838ce6f1f8");
  EXPECT_TRUE(line.has_parent);
  EXPECT_EQ(line.color, 1684518034);
  const std::string end =
      kHead + "comm 0x7fdf08000d00 rank 15 nranks 16 cudaDev 7 busId e7000 - Destroy COMPLETE";
  EXPECT_EQ(ParseNcclLine(end).kind, Kind::kEnd);
}

TEST(NcclLine, OthersSayNothing) {
  for (const std::string& text :
       {std::string(), std::string("epoch 3"), kHead, kHead + "Using network IB",
        kHead + "comm 0x595122703ca0 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0",
        "NCCL INFO " + kCall, ":1 [0] NCCL INFO " + kCall, "a:1 [x] NCCL INFO " + kCall})
    EXPECT_EQ(ParseNcclLine(text).kind, Kind::kOther) << text;
  EXPECT_EQ(ParseNcclLine("NCCL version 2.13.4+cuda11.7").kind, Kind::kVersion);
  const std::string version = "NCCL version 2.13.4+cuda11.7 more";
  EXPECT_EQ(ParseNcclLine(version).name, "2.13.4+cuda11.7");
}

/// A line that is cut off anywhere is no call with other figures.
TEST(NcclLine, CutOffCallsAreBroken) {
  const std::string text = kHead + kCall;
  const std::size_t begin = kHead.size() + std::string("AllReduce: opCount").size();
  const std::size_t last = text.rfind("stream") + 7;
  for (std::size_t length = begin; length <= last; ++length)
    EXPECT_EQ(ParseNcclLine(text.substr(0, length)).kind, Kind::kBroken) << length;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return ParseNcclLine(other).kind;
  };
  EXPECT_EQ(with("count 7382228", "sendcount 7"), Kind::kBroken);
  EXPECT_EQ(with("count 7382228", "count -7"), Kind::kBroken);
  EXPECT_EQ(with("root 0", "root 128"), Kind::kBroken);
  EXPECT_EQ(with("root 0", "root -1"), Kind::kBroken);
}

}  // namespace
}  // namespace heddle
