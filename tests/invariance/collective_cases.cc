// SPDX-License-Identifier: GPL-2.0-only
/// Collectives by every algorithm, training steps whose GPUs drift apart, jobs that share a fabric: what posts flows while the
/// simulation runs must not know how the fabric was cut.
#include <fmt/format.h>

#include <utility>

#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"

namespace heddle::invariance {
namespace {

using testing::MakeJob;

std::string Header(int tp, int ep = 1, int pp = 1) {
  return fmt::format("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: {} ep: {} pp: {} vpp: 1 ga: 2 all_gpus: 32 "
                     "checkpoints: 0 checkpoint_initiates: 0 pp_comm: 70000\n", tp, ep, pp);
}

/// One collective, all at once in all its groups.
std::string One(int tp, const std::string& operation, int bytes, int ep = 1) {
  return Header(tp, ep) + fmt::format("1\nlayer -1 1 {} {} 1 NONE 0 1 NONE 0 1\n", operation, bytes);
}

/// Three layers with every group; the second pass waits for the gradients of the first.
std::string Training() {
  return Header(4, 2) +
         "3\nfirst -1 1000 ALLGATHER 300000 2000 REDUCESCATTER 300000 500 ALLREDUCE 500000 20\n"
         "second -1 3000 ALLTOALL_EP 400000 1000 ALLTOALL_EP 400000 700 ALLREDUCE_DP_EP 200000 10\n"
         "third -1 2000 ALLREDUCE 250001 1500 NONE 0 900 REDUCESCATTER 123457 1\n";
}

CollectiveOptions Set(const std::vector<std::pair<std::string, std::string>>& settings) {
  CollectiveOptions options;
  OptionSet keys;
  options.Declare(&keys);
  for (const auto& [key, value] : settings) keys.Set(key, value, {"invariance case", 0});
  options.send_latency = MicroSeconds(3);
  return options;
}

Proof Collectives() {
  return {"collectives", [](const Results& r) { return static_cast<std::int64_t>(RowCount(r.table("collectives"))); }};
}

/// Operations by this algorithm.
Proof By(const std::string& algorithm) {
  return {"by " + algorithm, [algorithm](const Results& r) {
            std::int64_t count = 0;
            for (const std::string& name : ValuesOf<std::string>(r.table("collectives"), "algorithm")) count += name == algorithm;
            return count;
          }};
}

std::vector<NodeId> Every(std::uint32_t first, std::uint32_t step, std::uint32_t count) {
  std::vector<NodeId> gpus;
  for (std::uint32_t i = 0; i < count; ++i) gpus.push_back(NodeId(first + i * step));
  return gpus;
}

Case OneJob(const std::string& name, const std::string& fabric, const std::string& workload,
            const std::vector<std::pair<std::string, std::string>>& how, const Settings& settings, std::vector<Proof> proofs,
            std::uint32_t passes = 1) {
  Graph graph = SmallFabric(fabric);
  std::vector<Job> jobs = {MakeJob(graph, workload, {}, Time{0}, passes)};
  return {name, std::move(graph), {}, heddle::invariance::Set(settings), {}, std::move(proofs), std::move(jobs), Set(how)};
}

/// Two jobs on interleaved GPUs, the second later and over the links of the first.
Case TwoJobs() {
  Graph graph = SmallFabric("DCN-SingleToR");
  std::vector<Job> jobs = {MakeJob(graph, Training(), Every(0, 2, 16)),
                           MakeJob(graph, One(8, "ALLREDUCE", 900000), Every(1, 2, 16), MicroSeconds(17))};
  return {"two-jobs", std::move(graph), {}, heddle::invariance::Set(Tight()), {}, {Collectives(), proofs::Marks()}, std::move(jobs),
          Set({})};
}

}  // namespace

void AddCollectiveCases(std::vector<CaseMaker>* cases) {
  const auto add = [&](const char* name, const char* fabric, const std::string& workload,
                       const std::vector<std::pair<std::string, std::string>>& how, const Settings& settings,
                       const std::vector<Proof>& proofs, std::uint32_t passes = 1) {
    cases->push_back({name, [=] { return OneJob(name, fabric, workload, how, settings, proofs, passes); }});
  };
  add("ring", "Spectrum-X", One(32, "ALLREDUCE", 1000003), {}, {}, {By("RING")});
  add("ring-pxn", "Spectrum-X", One(32, "ALLGATHER", 1 << 20), {{"collective.pxn", "true"}}, {}, {By("RING")});
  add("tree", "AlibabaHPN-DualPlane", One(32, "ALLREDUCE", 3000000), {{"algorithm.allreduce", "tree"}}, {}, {By("TREE")});
  add("nvls", "Spectrum-X", One(8, "ALLREDUCE", 1 << 20), {{"algorithm.allreduce", "nvls"}}, {}, {By("NVLS")});
  add("nvls-tree", "Spectrum-X", One(32, "ALLREDUCE", 1 << 20), {{"algorithm.allreduce", "nvls_tree"}}, {}, {By("NVLS_TREE")});
  add("all-to-all", "DCN-DualToR", One(8, "ALLTOALL_EP", 1 << 20, 4), {}, Tight(), {By("DIRECT"), proofs::Marks()});
  add("all-to-all-pxn", "Spectrum-X", One(32, "ALLTOALL", 1 << 20), {{"collective.pxn", "true"}}, {}, {By("DIRECT")});
  add("broadcast", "DCN-SingleToR", One(32, "BROADCAST", 2000000), {}, {}, {By("RING")});
  add("training", "Spectrum-X", Training(), {}, Tight(), {Collectives()}, 2);
  add("received", "Spectrum-X", Training(), {}, {{"flow.completion", "received"}}, {Collectives()}, 2);
  add("nccl-latency", "AlibabaHPN-DualPlane", Training(), {{"collective.latency", "nccl"}},
      {{"nic.qps_per_connection", "2"}}, {Collectives()});
  add("pipeline", "Spectrum-X", Header(4, 1, 4) + "2\na -1 1000 ALLREDUCE 100000 1000 NONE 0 500 ALLREDUCE 200000 1\n"
      "b -1 2000 NONE 0 500 ALLREDUCE 50000 500 NONE 0 1\n", {}, {}, {Collectives()});
  add("telemetry", "DCN-SingleToR", Training(), {}, {{"CC_MODE", "3"}, {"flow.completion", "received"}}, {Collectives()});
  cases->push_back({"two-jobs", TwoJobs});
}

}  // namespace heddle::invariance
