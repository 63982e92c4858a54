// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/fabric/link_heat.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/base/table.h"
#include "io/analysis/port_totals.h"

namespace heddle {
namespace {

constexpr const char* kMonitor = "monitors/links";
constexpr std::size_t kMostCells = 200'000'000;  ///< links times bins: 800 MB

}  // namespace

LinkHeat::LinkHeat(const ReportSource& source, const LinkTimes* times, std::size_t most_bins)
    : source_(source) {
  const std::size_t links = std::max<std::size_t>(source.numbers().count(), 1);
  const std::size_t bins = std::clamp<std::size_t>(kMostCells / links, 1, most_bins);
  if (ReadMonitor(bins)) return;
  if (times != nullptr) {
    Start(Origin::kFlows, bins);
    for (HopIndex link = 0; link < links; ++link) {
      const std::vector<double> bytes = times->BytesOver(link, bins_);
      std::copy(bytes.begin(), bytes.end(),
                bytes_.begin() + static_cast<std::ptrdiff_t>(link * bins_));
    }
    return;
  }
  Start(Origin::kTotals, 1);
  for (const PortTotals& port : ReadPortTotals(source))
    bytes_[port.port] += static_cast<float>(port.sent_bytes);
}

void LinkHeat::Start(Origin origin, std::size_t bins) {
  origin_ = origin;
  bins_ = bins;
  width_ps_ = static_cast<double>(source_.end_ps()) / static_cast<double>(bins);
  bytes_.assign(source_.numbers().count() * bins, 0);
}

/// Returns false without at least two times of samples: one shows no course.
bool LinkHeat::ReadMonitor(std::size_t bins) {
  if (!source_.HasRows(kMonitor)) return false;
  std::set<std::int64_t> times = {0};
  ForEachBlock(source_.reader(), kMonitor, {"time_ps"}, [&](const Table& block) {
    for (const std::int64_t time : GetColumn<std::int64_t>(block, "time_ps")) times.insert(time);
  });
  if (times.size() < 3) return false;
  Start(Origin::kMonitor, std::min(bins, times.size() - 1));
  ForEachBlock(source_.reader(), kMonitor, {"time_ps", "node", "port", "sent_bytes"},
               [&](const Table& block) {
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& bytes = GetColumn<std::int64_t>(block, "sent_bytes");
                 for (std::size_t i = 0; i < time.size(); ++i) {
                   const auto at = times.find(time[i]);
                   if (at == times.begin()) continue;
                   Spread(source_.HopOf(kMonitor, node[i], port[i]),
                          static_cast<double>(*std::prev(at)), static_cast<double>(time[i]),
                          static_cast<double>(bytes[i]));
                 }
               });
  return true;
}

void LinkHeat::Spread(HopIndex link, double from_ps, double to_ps, double bytes) {
  const auto bin_of = [&](double time) {
    return std::min(bins_ - 1, static_cast<std::size_t>(time / width_ps_));
  };
  const std::size_t last = bin_of(to_ps);
  for (std::size_t bin = bin_of(from_ps); bin <= last; ++bin) {
    const double begin = std::max(from_ps, static_cast<double>(bin) * width_ps_);
    const double end =
        bin == last ? to_ps : std::min(to_ps, static_cast<double>(bin + 1) * width_ps_);
    const double share = std::max(0.0, end - begin) / (to_ps - from_ps);
    bytes_[link * bins_ + bin] += static_cast<float>(bytes * share);
  }
}

double LinkHeat::Of(HopIndex link, std::size_t bin) const {
  const double full = source_.RateOf(link) / 8 * width_ps_ * 1e-12;
  return std::min(1.0, static_cast<double>(bytes_[link * bins_ + bin]) / full);
}

double LinkHeat::BytesOf(HopIndex link) const {
  double sum = 0;
  for (std::size_t bin = 0; bin < bins_; ++bin)
    sum += static_cast<double>(bytes_[link * bins_ + bin]);
  return sum;
}

}  // namespace heddle
