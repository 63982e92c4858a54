// SPDX-License-Identifier: GPL-2.0-only
/// What CAST learns from completions: estimates, and from them weights and tokens, at intervals.
///
/// Source: Broadcom's CAST white paper; the details as in RCCL's net_ib_cast/scheduler.cc,
/// docs/models/cast.md. Weights and tokens are computed anew after a timed request was posted, and
/// not before cast.update_interval has passed since the last time. The first timed request starts
/// the timer only.
#pragma once

#include "core/base/units.h"
#include "transport/model/requests/connection_state.h"
#include "transport/model/requests/request_options.h"
#include "transport/model/requests/request_scheme.h"

namespace heddle {

/// A completion that the library has seen.
struct SeenCompletion {
  RequestShare share;
  Time posted, polled;
  BitRate line_rate;  ///< > 0, of its NIC
  /// The shortest time from posting to completion of an empty request on its path.
  Time min_latency;
};

/// One for a run.
class CastLearning final {
 public:
  /// Copies the options. Throws UserError if they contradict each other.
  explicit CastLearning(const RequestOptions& options);

  /// Notes that a timed request was posted at `now`. Returns whether it computed weights.
  bool Posted(ConnectionState* state, Time now) const;
  /// Adds the sample of a timed share, after a reset of all sums if one is due.
  void Completed(ConnectionState* state, const SeenCompletion& seen) const;

 private:
  RequestOptions options_;
  double gain_;  ///< of the estimator; 0: average
};

}  // namespace heddle
