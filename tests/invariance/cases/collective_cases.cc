// SPDX-License-Identifier: GPL-2.0-only
/// Collectives by every algorithm, training steps whose GPUs drift apart, jobs that share a fabric:
/// agents that post flows during the simulation must not depend on the partition.
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "collectives/custom/custom_library.h"
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"
#include "tests/invariance/workloads.h"
#include "tests/support/programs/custom_programs.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::invariance {
namespace {

using testing::MakeJob;

/// Counts operations by this algorithm.
Proof By(const std::string& algorithm) {
  return {
      "by " + algorithm, [algorithm](const Results& r) {
        std::int64_t count = 0;
        for (const std::string& name : GetColumn<std::string>(r.table("collectives"), "algorithm"))
          count += name == algorithm;
        return count;
      }};
}

/// Counts flows of a source port that an earlier flow between the same ends has had.
Proof KeptPorts() {
  return {"kept ports", [](const Results& r) {
            const Table& flows = r.table("flows");
            std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>> ports;
            for (std::size_t row = 0; row < RowCount(flows); ++row) {
              ports.emplace(GetColumn<std::uint32_t>(flows, "src")[row],
                            GetColumn<std::uint32_t>(flows, "dst")[row],
                            GetColumn<std::uint16_t>(flows, "source_port")[row]);
            }
            return static_cast<std::int64_t>(RowCount(flows) - ports.size());
          }};
}

std::vector<NodeId> Every(std::uint32_t first, std::uint32_t step, std::uint32_t count) {
  std::vector<NodeId> gpus;
  for (std::uint32_t i = 0; i < count; ++i) gpus.push_back(NodeId(first + i * step));
  return gpus;
}

/// Two jobs on interleaved GPUs; the second starts later and uses the links of the first.
Case TwoJobs() {
  Graph graph = SmallFabric("DCN-SingleToR");
  std::vector<Job> jobs = {
      MakeJob(graph, Training(), Every(0, 2, 16)),
      MakeJob(graph, One(8, "ALLREDUCE", 900000), Every(1, 2, 16), MicroSeconds(17))};
  return {"two-jobs",
          std::move(graph),
          {},
          Set(Tight()),
          {},
          {proofs::Collectives(), proofs::Marks()},
          std::move(jobs),
          SetCollectives({})};
}

/// CollNet by trees of switches that add; with losses, packets are sent again on their link.
Case ByTrees(const char* name, const std::string& algorithm, const char* fabric,
             const std::string& error_rate, const Settings& settings,
             const std::vector<Proof>& proofs, const char* operation = "ALLREDUCE",
             SumOperations operations = {}) {
  Graph graph = SmallFabric(fabric, error_rate);
  graph.LetSwitchesAdd(Graph::kAnyStreams, operations);
  return OneJob(name, std::move(graph), One(32, operation, 3000000),
                {{"algorithm.allreduce", algorithm},
                 {"algorithm.allgather", "collnet_direct"},
                 {"algorithm.reducescatter", "collnet_direct"},
                 {"collective.collnet_channels", "2"}},
                settings, proofs);
}

/// AllToAll in two steps, by an algorithm of a file, in several rounds.
Case OfAFile() {
  Case c =
      OneJob("algorithm-file", SmallFabric("Spectrum-X"), One(32, "ALLTOALL", 3000000),
             {{"algorithm.alltoall", "file:two_step.xml"}, {"collective.chunk_bytes", "40000"}}, {},
             {By("CUSTOM")});
  auto library = std::make_shared<CustomLibrary>();
  library->Add(TwoStepAllToAll(4, 8));
  c.collectives.custom = library;
  return c;
}

/// Keeps rows of one flow in five only.
Case Sampled() {
  Case c = OneJob("training-sampled", SmallFabric("Spectrum-X"), Training(), {}, Tight(),
                  {proofs::Flows(FlowState::kFinished)});
  c.sample = {5};
  return c;
}

}  // namespace

void AddCollectiveCases(std::vector<CaseMaker>* cases) {
  using proofs::Collectives;
  const auto add = [&](const char* name, const char* fabric, const std::string& workload,
                       const Settings& how, const Settings& settings,
                       const std::vector<Proof>& proofs, std::uint32_t passes = 1) {
    cases->push_back({name, [=] {
                        return OneJob(name, SmallFabric(fabric), workload, how, settings, proofs,
                                      passes);
                      }});
  };
  add("ring", "Spectrum-X", One(32, "ALLREDUCE", 1000003), {}, {}, {By("RING")});
  add("ring-pxn", "Spectrum-X", One(32, "ALLGATHER", 1 << 20), {{"collective.pxn", "true"}}, {},
      {By("RING")});
  add("tree", "AlibabaHPN-DualPlane", One(32, "ALLREDUCE", 3000000),
      {{"algorithm.allreduce", "tree"}}, {}, {By("TREE")});
  add("nvls", "Spectrum-X", One(8, "ALLREDUCE", 1 << 20), {{"algorithm.allreduce", "nvls"}}, {},
      {By("NVLS")});
  // Messages that NVSwitches and memories answer, whatever flow.completion is.
  for (const char* name : {"nvls-multimem", "nvls-multimem-received"}) {
    const char* completion = std::string(name) == "nvls-multimem" ? "acked" : "received";
    add(name, "Spectrum-X", One(8, "ALLREDUCE", 1 << 20),
        {{"algorithm.allreduce", "nvls"},
         {"algorithm.nvls", "multimem"},
         {"collective.multimem_channels", "3"}},
        {{"flow.completion", completion}}, {By("NVLS_MULTIMEM")});
  }
  add("nvls-tree", "Spectrum-X", One(32, "ALLREDUCE", 1 << 20),
      {{"algorithm.allreduce", "nvls_tree"}}, {}, {By("NVLS_TREE")});
  // Pieces between servers wait for messages that count when they are acknowledged.
  add("nvls-tree-multimem", "Spectrum-X", One(32, "ALLREDUCE", 1 << 20),
      {{"algorithm.allreduce", "nvls_tree"},
       {"algorithm.nvls", "multimem"},
       {"collective.multimem_channels", "1"}},
      {}, {By("NVLS_TREE_MULTIMEM")});
  // What kernels and proxies need, which is a function of a message and of when its rank began.
  const Settings hardware = {{"collective.latency", "hardware"}, {"collective.pxn", "true"},
                             {"algorithm.choice", "nccl"},       {"algorithm.nvls", "multimem"},
                             {"collective.window", "1ms"},       {"nic.kind", "ib"}};
  add("hardware-allreduce", "Spectrum-X", One(16, "ALLREDUCE", 12 << 20), hardware, {}, {});
  add("hardware-alltoall", "Spectrum-X", One(16, "ALLTOALL", 1 << 20), hardware, {}, {});
  add("hardware-allgather", "Spectrum-X", One(16, "ALLGATHER", 2 << 20), hardware, {}, {});
  cases->push_back({"algorithm-file", [] { return OfAFile(); }});
  cases->push_back({"nvls-collnet", [] {
                      return ByTrees("nvls-collnet", "nvls_collnet", "Spectrum-X", "0",
                                     {{"aggregation.latency", "100ns"}}, {By("NVLS_COLLNET")});
                    }});
  cases->push_back({"collnet-direct", [] {
                      return ByTrees("collnet-direct", "collnet_direct", "Spectrum-X", "0", {},
                                     {By("COLLNET_DIRECT")});
                    }});
  cases->push_back({"collnet-chain-lossy", [] {
                      return ByTrees("collnet-chain-lossy", "collnet_chain", "AlibabaHPN-DualPlane",
                                     "0.005",
                                     {{"aggregation.latency", "200ns"},
                                      {"reliability.selective_repeat", "true"}},
                                     {By("COLLNET_CHAIN"), proofs::Resent()});
                    }});
  cases->push_back({"collnet-operations-lossy", [] {
                      return ByTrees("collnet-operations-lossy", "collnet_direct", "Spectrum-X",
                                     "0.001", {{"aggregation.latency", "200ns"}},
                                     {By("COLLNET_DIRECT"), proofs::Resent()}, "ALLREDUCE",
                                     {4000, 3});
                    }});
  cases->push_back({"collnet-allgather-lossy", [] {
                      return ByTrees("collnet-allgather-lossy", "ring", "AlibabaHPN-DualPlane",
                                     "0.005", {{"reliability.selective_repeat", "true"}},
                                     {By("COLLNET_DIRECT"), proofs::Resent()}, "ALLGATHER");
                    }});
  cases->push_back({"collnet-reducescatter", [] {
                      return ByTrees("collnet-reducescatter", "ring", "Spectrum-X", "0",
                                     {{"aggregation.latency", "200ns"}}, {By("COLLNET_DIRECT")},
                                     "REDUCESCATTER");
                    }});
  add("all-to-all", "DCN-DualToR", One(8, "ALLTOALL_EP", 1 << 20, 4), {}, Tight(),
      {By("DIRECT"), proofs::Marks()});
  // Experts of which some have many tokens and some none: plain, and over two hops there and back.
  const Settings skewed = {{"experts.routing", "zipf"},
                           {"experts.count", "64"},
                           {"experts.tokens", "50"},
                           {"experts.capacity", "2"}};
  const std::string layer_of_experts =
      WorkloadHeader(2, 16) +
      "3\ndispatch -1 1000 ALLTOALL_EP 800000 1000 ALLTOALL_EP 800000 500 NONE 0 1\n"
      "experts -1 9000 NONE 0 9000 NONE 0 500 ALLREDUCE_DP 100000 1\n"
      "combine -1 1000 ALLTOALL_EP 800000 1000 ALLTOALL_EP 800000 500 NONE 0 1\n";
  add("experts", "DCN-DualToR", layer_of_experts, skewed, Tight(), {By("DIRECT"), proofs::Marks()});
  add("experts-two-hops", "Spectrum-X", layer_of_experts,
      skewed + Settings{{"experts.form", "server"}}, {}, {By("DIRECT")}, 2);
  add("experts-two-hops-lasting", "DCN-SingleToR", layer_of_experts,
      skewed + Settings{{"experts.form", "server"}, {"collective.connections", "lasting"}}, Tight(),
      {By("DIRECT"), KeptPorts()});
  add("all-to-all-pxn", "Spectrum-X", One(32, "ALLTOALL", 1 << 20), {{"collective.pxn", "true"}},
      {}, {By("DIRECT")});
  // Blocks of 16 kB, three in a message, to ranks of the same server and others; acknowledged.
  add("pat", "Spectrum-X", One(32, "ALLGATHER", 500000),
      {{"algorithm.allgather", "pat"}, {"collective.pat_forced", "true"}}, {}, {By("PAT")}, 2);
  // One GPU of each server: DP groups on four rails, in pieces, several queue pairs, marks.
  add("pat-rails", "Spectrum-X", One(8, "REDUCESCATTER_DP", 1000003),
      {{"algorithm.reducescatter", "pat"},
       {"collective.chunk_bytes", "100000"},
       {"collective.latency", "nccl"},
       {"collective.connections", "lasting"}},
      Tight() + Settings{{"nic.qps_per_connection", "2"}}, {By("PAT"), KeptPorts()}, 2);
  add("broadcast", "DCN-SingleToR", One(32, "BROADCAST", 2000000), {}, {}, {By("RING")});
  add("training", "Spectrum-X", Training(), {}, Tight(), {Collectives()}, 2);
  add("received", "Spectrum-X", Training(), {}, {{"flow.completion", "received"}}, {Collectives()},
      2);
  add("nccl-latency", "AlibabaHPN-DualPlane", Training(), {{"collective.latency", "nccl"}},
      {{"nic.qps_per_connection", "2"}}, {Collectives()});
  add("pipeline", "Spectrum-X",
      WorkloadHeader(4, 1, 4) +
          "2\na -1 1000 ALLREDUCE 100000 1000 NONE 0 500 ALLREDUCE 200000 1\n"
          "b -1 2000 NONE 0 500 ALLREDUCE 50000 500 NONE 0 1\n",
      {}, {}, {Collectives()});
  // Two chunks of a layer each on a stage, and messages from the last stage to the first.
  const std::string four_layers =
      "4\na -1 1000 ALLREDUCE 100000 1000 NONE 0 500 ALLREDUCE 200000 1\n"
      "b -1 2000 NONE 0 500 ALLREDUCE 50000 500 NONE 0 1\n"
      "a -1 1000 ALLREDUCE 100000 1000 NONE 0 500 ALLREDUCE 200000 1\n"
      "b -1 2000 NONE 0 500 ALLREDUCE 50000 500 NONE 0 1\n";
  add("interleaved", "Spectrum-X", WorkloadHeader(4, 1, 2) + four_layers,
      {{"pipeline.schedule", "interleaved"}, {"pipeline.chunks", "2"}}, Tight(), {Collectives()},
      2);
  add("zb-h1", "Spectrum-X", WorkloadHeader(4, 1, 4) + four_layers,
      {{"pipeline.schedule", "zb-h1"}, {"collective.connections", "lasting"}}, {}, {Collectives()},
      2);
  add("gpipe", "AlibabaHPN-DualPlane", WorkloadHeader(4, 1, 4) + four_layers,
      {{"pipeline.schedule", "gpipe"}, {"pipeline.senders", "wait"}}, {}, {Collectives()});
  add("telemetry", "DCN-SingleToR", Training(), {},
      {{"CC_MODE", "3"}, {"flow.completion", "received"}}, {Collectives()});
  add("nic-ports", "AlibabaHPN-SinglePlane", One(32, "ALLREDUCE", 1 << 20), {},
      {{"nic.ports", "round-robin"}}, {By("RING")});
  // Rings over four servers that meet on spines, an AllToAll whose pieces wait for each other.
  add("lasting", "DCN-SingleToR", Training(), {{"collective.connections", "lasting"}},
      Tight() + Settings{{"nic.qps_per_connection", "2"}},
      {Collectives(), KeptPorts(), proofs::Marks()}, 2);
  // What --like nccl sets, over rings that change rails inside their servers.
  add("like-nccl", "Spectrum-X", Training(),
      {{"collective.connections", "lasting"},
       {"collective.latency", "nccl"},
       {"collective.pxn", "true"},
       {"algorithm.allreduce", "fastest"}},
      Tight(), {Collectives(), KeptPorts(), By("TREE")}, 2);
  // NCCL's tuner: sums in a server by NVLS, small ones on a rail by tree, gathers there by PAT, all
  // else by ring.
  add("nccl-choice", "Spectrum-X",
      WorkloadHeader(8, 1, 1) +
          "2\na -1 1000 ALLREDUCE 4000000 1000 ALLGATHER_DP 900000 500 ALLREDUCE_DP 8000 1\n"
          "b -1 2000 BROADCAST 9000 500 REDUCESCATTER 2000000 500 ALLGATHER_DP 900000 1\n",
      {{"algorithm.choice", "nccl"},
       {"collective.latency", "nccl"},
       {"collective.connections", "lasting"}},
      Tight(), {Collectives(), By("NVLS"), By("PAT"), By("TREE"), By("RING")}, 2);
  add("lasting-tree", "DCN-DualToR", One(32, "ALLREDUCE", 3000000),
      {{"collective.connections", "lasting"},
       {"algorithm.allreduce", "tree"},
       {"collective.chunk_bytes", "100000"},
       {"collective.chunks_in_flight", "8"}},
      {{"nic.qps_per_connection", "2"}, {"flow.completion", "received"}},
      {By("TREE"), KeptPorts()});
  add("lasting-nvls", "Spectrum-X", One(8, "ALLREDUCE", 1 << 20),
      {{"collective.connections", "lasting"}, {"algorithm.allreduce", "nvls"}}, {},
      {By("NVLS"), KeptPorts()});
  cases->push_back({"two-jobs", TwoJobs});
  cases->push_back({"training-sampled", Sampled});
}

}  // namespace heddle::invariance
