// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/fabric/link_carriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/table.h"

namespace heddle {
namespace {

/// What one user sent in one bin.
struct Carried {
  double bytes = 0;
  std::uint32_t flows = 0;
};

}  // namespace

LinkCarriers::LinkCarriers(const ReportSource& source, const LinkTimes& times, std::size_t bins)
    : source_(source), times_(times), bins_(bins) {
  kinds_.push_back("");  // flows of traces
  ReadKinds();
}

/// Names such as "job 0: fwd ALLTOALL of EP, layer 3 moe".
void LinkCarriers::ReadKinds() {
  if (!source_.HasRows("operations") || !source_.HasColumn("flows", "operation")) return;
  std::map<std::string, std::uint32_t> numbers;
  ForEachBlock(source_.reader(), "operations", {"job", "phase", "op", "group_type", "layer_name"},
               [&](const Table& block) {
                 const auto& job = GetColumn<std::uint32_t>(block, "job");
                 const auto& phase = GetColumn<std::string>(block, "phase");
                 const auto& op = GetColumn<std::string>(block, "op");
                 const auto& group = GetColumn<std::string>(block, "group_type");
                 const auto& layer = GetColumn<std::string>(block, "layer_name");
                 for (std::size_t i = 0; i < job.size(); ++i) {
                   const std::string name = fmt::format("job {}: {} {} of {}, {}", job[i], phase[i],
                                                        op[i], group[i], layer[i]);
                   const auto next = static_cast<std::uint32_t>(kinds_.size());
                   const auto [at, is_new] = numbers.try_emplace(name, next);
                   if (is_new) kinds_.push_back(name);
                   kind_of_operation_[job[i]].push_back(at->second);
                 }
               });
}

/// Operations are numbered on across passes.
std::uint32_t LinkCarriers::KindOf(std::size_t row) {
  if (kind_of_operation_.empty()) return 0;
  const auto of_job = kind_of_operation_.find(GetColumn<std::uint16_t>(times_.flows(), "job")[row]);
  if (of_job == kind_of_operation_.end()) return 0;
  const std::uint32_t operation = GetColumn<std::uint32_t>(times_.flows(), "operation")[row];
  return of_job->second[operation % of_job->second.size()];
}

std::uint32_t LinkCarriers::NodeOf(std::uint32_t node) {
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const auto [at, is_new] = node_numbers_.try_emplace(node, next);
  if (is_new) nodes_.push_back(source_.NodeName(node));
  return at->second;
}

std::uint32_t LinkCarriers::NumberOf(const Key& key) {
  const auto next = static_cast<std::uint32_t>(users_.size());
  const auto [at, is_new] = numbers_.try_emplace(key, next);
  if (is_new)
    users_.push_back({NodeOf(std::get<0>(key)), NodeOf(std::get<1>(key)), std::get<2>(key)});
  return at->second;
}

Json LinkCarriers::UsersOf(const std::vector<HopIndex>& links, std::size_t* entries) {
  const auto& src = GetColumn<std::uint32_t>(times_.flows(), "src");
  const auto& dst = GetColumn<std::uint32_t>(times_.flows(), "dst");
  std::vector<std::map<Key, Carried>> of_bin(bins_);
  for (const HopIndex link : links) {
    times_.ForEachFlow(link, bins_,
                       [&](std::size_t row, std::size_t first, const std::vector<double>& bytes) {
                         const Key key(src[row], dst[row], KindOf(row));
                         for (std::size_t i = 0; i < bytes.size(); ++i) {
                           Carried& carried = of_bin[first + i][key];
                           carried.bytes += bytes[i];
                           ++carried.flows;
                         }
                       });
  }
  Json list = Json::array();
  for (std::size_t bin = 0; bin < bins_; ++bin) {
    if (of_bin[bin].empty()) continue;
    std::vector<std::pair<double, Key>> order;
    std::uint32_t flows = 0;
    for (const auto& [key, carried] : of_bin[bin]) {
      order.emplace_back(-carried.bytes, key);
      flows += carried.flows;
    }
    const std::size_t kept = std::min(order.size(), kMostAtOnce);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept),
                      order.end());
    Json at = {bin, flows, order.size()};
    for (std::size_t i = 0; i < kept; ++i) {
      at.push_back(NumberOf(order[i].second));
      at.push_back(static_cast<std::int64_t>(-order[i].first + 0.5));
    }
    *entries += kept;
    list.push_back(std::move(at));
  }
  return list;
}

}  // namespace heddle
