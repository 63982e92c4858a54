// SPDX-License-Identifier: GPL-2.0-only
#include "io/links/link_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "core/records/flow_vocabulary.h"
#include "io/analysis/controller_join.h"
#include "io/collisions/flow_paths.h"

namespace heddle {

LinkTimes::LinkTimes(const ReportSource& source, std::optional<Time> at)
    : flows_(source.reader().ReadTable("flows")), end_ps_(source.end_ps()) {
  Sort(source, at);
  uses_.resize(first_.size() - 1);
  for (std::size_t link = 0; link < uses_.size(); ++link)
    uses_[link] = UseOf(first_[link], first_[link + 1]);
}

void LinkTimes::Sort(const ReportSource& source, std::optional<Time> at) {
  const auto& start = GetColumn<std::int64_t>(flows_, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(flows_, "fct_ps");
  const auto& state = GetColumn<std::uint8_t>(flows_, "state");
  Table requests, reserved;
  if (source.HasRows(kRequestTable)) requests = source.reader().ReadTable(kRequestTable);
  if (source.HasRows(kPathTable)) reserved = source.reader().ReadTable(kPathTable);
  const bool controlled = !requests.columns.empty() && !reserved.columns.empty();
  const FlowLanes lanes(source.graph(), source.root());
  const FlowPathSource paths(source.graph(), flows_, controlled ? &requests : nullptr,
                             controlled ? &reserved : nullptr, &lanes);
  std::vector<HopIndex> own;
  const PortLists lists =
      paths.Trace(RoutesOfResult(source.graph(), source.reader()), source.numbers(), &own);
  const auto is_under_way = [&](std::size_t row) {
    if (static_cast<FlowState>(state[row]) == FlowState::kNotStarted) return false;
    const std::int64_t end = fct[row] < 0 ? end_ps_ : start[row] + fct[row];
    return !at || (start[row] <= at->ps && at->ps < end);
  };
  std::vector<std::uint32_t> order;
  for (std::uint32_t row = 0; row < start.size(); ++row) {
    if (is_under_way(row)) order.push_back(row);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return start[a] < start[b]; });
  first_.assign(source.numbers().count() + std::size_t{1}, 0);
  for (const std::uint32_t row : order) {
    ++first_[own[row] + std::size_t{1}];
    for (const HopIndex hop : lists[row]) ++first_[hop + std::size_t{1}];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  rows_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const std::uint32_t row : order) {
    rows_[next[own[row]]++] = row;
    for (const HopIndex hop : lists[row]) rows_[next[hop]++] = row;
  }
}

LinkTimes::Use LinkTimes::UseOf(std::size_t first, std::size_t last) const {
  const auto& start = GetColumn<std::int64_t>(flows_, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(flows_, "fct_ps");
  Use use;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends;
  std::int64_t until = 0;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t row = rows_[i];
    const std::int64_t end = fct[row] < 0 ? std::max(end_ps_, start[row]) : start[row] + fct[row];
    use.busy_ps += std::max<std::int64_t>(0, end - std::max(start[row], until));
    until = std::max(until, end);
    while (!ends.empty() && ends.top() <= start[row]) ends.pop();
    ends.push(end);
    ++use.flows;
    use.at_once = std::max(use.at_once, static_cast<std::int64_t>(ends.size()));
  }
  return use;
}

void LinkTimes::ForEachFlow(
    HopIndex link, std::size_t bins,
    const std::function<void(std::size_t, std::size_t, const std::vector<double>&)>& visit) const {
  const auto& start = GetColumn<std::int64_t>(flows_, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(flows_, "fct_ps");
  const auto& size = GetColumn<std::int64_t>(flows_, "size_bytes");
  const double width = static_cast<double>(end_ps_) / static_cast<double>(bins);
  std::vector<double> bytes;
  for (std::size_t i = first_[link]; i < first_[link + std::size_t{1}]; ++i) {
    const std::uint32_t row = rows_[i];
    if (start[row] >= end_ps_) continue;
    const auto from = static_cast<double>(std::max<std::int64_t>(0, start[row]));
    const std::int64_t end = fct[row] < 0 ? end_ps_ : std::min(end_ps_, start[row] + fct[row]);
    const double to = std::max(static_cast<double>(end), from + 1);
    const auto bin_of = [&](double time) {
      return std::min(bins - 1, static_cast<std::size_t>(time / width));
    };
    const std::size_t first = bin_of(from);
    std::size_t last = std::max(first, bin_of(to));
    if (last > first && static_cast<double>(last) * width >= to) --last;  // ends where it begins
    const double rate = static_cast<double>(size[row]) / (to - from);
    bytes.clear();
    for (std::size_t bin = first; bin <= last; ++bin) {
      const double edge = bin == last ? to : static_cast<double>(bin + 1) * width;
      const double begin = bin == first ? from : static_cast<double>(bin) * width;
      bytes.push_back(rate * std::max(0.0, edge - begin));
    }
    visit(row, first, bytes);
  }
}

std::vector<double> LinkTimes::BytesOver(HopIndex link, std::size_t bins) const {
  std::vector<double> sums(bins);
  ForEachFlow(link, bins, [&](std::size_t, std::size_t first, const std::vector<double>& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) sums[first + i] += bytes[i];
  });
  return sums;
}

std::vector<LinkUser> LinkTimes::UsersOf(HopIndex link, const NodeNames& names,
                                         std::size_t most) const {
  const auto& src = GetColumn<std::uint32_t>(flows_, "src");
  const auto& dst = GetColumn<std::uint32_t>(flows_, "dst");
  const auto& size = GetColumn<std::int64_t>(flows_, "size_bytes");
  std::map<std::pair<std::uint32_t, std::uint32_t>, LinkUser> pairs;
  for (std::size_t i = first_[link]; i < first_[link + std::size_t{1}]; ++i) {
    const std::uint32_t row = rows_[i];
    LinkUser& user = pairs[{src[row], dst[row]}];
    ++user.flows;
    user.bytes += size[row];
  }
  std::vector<LinkUser> users;
  for (auto& [ends, user] : pairs) {
    user.name =
        fmt::format("{} to {}", names.Of(NodeId(ends.first)), names.Of(NodeId(ends.second)));
    users.push_back(std::move(user));
  }
  std::stable_sort(users.begin(), users.end(),
                   [](const LinkUser& a, const LinkUser& b) { return a.bytes > b.bytes; });
  if (users.size() > most) users.resize(most);
  return users;
}

}  // namespace heddle
