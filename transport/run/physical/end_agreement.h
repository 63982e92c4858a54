// SPDX-License-Identifier: GPL-2.0-only
/// How ranks whose traffic is real agree on a cut and on the end, without a stop of the traffic.
///
/// The end: all ranks are idle, and as many messages were received as sent, in two sums one after
/// the other with equal counts. One sum would not do, as ranks join it at different times (Mattern,
/// "Algorithms for distributed termination detection", 1987, four counters).
#pragma once

#include <cstdint>

#include "core/mpi/running_sum.h"

namespace heddle {

class EndAgreement {
 public:
  enum class Verdict { kGoOn, kCut, kEnd };
  /// What a rank says of itself.
  struct Say {
    bool idle = false;
    std::int64_t sent = 0, received = 0;  ///< messages
    bool wants_cut = false;
  };

  /// Takes part in the sums. Call often. `now`: any clock of this rank [ns]. Every rank gets the
  /// same verdicts, but for kGoOn, in the same order, if nobody sends after kEnd. A rank that has
  /// been idle for kQuiet joins the next sum, another one kPause after the last: a sum takes time
  /// from small messages.
  Verdict Turn(const Say& say, std::int64_t now);
  /// Returns the number of sums so far.
  std::uint64_t sums() const { return count_; }

  static constexpr std::int64_t kQuiet = 1'000'000, kPause = 20'000'000;  ///< [ns]

 private:
  /// Returns kEnd at the second quiet sum in a row with equal counts, kCut if a rank wants one.
  Verdict Judge(const RunningSum::Values& sums);

  RunningSum sum_;
  std::int64_t last_ = 0;         ///< when the last sum was complete
  std::int64_t idle_since_ = -1;  ///< negative: not idle
  std::int64_t quiet_at_ = -1;    ///< messages at the last sum, if all were idle and none was lost
  std::uint64_t count_ = 0;
};

}  // namespace heddle
