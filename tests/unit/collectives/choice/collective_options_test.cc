// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/collective_options.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

TEST(CollectiveOptions, EveryKeySetsItsField) {
  OptionSet set;
  CollectiveOptions options;
  options.Declare(&set);
  EXPECT_EQ(set.options().size(), 81U + kFigures);  // the table's are in hardware_options_test.cc
  EXPECT_FALSE(options.as_nccl());
  set.Set("algorithm.choice", "nccl");
  set.Set("algorithm.allreduce", "tree");
  set.Set("algorithm.allgather", "nvls");
  set.Set("algorithm.reducescatter", "nvls_tree");
  set.Set("collective.protocol", "ll128");
  set.Set("collective.latency", "nccl");
  EXPECT_FALSE(options.lasting());
  set.Set("collective.connections", "lasting");
  set.Set("AS_NVLS_ENABLE", "1");
  set.Set("AS_PXN_ENABLE", "1");
  set.Set("algorithm.nvls", "multimem");
  set.Set("collective.multimem_bytes", "4096");
  set.Set("collective.multimem_channels", "24");
  set.Set("collective.multimem_slots", "3");
  set.Set("collective.p2p_chunk", "65536");
  set.Set("collective.p2p_channels", "6");
  set.Set("collective.window", "5ms");
  set.Set("nic.kind", "efa");
  set.Set("collective.nvls_chunks", "8");
  set.Set("collective.collnet_channels", "12");
  set.Set("collective.chunk_bytes", "1000");
  set.Set("collective.chunks_in_flight", "5");
  set.Set("collective.pat_slots", "4");
  set.Set("collective.pat_forced", "1");
  set.Set("collective.pat", "0");
  set.Set("collective.collnet", "1");
  set.Set("collective.collnet_servers", "7");
  set.Set("phases.collectives", "enhanced");
  set.Set("phases.algorithm", "ring_direct");
  set.Set("phases.reduce_scatter", "ring");
  set.Set("phases.all_gather", "direct");
  set.Set("phases.all_to_all", "oneDirect");
  set.Set("phases.order", "ascending");
  set.Set("phases.reduction_delay", "40");
  set.Set("phases.memory_bandwidth", "1600");
  set.Set("phases.halving_sums", "next");
  set.Set("phases.dimensions", "2x4");
  set.Set("phases.routing", "hardware");
  set.Set("phases.local_lanes", "all");
  set.Set("phases.endpoint_delay", "20");
  set.Set("phases.local_endpoint_delay", "30ns");
  set.Set("pipeline.schedule", "zb-h1");
  EXPECT_EQ(options.pipeline.schedule, "zb-h1");
  set.Set("chakra.slots", "astra-sim");
  set.Set("chakra.control", "ignore");
  set.Set("chakra.compute", "roofline");
  set.Set("chakra.peak", "900");
  set.Set("chakra.memory_bandwidth", "3350");
  set.Set("chakra.remote_bandwidth", "50");
  set.Set("chakra.remote_latency", "100");
  EXPECT_TRUE(options.chakra.as_astra_sim() && options.chakra.by_roofline());
  EXPECT_EQ(options.chakra.control, ChakraOptions::Control::kIgnore);
  EXPECT_EQ(options.chakra.peak, 900);
  EXPECT_EQ(options.chakra.memory_bandwidth, 3350);
  EXPECT_EQ(options.chakra.remote_bandwidth, 50);
  EXPECT_EQ(options.chakra.remote_latency, NanoSeconds(100));
  set.Set("chunks.splits", "4");
  set.Set("chunks.all_to_all_splits", "0");
  set.Set("chunks.least_bytes", "2048");
  set.Set("chunks.dispatch", "batch");
  set.Set("chunks.threshold", "9");
  set.Set("chunks.batch", "17");
  set.Set("chunks.order", "fifo");
  set.Set("chunks.equal", "fifo");
  set.Set("chunks.per_lane", "3");
  EXPECT_TRUE(options.as_nccl());
  EXPECT_EQ(options.allreduce, "tree");
  EXPECT_EQ(options.allgather, "nvls");
  EXPECT_EQ(options.reducescatter, "nvls_tree");
  EXPECT_EQ(options.protocol, CollectiveOptions::Protocols::kLl128);
  EXPECT_EQ(options.latency, CollectiveOptions::Latency::kNccl);
  EXPECT_TRUE(options.lasting());
  EXPECT_TRUE(options.nvls);
  EXPECT_TRUE(options.pxn);
  EXPECT_EQ(options.nvls_form, CollectiveOptions::NvlsForm::kMultimem);
  EXPECT_EQ(options.multimem_bytes, 4096);
  EXPECT_EQ(options.multimem_channels, 24);
  EXPECT_EQ(options.multimem_slots, 3);
  EXPECT_EQ(options.p2p_chunk, 65536);
  EXPECT_EQ(options.p2p_channels, 6);
  EXPECT_EQ(options.window, MicroSeconds(5000));
  options.hardware.FitTo({});
  EXPECT_EQ(options.hardware.nic_kind(), NicKind::kEfa);
  EXPECT_EQ(options.nvls_chunks, 8);
  EXPECT_EQ(options.collnet_channels, 12);
  EXPECT_EQ(options.chunk_bytes, 1000);
  EXPECT_EQ(options.chunks_in_flight, 5);
  EXPECT_EQ(options.pat_slots, 4);
  EXPECT_TRUE(options.pat_forced);
  EXPECT_FALSE(options.pat);
  EXPECT_TRUE(options.collnet);
  EXPECT_EQ(options.collnet_servers, 7);
  const PhasedOptions& phased = options.phased;
  EXPECT_EQ(phased.collectives, PhasedOptions::Form::kEnhanced);
  EXPECT_EQ(phased.algorithm, "ring_direct");
  EXPECT_EQ(phased.reduce_scatter, "ring");
  EXPECT_EQ(phased.all_gather, "direct");
  EXPECT_EQ(phased.all_to_all, "oneDirect");
  EXPECT_EQ(phased.dimensions, PhasedOptions::Dimensions::kAscending);
  EXPECT_EQ(phased.reduction_delay, NanoSeconds(40));
  EXPECT_EQ(phased.memory_bandwidth, 1600);
  EXPECT_EQ(phased.halving_sums, PhasedOptions::HalvingSums::kNext);
  EXPECT_EQ(phased.layout, "2x4");
  EXPECT_EQ(phased.routing, PhasedOptions::Routing::kHardware);
  EXPECT_EQ(phased.local_lanes, PhasedOptions::LocalLanes::kAll);
  EXPECT_EQ(phased.endpoint_delay, NanoSeconds(20));
  EXPECT_EQ(phased.local_endpoint_delay, NanoSeconds(30));
  EXPECT_EQ(phased.splits, 4);
  EXPECT_EQ(phased.all_to_all_splits, 0);
  EXPECT_EQ(phased.least_bytes, 2048);
  EXPECT_EQ(phased.dispatch, PhasedOptions::Dispatch::kBatch);
  EXPECT_EQ(phased.threshold, 9);
  EXPECT_EQ(phased.batch, 17);
  EXPECT_EQ(phased.order, PhasedOptions::Order::kFifo);
  EXPECT_EQ(phased.equal, PhasedOptions::Order::kFifo);
  EXPECT_EQ(phased.per_lane, 3);
}

TEST(CollectiveOptions, KeysOfExpertsSetTheirFields) {
  OptionSet set;
  CollectiveOptions options;
  options.Declare(&set);
  const ExpertOptions& experts = options.experts;
  EXPECT_FALSE(experts.on());
  for (const auto& [key, value] : {std::pair{"routing", "zipf"},
                                   {"form", "server"},
                                   {"dispatch", "fp8"},
                                   {"order", "in_order"},
                                   {"count", "64"},
                                   {"top_k", "6"},
                                   {"tokens", "100"},
                                   {"groups", "16"},
                                   {"top_groups", "3"},
                                   {"zipf", "0.5"},
                                   {"sigma", "0.7"},
                                   {"hot", "9"},
                                   {"hot_share", "0.25"},
                                   {"capacity", "1.25"},
                                   {"chunks", "3"},
                                   {"compute", "false"},
                                   {"draws", "batch"},
                                   {"seed", "11"},
                                   {"table", "counts.txt"}})
    set.Set(std::string("experts.") + key, value);
  EXPECT_TRUE(experts.on());
  EXPECT_EQ(experts.routing, ExpertOptions::Routing::kZipf);
  EXPECT_EQ(experts.form, ExpertOptions::Form::kServer);
  EXPECT_EQ(experts.dispatch, ExpertOptions::Precision::kFp8);
  EXPECT_EQ(experts.order, ExpertOptions::Order::kInOrder);
  EXPECT_EQ(experts.count, 64);
  EXPECT_EQ(experts.top_k, 6);
  EXPECT_EQ(experts.tokens, 100);
  EXPECT_EQ(experts.groups, 16);
  EXPECT_EQ(experts.top_groups, 3);
  EXPECT_EQ(experts.zipf, 0.5);
  EXPECT_EQ(experts.sigma, 0.7);
  EXPECT_EQ(experts.hot, 9);
  EXPECT_EQ(experts.hot_share, 0.25);
  EXPECT_EQ(experts.capacity, 1.25);
  EXPECT_EQ(options.expert_chunks, 3);
  EXPECT_FALSE(experts.compute);
  EXPECT_EQ(experts.draws, ExpertOptions::Draws::kBatch);
  EXPECT_EQ(experts.seed, 11);
  EXPECT_EQ(experts.table, "counts.txt");
  EXPECT_THROW(set.Set("experts.routing", "pareto"), UserError);
  EXPECT_THROW(set.Set("experts.top_k", "0"), UserError);
}

TEST(CollectiveOptions, RefuseAlgorithmsThatAnOperationDoesNotHave) {
  OptionSet set;
  CollectiveOptions options;
  options.Declare(&set);
  EXPECT_THROW(set.Set("algorithm.allgather", "tree"), UserError);
  EXPECT_THROW(set.Set("algorithm.reducescatter", "tree"), UserError);
  EXPECT_THROW(set.Set("algorithm.allreduce", "collnet"), UserError);
  EXPECT_THROW(set.Set("algorithm.allreduce", "pat"), UserError);
  EXPECT_THROW(set.Set("algorithm.choice", "rccl"), UserError);
  EXPECT_THROW(set.Set("collective.collnet_servers", "0"), UserError);
  EXPECT_THROW(set.Set("collective.nvls_chunks", "0"), UserError);
  EXPECT_THROW(set.Set("collective.chunk_bytes", "0"), UserError);
}

TEST(CollectiveOptions, ListsOfAlgorithms) {
  OptionSet set;
  CollectiveOptions options;
  options.Declare(&set);
  set.Set("algorithm.allreduce", "ring+tree+collnet_chain");
  EXPECT_EQ(options.allreduce, "ring+tree+collnet_chain");
  set.Set("algorithm.allgather", "pat+ring");
  EXPECT_EQ(options.allgather, "pat+ring");
  for (const char* value : {"ring+", "+ring", "ring++tree", "ring+pat", "ring+ring", "ring+auto",
                            "auto+ring", "fastest+ring", "", "ring tree", "Ring"})
    EXPECT_THROW(set.Set("algorithm.allreduce", value), UserError) << value;
  EXPECT_EQ(options.allreduce, "ring+tree+collnet_chain") << "as before";
  try {
    set.Set("algorithm.reducescatter", "tree");
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "option algorithm.reducescatter: found 'tree'. Expected: auto, fastest, or one or "
                 "several of ring, nvls, nvls_tree, pat, collnet_direct, such as ring+nvls; or "
                 "file:NAME.xml");
  }
}

TEST(CollectiveOptions, AlgorithmsOfWhatHasAnOption) {
  CollectiveOptions options;
  options.allreduce = "tree";
  options.allgather = "ring";
  options.reducescatter = "pat";
  EXPECT_EQ(options.AlgorithmOf(Operation::kAllReduce), "tree");
  EXPECT_EQ(options.AlgorithmOf(Operation::kAllGather), "ring");
  EXPECT_EQ(options.AlgorithmOf(Operation::kReduceScatter), "pat");
  EXPECT_EQ(options.AlgorithmOf(Operation::kBroadcast), "auto");
}

TEST(CollectiveOptions, EndpointsOfLogicalDimensionsAreALibrarys) {
  CollectiveOptions options;
  options.phased.endpoint_delay = NanoSeconds(20);
  options.phased.layout = "2x4";
  EXPECT_EQ(options.Resolved().phased.endpoint_delay, NanoSeconds(20)) << "no phases";
  options.phased.collectives = PhasedOptions::Form::kBaseline;
  EXPECT_EQ(options.Resolved().phased.endpoint_delay, NanoSeconds(6020));
  EXPECT_EQ(options.Resolved().phased.local_endpoint_delay, NanoSeconds(6010));
  options.phased.layout = "fabric";
  EXPECT_EQ(options.Resolved().phased.endpoint_delay, NanoSeconds(20));
}

/// NCCL has NVLS by default, SimAI not; a user's own value counts for both, before and after.
TEST(CollectiveOptions, TheChoiceTurnsNvlsOnUnlessItIsSet) {
  OptionSet set;
  CollectiveOptions options;
  options.Declare(&set);
  set.Set("algorithm.choice", "nccl");
  EXPECT_TRUE(options.nvls);
  set.Set("algorithm.choice", "simccl");
  EXPECT_FALSE(options.nvls);
  set.Set("algorithm.choice", "nccl");
  set.Set("collective.nvls", "false");
  EXPECT_FALSE(options.nvls);
  set.Set("algorithm.choice", "nccl");
  EXPECT_FALSE(options.nvls);
  set.Set("collective.nvls", "true");
  set.Set("algorithm.choice", "simccl");
  EXPECT_TRUE(options.nvls);
}

}  // namespace
}  // namespace heddle
