// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/nccl_environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "collectives/choice/algorithm_list.h"
#include "collectives/choice/collective_options.h"
#include "collectives/tuner/tuner_algorithms.h"
#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

/// The options after applying these variables.
CollectiveOptions Apply(const std::map<std::string, std::string>& variables,
                        std::vector<std::string>* echo = nullptr,
                        std::vector<std::string>* set_by_user = nullptr) {
  CollectiveOptions options;
  OptionSet set;
  options.Declare(&set);
  std::vector<std::string> lines, warnings;
  ApplyEnvironment(NcclVariables(), {variables.begin(), variables.end()}, &set,
                   echo != nullptr ? echo : &lines, &warnings);
  EXPECT_TRUE(warnings.empty());
  for (const Option& option : set.options()) {
    if (option.set_by_user && set_by_user != nullptr) set_by_user->push_back(option.key);
  }
  return options;
}

std::string ErrorOf(const std::string& name, const std::string& value) {
  try {
    Apply({{name, value}});
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

void ExpectAlgorithms(const std::string& value, const std::string& allreduce,
                      const std::string& allgather, const std::string& reducescatter) {
  const CollectiveOptions options = Apply({{"NCCL_ALGO", value}});
  EXPECT_EQ(options.allreduce, allreduce) << value;
  EXPECT_EQ(options.allgather, allgather) << value;
  EXPECT_EQ(options.reducescatter, reducescatter) << value;
}

TEST(NcclEnvironment, NothingSetChangesNothing) {
  std::vector<std::string> echo;
  const CollectiveOptions options = Apply({}, &echo);
  EXPECT_TRUE(echo.empty());
  EXPECT_EQ(options.allreduce, "auto");
  EXPECT_EQ(options.protocol, CollectiveOptions::Protocols::kAuto);
}

TEST(NcclEnvironment, Algorithms) {
  ExpectAlgorithms("Ring", "ring", "ring", "ring");
  ExpectAlgorithms("ring,tree", "ring+tree", "ring", "ring");
  ExpectAlgorithms("Tree,ring", "tree+ring", "ring", "ring");
  ExpectAlgorithms("Tree", "tree", "auto", "auto");
  ExpectAlgorithms("NVLSTree", "nvls_tree", "nvls_tree", "nvls_tree");
  ExpectAlgorithms("NVLS", "nvls", "nvls", "nvls");
  ExpectAlgorithms("PAT", "auto", "pat", "pat");
  ExpectAlgorithms("ring,pat", "ring", "ring+pat", "ring+pat");
  ExpectAlgorithms("^tree", "ring+nvls+nvls_tree+collnet_direct+collnet_chain", "auto", "auto");
  ExpectAlgorithms("^nvls,nvlstree,collnet", "ring+tree", "ring+pat", "ring+pat");
  ExpectAlgorithms("^Ring,collnet", "tree+nvls+nvls_tree", "nvls+nvls_tree+pat",
                   "nvls+nvls_tree+pat");
  ExpectAlgorithms("CollNetChain", "collnet_chain", "auto", "auto");
  ExpectAlgorithms("collnet,ring", "collnet_direct+collnet_chain+ring", "collnet_direct+ring",
                   "collnet_direct+ring");
  ExpectAlgorithms("ring,ring", "ring", "ring", "ring");
  ExpectAlgorithms("tree,ring,collnet,nvls,nvlstree,pat", "auto", "auto", "auto");
}

/// What SimCCL's choice, which knows no lists, makes of a variable.
TEST(NcclEnvironment, AlgorithmsOfSimccl) {
  const auto expect = [](const std::string& value, const std::string& allreduce,
                         const std::string& allgather) {
    const CollectiveOptions options = Apply({{"NCCL_ALGO", value}});
    EXPECT_EQ(SimcclAlgorithm(Operation::kAllReduce, options.allreduce), allreduce) << value;
    EXPECT_EQ(SimcclAlgorithm(Operation::kAllGather, options.allgather), allgather) << value;
  };
  expect("ring,tree", "ring", "ring");
  expect("ring,pat", "ring", "ring");
  expect("^tree", "auto", "auto");
  expect("^nvls,nvlstree", "ring", "ring");
  expect("^Ring", "tree", "nvls");
  expect("^collnet,pat", "auto", "auto");
  expect("collnet,ring", "ring", "ring");
  expect("CollNetChain", "collnet_chain", "auto");
}

TEST(NcclEnvironment, AlgorithmsOfOneOperation) {
  ExpectAlgorithms("allreduce:tree;allgather:ring", "tree", "ring", "auto");
  ExpectAlgorithms("ring;allreduce:tree", "tree", "ring", "ring");
  ExpectAlgorithms("AllReduce:^ring,tree,collnet", "nvls+nvls_tree", "auto", "auto");
  ExpectAlgorithms("broadcast:ring", "auto", "auto", "auto");
}

TEST(NcclEnvironment, RefusesAlgorithms) {
  EXPECT_NE(ErrorOf("NCCL_ALGO", "trea").find("the nearest is tree"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_ALGO", "alreduce:tree").find("the nearest is allreduce"),
            std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_ALGO", "allgather:tree").find("has none of these"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_ALGO", "allreduce:pat").find("has none of these"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_ALGO", "broadcast:tree").find("has none of these"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_ALGO", "^ring,tree,nvls,nvlstree,pat,collnet").find("forbids every"),
            std::string::npos);
  for (const char* text : {"", "^", ",", ";", "allreduce:", "allreduce:^"}) {
    EXPECT_NE(ErrorOf("NCCL_ALGO", text).find("names nothing"), std::string::npos) << text;
  }
  EXPECT_NE(ErrorOf("NCCL_ALGO", "trea").find("NCCL_ALGO=trea"), std::string::npos)
      << "names the variable";
}

TEST(NcclEnvironment, Protocols) {
  const auto protocol = [](const std::string& value) -> std::string {
    return ToText(Apply({{"NCCL_PROTO", value}}).protocol);
  };
  EXPECT_EQ(protocol("LL"), "ll");
  EXPECT_EQ(protocol("LL128"), "ll128");
  EXPECT_EQ(protocol("Simple"), "simple");
  EXPECT_EQ(protocol("^LL"), "ll128+simple");
  EXPECT_EQ(protocol("Simple,LL"), "ll+simple");
  EXPECT_EQ(protocol("^LL,LL128"), "simple");
  EXPECT_EQ(protocol("LL,LL128,Simple"), "auto");
  EXPECT_NE(ErrorOf("NCCL_PROTO", "LL64").find("the nearest is ll"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_PROTO", "^ll,ll128,simple").find("forbids every"), std::string::npos);
}

/// Also if the value is the default: the user has set it.
TEST(NcclEnvironment, WhatItSetsIsSetByTheUser) {
  using Keys = std::vector<std::string>;
  const auto keys = [](const std::string& name, const std::string& value) {
    Keys set;
    Apply({{name, value}}, nullptr, &set);
    return set;
  };
  EXPECT_EQ(keys("NCCL_ALGO", "Tree"), Keys{"algorithm.allreduce"});
  EXPECT_EQ(keys("NCCL_ALGO", "^tree"),
            (Keys{"algorithm.allreduce", "algorithm.allgather", "algorithm.reducescatter"}));
  EXPECT_EQ(keys("NCCL_ALGO", "broadcast:ring"), Keys{});
  EXPECT_EQ(keys("NCCL_PROTO", "LL,LL128,Simple"), Keys{"collective.protocol"});
  EXPECT_EQ(keys("NCCL_PXN_DISABLE", "1"), Keys{"collective.pxn"});
  EXPECT_EQ(keys("NCCL_NVLS_ENABLE", "0"), Keys{"collective.nvls"});
  EXPECT_EQ(keys("NCCL_PAT_ENABLE", "2"), (Keys{"collective.pat_forced", "collective.pat"}));
  EXPECT_EQ(keys("NCCL_COLLNET_ENABLE", "1"), Keys{"collective.collnet"});
  EXPECT_EQ(keys("NCCL_COLLNET_NODE_THRESHOLD", "2"), Keys{"collective.collnet_servers"});
  EXPECT_EQ(keys("NCCL_DEBUG", "INFO"), Keys{});
}

/// Every name that NCCL_ALGO gives is a valid value of the option.
TEST(NcclEnvironment, EachAlgorithmByItself) {
  for (const TunerAlgorithmRow& row : TunerAlgorithmRows()) {
    const CollectiveOptions options = Apply({{"NCCL_ALGO", row.nccl}});
    const auto expected = [&](Operation operation) {
      const std::vector<std::string> known = AllWordsFor(operation);
      const bool has = std::find(known.begin(), known.end(), row.word) != known.end();
      return std::string(has ? row.word : "auto");
    };
    EXPECT_EQ(options.allreduce, expected(Operation::kAllReduce));
    EXPECT_EQ(options.allgather, expected(Operation::kAllGather));
    EXPECT_EQ(options.reducescatter, expected(Operation::kReduceScatter));
  }
}

TEST(NcclEnvironment, PxnNvlsPatAndCollNet) {
  EXPECT_TRUE(Apply({{"NCCL_PXN_DISABLE", "0"}}).pxn);
  EXPECT_FALSE(Apply({{"NCCL_PXN_DISABLE", "1"}}).pxn);
  EXPECT_FALSE(Apply({{"NCCL_NVLS_ENABLE", "0"}}).nvls);
  EXPECT_TRUE(Apply({{"NCCL_NVLS_ENABLE", "1"}}).nvls);
  EXPECT_TRUE(Apply({{"NCCL_NVLS_ENABLE", "2"}}).nvls);
  EXPECT_FALSE(Apply({{"NCCL_PAT_ENABLE", "0"}}).pat_forced);
  EXPECT_TRUE(Apply({{"NCCL_PAT_ENABLE", "1"}}).pat_forced);
  EXPECT_FALSE(Apply({{"NCCL_PAT_ENABLE", "2"}}).pat_forced);
  EXPECT_FALSE(Apply({{"NCCL_PAT_ENABLE", "0"}}).pat);
  EXPECT_TRUE(Apply({{"NCCL_PAT_ENABLE", "1"}}).pat);
  EXPECT_TRUE(Apply({{"NCCL_PAT_ENABLE", "2"}}).pat);
  EXPECT_FALSE(Apply({}).collnet);
  EXPECT_TRUE(Apply({{"NCCL_COLLNET_ENABLE", "1"}}).collnet);
  EXPECT_FALSE(Apply({{"NCCL_COLLNET_ENABLE", "0"}}).collnet);
  EXPECT_EQ(Apply({}).collnet_servers, 2);
  EXPECT_EQ(Apply({{"NCCL_COLLNET_NODE_THRESHOLD", "5"}}).collnet_servers, 5);
  EXPECT_EQ(Apply({{"NCCL_P2P_NET_CHUNKSIZE", "524288"}}).p2p_chunk, 524288);
  EXPECT_EQ(Apply({{"NCCL_NCHANNELS_PER_NET_PEER", "4"}}).p2p_channels, 4);
  EXPECT_NE(ErrorOf("NCCL_COLLNET_ENABLE", "2").find("Expected: 0"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_COLLNET_NODE_THRESHOLD", "many").find("an integer from 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_PAT_ENABLE", "3").find("Expected: 0"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_PXN_DISABLE", "yes").find("Expected: 0"), std::string::npos);
  EXPECT_NE(ErrorOf("NCCL_NVLS_ENABLE", "").find("Expected: 0"), std::string::npos);
}

TEST(NcclEnvironment, SaysWhatItDid) {
  std::vector<std::string> echo;
  Apply({{"NCCL_ALGO", "Tree"}, {"NCCL_PROTO", "LL"}}, &echo);
  ASSERT_EQ(echo.size(), 2U);
  EXPECT_EQ(echo[0],
            "NCCL_ALGO=Tree: algorithm.allreduce=tree algorithm.allgather=auto "
            "algorithm.reducescatter=auto");
  EXPECT_EQ(echo[1], "NCCL_PROTO=LL: collective.protocol=ll");
  echo.clear();
  Apply({{"NCCL_NVLS_ENABLE", "2"}, {"NCCL_PXN_DISABLE", "1"}}, &echo);
  ASSERT_EQ(echo.size(), 2U);
  EXPECT_EQ(echo[0], "NCCL_PXN_DISABLE=1: collective.pxn=false") << "in the table's order";
  EXPECT_EQ(echo[1], "NCCL_NVLS_ENABLE=2: collective.nvls=true");
}

TEST(NcclEnvironment, MessagesNameVariableValueAndChoices) {
  EXPECT_EQ(ErrorOf("NCCL_ALGO", "allreduce:pat"),
            "environment variable NCCL_ALGO=allreduce:pat: allreduce has none of these. Expected: "
            "of ring, tree, nvls, nvls_tree, collnet_direct, collnet_chain");
  EXPECT_EQ(ErrorOf("NCCL_ALGO", "allgather:tree"),
            "environment variable NCCL_ALGO=allgather:tree: allgather has none of these. Expected: "
            "of ring, nvls, nvls_tree, pat, collnet_direct");
  EXPECT_EQ(ErrorOf("NCCL_ALGO", "^ring,tree,nvls,nvlstree,pat,collnet"),
            "environment variable NCCL_ALGO=^ring,tree,nvls,nvlstree,pat,collnet: forbids every "
            "algorithm. Expected: at least one of ring, tree, nvls, nvlstree, pat, collnetdirect, "
            "collnetchain left");
  EXPECT_EQ(
      ErrorOf("NCCL_PXN_DISABLE", "yes"),
      "environment variable NCCL_PXN_DISABLE=yes: Expected: 0 (PXN is used) or 1 (it is not)");
}

}  // namespace
}  // namespace heddle
