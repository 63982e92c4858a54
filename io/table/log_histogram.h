// SPDX-License-Identifier: GPL-2.0-only
/// Counts of positive values in bins that are at most 1/64 wide relative to their value: the form
/// of a result's histograms.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace heddle {

struct Bin {
  double from = 0, to = 0;  ///< `to` is exclusive
  std::int64_t count = 0;
};

class LogHistogram {
 public:
  /// Counts a value; values of 0 and less are in a bin [0, 0].
  void Add(double value);
  /// Returns the bins that have values, ascending.
  std::vector<Bin> bins() const;

 private:
  std::map<int, std::int64_t> counts_;
};

std::int64_t CountOf(const std::vector<Bin>& bins);  ///< sum over the bins

/// Returns the value below which `share` (0 to 1) of the values are, assuming an even distribution
/// within a bin; 0 without values.
double QuantileOf(const std::vector<Bin>& bins, double share);

/// Returns the bins of several histograms merged into one, ascending.
std::vector<Bin> MergeBins(const std::vector<std::vector<Bin>>& parts);

}  // namespace heddle
