// SPDX-License-Identifier: GPL-2.0-only
/// A value for each link rate, as SimAI's KMAX_MAP writes it, or one value for all rates.
///
/// The rule for rates that a map lacks: the entry whose rate is nearest by ratio serves, the lower
/// of two equally near ones. Queue lengths are scaled by the rate, so that the queue takes as long
/// to drain; source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section
/// 5.1, which scales DCQCN's Kmin and Kmax in proportion to the bandwidth.
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
  /// `n rate value rate value ...`, or one value for all rates. Rates are in bit/s or have a unit
  /// ("400Gbps"). Values are 0 to `high`. `unit` is "KB" (1000 bytes), then one value needs its own
  /// unit ("800KB"), or empty, then one value needs a point ("0.2"): a whole number is a count.
  /// Throws UserError that says what was expected.
  static RateMap Parse(std::string_view text, double high, const std::string& unit);

  /// The value for a rate, or null. Null for all rates if there is one value for all.
  const double* Find(BitRate rate) const;
  /// The entry of this rate, or else the one nearest by ratio; nothing if the map is empty or has
  /// one value for all rates.
  std::optional<Entry> Nearest(BitRate rate) const;
  const std::optional<double>& one_value() const { return one_value_; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Whether a port of this rate has its value by the rule for rates that the map lacks.
  bool Lacks(BitRate rate) const { return !one_value_ && Find(rate) == nullptr; }
  /// The canonical text: rates ascending, in bit/s, which SimAI can read; or the one value.
  std::string ToText() const;

 private:
  static RateMap ParseOneValue(std::string_view word, double high, const std::string& unit);

  std::vector<Entry> entries_;
  std::optional<double> one_value_;
  std::string unit_;  ///< of the one value
};

}  // namespace heddle
