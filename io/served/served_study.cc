// SPDX-License-Identifier: GPL-2.0-only
#include "io/served/served_study.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/base/table.h"
#include "io/result/result_reader.h"

namespace heddle {
namespace {

using Times = std::vector<std::int64_t>;
using Numbers = std::vector<std::uint32_t>;

/// The time between two moments; 0 if one did not come.
std::int64_t Span(std::int64_t from, std::int64_t to) { return from < 0 || to < 0 ? 0 : to - from; }

/// A sum that wraps, as damaged files may have any numbers.
std::int64_t WrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::vector<ServedRequest> RequestsOf(const Table& table) {
  const auto& state = GetColumn<std::string>(table, "state");
  const auto numbers = [&](const char* name) -> const Numbers& {
    return GetColumn<std::uint32_t>(table, name);
  };
  const auto times = [&](const char* name) -> const Times& {
    return GetColumn<std::int64_t>(table, name);
  };
  const Times &arrival = times("arrival_ps"), &begun = times("begun_ps"),
              &computed = times("computed_ps"), &granted = times("granted_ps"),
              &arrived = times("kv_arrived_ps"), &first = times("first_token_ps"),
              &last = times("last_token_ps");
  std::vector<ServedRequest> found;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (state[i] != "finished") continue;
    ServedRequest one;
    one.request = numbers("request")[i];
    one.input = numbers("input_tokens")[i];
    one.output = numbers("output_tokens")[i];
    one.entry = numbers("entry")[i];
    one.decoder = numbers("decoder")[i];
    one.arrival = arrival[i];
    one.kv_arrived = arrived[i];
    one.ttft = Span(arrival[i], first[i]);
    one.e2el = Span(arrival[i], last[i]);
    one.parts = {Span(arrival[i], begun[i]), Span(begun[i], computed[i]), 0, 0, 0};
    // A first token that the prefill instance passes on waits for nothing more.
    if (arrived[i] >= 0 && first[i] > arrived[i]) {
      const std::int64_t room = std::max(computed[i], granted[i]);  // granted before: no wait
      one.parts[2] = Span(computed[i], room);
      one.parts[3] = Span(room, arrived[i]);
      one.parts[4] = Span(arrived[i], first[i]);
    }
    found.push_back(one);
  }
  return found;
}

bool HasColumn(const Table& table, const char* name) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const Column& column) { return column.name == name; });
}

/// Results before version 3.14 have no columns of this.
std::vector<ServedCache> CachesOf(const Table& table, const std::vector<std::string>& pools) {
  if (!HasColumn(table, "cached_tokens")) return {};
  std::vector<ServedCache> caches;
  for (const std::string& pool : pools) caches.push_back({pool, 0, 0, 0});
  const auto add = [&](std::uint32_t instance, std::uint32_t prompt, std::uint32_t cached) {
    if (instance >= caches.size()) return;
    ++caches[instance].requests;
    caches[instance].prompts += prompt;
    caches[instance].cached += cached;
  };
  const Numbers &input = GetColumn<std::uint32_t>(table, "input_tokens"),
                &entry = GetColumn<std::uint32_t>(table, "entry"),
                &decoder = GetColumn<std::uint32_t>(table, "decoder"),
                &cached = GetColumn<std::uint32_t>(table, "cached_tokens"),
                &unsent = GetColumn<std::uint32_t>(table, "unsent_tokens");
  const Times &begun = GetColumn<std::int64_t>(table, "begun_ps"),
              &granted = GetColumn<std::int64_t>(table, "granted_ps");
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (begun[i] >= 0) add(entry[i], input[i], cached[i]);
    if (granted[i] >= 0) add(decoder[i], input[i], unsent[i]);
  }
  return caches;
}

/// What flows say of the share that came last, by the GPU and the time of its arrival.
using Arrivals = std::map<std::pair<std::uint32_t, std::int64_t>, std::size_t>;

/// GPUs by instance.
std::vector<Numbers> GpusOf(const Table& table, std::size_t instances) {
  std::vector<Numbers> gpus(instances);
  const Numbers& instance = GetColumn<std::uint32_t>(table, "instance");
  const Numbers& gpu = GetColumn<std::uint32_t>(table, "gpu");
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    if (instance[i] < instances) gpus[instance[i]].push_back(gpu[i]);
  }
  return gpus;
}

void FindFlows(const Table& flows, const std::vector<Numbers>& gpus,
               std::vector<ServedRequest>* requests) {
  const Numbers& source = GetColumn<std::uint32_t>(flows, "src");
  const Numbers& destination = GetColumn<std::uint32_t>(flows, "dst");
  const Times &start = GetColumn<std::int64_t>(flows, "start_ps"),
              &received = GetColumn<std::int64_t>(flows, "received_ps"),
              &fct = GetColumn<std::int64_t>(flows, "fct_ps"),
              &ideal = GetColumn<std::int64_t>(flows, "ideal_ps");
  // With flow.completion=acked a share counts when its sender knows: both times lead to it.
  Arrivals at;
  for (std::size_t i = 0; i < start.size(); ++i) {
    at[{destination[i], received[i]}] = i;
    at[{destination[i], WrappingSum(start[i], fct[i])}] = i;
  }
  for (ServedRequest& one : *requests) {
    if (one.decoder >= gpus.size()) continue;
    for (const std::uint32_t gpu : gpus[one.decoder]) {
      const auto found = at.find({gpu, one.kv_arrived});
      if (found == at.end()) continue;
      const std::size_t flow = found->second;
      one.source = source[flow];
      one.destination = destination[flow];
      one.lost = Span(ideal[flow], std::max(fct[flow], ideal[flow]));
    }
  }
}

}  // namespace

ServedPart ServedRequest::longest() const {
  const auto found = std::max_element(parts.begin(), parts.end());
  return static_cast<ServedPart>(found - parts.begin());
}

std::size_t ServedStudy::slowest() const {
  constexpr std::size_t kHundredth = 100;
  return (finished.size() + kHundredth - 1) / kHundredth;
}

ServedMeans MeansOf(const ServedStudy& study, std::size_t count) {
  ServedMeans means;
  for (std::size_t i = 0; i < count; ++i) {
    const ServedRequest& one = study.finished[i];
    for (std::size_t part = 0; part < kServedParts; ++part)
      means.parts[part] += static_cast<double>(one.parts[part]) / static_cast<double>(count);
    means.ttft += static_cast<double>(one.ttft) / static_cast<double>(count);
    if (one.lost < 0) continue;
    ++means.known;
    means.lost += static_cast<double>(one.lost);
  }
  if (means.known > 0) means.lost /= static_cast<double>(means.known);
  return means;
}

ServedStudy StudyServed(const std::string& path) {
  const ResultReader reader(path);
  if (!reader.HasTable("serving/requests"))
    FailInput({path, 0}, "no requests", "a result of heddle serve, or of heddle run --serve");
  const Table table = reader.ReadTable("serving/requests");
  ServedStudy study;
  study.file = path;
  study.requests = static_cast<std::int64_t>(reader.CountRows("serving/requests"));
  study.finished = RequestsOf(table);
  study.pools = GetColumn<std::string>(reader.ReadTable("serving/instances"), "pool");
  study.caches = CachesOf(table, study.pools);
  const std::vector<Numbers> gpus = GpusOf(reader.ReadTable("serving/gpus"), study.pools.size());
  if (reader.HasTable("flows")) FindFlows(reader.ReadTable("flows"), gpus, &study.finished);
  std::sort(study.finished.begin(), study.finished.end(),
            [](const ServedRequest& a, const ServedRequest& b) {
              return a.ttft != b.ttft ? a.ttft > b.ttft : a.request < b.request;
            });
  return study;
}

}  // namespace heddle
