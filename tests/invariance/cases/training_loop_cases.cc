// SPDX-License-Identifier: GPL-2.0-only
/// ASTRA-SIM's training loops of several groups: exchanges of the highest priority, layers with
/// policies of their own, groups of all GPUs; in phases, and by NCCL's algorithms.
#include <string>
#include <utility>

#include "core/options/enum_words.h"
#include "tests/invariance/case.h"
#include "tests/support/leaf_spine.h"
#include "tests/support/scale_up_fabric.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::invariance {
namespace {

using heddle::testing::Loop;

/// Counts collectives with this word in a column.
Proof Named(const char* column, const char* word) {
  return {std::string("collectives of ") + word, [=](const Results& r) {
            std::int64_t count = 0;
            for (const std::string& name : GetColumn<std::string>(r.table("collectives"), column))
              count += name == word;
            return count;
          }};
}

/// Counts exchanges that were issued after an all-reduce and ended before it.
Proof Overtaking() {
  return {"exchanges that overtake", [](const Results& r) {
            const Table& table = r.table("collectives");
            const auto& op = GetColumn<std::string>(table, "op");
            const auto& start = GetColumn<std::int64_t>(table, "start_ps");
            const auto& end = GetColumn<std::int64_t>(table, "end_ps");
            std::int64_t count = 0;
            for (std::size_t i = 0; i < op.size(); ++i) {
              for (std::size_t j = 0; j < op.size(); ++j) {
                count += op[i] == "ALLTOALL" && op[j] == "ALLREDUCE" && start[i] > start[j] &&
                         end[i] < end[j];
              }
            }
            return count;
          }};
}

/// Embeddings, two bottom layers, two top layers; gradients fill the lanes.
std::string Dlrm(const std::string& policy) {
  return policy +
         " 2\n5\n"
         "embeddings -1 300 ALLTOALL 90000 300 ALLTOALL 90000 300 NONE 0 98\n"
         "bottom0 -1 500 NONE 0 700 NONE 0 800 ALLREDUCE 130000 13\n"
         "bottom1 -1 900 NONE 0 400 NONE 0 500 ALLREDUCE 240000 52\n"
         "top0 -1 600 ALLTOALL 30000 400 NONE 0 900 ALLREDUCE 400000 10\n"
         "top1 -1 200 NONE 0 300 NONE 0 400 ALLREDUCE 300000 5\n";
}

const char* const kCustomized =
    "HYBRID_CUSTOMIZED model_parallel_NPU_group: 2\n4\n"
    "data -1 300 NONE 0 200 NONE 0 100 ALLREDUCE 60000 100 DATA\n"
    "model -1 500 ALLREDUCE 40000 400 ALLREDUCE 30000 300 NONE 0 50 MODEL\n"
    "both -1 300 ALLGATHER 40000 200 ALLREDUCE 10000 100 ALLREDUCE 40000 100 HYBRID_DATA_MODEL\n"
    "turned -1 300 REDUCESCATTER 48000 200 ALLREDUCE 10000 100 ALLREDUCE 40000 100 "
    "HYBRID_MODEL_DATA\n";

Case Phased(const char* name, const std::string& workload, const char* order) {
  Case made{name, heddle::testing::ScaleUpFabric({Loop(2, 2), Loop(4, 2, 2), Loop(3, 1, 1)}),
            {},   Set({{"monitor.kinds", "links"}}),
            {},   {Named("algorithm", "PHASES")}};
  made.jobs = {heddle::testing::MakeJob(made.graph, workload, {}, Time{0}, 2)};
  made.collectives.phased.collectives = PhasedOptions::Form::kEnhanced;
  made.collectives.phased.order = *FindWord<PhasedOptions::Order>(order);
  made.collectives.phased.threshold = 6;
  made.collectives.phased.per_lane = 1;
  return made;
}

}  // namespace

void AddTrainingLoopCases(std::vector<CaseMaker>* cases) {
  cases->push_back({"loop-dlrm", [] {
                      Case made = Phased("loop-dlrm", Dlrm("HYBRID_DLRM"), "fifo");
                      made.proofs.push_back(Overtaking());
                      return made;
                    }});
  cases->push_back({"loop-dlrm-enhanced", [] {
                      Case made =
                          Phased("loop-dlrm-enhanced", Dlrm("HYBRID_DLRM_ENHANCED"), "lifo");
                      made.proofs.push_back(Overtaking());
                      return made;
                    }});
  cases->push_back({"loop-customized", [] {
                      Case made = Phased("loop-customized", kCustomized, "lifo");
                      made.proofs.push_back(Named("group_type", "ALL"));
                      return made;
                    }});
  cases->push_back({"loop-customized-rings", [] {
                      heddle::testing::LeafSpine fabric;
                      fabric.leaves = 3;
                      fabric.hosts_per_leaf = 4;
                      fabric.spines = 2;
                      Case made{"loop-customized-rings", fabric.Build(), {}, Set(Tight()), {}, {}};
                      made.jobs = {
                          heddle::testing::MakeJob(made.graph, kCustomized, {}, Time{0}, 2)};
                      made.proofs = {Named("group_type", "ALL"), Named("algorithm", "RING")};
                      return made;
                    }});
}

}  // namespace heddle::invariance
