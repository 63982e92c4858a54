// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/result_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/base/table.h"
#include "io/check/flow_digest.h"

namespace heddle {
namespace {

using Integers = std::vector<std::int64_t>;

const Integers& I64(const Table& table, const char* column) {
  return GetColumn<std::int64_t>(table, column);
}
const std::vector<std::uint32_t>& U32(const Table& table, const char* column) {
  return GetColumn<std::uint32_t>(table, column);
}
std::int64_t Sum(const Integers& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Adds a finding if two figures that should be equal are not.
void Expect(std::int64_t found, std::int64_t expected, const char* place, const char* what,
            const char* source, std::vector<Finding>* findings) {
  if (found != expected)
    findings->push_back(
        {place, fmt::format("{} {}. Expected: {}, {}", found, what, expected, source)});
}

/// The largest power of two that is not above `size`.
std::int64_t ClassOf(std::int64_t size) {
  std::int64_t from = 1;
  while (from <= size / 2) from *= 2;
  return from;
}

}  // namespace

void ResultTotals::Add(const Table& block) {
  if (block.name == "flows") AddFlows(block);
  if (block.name == "flow_sizes") AddSizes(block);
  if (block.name == "slowdown_histogram") AddSlowdowns(block);
  if (block.name == "fct_histogram") AddTimes(block);
  if (block.name == "drops") drops_ += Sum(I64(block, "packets"));
  if (block.name == "ports") sent_packets_ += Sum(I64(block, "sent_packets"));
  if (block.name == "run/ranks") {
    run_ranks_ += static_cast<std::int64_t>(U32(block, "rank").size());
    hops_of_ranks_ += Sum(I64(block, "packet_hops"));
  }
  if (block.name == "jobs") {
    const auto& job = U32(block, "job");
    for (std::size_t i = 0; i < job.size(); ++i) {
      gpus_of_job_[job[i]] = U32(block, "gpus")[i];
      end_of_job_[job[i]] = I64(block, "end_ps")[i];
    }
  }
  if (block.name == "ranks") {
    const auto& job = U32(block, "job");
    const Integers& end = I64(block, "end_ps");
    for (std::size_t i = 0; i < job.size(); ++i) {
      auto [at, is_first] = end_of_ranks_.try_emplace(job[i], end[i]);
      if (!is_first) at->second = at->second < 0 || end[i] < 0 ? -1 : std::max(at->second, end[i]);
      ++ranks_of_job_[job[i]];
    }
  }
}

void ResultTotals::AddFlows(const Table& flows) {
  const Integers& size = I64(flows, "size_bytes");
  const Integers& start = I64(flows, "start_ps");
  const Integers& fct = I64(flows, "fct_ps");
  const Integers& received = I64(flows, "received_ps");
  const Integers& ideal = I64(flows, "ideal_ps");
  const auto& state = GetColumn<std::uint8_t>(flows, "state");
  for (std::size_t i = 0; i < size.size(); ++i)
    AddRow(size[i], start[i], fct[i], received[i], ideal[i], state[i]);
  digest_ += DigestOfFlowRows(flows);
}

void ResultTotals::AddRow(std::int64_t size, std::int64_t start, std::int64_t fct,
                          std::int64_t received, std::int64_t ideal, std::uint8_t state) {
  ++rows_;
  if ((fct >= 0) != (state == 0)) ++other_state_;
  if (received >= 0) latest_ps_ = std::max(latest_ps_, start + received);
  if (fct < 0) return;
  ++finished_;
  if (received < 0 || received > fct) ++received_late_;
  latest_ps_ = std::max(latest_ps_, start + fct);
  longest_fct_ps_ = std::max(longest_fct_ps_, fct);
  SizeClass& of = from_flows_[ClassOf(size)];
  ++of.flows;
  of.bytes += size;
  of.longest_ps = std::max(of.longest_ps, fct);
  if (ideal > 0) ++of.slowdowns;
}

void ResultTotals::AddSizes(const Table& sizes) {
  const Integers& from = I64(sizes, "from_bytes");
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::int64_t last = from_table_.empty() ? 0 : from_table_.rbegin()->second.to;
    SizeClass& of = from_table_[from[i]];
    of = {I64(sizes, "to_bytes")[i], I64(sizes, "flows")[i], I64(sizes, "bytes")[i],
          I64(sizes, "fct_max_ps")[i]};
    if (of.to <= from[i] || from[i] < last) ++ill_bins_;
  }
}

void ResultTotals::AddSlowdowns(const Table& bins) {
  const Integers& size = I64(bins, "from_bytes");
  const auto& from = GetColumn<double>(bins, "slowdown_from");
  const auto& to = GetColumn<double>(bins, "slowdown_to");
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (to[i] <= from[i] ||
        (size[i] == last_slowdown_bin_.first && from[i] < last_slowdown_bin_.second))
      ++ill_bins_;
    last_slowdown_bin_ = {size[i], to[i]};
    in_slowdowns_[size[i]] += I64(bins, "flows")[i];
  }
}

void ResultTotals::AddTimes(const Table& bins) {
  const Integers& from = I64(bins, "fct_from_ps");
  const Integers& to = I64(bins, "fct_to_ps");
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i] <= from[i] || from[i] < last_time_bin_) ++ill_bins_;
    last_time_bin_ = to[i];
  }
  in_times_ += Sum(I64(bins, "flows"));
}

void ResultTotals::Check(const StatedTotals& stated, std::vector<Finding>* findings) const {
  CheckFlows(stated, findings);
  CheckHistograms(stated, findings);
  CheckJobs(findings);
  Expect(sent_packets_, stated.packet_hops, "/ports/sent_packets", "in all",
         "the attribute packet_hops", findings);
  Expect(hops_of_ranks_, stated.packet_hops, "/run/ranks/packet_hops", "in all",
         "the attribute packet_hops", findings);
  Expect(run_ranks_, stated.ranks, "/run/ranks", "rows", "the attribute ranks of /run", findings);
}

void ResultTotals::CheckFlows(const StatedTotals& stated, std::vector<Finding>* findings) const {
  const auto add = [&](const char* place, std::string text) {
    findings->push_back({place, std::move(text)});
  };
  if (other_state_ > 0) {
    add("/flows/state",
        fmt::format(
            "{} flows contradict fct_ps. Expected: 0 where fct_ps is 0 or more, and only there",
            other_state_));
  }
  if (received_late_ > 0) {
    add("/flows/received_ps",
        fmt::format("{} finished flows arrived never or after fct_ps. Expected: 0 to fct_ps",
                    received_late_));
  }
  if (latest_ps_ > stated.simulated_ps) {
    add("/flows", fmt::format("a flow ends at {} ps. Expected: at most simulated_ps, {}",
                              latest_ps_, stated.simulated_ps));
  }
  if (stated.flows_finished > stated.flows_planned) {
    add("attribute flows_finished", fmt::format("{}. Expected: at most flows_planned, {}",
                                                stated.flows_finished, stated.flows_planned));
  }
  if (rows_ - finished_ > stated.flows_planned - stated.flows_finished) {
    add("/flows",
        fmt::format("{} unfinished flows. Expected: at most {}, flows_planned less flows_finished",
                    rows_ - finished_, stated.flows_planned - stated.flows_finished));
  }
  const char* source = "the attribute flows_finished";
  if (stated.flows_recorded == "all")
    Expect(finished_, stated.flows_finished, "/flows", "finished flows", source, findings);
  if (stated.flows_recorded == "none")
    Expect(finished_, 0, "/flows", "finished flows", "as flows_recorded is none", findings);
  if (finished_ > stated.flows_finished && stated.flows_recorded != "all") {
    add("/flows", fmt::format("{} finished flows. Expected: at most flows_finished, {}", finished_,
                              stated.flows_finished));
  }
}

void ResultTotals::CheckHistograms(const StatedTotals& stated,
                                   std::vector<Finding>* findings) const {
  std::int64_t in_sizes = 0;
  for (const auto& [from, of] : from_table_) in_sizes += of.flows;
  const char* source = "the attribute flows_finished";
  Expect(in_sizes, stated.flows_finished, "/flow_sizes/flows", "in all", source, findings);
  Expect(in_times_, stated.flows_finished, "/fct_histogram/flows", "in all", source, findings);
  if (ill_bins_ > 0) {
    findings->push_back({"/flow_sizes, /slowdown_histogram or /fct_histogram",
                         fmt::format("{} rows end before they begin or overlap with the row "
                                     "before. Expected: intervals apart",
                                     ill_bins_)});
  }
  CheckSlowdowns(stated, findings);
  if (stated.flows_recorded == "all" && InClassesOfTable() != from_table_) {
    findings->push_back(
        {"/flow_sizes",
         "other flows, bytes or fct_max_ps than the rows of /flows make. Expected: the same"});
  }
}

/// On the fastest possible link a flow of this size takes nanoseconds, so it has an ideal time if
/// it had a path at its start [byte].
constexpr std::int64_t kTimedBytes = 1 << 16;

/// A flow without an ideal time has no slowdown. Which of the small flows have none is known only
/// for flows with rows.
void ResultTotals::CheckSlowdowns(const StatedTotals& stated,
                                  std::vector<Finding>* findings) const {
  const SizeClasses rows = InClassesOfTable();
  SizeClasses classes = from_table_;
  for (const auto& [from, flows] : in_slowdowns_) classes[from];  // /flow_sizes may lack it
  for (const auto& [from, of] : classes) {
    const auto bins = in_slowdowns_.find(from);
    const auto row = rows.find(from);
    const std::int64_t found = bins == in_slowdowns_.end() ? 0 : bins->second;
    const bool timed = from >= kTimedBytes && !stated.failures && !stated.measured;
    const std::int64_t least = timed ? of.flows : row == rows.end() ? 0 : row->second.slowdowns;
    const std::int64_t most = stated.flows_recorded == "all" ? least : of.flows;
    if (found >= least && found <= most) continue;
    findings->push_back(
        {"/slowdown_histogram",
         fmt::format("{} flows of {} bytes and more. Expected: {}", found, from,
                     least == most
                         ? fmt::format("{}, those with an ideal_ps in /flows", most)
                         : fmt::format("{} to {}, those with an ideal_ps", least, most))});
    break;
  }
}

/// The rows of /flows in the size classes of the file; rows in none of them keep a class of their
/// own.
ResultTotals::SizeClasses ResultTotals::InClassesOfTable() const {
  SizeClasses result;
  for (const auto& [size, of] : from_flows_) {
    auto at = from_table_.upper_bound(size);
    const bool inside = at != from_table_.begin() && std::prev(at)->second.to > size;
    SizeClass& sum = result[inside ? std::prev(at)->first : size];
    sum.flows += of.flows;
    sum.bytes += of.bytes;
    sum.longest_ps = std::max(sum.longest_ps, of.longest_ps);
    sum.slowdowns += of.slowdowns;
  }
  return result;
}

void ResultTotals::CheckJobs(std::vector<Finding>* findings) const {
  for (const auto& [job, gpus] : gpus_of_job_) {
    const auto ranks = ranks_of_job_.find(job);
    const std::uint32_t found = ranks == ranks_of_job_.end() ? 0 : ranks->second;
    if (found != gpus) {
      findings->push_back(
          {"/ranks",
           fmt::format("{} rows of job {}. Expected: {}, its gpus in /jobs", found, job, gpus)});
    } else if (gpus > 0 && end_of_ranks_.at(job) != end_of_job_.at(job)) {
      findings->push_back(
          {"/jobs/end_ps", fmt::format("{} of job {}. Expected: {}, the end of its last rank in "
                                       "/ranks, or -1 if one did not end",
                                       end_of_job_.at(job), job, end_of_ranks_.at(job))});
    }
  }
}

}  // namespace heddle
