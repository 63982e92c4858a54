// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/serving_tables.h"

#include <utility>

#include "core/options/enum_words.h"

namespace heddle {
namespace {

/// Values of a column, one for each row.
template <class Value, class Rows, class Get>
std::vector<Value> ValuesOf(const Rows& rows, Get get) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(get(row));
  return values;
}

Column TimesOf(const char* name, const char* description, const std::vector<RequestTimes>& rows,
               Time RequestTimes::*time) {
  return {name, "ps", description,
          ValuesOf<std::int64_t>(rows, [&](const RequestTimes& row) { return (row.*time).ps; })};
}

/// By request: "kept" or "missed" the limits, or "none" without any.
std::vector<std::string> LevelsOf(const ServingOutcome& outcome) {
  const ServiceLevel& level = outcome.input.slo;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < outcome.times.size(); ++i) {
    const bool kept = KeepsLevel(outcome.input.requests[i], outcome.times[i], level);
    words.emplace_back(!level.any() ? "none" : kept ? "kept" : "missed");
  }
  return words;
}

Table RequestTable(const ServingOutcome& outcome) {
  const std::vector<RequestTimes>& rows = outcome.times;
  const ServingRequests& asked = outcome.input.requests;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < rows.size(); ++i) numbers.push_back(i);
  Table table{"serving/requests", "one row a request to a language model", {}};
  std::vector<Column>& columns = table.columns;
  columns.push_back({"request", "1", "its number, by arrival", std::move(numbers)});
  columns.push_back(
      {"state", "1", "what became of it", ValuesOf<std::string>(rows, [](const RequestTimes& row) {
         return std::string(ToText(row.state));
       })});
  columns.push_back({"input_tokens", "1", "of its prompt",
                     ValuesOf<std::uint32_t>(asked, [](const auto& one) { return one.input; })});
  columns.push_back({"output_tokens", "1", "of its answer",
                     ValuesOf<std::uint32_t>(asked, [](const auto& one) { return one.output; })});
  columns.push_back({"entry", "1", "instance that computes its prompt",
                     ValuesOf<std::uint32_t>(rows, [](const auto& row) { return row.entry; })});
  columns.push_back({"decoder", "1", "instance that computes its answer",
                     ValuesOf<std::uint32_t>(rows, [](const auto& row) { return row.decoder; })});
  columns.push_back(
      {"arrival_ps", "ps", "when it comes",
       ValuesOf<std::int64_t>(asked, [](const auto& one) { return one.arrival.ps; })});
  using Times = RequestTimes;
  columns.push_back(
      TimesOf("begun_ps", "its first step begins; -1: none did", rows, &Times::begun));
  columns.push_back(
      TimesOf("computed_ps", "its prompt is computed; -1: it is not", rows, &Times::computed));
  columns.push_back(TimesOf("granted_ps", "the decode instance has room for its KV; -1: not so",
                            rows, &Times::granted));
  columns.push_back(
      TimesOf("sending_ps", "its KV begins to leave; -1: it does not", rows, &Times::sending));
  columns.push_back(
      TimesOf("kv_arrived_ps", "its KV is there; -1: it is not", rows, &Times::arrived));
  columns.push_back(
      TimesOf("first_token_ps", "the user sees the first token; -1: not so", rows, &Times::first));
  columns.push_back(TimesOf("last_token_ps", "the user sees the last token so far; -1: none", rows,
                            &Times::last));
  columns.push_back({"preempted", "1", "times that its blocks were taken away",
                     ValuesOf<std::uint32_t>(rows, [](const auto& row) { return row.preempted; })});
  columns.push_back({"cached_tokens", "1",
                     "of its prompt, that the prefix cache had and that were not computed",
                     ValuesOf<std::uint32_t>(rows, [](const auto& row) { return row.cached; })});
  columns.push_back({"unsent_tokens", "1",
                     "of its prompt, that its decode instance had and that were not sent",
                     ValuesOf<std::uint32_t>(rows, [](const auto& row) { return row.unsent; })});
  columns.push_back({"slo", "1", "whether it kept the limits of --slo", LevelsOf(outcome)});
  return table;
}

Table InstanceTable(const ServingOutcome& outcome) {
  const std::vector<InstanceTotals>& rows = outcome.totals;
  const ServingPlan& plan = outcome.input.plan;
  const auto of = [&](const InstanceTotals& row) -> const InstancePlan& {
    return plan.instances[row.instance];
  };
  const auto number = [&](const char* name, const char* unit, const char* description,
                          std::int64_t InstanceTotals::*value) {
    return Column{name, unit, description,
                  ValuesOf<std::int64_t>(rows, [=](const auto& row) { return row.*value; })};
  };
  Table table{"serving/instances", "one row an instance of the model", {}};
  std::vector<Column>& columns = table.columns;
  columns.push_back({"instance", "1", "its number, in the order of the pools",
                     ValuesOf<std::uint32_t>(rows, [](const auto& row) { return row.instance; })});
  columns.push_back(
      {"pool", "1", "name of its pool",
       ValuesOf<std::string>(rows, [&](const auto& row) { return plan.pools[of(row).pool]; })});
  columns.push_back(
      {"role", "1", "what it computes", ValuesOf<std::string>(rows, [&](const auto& row) {
         return std::string(ToText(of(row).role));
       })});
  columns.push_back(
      {"first_gpu", "1", "its first GPU",
       ValuesOf<std::uint32_t>(rows, [&](const auto& row) { return of(row).gpus[0].value; })});
  columns.push_back(
      {"gpus", "1", "number of its GPUs", ValuesOf<std::uint32_t>(rows, [&](const auto& row) {
         return static_cast<std::uint32_t>(of(row).gpus.size());
       })});
  columns.push_back(
      {"blocks", "1", "of KV memory",
       ValuesOf<std::int64_t>(rows, [&](const auto& row) { return of(row).blocks; })});
  columns.push_back(number("most_blocks", "1", "taken at once", &InstanceTotals::most_blocks));
  columns.push_back(number("steps", "1", "that it computed", &InstanceTotals::steps));
  columns.push_back({"busy_ps", "ps", "time in steps",
                     ValuesOf<std::int64_t>(rows, [](const auto& row) { return row.busy.ps; })});
  columns.push_back(
      number("computed_tokens", "1", "those computed again included", &InstanceTotals::computed));
  columns.push_back(number("generated_tokens", "1", "of answers", &InstanceTotals::generated));
  columns.push_back(
      number("preempted", "1", "times that a request lost its blocks", &InstanceTotals::preempted));
  columns.push_back(number("cached_tokens", "1", "of prompts, that its prefix cache had",
                           &InstanceTotals::cached));
  return table;
}

Table GpuTable(const ServingPlan& plan) {
  std::vector<std::uint32_t> instances, ranks, gpus;
  for (std::uint32_t i = 0; i < plan.instances.size(); ++i) {
    for (std::uint32_t rank = 0; rank < plan.instances[i].gpus.size(); ++rank) {
      instances.push_back(i);
      ranks.push_back(rank);
      gpus.push_back(plan.instances[i].gpus[rank].value);
    }
  }
  Table table{"serving/gpus", "one row a GPU of an instance", {}};
  table.columns.push_back({"instance", "1", "instance that it is of", std::move(instances)});
  table.columns.push_back({"rank", "1", "its rank of tensor parallelism", std::move(ranks)});
  table.columns.push_back({"gpu", "1", "the GPU", std::move(gpus)});
  return table;
}

}  // namespace

std::vector<Table> ServingTables(const ServingOutcome& outcome) {
  return {RequestTable(outcome), InstanceTable(outcome), GpuTable(outcome.input.plan)};
}

}  // namespace heddle
