// SPDX-License-Identifier: GPL-2.0-only
/// Instances that serve a language model: KV caches as messages between prefill and decode
/// instances, with little memory, within a server and over several, in turn and by routers.
#include <utility>

#include "core/serving/model/request_law.h"
#include "tests/invariance/case.h"
#include "tests/support/leaf_spine.h"

namespace heddle::invariance {
namespace {

/// 4 heads of 1 KiB a token, and steps of some 10 us.
ServedModel LittleModel() {
  ServedModel model;
  model.name = "little";
  model.layers = model.attention_layers = 4;
  model.hidden = 256;
  model.query_heads = model.kv_heads = 4;
  model.head_size = 64;
  model.active_parameters = model.parameters = 1000;
  return model;
}

InstancePlan Instance(const ServedModel& model, InstanceRole role,
                      const std::vector<std::uint32_t>& gpus, std::int64_t blocks) {
  constexpr std::int64_t kTera = 1'000'000'000'000;
  const StepCost cost(model, static_cast<std::uint32_t>(gpus.size()), 2, 2,
                      {kTera, kTera * 1000, MicroSeconds(9), MicroSeconds(4)});
  InstancePlan instance{role, 0, {}, {}, blocks, cost, {}};
  for (const std::uint32_t gpu : gpus) instance.gpus.emplace_back(gpu);
  instance.limits.token_budget = 200;
  return instance;
}

/// Two prefill instances, one of GPUs of one leaf; two decode instances of other sizes. GPUs are
/// servers of their own, so that each instance has parts in several domains.
ServingPlan LittlePlan() {
  ServingPlan plan;
  plan.model = LittleModel();
  plan.pools = {"all"};
  plan.instances = {Instance(plan.model, InstanceRole::kPrefill, {0, 1, 2, 3}, 40),
                    Instance(plan.model, InstanceRole::kPrefill, {4, 9}, 40),
                    Instance(plan.model, InstanceRole::kDecode, {5, 6}, 17),
                    Instance(plan.model, InstanceRole::kDecode, {10, 7, 11, 8}, 17)};
  return plan;
}

ServingRequests Bursts() {
  RequestLaw law;
  law.arrivals = ArrivalLaw::kGamma;
  law.shape = 0.3;
  law.gap = MicroSeconds(20);
  law.count = 40;
  law.input = {LengthLaw::Kind::kUniform, 1, 150};
  law.output = {LengthLaw::Kind::kExponential, 20, 20};
  return DrawRequests(law, 3);
}

Proof Sum(const std::string& what, const char* table, const char* column) {
  return {what, [=](const Results& results) {
            std::int64_t sum = 0;
            for (const std::int64_t value : GetColumn<std::int64_t>(results.table(table), column))
              sum += value;
            return sum;
          }};
}

/// Prompts of one or two named blocks, of three families with equal fronts.
ServingRequests Conversations() {
  RequestLaw law;
  law.arrivals = ArrivalLaw::kGamma;
  law.shape = 0.3;
  law.gap = MicroSeconds(25);
  law.count = 40;
  law.input = {LengthLaw::Kind::kUniform, 400, 1300};
  law.output = {LengthLaw::Kind::kExponential, 20, 20};
  ServingRequests requests = DrawRequests(law, 4);
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    for (std::uint32_t block = 0; block < requests[i].input / kPromptBlockTokens; ++block)
      requests[i].blocks.push_back(i % 3 * 10 + block);
  }
  return requests;
}

/// Requests whose prompts another instance has than without a router.
Proof OutOfTurn(std::uint32_t entries) {
  return {"out of turn", [=](const Results& results) {
            const Table& table = results.table("serving/records");
            const auto& request = GetColumn<std::int64_t>(table, "request");
            const auto& instance = GetColumn<std::int64_t>(table, "instance");
            std::int64_t count = 0;
            for (std::size_t i = 0; i < request.size(); ++i)
              count += instance[i] < entries && instance[i] != request[i] % entries ? 1 : 0;
            return count;
          }};
}

/// Requests that waited for room at their decode instance, longer than for a message.
Proof RequestsWait() {
  return {"waits for room", [](const Results& results) {
            const Table& table = results.table("serving/records");
            const auto& computed = GetColumn<std::int64_t>(table, "computed_ps");
            const auto& granted = GetColumn<std::int64_t>(table, "granted_ps");
            std::int64_t count = 0;
            for (std::size_t i = 1; i < granted.size(); ++i) {
              // The part of the prefill instance is the one before.
              if (granted[i] >= 0) count += granted[i] - computed[i - 1] > 40'000'000 ? 1 : 0;
            }
            return count;
          }};
}

Case ServingCase(const std::string& name, FirstToken first_token, const Settings& settings) {
  Case made{name, testing::LeafSpine{3, 4, 2}.Build(), {}, Set(settings), {}, {}};
  made.serving = LittlePlan();
  made.serving.first_token = first_token;
  made.requests = Bursts();
  made.proofs = {Sum("preempted", "serving/instances", "preempted"),
                 Sum("tokens", "serving/instances", "generated"), RequestsWait()};
  return made;
}

/// Steps of all instances send: AllReduces, or with experts apart all that these need.
Case StepCase(const std::string& name, std::uint32_t top_k, const Settings& settings) {
  Case made = ServingCase(name, FirstToken::kDecode, settings);
  StepProgram::Shape shape;
  shape.layers = 1;
  shape.token_bytes = 512;
  shape.top_k = top_k;
  shape.dispatched_bytes = 256;
  for (InstancePlan& instance : made.serving.instances) {
    std::vector<std::uint32_t> domains;
    for (const NodeId gpu : instance.gpus) domains.push_back(gpu.value);
    instance.collectives = StepProgram(shape, LayOutStep(domains));
    instance.collectives.messages = true;
  }
  made.proofs.push_back(Sum("collectives", "serving/instances", "collectives_ps"));
  return made;
}

/// A router, and prompts whose fronts are kept: 64 bytes of KV a token.
Case RouterCase(const std::string& name, RouterKind router, KvTransfer transfer) {
  Case made = ServingCase(name, FirstToken::kDecode, Tight());
  made.serving.model.layers = made.serving.model.attention_layers = 1;
  made.serving.model.head_size = 4;
  made.serving.block_tokens = 64;
  made.serving.router = router;
  made.serving.kv_transfer = transfer;
  for (InstancePlan& instance : made.serving.instances) {
    instance.blocks = instance.role == InstanceRole::kPrefill ? 50 : 30;
    instance.limits.token_budget = 700;
  }
  made.requests = Conversations();
  made.proofs = {Sum("cached", "serving/instances", "cached"), OutOfTurn(2),
                 Sum("tokens", "serving/instances", "generated")};
  return made;
}

}  // namespace

void AddServingCases(std::vector<CaseMaker>* cases) {
  cases->push_back(
      {"serving", [] { return ServingCase("serving", FirstToken::kDecode, Tight()); }});
  cases->push_back({"serving_passed_on", [] {
                      Case made = ServingCase("serving_passed_on", FirstToken::kPrefill,
                                              {{"flow.completion", "received"}});
                      return made;
                    }});
  for (const KvTransfer transfer : {KvTransfer::kChunk, KvTransfer::kLayer}) {
    const std::string name = transfer == KvTransfer::kChunk ? "serving_chunks" : "serving_layers";
    cases->push_back({name, [=] {
                        Case made = ServingCase(name, FirstToken::kDecode, Tight());
                        made.serving.kv_transfer = transfer;
                        for (InstancePlan& instance : made.serving.instances)
                          instance.limits.token_budget = 50;
                        return made;
                      }});
  }
  cases->push_back({"serving_least_loaded", [] {
                      return RouterCase("serving_least_loaded", RouterKind::kLeastLoaded,
                                        KvTransfer::kChunk);
                    }});
  cases->push_back({"serving_kv_aware", [] {
                      return RouterCase("serving_kv_aware", RouterKind::kKvAware, KvTransfer::kEnd);
                    }});
  cases->push_back({"serving_steps", [] { return StepCase("serving_steps", 0, Tight()); }});
  cases->push_back({"serving_experts", [] { return StepCase("serving_experts", 2, Tight()); }});
}

}  // namespace heddle::invariance
