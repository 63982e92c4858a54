// SPDX-License-Identifier: GPL-2.0-only
/// Messages of a profile under a given partition: how many a rank sends and receives in a window,
/// and with how many other ranks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "partition/run_profile.h"

namespace heddle {

/// Partners of a rank in a window: ranks that it sends messages to, and ranks that send to it.
struct Partners {
  std::vector<double> out, in;  ///< by rank: expected number
  double most = 0;              ///< largest of `out`
};

class RankTraffic {
 public:
  /// `rank_of`: by domain of the profile.
  RankTraffic(const RunProfile& profile, const std::vector<std::uint32_t>& rank_of,
              std::uint32_t ranks);

  double messages() const { return messages_; }                ///< between ranks, in all windows
  double in(std::uint32_t rank) const { return in_[rank]; }    ///< in a mean window
  double out(std::uint32_t rank) const { return out_[rank]; }  ///< in a mean window

  /// Returns the expected partners in a window with `scale` times the mean's messages, if messages
  /// are independent (Poisson). Messages of a flow come together, so real partners are fewer.
  /// `scale` is rounded to a quarter of an octave; results are cached.
  const Partners& PartnersAt(double scale) const;

 private:
  struct Pair {
    std::uint32_t from, to;
    double messages;  ///< in a mean window
  };
  std::uint32_t ranks_;
  double messages_ = 0;
  std::vector<double> in_, out_;
  std::vector<Pair> pairs_;
  mutable std::map<long, Partners> known_;  ///< cache, by four times the scale's logarithm
};

}  // namespace heddle
