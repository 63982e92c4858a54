// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_messages.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

/// A share in as many messages as chunks and parts of layers of its prompt.
void VisitShare(const ServingPlan& plan, const KvShare& share, std::pair<NodeId, NodeId> ends,
                std::uint32_t tokens, const BatchLimits& limits, const ServingVisit& visit) {
  const std::int64_t most = limits.longest_chunk > 0
                                ? std::min(limits.longest_chunk, limits.token_budget)
                                : limits.token_budget;
  std::uint64_t messages = 1;
  if (plan.kv_transfer != KvTransfer::kEnd)
    messages = static_cast<std::uint64_t>((tokens + most - 1) / most);
  if (plan.kv_transfer == KvTransfer::kLayer) messages *= plan.LayerParts();
  const std::int64_t bytes = plan.ShareBytes(share, tokens);
  const auto count = static_cast<std::int64_t>(messages);
  visit(ends.first, ends.second, (bytes + count - 1) / count, messages);
}

/// `rounds`: of all collectives of this kind in all steps.
void VisitRounds(const InstancePlan& instance, StepOperation operation, std::int64_t bytes,
                 std::uint64_t rounds, const ServingVisit& visit) {
  const StepLayout& layout = instance.collectives.layout();
  const auto gpu = [&](std::uint32_t group, std::uint32_t member) {
    return instance.gpus[layout.RankAt(group, member)];
  };
  for (std::uint32_t group = 0; group < layout.groups; ++group) {
    for (std::uint32_t member = 0; member < layout.near; ++member) {
      for (std::uint32_t step = 1; step < layout.groups; ++step) {
        const std::uint32_t other = (group + step) % layout.groups;
        if (!IsExchange(operation)) {
          visit(gpu(group, member), gpu(other, member), bytes, rounds);
          break;
        }
        for (std::uint32_t i = 0; i < layout.near; ++i)
          visit(gpu(group, member), gpu(other, i), bytes, rounds);
      }
    }
  }
}

/// `to_router`: from the instance to the router, else the other way.
void VisitRouterMessage(const ServingPlan& plan, std::uint32_t instance, bool to_router,
                        const ServingVisit& visit) {
  NodeId from = plan.instances[ServingPlan::kRouterInstance].gpus[0];
  NodeId to = plan.instances[instance].gpus[0];
  if (from == to) return;
  if (to_router) std::swap(from, to);
  visit(from, to, kServingControlBytes, 1);
}

/// Messages of a router that takes instances in turn.
void VisitRouter(const ServingPlan& plan, std::size_t requests, const ServingVisit& visit) {
  if (!plan.has_router()) return;
  const std::vector<std::uint32_t> entries = plan.Entries(), decoders = plan.Decoders();
  for (std::size_t request = 0; request < requests; ++request) {
    const std::uint32_t entry = entries[request % entries.size()];
    VisitRouterMessage(plan, entry, false, visit);
    VisitRouterMessage(plan, entry, true, visit);
    if (!decoders.empty())
      VisitRouterMessage(plan, decoders[request % decoders.size()], true, visit);
  }
}

}  // namespace

void ForEachServingMessage(const ServingPlan& plan, const ServingRequests& requests,
                           const ServingVisit& visit) {
  VisitRouter(plan, requests.size(), visit);
  const std::vector<std::uint32_t> entries = plan.Entries(), decoders = plan.Decoders();
  if (decoders.empty()) return;
  for (std::uint32_t request = 0; request < requests.size(); ++request) {
    const std::uint32_t prefill = entries[request % entries.size()];
    const std::uint32_t decoder = decoders[request % decoders.size()];
    const std::vector<NodeId>& from = plan.instances[prefill].gpus;
    const std::vector<NodeId>& to = plan.instances[decoder].gpus;
    visit(from[0], to[0], kServingControlBytes, 1);
    visit(to[0], from[0], kServingControlBytes, 1);
    for (const KvShare& share : plan.SharesOf(prefill, decoder))
      VisitShare(plan, share, {from[share.from], to[share.to]}, requests[request].input,
                 plan.instances[prefill].limits, visit);
  }
}

void ForEachStepMessage(const ServingPlan& plan, const std::vector<InstanceTotals>& totals,
                        const ServingVisit& visit) {
  for (const InstanceTotals& of : totals) {
    const InstancePlan& instance = plan.instances[of.instance];
    if (!instance.sends_in_steps() || of.steps == 0) continue;
    const StepProgram& program = instance.collectives;
    const StepLayout& layout = program.layout();
    const auto steps = static_cast<std::uint64_t>(of.steps);
    const std::int64_t tokens = std::max<std::int64_t>(of.computed / of.steps, 1);
    for (std::uint32_t group = 1; group < layout.groups; ++group)
      visit(instance.gpus[0], instance.gpus[layout.RankAt(group, 0)], kServingControlBytes, steps);
    program.ForEachKind([&](StepOperation operation, std::uint32_t count) {
      VisitRounds(instance, operation, program.BytesOf(operation, tokens),
                  steps * count * program.RoundsOf(operation), visit);
    });
  }
}

}  // namespace heddle
