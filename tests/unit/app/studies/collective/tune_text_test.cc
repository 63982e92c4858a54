// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/collective/tune_text.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heddle {
namespace {

TuneRequest RequestOfTuner(std::uint32_t ranks, const char* gpu_type) {
  TuneRequest request;
  request.sizes = {8192, 268435456};
  request.group = TunerGroupOf(GroupShape(ranks, 8), gpu_type);
  return request;
}

/// 55.2 + 1.147 us by tree with LL; 192.2 + 1463.4 by NVLS-Tree.
TEST(TuneText, ATableOfTimesWithReasons) {
  TuneRequest request = RequestOfTuner(128, "H100");
  EXPECT_EQ(TuneHead(request),
            "operation      ALLREDUCE over 128 ranks in 16 servers of H100\n"
            "channels       rings and trees 12 of 30 GB/s; NVLS 8 of 40 GB/s inside and 50 between "
            "servers\n"
            "predicted      [us], * the shortest; NCCL 2.30's tuner, which knows no fabric "
            "(docs/models/nccl_tuner.md)\n\n");
  request.rules.protocols = 1;  // LL
  EXPECT_EQ(TuneTable(request),
            "                     TREE        RING\n"
            "          size         LL          LL   a run takes\n"
            "          8192       56.3*      312.4   TREE LL\n"
            "     268435456    26372.4*    26423.2   TREE LL\n"
            "\n"
            "off            TREE LL128       not asked for (collective.protocol, NCCL_PROTO)\n"
            "off            TREE SIMPLE      not asked for (collective.protocol, NCCL_PROTO)\n"
            "off            RING LL128       not asked for (collective.protocol, NCCL_PROTO)\n"
            "off            RING SIMPLE      not asked for (collective.protocol, NCCL_PROTO)\n"
            "off            COLLNET_DIRECT   has SIMPLE only, which is not asked for "
            "(collective.protocol, NCCL_PROTO)\n"
            "off            COLLNET_CHAIN    has SIMPLE only, which is not asked for "
            "(collective.protocol, NCCL_PROTO)\n"
            "off            NVLS             has SIMPLE only, which is not asked for "
            "(collective.protocol, NCCL_PROTO)\n"
            "off            NVLS_TREE        has SIMPLE only, which is not asked for "
            "(collective.protocol, NCCL_PROTO)\n");
}

TEST(TuneText, WhatIsNotSimulatedMayBeTheShortestAndIsNotTaken) {
  TuneRequest request = RequestOfTuner(128, "H100");
  request.rules.collnet = true;
  EXPECT_NE(TuneTable(request).find("43.0*      192.2   NVLS SIMPLE\n"), std::string::npos)
      << "NVLS with CollNet\n"
      << TuneTable(request);
  request.operation = Operation::kAllGather;
  const std::string table = TuneTable(request);
  EXPECT_NE(table.find("43.0*"), std::string::npos) << "NVLS with CollNet\n" << table;
  EXPECT_NE(table.find("   COLLNET_DIRECT SIMPLE\n"), std::string::npos) << table;
  EXPECT_EQ(table.find("   NVLS SIMPLE\n"), std::string::npos) << table;
  EXPECT_NE(table.find("not simulated  NVLS  "), std::string::npos) << table;
  request.operation = Operation::kAllReduce;
  EXPECT_EQ(TuneTable(request).find("\noff "), std::string::npos) << TuneTable(request);
  request.rules.algorithms = 1U << static_cast<unsigned>(TunerAlgorithm::kCollNetChain);
  EXPECT_NE(TuneTable(request).find("69.2*  COLLNET_CHAIN SIMPLE\n"), std::string::npos)
      << TuneTable(request);
}

TEST(TuneText, UnknownTypesAreNoted) {
  const std::string head = TuneHead(RequestOfTuner(8, "X1"));
  EXPECT_NE(head.find("in 1 server of X1\n"), std::string::npos) << head;
  EXPECT_NE(head.find("note           GPU type \"X1\" is not known"), std::string::npos) << head;
  EXPECT_EQ(head.find("; NVLS "), std::string::npos) << head;
}

TEST(TuneText, CsvHasALineForEach) {
  const std::string csv = TuneCsv(RequestOfTuner(128, "H100"));
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "size_bytes,algorithm,protocol,latency_us,bandwidth_gbs,time_us,shortest,taken,"
            "why_off");
  std::getline(lines, line);
  EXPECT_EQ(line, "8192,TREE,LL,55.200000,7.140000,56.347339,1,1,\"\"");
  int count = 1, taken = 1;
  for (; std::getline(lines, line); ++count) taken += line.find(",1,\"") != std::string::npos;
  EXPECT_EQ(count, 20);
  EXPECT_EQ(taken, 2);
  EXPECT_NE(csv.find("268435456,COLLNET_CHAIN,SIMPLE,,,,0,0,\"collective.collnet=false"),
            std::string::npos)
      << csv;
}

}  // namespace
}  // namespace heddle
