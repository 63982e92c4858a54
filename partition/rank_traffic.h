// SPDX-License-Identifier: GPL-2.0-only
/// What a partition makes of a profile's messages: how many a rank sends and gets in a window, and
/// with how many others.
#ifndef HEDDLE_PARTITION_RANK_TRAFFIC_H_
#define HEDDLE_PARTITION_RANK_TRAFFIC_H_

#include <cstdint>
#include <map>
#include <vector>

#include "partition/run_profile.h"

namespace heddle {

/// Partners of a rank in a window: other ranks for which it has messages, and those that have some
/// for it.
struct Partners {
  std::vector<double> out, in;  ///< by rank, expected
  double most = 0;              ///< largest of `out`
};

class RankTraffic {
 public:
  /// `rank_of`: by domain of the profile.
  RankTraffic(const RunProfile& profile, const std::vector<std::uint32_t>& rank_of,
              std::uint32_t ranks);

  double messages() const { return messages_; }                ///< between ranks, all windows
  double in(std::uint32_t rank) const { return in_[rank]; }    ///< a mean window
  double out(std::uint32_t rank) const { return out_[rank]; }  ///< a mean window

  /// In a window with `scale` times the mean's messages, if each came by itself (Poisson). Messages
  /// of a flow come together, so there are rather fewer partners. `scale` is rounded to a quarter
  /// of an octave; what was asked for once is kept.
  const Partners& PartnersAt(double scale) const;

 private:
  struct Pair {
    std::uint32_t from, to;
    double messages;  ///< a mean window
  };
  std::uint32_t ranks_;
  double messages_ = 0;
  std::vector<double> in_, out_;
  std::vector<Pair> pairs_;
  mutable std::map<long, Partners> known_;  ///< by four times the scale's logarithm
};

}  // namespace heddle

#endif  // HEDDLE_PARTITION_RANK_TRAFFIC_H_
