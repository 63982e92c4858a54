// SPDX-License-Identifier: GPL-2.0-only
/// Which queue pairs of a connection take the next request, and how many bytes each: one interface
/// for all schemes.
///
/// Source: NCCL's and RCCL's load balancing of queue pairs, and Broadcom's CAST white paper; each
/// scheme's header says more, and docs/models/cast.md lists what the paper leaves open.
/// Invariant: the shares of a request sum to its bytes.
/// Not modelled: grouped receives (several requests posted as one), queue pairs on several NICs
/// with different rates, the tuner that changes parameters by collective and size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "transport/model/requests/cast_learning.h"
#include "transport/model/requests/connection_state.h"
#include "transport/model/requests/request_options.h"
#include "transport/model/requests/request_scheme.h"

namespace heddle {

/// The scheduler of a run; the state of each connection is the caller's.
class RequestScheduler {
 public:
  static constexpr int kMostQueuePairs = 1024;

  using Share = RequestShare;

  /// Makes the scheduler that `options` name. `queue_pairs` of a connection: 1 to kMostQueuePairs.
  /// Throws UserError if options contradict each other.
  RequestScheduler(const RequestOptions& options, int queue_pairs);

  /// Whether messages are divided into requests: any scheduler but `message`.
  bool active() const { return traits_.divides; }
  /// Whether completions matter: CAST.
  bool measures() const { return traits_.measures; }
  /// Returns lines for people: what is done, and what of it has no effect and why. No line if there
  /// are no requests.
  std::vector<std::string> Describe() const;

  /// Returns the state of a new connection, with as many queue pairs as the run's connections have.
  ConnectionState NewConnection() const { return ConnectionState(queue_pairs_); }
  /// Checks a loaded state. Throws UserError "the saved state has ...".
  void Check(const ConnectionState& state) const;

  /// Posts a request of `bytes` > 0 at `now`: `shares` becomes its shares in the order of posting,
  /// none of 0 bytes. Requires active(). Returns whether it computed weights.
  bool Post(ConnectionState* state, std::int64_t bytes, Time now, std::vector<Share>* shares) const;
  /// Notes a completion that the library has seen; only that of a timed share changes anything.
  void Completed(ConnectionState* state, const SeenCompletion& seen) const {
    if (seen.share.timed) learning_.Completed(state, seen);
  }

 private:
  RequestOptions options_;
  RequestSchemeTraits traits_;
  std::uint32_t queue_pairs_;
  struct Scheme;  ///< one of RequestSchemes (transport/model/requests/request_schemes.h)
  std::shared_ptr<const Scheme> scheme_;
  CastLearning learning_;
};

}  // namespace heddle
