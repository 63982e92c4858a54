// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/log_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

constexpr int kPerOctave = 64;
constexpr int kNothing = std::numeric_limits<int>::min();

/// Lower end of a bin: 2^e (1 + k / 64) with 64 e + k = bin.
double LowerEnd(int bin) {
  const int exponent = bin >= 0 ? bin / kPerOctave : (bin - kPerOctave + 1) / kPerOctave;
  return std::ldexp(1 + static_cast<double>(bin - exponent * kPerOctave) / kPerOctave, exponent);
}

}  // namespace

void LogHistogram::Add(double value) {
  if (!(value > 0)) {
    ++counts_[kNothing];
    return;
  }
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);  // in [0.5, 1)
  const int within = std::min(kPerOctave - 1, static_cast<int>((2 * mantissa - 1) * kPerOctave));
  ++counts_[(exponent - 1) * kPerOctave + within];
}

std::vector<Bin> LogHistogram::bins() const {
  std::vector<Bin> bins;
  bins.reserve(counts_.size());
  for (const auto& [bin, count] : counts_) {
    bins.push_back(bin == kNothing ? Bin{0, 0, count}
                                   : Bin{LowerEnd(bin), LowerEnd(bin + 1), count});
  }
  return bins;
}

std::int64_t CountOf(const std::vector<Bin>& bins) {
  std::int64_t count = 0;
  for (const Bin& bin : bins) count += bin.count;
  return count;
}

double QuantileOf(const std::vector<Bin>& bins, double share) {
  const double wanted = share * static_cast<double>(CountOf(bins));
  double below = 0;
  for (const Bin& bin : bins) {
    const double count = static_cast<double>(bin.count);
    if (count > 0 && below + count >= wanted)
      return bin.from + (bin.to - bin.from) * std::max(0.0, wanted - below) / count;
    below += count;
  }
  return bins.empty() ? 0 : bins.back().to;
}

std::vector<Bin> MergeBins(const std::vector<std::vector<Bin>>& parts) {
  std::vector<Bin> all;
  for (const std::vector<Bin>& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end(), [](const Bin& a, const Bin& b) { return a.from < b.from; });
  std::vector<Bin> merged;
  for (const Bin& bin : all) {
    if (!merged.empty() && merged.back().from == bin.from && merged.back().to == bin.to) {
      merged.back().count += bin.count;
    } else {
      merged.push_back(bin);
    }
  }
  return merged;
}

}  // namespace heddle
