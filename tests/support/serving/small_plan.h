// SPDX-License-Identifier: GPL-2.0-only
/// A model whose steps take times that can be computed by hand: n new tokens behind p take
/// 2,000 n + 2 n (2 p + n) ps, and 7 us (prefill) or 1 us (decode) more; a token has 4 bytes of KV.
#pragma once

#include <map>
#include <vector>

#include "core/serving/priced_serving.h"
#include "core/serving/serving_times.h"

namespace heddle::testing {

inline ServedModel SmallModel() {
  ServedModel model;
  model.name = "small";
  model.layers = model.attention_layers = model.hidden = 1;
  model.query_heads = model.kv_heads = model.head_size = 1;
  model.active_parameters = model.parameters = 1000;
  return model;
}

inline StepCost SmallCost(std::uint32_t gpus = 1) {
  constexpr std::int64_t kTera = 1'000'000'000'000;
  return {SmallModel(), gpus, 2, 2, {kTera, kTera * 1'000'000, MicroSeconds(7), MicroSeconds(1)}};
}

/// An instance of one GPU, the next of the plan.
inline InstancePlan* AddInstance(ServingPlan* plan, InstanceRole role) {
  const auto number = static_cast<std::uint32_t>(plan->instances.size());
  plan->instances.push_back({role, 0, {NodeId(number)}, {}, 1000, SmallCost(), {}});
  return &plan->instances.back();
}

inline ServingPlan PlanOf(const std::vector<InstanceRole>& roles) {
  ServingPlan plan;
  plan.model = SmallModel();
  plan.pools = {"all"};
  for (const InstanceRole role : roles) AddInstance(&plan, role);
  return plan;
}

/// 3 us a message, and 10 ps a byte of KV.
class SmallPrices final : public TransferPrices {
 public:
  Time ControlTime(std::uint32_t, std::uint32_t) const override { return MicroSeconds(3); }
  Time TransferTime(NodeId, NodeId, std::int64_t bytes) const override {
    return MicroSeconds(3) + Time{10 * bytes};
  }
};

/// What happened in a run.
struct Served {
  std::vector<RequestTimes> times;
  TokenGaps gaps;
  std::vector<InstanceTotals> totals;
  std::int64_t sent = 0;
};

inline Served Serve(const ServingPlan& plan, const ServingRequests& requests) {
  const SmallPrices prices;
  PricedServing run(plan, requests, prices);
  run.Run();
  Served served;
  std::vector<ServingRecord> records;
  for (const ServingInstance& instance : run.machine().instances()) {
    records.insert(records.end(), instance.records().begin(), instance.records().end());
    for (const auto& [gap, count] : instance.gaps()) served.gaps[gap] += count;
    served.totals.push_back(instance.totals());
  }
  served.times = JoinRecords(plan, requests, records, &served.gaps);
  served.sent = run.sent_bytes();
  return served;
}

/// Time of a step of one sequence [ps].
inline std::int64_t StepOf(std::int64_t p, std::int64_t n, bool prefill) {
  return 2000 * n + 2 * n * (2 * p + n) + (prefill ? 7'000'000 : 1'000'000);
}

}  // namespace heddle::testing
