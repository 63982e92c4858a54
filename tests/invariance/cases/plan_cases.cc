// SPDX-License-Identifier: GPL-2.0-only
/// Steps of plans with what no workload file has: ranks that exchange under their computing, and
/// micro-batches side by side.
#include <string>
#include <utility>
#include <vector>

#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"
#include "tests/invariance/workloads.h"

namespace heddle::invariance {
namespace {

/// Counts collectives of groups of a type.
Proof InGroups(const std::string& type) {
  return {
      "collectives of " + type, [type](const Results& r) {
        std::int64_t count = 0;
        for (const std::string& one : GetColumn<std::string>(r.table("collectives"), "group_type"))
          count += one == type;
        return count;
      }};
}

constexpr const char* kSmallStep =
    "model = \"llama-7b\"\nlayers = 2\nhidden = 512\nvocabulary = 1024\nsequence = 1024\n"
    "gpus = 32\ntp = 2\n";

}  // namespace

void AddPlanCases(std::vector<CaseMaker>* cases) {
  const auto add = [cases](const char* name, const char* fabric, const std::string& more,
                           const Settings& settings) {
    cases->push_back({name, [=] {
                        return OnePlan(name, SmallFabric(fabric), kSmallStep + more, settings,
                                       {InGroups("CP")});
                      }});
  };
  add("context-ring", "Spectrum-X", "cp = 4\npp = 2\nglobal_batch = 4\n", Tight());
  const std::string pairs =
      "model = \"mixtral-8x7b\"\nlayers = 4\nhidden = 512\nvocabulary = 1024\nsequence = 512\n"
      "gpus = 32\nep = 8\noverlap_experts = true\n";
  cases->push_back({"expert-pairs", [=] {
                      return OnePlan("expert-pairs", SmallFabric("Spectrum-X"),
                                     pairs + "global_batch = 96\n", Tight(), {InGroups("EP")});
                    }});
  cases->push_back({"expert-pairs-stages", [=] {
                      return OnePlan("expert-pairs-stages", SmallFabric("DCN-SingleToR"),
                                     pairs + "pp = 2\nvpp = 2\nglobal_batch = 64\n", {},
                                     {InGroups("EP")});
                    }});
  cases->push_back({"unlike-stages", [] {
                      return OnePlan(
                          "unlike-stages", SmallFabric("DCN-SingleToR"),
                          "model = \"gpt-13b\"\nlayers = 7\nhidden = 512\nheads = 8\n"
                          "vocabulary = 1024\nsequence = 256\ngpus = 32\ntp = 2\npp = 4\n"
                          "first_layers = 1\nlast_layers = 2\nglobal_batch = 16\n"
                          "tp_comm_overlap = true\n",
                          Tight(), {InGroups("PP"), InGroups("DP")});
                    }});
  add("context-heads", "DCN-SingleToR", "cp = 2\ncp_comm_type = \"a2a\"\n", {});
}

}  // namespace heddle::invariance
