// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/failure_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/base/table.h"
#include "io/analysis/result_view.h"
#include "io/collisions/recorded_flows.h"
#include "topology/graph/node_names.h"

namespace heddle {
namespace {

[[noreturn]] void FailOtherTraffic(const std::string& other, const std::string& file,
                                   const std::string& what) {
  FailInput({other, 0}, fmt::format("other traffic than {}: {}", file, what),
            "the same run without --failures");
}

/// `end` and `other` are -1 of what did not end.
void AddOne(std::int64_t end, std::int64_t other, const std::function<std::string()>& name,
            LateOnes* sum) {
  if (other < 0) return;
  ++sum->compared;
  if (end < 0) {
    ++sum->unended;
    return;
  }
  sum->later += end > other;
  sum->earlier += end < other;
  if (end - other <= sum->most_ps) return;
  sum->most_ps = end - other;
  sum->most = name();
}

void AddAbsent(LateOnes* sum) {
  ++sum->compared;
  ++sum->absent;
}

/// The flows of a result in an order that two results of the same traffic share.
class OrderedFlows {
 public:
  /// By which a flow is known: ends, size and, in a workload, job, operation, channel and chunk.
  using Key = std::array<std::int64_t, 7>;

  explicit OrderedFlows(const ReportSource& source)
      : table_(source.reader().ReadTable("flows")),
        of_workload_(source.HasColumn("flows", "operation")),
        start_(GetColumn<std::int64_t>(table_, "start_ps")),
        fct_(GetColumn<std::int64_t>(table_, "fct_ps")) {
    ReadKeys();
    order_.resize(keys_.size());
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(keys_[a], start_[a], a) < std::tie(keys_[b], start_[b], b);
    });
  }

  std::size_t size() const { return order_.size(); }
  const Key& key(std::size_t i) const { return keys_[order_[i]]; }
  std::int64_t end(std::size_t i) const {
    const std::uint32_t row = order_[i];
    return fct_[row] < 0 ? -1 : start_[row] + fct_[row];
  }

 private:
  template <class T>
  void AddToKeys(std::size_t part, const char* column) {
    const auto& values = GetColumn<T>(table_, column);
    keys_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) keys_[i][part] = values[i];
  }

  void ReadKeys() {
    AddToKeys<std::uint32_t>(0, "src");
    AddToKeys<std::uint32_t>(1, "dst");
    AddToKeys<std::int64_t>(2, "size_bytes");
    if (!of_workload_) return;
    AddToKeys<std::uint16_t>(3, "job");
    AddToKeys<std::uint32_t>(4, "operation");
    AddToKeys<std::uint16_t>(5, "channel");
    AddToKeys<std::uint32_t>(6, "chunk");
  }

  Table table_;
  bool of_workload_;
  std::vector<Key> keys_;
  const std::vector<std::int64_t>&start_, &fct_;
  std::vector<std::uint32_t> order_;
};

void CompareFlows(const ReportSource& source, const ReportSource& other, FailureDifference* found) {
  const OrderedFlows here(source), there(other);
  const NodeNames names(source.graph());
  std::size_t j = 0;
  // What waits for a flow that does not end is not in its result.
  const auto skip = [&] {
    if (there.end(j) >= 0) AddAbsent(&found->flows);
    ++j;
  };
  for (std::size_t i = 0; i < here.size(); ++i, ++j) {
    while (j < there.size() && there.key(j) < here.key(i)) skip();
    const auto node = [&](std::size_t part) {
      return NodeId(static_cast<std::uint32_t>(here.key(i)[part]));
    };
    if (j == there.size() || there.key(j) != here.key(i)) {
      FailOtherTraffic(other.path(), source.path(),
                       fmt::format("it has no flow of {} B from GPU {} to GPU {}", here.key(i)[2],
                                   node(0).value, node(1).value));
    }
    found->last_end_ps = std::max(found->last_end_ps, here.end(i));
    AddOne(
        here.end(i), there.end(j), [&] { return names.Of(node(0)) + " to " + names.Of(node(1)); },
        &found->flows);
  }
  while (j < there.size()) skip();
  for (std::size_t i = 0; i < there.size(); ++i)
    found->other_last_end_ps = std::max(found->other_last_end_ps, there.end(i));
  found->has_flows = true;
}

void CompareCollectives(const ReportSource& source, const ReportSource& other,
                        FailureDifference* found) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  const Table here = source.reader().ReadTable("collectives");
  const Table there = other.reader().ReadTable("collectives");
  const auto keys = [](const Table& table) {
    return [&](std::size_t i) {
      return Key{GetColumn<std::uint32_t>(table, "job")[i],
                 GetColumn<std::uint32_t>(table, "operation")[i],
                 GetColumn<std::uint32_t>(table, "group")[i]};
    };
  };
  const auto& ends = GetColumn<std::int64_t>(there, "end_ps");
  std::map<Key, std::int64_t> end_of;
  for (std::size_t i = 0; i < ends.size(); ++i) end_of[keys(there)(i)] = ends[i];
  const auto& end = GetColumn<std::int64_t>(here, "end_ps");
  for (std::size_t i = 0; i < end.size(); ++i) {
    const auto same = end_of.find(keys(here)(i));
    if (same == end_of.end()) continue;  // of a sample
    const auto name = [&] {
      const auto text = [&](const char* column) { return GetColumn<std::string>(here, column)[i]; };
      return fmt::format("job {}: {} {} of {}, layer {}, group {}", std::get<0>(same->first),
                         text("phase"), text("op"), text("group_type"),
                         GetColumn<std::uint32_t>(here, "layer")[i], std::get<2>(same->first));
    };
    AddOne(end[i], same->second, name, &found->collectives);
  }
  found->has_collectives = true;
}

void CompareJobs(const ReportSource& source, const ReportSource& other, FailureDifference* found) {
  if (source.HasRows("jobs") != other.HasRows("jobs"))
    FailOtherTraffic(other.path(), source.path(), "one has jobs, the other has not");
  if (!source.HasRows("jobs")) return;
  const Table here = source.reader().ReadTable("jobs"), there = other.reader().ReadTable("jobs");
  const auto& job = GetColumn<std::uint32_t>(here, "job");
  const auto& name = GetColumn<std::string>(here, "name");
  if (name != GetColumn<std::string>(there, "name") ||
      GetColumn<std::uint32_t>(here, "gpus") != GetColumn<std::uint32_t>(there, "gpus"))
    FailOtherTraffic(other.path(), source.path(), "other jobs");
  const auto span = [](const Table& jobs, std::size_t i) {
    const std::int64_t end = GetColumn<std::int64_t>(jobs, "end_ps")[i];
    return end < 0 ? -1 : end - GetColumn<std::int64_t>(jobs, "start_ps")[i];
  };
  for (std::size_t i = 0; i < job.size(); ++i)
    found->jobs.push_back({job[i], name[i], span(here, i), span(there, i)});
}

}  // namespace

FailureDifference CompareFailures(const std::string& file, const std::string& other) {
  const ReportSource here(file), there(other);
  FailureDifference found;
  found.other = other;
  found.other_failed = there.HasRows("failures");
  CompareJobs(here, there, &found);
  const auto all_flows = [](const ReportSource& source) {
    return RecordedFlows(source.reader()) == "all" && source.HasRows("flows");
  };
  if (all_flows(here) && all_flows(there)) CompareFlows(here, there, &found);
  if (here.HasRows("collectives") && there.HasRows("collectives"))
    CompareCollectives(here, there, &found);
  if (found.jobs.empty() && !found.has_flows) {
    FailInput({other, 0}, "neither jobs nor all flows of both results are known",
              "runs with --record flows=all");
  }
  return found;
}

}  // namespace heddle
