// SPDX-License-Identifier: GPL-2.0-only
/// Which queue pairs of a connection take the next request, and how many bytes each.
///
/// Source: NCCL's and RCCL's load balancing of queue pairs, and Broadcom's CAST white paper, in the
/// details as RCCL's net_ib_cast/scheduler.cc and net_ib_cast/p2p.cc have it; docs/models/cast.md
/// lists what the paper leaves open. Symbols: n queue pairs, S bytes of a request.
///
///   single       queue pair 0
///   round-robin  one after the other
///   stripe       all n, in equal parts
///   cast-stripe  all n if S / n >= cast.split_min, by weight when weights are known, else in equal
///                parts; a smaller request goes to one: by a token with cast.wrr and known weights,
///                else round robin
///   cast-wrr     one: by a token when weights are known, else round robin
/// CAST times the shares of stripes, and with tokens in use all. After posting a timed request, and
/// not before cast.update_interval has passed since the last time, weights and tokens are computed
/// anew; the first timed request starts the timer only.
/// Invariant: the shares of a request sum to its bytes.
/// Not modelled: grouped receives (several requests posted as one), queue pairs on several NICs
/// with different rates, the tuner that changes parameters by collective and size.
#ifndef HEDDLE_TRANSPORT_REQUESTS_REQUEST_SCHEDULER_H_
#define HEDDLE_TRANSPORT_REQUESTS_REQUEST_SCHEDULER_H_

#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "transport/requests/connection_state.h"
#include "transport/requests/request_options.h"

namespace heddle {

/// One for a run; the state of each connection is the caller's.
class RequestScheduler {
 public:
  static constexpr int kMostQueuePairs = 1024;

  /// What one queue pair gets of a request.
  struct Share {
    std::uint32_t queue_pair = 0;
    bool timed = false;  ///< its completion is a sample
    std::int64_t bytes = 0;
  };

  /// Queue pairs of a connection: 1 to kMostQueuePairs. Throws UserError if options contradict each
  /// other.
  RequestScheduler(const RequestOptions& options, int queue_pairs);

  /// Whether messages are divided into requests: any scheduler but `message`.
  bool active() const { return policy_ != Policy::kMessage; }
  /// Whether completions matter: CAST.
  bool measures() const { return policy_ == Policy::kCastStripe || policy_ == Policy::kCastWrr; }

  ConnectionState NewConnection() const { return ConnectionState(queue_pairs_); }
  /// Of a loaded state: throws UserError "the saved state has ...".
  void Check(const ConnectionState& state) const;

  /// Requires active(). Posts a request of `bytes` > 0 at `now`: its shares in the order of
  /// posting, none of 0 bytes. `shares` is overwritten. Returns whether it computed weights.
  bool Post(ConnectionState* state, std::int64_t bytes, Time now, std::vector<Share>* shares) const;
  /// The completion of a share that was posted at `posted` has been seen at `polled`. `line_rate` >
  /// 0 of its NIC; `min_latency`: the shortest time from posting to completion of an empty request
  /// on its path.
  void Completed(ConnectionState* state, const Share& share, Time posted, Time polled,
                 BitRate line_rate, Time min_latency) const;

 private:
  enum class Policy { kMessage, kSingle, kRoundRobin, kStripe, kCastStripe, kCastWrr };

  static Policy PolicyOf(const std::string& name);
  std::uint32_t PickOne(ConnectionState* state) const;
  void PostStripe(ConnectionState* state, std::int64_t bytes, std::vector<Share>* shares) const;
  bool UpdateWeights(ConnectionState* state, Time now) const;

  RequestOptions options_;
  Policy policy_;
  std::uint32_t queue_pairs_;
  bool by_token_;  ///< one queue pair is chosen by a token
  double gain_;    ///< of the estimator
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_REQUESTS_REQUEST_SCHEDULER_H_
