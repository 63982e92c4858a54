// SPDX-License-Identifier: GPL-2.0-only
/// A value for each link rate, as SimAI's KMAX_MAP writes it, or one value for all rates.
///
/// The rule for rates that a map lacks: it takes the entry whose rate is nearest by ratio, the
/// lower one of two equally near. Queue lengths are scaled by the rate, so that the queue takes as
/// long to drain.
/// Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 5.1, which
/// scales DCQCN's Kmin and Kmax in proportion to the bandwidth.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Sorted by rate, each rate once.
class RateMap {
 public:
  struct Entry {
    BitRate rate;
    double value;
  };

  RateMap() = default;
  /// Parses `n rate value rate value ...`, or one value for all rates. Rates are in bit/s or have a
  /// unit ("400Gbps"). Values are 0 to `high`. If `unit` is "KB" (1000 bytes), one value needs its
  /// own unit ("800KB"). If it is empty, one value needs a point ("0.2"), because a whole number is
  /// a count. Throws UserError that says what was expected.
  static RateMap Parse(std::string_view text, double high, const std::string& unit);

  /// Returns the value of a rate, or null. Null for all rates if there is one value for all.
  const double* Find(BitRate rate) const;
  /// Returns the entry of this rate, or else the one nearest by ratio; nothing if the map is empty
  /// or has one value for all rates.
  std::optional<Entry> Nearest(BitRate rate) const;
  /// Returns the value of all rates, if there is one.
  const std::optional<double>& one_value() const { return one_value_; }
  const std::vector<Entry>& entries() const { return entries_; }  ///< ascending by rate
  /// Whether a port of this rate has its value by the rule for rates that the map lacks.
  bool Lacks(BitRate rate) const { return !one_value_ && Find(rate) == nullptr; }
  /// Returns the canonical text: rates ascending, in bit/s, which SimAI can read; or the one value.
  std::string ToText() const;

 private:
  /// Parses one value for all rates. Throws UserError.
  static RateMap ParseOneValue(std::string_view word, double high, const std::string& unit);

  std::vector<Entry> entries_;
  std::optional<double> one_value_;
  std::string unit_;  ///< of the one value
};

}  // namespace heddle
