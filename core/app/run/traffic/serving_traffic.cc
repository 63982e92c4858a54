// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/traffic/serving_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/app/run/serving/priced_outcome.h"
#include "core/app/run/serving/serving_tables.h"
#include "core/app/run/serving/serving_text.h"
#include "core/app/run/traffic/waiting_gpus.h"
#include "core/base/check.h"
#include "core/mpi/gather_records.h"
#include "core/serving/serving_messages.h"
#include "topology/graph/nvlink_groups.h"

namespace heddle {
namespace {

/// Throws UserError.
void CheckServingRun(const RunInput& input, const Backend& backend) {
  if (backend.measures() || backend.carries_collectives())
    throw UserError(
        "--serve: this backend carries no messages between instances. Expected: --backend packet "
        "or --backend flow");
  if (input.transport.controller.enabled)
    throw UserError(
        "--serve: the central controller gives no paths to messages of instances. Expected: "
        "controller.enable=false");
}

/// A length and its number.
struct Gap {
  std::int64_t length = 0, count = 0;
};

}  // namespace

ServingTraffic::ServingTraffic(const RunInput& input, const Backend& backend,
                               const Recording& recording)
    : input_(input),
      driver_(input.serving->plan, input.serving->requests, input.transport.send_latency,
              NvLinkGroups(*input.graph)) {
  CheckServingRun(input, backend);
  if (driver_.FindDivided(input.domains.domain_of).valid())
    throw UserError(
        "--serve: --lookahead divides GPUs that NVSwitches join. Expected: --lookahead 0ns, or a "
        "time above the delay of NVLinks");
  const std::vector<InstancePlan>& instances = input.serving->plan.instances;
  if (std::any_of(instances.begin(), instances.end(),
                  [](const InstancePlan& of) { return of.sends_in_steps(); }))
    predicted_ = ServeByPrices(*input.serving, *input.graph).totals;
  ForEachMessage([&](NodeId, NodeId, std::int64_t bytes, std::uint64_t count) {
    messages_ += static_cast<double>(count);
    plan_.payload.count += bytes * static_cast<std::int64_t>(count);
  });
  const MessageSplit split = backend.split();
  plan_.flows = static_cast<std::int64_t>(messages_) * split.queue_pairs;
  // What is rejected, or ends with its first token, sends nothing; steps are as many as they are.
  plan_.may_be_fewer = true;
  plan_.kept_flows = recording.SampleOf(static_cast<std::uint64_t>(plan_.flows));
}

void ServingTraffic::ForEachMessage(const TrafficVisit& visit) {
  ForEachServingMessage(input_.serving->plan, input_.serving->requests, visit);
  ForEachStepMessage(input_.serving->plan, predicted_, visit);
}

// How many transfers are under way at once depends on times; they are short beside steps.
std::optional<double> ServingTraffic::OpenMessages() {
  constexpr double kOpenOfInstance = 16;
  double shares = 0;
  for (const InstancePlan& instance : input_.serving->plan.instances) {
    const auto gpus = static_cast<double>(instance.gpus.size());
    shares += kOpenOfInstance * gpus;
    if (!instance.sends_in_steps()) continue;
    std::uint32_t most = 0;
    instance.collectives.ForEachKind([&](StepOperation operation, std::uint32_t) {
      most = std::max(most, instance.collectives.MessagesOf(operation));
    });
    shares += most * gpus;
  }
  return std::min(messages_, shares);
}

TrafficProgress ServingTraffic::ProgressAt(const TrafficMeasure& measure) const {
  const std::int64_t expected = std::max<std::int64_t>(plan_.flows, 1);
  return {measure.goes_on ? std::min(measure.books.flows_finished, expected - 1) : expected,
          expected};
}

bool ServingTraffic::Unfinished(const Communicator& world, const DomainBooks& /*books*/) const {
  return world.Sum(static_cast<std::int64_t>(driver_.open())) > 0;
}

Time ServingTraffic::EndOfWork(const Communicator& world, Time /*fabric*/) const {
  return Time{world.Max(driver_.end().ps)};
}

std::string ServingTraffic::Waiting(const Communicator& world) const {
  const auto mine = driver_.Waiting(~std::size_t{0});
  const std::int64_t open = world.Sum(static_cast<std::int64_t>(mine.size()));
  const std::string head =
      fmt::format("{} instance{} with requests that did not end:", open, open == 1 ? "" : "s");
  return head + GatherLines(world, driver_.Waiting(kMostWaiting), open);
}

ServingRecords ServingTraffic::Gather(const Communicator& world) const {
  driver_.CheckBlocks();
  std::vector<Gap> gaps;
  for (const auto& [length, count] : driver_.gaps()) gaps.push_back({length, count});
  ServingRecords all;
  all.records = GatherRecords(world, driver_.records());
  all.totals = GatherRecords(world, driver_.totals());
  for (const Gap& gap : GatherRecords(world, gaps)) all.gaps[gap.length] += gap.count;
  all.sent_bytes = world.Sum(driver_.sent_bytes());
  all.step_bytes = world.Sum(driver_.step_bytes());
  return all;
}

std::string ServingTraffic::Summary(const Communicator& world) const {
  ServingRecords records = Gather(world);
  if (!world.is_root()) return "";
  return ServingText(OutcomeOf(*input_.serving, std::move(records)));
}

std::string ServingTraffic::FiguresJson(const Communicator& world) const {
  ServingRecords records = Gather(world);
  if (!world.is_root()) return "";
  return JsonText(ServingFiguresJson(OutcomeOf(*input_.serving, std::move(records))));
}

std::vector<Table> ServingTraffic::Tables(const Communicator& world) const {
  ServingRecords records = Gather(world);
  if (!world.is_root()) return {};
  return ServingTables(OutcomeOf(*input_.serving, std::move(records)));
}

}  // namespace heddle
