// SPDX-License-Identifier: GPL-2.0-only
/// Use of links over time: as monitors sampled it, or from the times of flows, or of the whole run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/analysis/result_view.h"
#include "io/links/link_times.h"

namespace heddle {

class LinkHeat {
 public:
  enum class Origin : std::uint8_t {
    kMonitor,  ///< table "monitors/links": bytes of an interval are spread evenly over it
    kFlows,    ///< payload of flows, spread evenly over their times
    kTotals,   ///< table "ports": one bin, the run
  };

  /// At most `most_bins` equal bins from 0 to the end of the run, fewer for very many links.
  /// `times`: null if flows are not known.
  LinkHeat(const ReportSource& source, const LinkTimes* times, std::size_t most_bins);

  Origin origin() const { return origin_; }   ///< the best that the result has
  std::size_t bins() const { return bins_; }  ///< 1 or more
  /// Returns the length of a bin [ps].
  double bin_ps() const { return width_ps_; }
  /// Returns the share of a bin during which a link was sending, 0 to 1.
  double Of(HopIndex link, std::size_t bin) const;
  /// Returns the bytes of the whole run.
  double BytesOf(HopIndex link) const;

 private:
  /// Reads the monitor's samples, into as many bins as there are samples at most. Returns false
  /// without two times of samples.
  bool ReadMonitor(std::size_t bins);
  void Start(Origin origin, std::size_t bins);  ///< with bins of 0 bytes
  /// Adds `bytes` evenly to the bins between two times [ps], from_ps < to_ps.
  void Spread(HopIndex link, double from_ps, double to_ps, double bytes);

  const ReportSource& source_;
  Origin origin_ = Origin::kTotals;
  std::size_t bins_ = 1;
  double width_ps_ = 1;
  std::vector<float> bytes_;  ///< by link, then by bin
};

}  // namespace heddle
