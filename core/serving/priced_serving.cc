// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/priced_serving.h"

#include <fmt/format.h>

#include <numeric>

#include "core/base/check.h"

namespace heddle {
namespace {

std::vector<std::uint32_t> AllOf(const ServingPlan& plan) {
  std::vector<std::uint32_t> numbers(plan.instances.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

}  // namespace

PricedServing::PricedServing(const ServingPlan& plan, const ServingRequests& requests,
                             const TransferPrices& prices)
    : plan_(plan),
      requests_(requests),
      prices_(prices),
      machine_(plan, requests, AllOf(plan), this) {}

void PricedServing::Run() {
  machine_.Begin();
  machine_.RunUntil(Time{Time::Max().ps - 1});
  for (const ServingInstance& instance : machine_.instances()) {
    instance.CheckBlocks();
    HEDDLE_INVARIANT(instance.open() == 0,
                     fmt::format("serving: request {} waits {} for ever", instance.first_open(),
                                 instance.WaitsFor(instance.first_open())));
  }
  HEDDLE_INVARIANT(machine_.router() == nullptr || machine_.router()->open() == 0,
                   "serving: the router has requests that no instance has");
}

void PricedServing::Send(const ServingMessage& message, Time at) {
  if (message.from == message.to) return machine_.Arrived(message, at + PicoSeconds(1));
  if (message.kind != ServingMessage::Kind::kKv)
    return machine_.Arrived(message, at + prices_.ControlTime(message.from, message.to));
  const std::vector<NodeId>& from = plan_.instances[message.from].gpus;
  const std::vector<NodeId>& to = plan_.instances[message.to].gpus;
  const KvShare share = plan_.SharesOf(message.from, message.to)[message.share];
  const std::int64_t bytes = plan_.UnitBytes(
      share,
      {requests_[message.request].input, message.tokens_there(), message.begin, message.end});
  const Time there = at + prices_.TransferTime(from[share.from], to[share.to], bytes);
  sent_ += bytes;
  machine_.Arrived(message, there);
  machine_.Left(message, there);
}

void PricedServing::BeginStep(std::uint32_t instance, const StepOrder& order) {
  const Time collectives = plan_.instances[instance].collectives.TimeOf(order.tokens);
  machine_.StepEnded(instance, order.at + order.computing + collectives);
}

}  // namespace heddle
