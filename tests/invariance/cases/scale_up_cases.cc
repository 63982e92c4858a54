// SPDX-License-Identifier: GPL-2.0-only
/// Scale-up links: flows that pass through NPUs and switches, under credits that run out.
#include <algorithm>
#include <functional>

#include "core/options/enum_words.h"
#include "tests/invariance/case.h"
#include "tests/support/dgx1.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/simulate_jobs.h"
#include "topology/scale_up/direct_link_routing.h"
#include "topology/scale_up/nvlink_level.h"
#include "transport/model/scale_up/nvlink_options.h"

namespace heddle::invariance {
namespace {

using heddle::testing::Loop;
using heddle::testing::Mesh;
using heddle::testing::ScaleUpFabric;
using heddle::testing::Switched;

/// Every NPU sends to several others, of all distances.
std::vector<FlowRequest> Everywhere(const Graph& graph) {
  const std::uint32_t n = graph.gpu_count();
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t step = 1; step < n; step = step * 2 + 1) {
      FlowRequest flow;
      flow.source = NodeId(i);
      flow.destination = NodeId((i + step) % n);
      flow.size = Bytes{5'000 + 411 * i};
      flow.start = NanoSeconds(40) * (i % 5);
      flows.push_back(flow);
    }
  }
  return flows;
}

Proof Waiting() {
  return {"packets that waited to pass", [](const Results& results) {
            const auto& waited =
                GetColumn<std::int64_t>(results.table("ports"), "max_queued_bytes");
            return *std::max_element(waited.begin(), waited.end());
          }};
}

NetworkDimension Narrow(NetworkDimension dimension) {
  dimension.level.virtual_channels = 8;
  dimension.level.buffer_flits = 6;
  return dimension;
}

}  // namespace

void AddScaleUpCases(std::vector<CaseMaker>* cases) {
  const auto add = [&](const char* name, const std::vector<NetworkDimension>& dimensions) {
    cases->push_back(
        {name, [=] {
           Graph graph = ScaleUpFabric(dimensions);
           std::vector<FlowRequest> flows = Everywhere(graph);
           return Case{name, std::move(graph), std::move(flows), Set({{"monitor.kinds", "links"}}),
                       {},   {Waiting()}};
         }});
  };
  const auto phased = [&](const char* name, const char* phases, const char* routing,
                          const char* workload, const char* algorithm = "auto",
                          const std::function<void(PhasedOptions*)>& change = nullptr) {
    cases->push_back(
        {name, [=] {
           Graph graph = ScaleUpFabric({Loop(2, 2), Loop(4, 2, 2), Loop(3, 1, 1)});
           Case made{name, std::move(graph), {}, Set({{"monitor.kinds", "links"}}), {}, {}};
           made.jobs = {heddle::testing::MakeJob(made.graph, workload, {}, Time{0}, 2)};
           made.collectives.phased.collectives = *FindWord<PhasedOptions::Form>(phases);
           made.collectives.phased.routing = *FindWord<PhasedOptions::Routing>(routing);
           made.collectives.phased.algorithm = algorithm;
           made.collectives.phased.threshold = 6;
           made.collectives.phased.per_lane = 2;
           if (change) change(&made.collectives.phased);
           made.proofs = {{"flows", [](const Results& r) { return r.books.flows_finished; }}};
           return made;
         }});
  };
  // ASTRA-sim 2's fabrics: whole messages, whole nanoseconds, one queue a dimension.
  const auto whole = [&](const char* name, const char* workload, const char* congestion) {
    cases->push_back(
        {name, [=] {
           ScaleUpNetwork network;
           network.whole_ns = true;
           network.dimensions = {Loop(4, 1, 1), Mesh(2), Switched(4)};
           for (NetworkDimension& dimension : network.dimensions) {
             dimension.level.packet_bytes = ScaleUpLevel::kWholeMessages;
             dimension.level.padded = false;
             dimension.level.buffer_flits = 0;
             dimension.one_queue = true;
           }
           Case made{name, MakeScaleUpGraph(network),
                     {},   Set({{"monitor.kinds", "links"}, {"scale_up.congestion", congestion}}),
                     {},   {}};
           made.jobs = {heddle::testing::MakeJob(made.graph, workload, {}, Time{0}, 2)};
           made.collectives.phased.collectives = PhasedOptions::Form::kEnhanced;
           made.collectives.phased.dimensions = PhasedOptions::Dimensions::kAscending;
           made.collectives.phased.algorithm = "halvingDoubling_direct_halvingDoubling";
           made.collectives.phased.equal = PhasedOptions::Order::kFifo;
           made.collectives.phased.per_lane = 1;
           made.proofs = {{"flows", [](const Results& r) { return r.books.flows_finished; }}};
           return made;
         }});
  };
  const char* layers =
      "DATA\n3\na -1 3000 NONE 0 2000 NONE 0 1000 ALLREDUCE 40000 100\n"
      "b -1 500 NONE 0 400 NONE 0 300 ALLREDUCE 90000 50\n"
      "c -1 700 NONE 0 700 NONE 0 700 ALLTOALL 30000 10\n";
  phased("phased-data", "enhanced", "software", layers);
  phased("phased-hardware", "baseline", "hardware", layers);
  phased("phased-trees", "baseline", "software", layers, "direct_doubleBinaryTree");
  phased("phased-halving", "enhanced", "software", layers, "halvingDoubling_halvingDoubling_ring",
         [](PhasedOptions* options) {
           options->dimensions = PhasedOptions::Dimensions::kAscending;
           options->memory_bandwidth = 50;
         });
  phased("phased-one-line", "baseline", "software", layers, "oneRing", [](PhasedOptions* options) {
    options->all_to_all = "oneDirect";
    options->reduction_delay = NanoSeconds(7);
  });
  phased("phased-hybrid", "enhanced", "software",
         "HYBRID_DATA_MODEL model_parallel_NPU_group: 2\n2\n"
         "a -1 300 ALLGATHER 40000 200 ALLREDUCE 10000 100 ALLREDUCE 40000 100\n"
         "b -1 500 REDUCESCATTER 20000 400 NONE 0 300 ALLREDUCE 90000 50\n");
  // Dimensions laid over the hosts of a leaf-spine fabric.
  cases->push_back(
      {"phased-logical", [layers] {
         heddle::testing::LeafSpine fabric;
         fabric.leaves = 3;
         fabric.hosts_per_leaf = 4;
         fabric.spines = 2;
         Case made{"phased-logical", fabric.Build(), {}, Set({}), {}, {}};
         made.jobs = {heddle::testing::MakeJob(made.graph, layers, {}, Time{0}, 2)};
         made.collectives.phased.collectives = PhasedOptions::Form::kEnhanced;
         made.collectives.phased.layout = "4x3";
         made.collectives.phased.algorithm = "halvingDoubling_direct";
         made.proofs = {{"flows", [](const Results& r) { return r.books.flows_finished; }}};
         return made;
       }});
  cases->push_back(
      {"nvlink-credits", [layers] {
         Graph graph(16, 8, 4, 2, "H100");
         for (std::uint32_t gpu = 0; gpu < 16; ++gpu) {
           graph.AddLink(
               {NodeId(gpu), NodeId(16 + gpu / 2), BitRate{400'000'000'000}, NanoSeconds(25)});
           graph.AddLink(
               {NodeId(gpu), NodeId(24 + gpu % 2), BitRate{100'000'000'000}, NanoSeconds(500)});
         }
         for (std::uint32_t leaf = 24; leaf < 26; ++leaf) {
           for (std::uint32_t spine = 26; spine < 28; ++spine) {
             graph.AddLink(
                 {NodeId(leaf), NodeId(spine), BitRate{400'000'000'000}, NanoSeconds(500)});
           }
         }
         NvLinkOptions options;
         options.buffer_flits = 40;
         PutNvLinksOnLevel(options.Level(), &graph);
         Case made{
             "nvlink-credits", std::move(graph), {}, Set({{"monitor.kinds", "links"}}), {}, {}};
         made.jobs = {heddle::testing::MakeJob(made.graph, layers, {}, Time{0}, 2)};
         made.proofs = {{"flows", [](const Results& r) { return r.books.flows_finished; }}};
         return made;
       }});
  cases->push_back(
      {"nvlink-mesh", [=] {
         Graph graph = heddle::testing::CubeMeshServers(2, 4);
         LetGpusPassOn(NvLinkOptions().Level(), &graph);
         Case made{"nvlink-mesh", std::move(graph), {}, Set({{"monitor.kinds", "links"}}), {}, {}};
         made.jobs = {heddle::testing::MakeJob(made.graph, layers, {}, Time{0}, 2)};
         made.proofs = {{"flows", [](const Results& r) { return r.books.flows_finished; }}};
         return made;
       }});
  whole("whole-messages", layers, "true");
  whole("whole-messages-apart", layers, "false");
  cases->push_back({"scale-up-apart", [] {
                      Graph graph = ScaleUpFabric({Loop(4, 2), Loop(3, 1, 1), Switched(2)});
                      std::vector<FlowRequest> flows = Everywhere(graph);
                      return Case{
                          "scale-up-apart",
                          std::move(graph),
                          std::move(flows),
                          Set({{"monitor.kinds", "links"}, {"scale_up.congestion", "false"}}),
                          {},
                          {{"flows", [](const Results& r) { return r.books.flows_finished; }}}};
                    }});
  add("scale-up-torus", {Loop(2, 2), Narrow(Loop(4, 2, 2)), Narrow(Loop(3, 1, 1))});
  // On 4 ranks, opposite ones have no cable between them.
  add("scale-up-ring", {Loop(2, 1), Loop(8, 1, 1)});
  add("scale-up-switches", {Mesh(3), Narrow(Switched(6, 2))});
}

}  // namespace heddle::invariance
