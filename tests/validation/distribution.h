// SPDX-License-Identifier: GPL-2.0-only
/// A figure of heddle over many draws, and SimAI's one value beside it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace heddle::testing {

/// Cases of tests/data/cases that are compared in this way only.
inline bool IsByDistribution(const std::string& name) {
  return name == "c1_sx16_tp16_ar_sizes" || name == "doc_dcn256_16M" ||
         name == "f_incast16_2MB_cc8";
}

class DrawnFigure {
 public:
  void Add(double value) { values_.push_back(value); }
  /// At least two values are needed.
  double mean() const {
    double sum = 0;
    for (const double value : values_) sum += value;
    return sum / static_cast<double>(values_.size());
  }
  double deviation() const {
    double squares = 0;
    for (const double value : values_) squares += (value - mean()) * (value - mean());
    return std::sqrt(squares / static_cast<double>(values_.size() - 1));
  }
  double least() const { return *std::min_element(values_.begin(), values_.end()); }
  double most() const { return *std::max_element(values_.begin(), values_.end()); }

 private:
  std::vector<double> values_;
};

/// That SimAI's value may be off, in standard deviations of ours.
inline constexpr double kMostDeviations = 3;

/// Prints a row of docs/models/validation.md and expects SimAI's value within kMostDeviations.
inline void ExpectWithin(const std::string& name, const std::string& figure, double simai,
                         const DrawnFigure& ours) {
  const double off = (simai - ours.mean()) / ours.deviation();
  std::printf("| %s | %s | %.1f | %.1f +- %.1f | %.1f to %.1f | %+.1f |\n", name.c_str(),
              figure.c_str(), simai, ours.mean(), ours.deviation(), ours.least(), ours.most(), off);
  EXPECT_LT(std::abs(off), kMostDeviations) << name << ": " << figure;
}

}  // namespace heddle::testing
