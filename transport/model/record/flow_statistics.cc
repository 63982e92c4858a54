// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/record/flow_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {

double LogBins::From(std::uint32_t bin) {
  return bin < 64 ? bin : std::ldexp(64 + (bin & 63), static_cast<int>(bin >> 6) - 1);
}

std::uint64_t FlowStatistics::Slowdown(std::uint64_t fct, std::uint64_t ideal) {
  if (fct >> (64 - kFraction) == 0) return (fct << kFraction) / ideal;
  const Sum slowdown = (static_cast<Sum>(fct) << kFraction) / ideal;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return slowdown > kMost ? kMost : static_cast<std::uint64_t>(slowdown);
}

FlowStatistics::SizeClass& FlowStatistics::ClassOf(std::uint32_t power) {
  if (place_[power] == kNone) {
    place_[power] = static_cast<std::uint8_t>(sizes_.size());
    sizes_.emplace_back();
    sizes_.back().power = power;
  }
  return sizes_[place_[power]];
}

void FlowStatistics::Add(const FlowRecord& flow) {
  const auto size = static_cast<std::uint64_t>(flow.size);
  const auto fct = static_cast<std::uint64_t>(flow.completion.ps);
  const auto power = static_cast<std::uint32_t>(63 - __builtin_clzll(size | 1));
  SizeClass& sums = ClassOf(power);
  ++sums.flows;
  sums.bytes += size;
  sums.fct_sum += fct;
  sums.fct_max = std::max(sums.fct_max, fct);
  counts_.Add(LogBins::Of(fct), 1);
  if (flow.ideal.ps <= 0) return;
  const std::uint64_t slowdown = Slowdown(fct, static_cast<std::uint64_t>(flow.ideal.ps));
  ++sums.slowdowns;
  sums.slowdown_sum += slowdown;
  sums.slowdown_max = std::max(sums.slowdown_max, slowdown);
  counts_.Add(SlowdownKey(power, LogBins::Of(slowdown)), 1);
}

void FlowStatistics::Merge(const std::vector<SizeClass>& sizes, const std::vector<Bin>& completions,
                           const std::vector<Bin>& slowdowns) {
  for (const Bin& bin : completions) counts_.Add(bin.bin, bin.flows);
  for (const Bin& bin : slowdowns) counts_.Add(SlowdownKey(bin.power, bin.bin), bin.flows);
  for (const SizeClass& more : sizes) {
    SizeClass& sums = ClassOf(more.power);
    sums.flows += more.flows;
    sums.slowdowns += more.slowdowns;
    sums.fct_max = std::max(sums.fct_max, more.fct_max);
    sums.slowdown_max = std::max(sums.slowdown_max, more.slowdown_max);
    sums.bytes += more.bytes;
    sums.fct_sum += more.fct_sum;
    sums.slowdown_sum += more.slowdown_sum;
  }
}

std::vector<FlowStatistics::SizeClass> FlowStatistics::Sizes() const {
  std::vector<SizeClass> sizes = sizes_;
  std::sort(sizes.begin(), sizes.end(),
            [](const SizeClass& a, const SizeClass& b) { return a.power < b.power; });
  return sizes;
}

std::vector<FlowStatistics::Bin> FlowStatistics::Bins(bool slowdowns) const {
  std::vector<Bin> bins;
  for (const auto& [key, flows] : counts_.Rows()) {
    const std::uint32_t kind = key >> LogBins::kBits, bin = key & ((1U << LogBins::kBits) - 1);
    if ((kind > 0) == slowdowns) bins.push_back({slowdowns ? kind - 1 : 0, bin, flows});
  }
  return bins;
}

std::vector<FlowStatistics::Bin> FlowStatistics::Completions() const { return Bins(false); }
std::vector<FlowStatistics::Bin> FlowStatistics::Slowdowns() const { return Bins(true); }

void FlowStatistics::Place() {
  place_.fill(kNone);
  for (std::size_t i = 0; i < sizes_.size(); ++i)
    place_[sizes_[i].power] = static_cast<std::uint8_t>(i);
}

}  // namespace heddle
