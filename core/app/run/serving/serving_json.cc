// SPDX-License-Identifier: GPL-2.0-only
#include <cmath>

#include "core/app/run/serving/serving_text.h"
#include "core/options/enum_words.h"

namespace heddle {
namespace {

constexpr int kServeSchema = 1;

OrderedJson DistributionJson(const Latencies& of) {
  if (of.count == 0) return nullptr;
  return {{"count", of.count},
          {"mean_ps", std::llround(of.mean)},
          {"p50_ps", std::llround(of.p50)},
          {"p90_ps", std::llround(of.p90)},
          {"p99_ps", std::llround(of.p99)},
          {"most_ps", std::llround(of.most)}};
}

PrintedColumns<PoolTotals> PoolColumns() {
  using Pool = PoolTotals;
  return {{"name", &Pool::name},
          {"role", [](const Pool& pool) { return ToText(pool.role); }},
          {"instances", &Pool::instances},
          {"gpus_per_instance", &Pool::gpus},
          {"blocks_per_instance", &Pool::blocks},
          {"busy_share", &Pool::busy},
          {"collectives_share", &Pool::collectives},
          {"steps", &Pool::steps},
          {"computed_tokens", &Pool::computed},
          {"generated_tokens", &Pool::generated},
          {"preempted", &Pool::preempted},
          {"most_blocks", &Pool::most_blocks},
          {"cached_tokens", &Pool::cached}};
}

/// A request with its number, for columns.
struct RequestRow {
  const ServingOutcome& outcome;
  std::size_t number;

  const RequestTimes& times() const { return outcome.times[number]; }
  const ServingRequest& request() const { return outcome.input.requests[number]; }
};

PrintedColumn<RequestRow> TimeColumn(const char* key, Time RequestTimes::*time) {
  return {key, [time](const RequestRow& row) { return NullIfNegative((row.times().*time).ps); }};
}

PrintedColumns<RequestRow> RequestColumns() {
  using Row = RequestRow;
  return {{"request", [](const Row& row) { return row.number; }},
          {"state", [](const Row& row) { return ToText(row.times().state); }},
          {"input_tokens", [](const Row& row) { return row.request().input; }},
          {"output_tokens", [](const Row& row) { return row.request().output; }},
          {"entry", [](const Row& row) { return row.times().entry; }},
          {"decoder",
           [](const Row& row) {
             return NullUnless(row.times().state == RequestState::kFinished, row.times().decoder);
           }},
          {"arrival_ps", [](const Row& row) { return row.request().arrival.ps; }},
          TimeColumn("begun_ps", &RequestTimes::begun),
          TimeColumn("computed_ps", &RequestTimes::computed),
          TimeColumn("granted_ps", &RequestTimes::granted),
          TimeColumn("sending_ps", &RequestTimes::sending),
          TimeColumn("kv_arrived_ps", &RequestTimes::arrived),
          TimeColumn("first_token_ps", &RequestTimes::first),
          TimeColumn("last_token_ps", &RequestTimes::last),
          {"preempted", [](const Row& row) { return row.times().preempted; }},
          {"cached_tokens", [](const Row& row) { return row.times().cached; }},
          {"unsent_tokens", [](const Row& row) { return row.times().unsent; }}};
}

}  // namespace

OrderedJson ServingJson(const ServingOutcome& outcome) {
  OrderedJson document = JsonDocument("serve", kServeSchema);
  document.update(ServingFiguresJson(outcome));
  return document;
}

OrderedJson ServingFiguresJson(const ServingOutcome& outcome) {
  OrderedJson document = OrderedJson::object();
  const ServingFigures& figures = outcome.figures;
  document["model"] = outcome.input.plan.model.name;
  document["gpu"] = outcome.input.deployment.gpu.name;
  document["requests_source"] = outcome.input.source;
  document["transfers"] = outcome.input.backend.empty() ? "closed-form" : outcome.input.backend;
  document["router"] = ToText(outcome.input.plan.router);
  document["prefix_cache"] = outcome.input.deployment.prefix_cache;
  document["requests"] = figures.requests;
  document["finished"] = figures.finished;
  document["rejected"] = figures.rejected;
  document["input_tokens"] = figures.input_tokens;
  document["output_tokens"] = figures.output_tokens;
  document["preempted"] = figures.preempted;
  const CachedTokens tokens = CachedOf(outcome);
  document["prompt_tokens"] = tokens.prompts;
  document["cached_tokens"] = tokens.cached;
  document["unsent_tokens"] = tokens.unsent;
  document["begin_ps"] = figures.begin.ps;
  document["end_ps"] = figures.end.ps;
  document["kv_sent_bytes"] = outcome.sent_bytes;
  document["step_sent_bytes"] = outcome.step_bytes;
  document["good"] = outcome.input.slo.any() ? OrderedJson(outcome.good) : OrderedJson(nullptr);
  const std::pair<const char*, const Latencies&> all[] = {
      {"ttft", figures.ttft}, {"tpot", figures.tpot},        {"itl", figures.itl},
      {"e2el", figures.e2el}, {"queue", figures.queue},      {"prefill", figures.prefill},
      {"room", figures.room}, {"transfer", figures.transfer}};
  for (const auto& [key, distribution] : all) document[key] = DistributionJson(distribution);
  document["pools"] = PrintedList(PoolColumns(), TotalsOfPools(outcome));
  return document;
}

std::string ServingCsv(const ServingOutcome& outcome) {
  const PrintedColumns<RequestRow> columns = RequestColumns();
  std::string text = PrintedCsvHead(columns);
  for (std::size_t i = 0; i < outcome.input.requests.size(); ++i)
    text += PrintedCsvLine(columns, RequestRow{outcome, i});
  return text;
}

}  // namespace heddle
