// SPDX-License-Identifier: GPL-2.0-only
/// Options of the library that posts requests: the size of requests, which queue pair takes one,
/// and Broadcom's CAST (docs/models/cast.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/units.h"
#include "transport/model/requests/polling.h"

namespace heddle {

class OptionSet;

struct RequestOptions {
  /// transport/model/replay/replay_permission.h: flows of requests are no inputs of episodes.
  static constexpr bool kMayBeReplayed = true;

  /// The queue pair that a stripe begins with: the same as the one before, or the next.
  enum class StripeStart : std::uint8_t { kSame, kNext };
  friend constexpr auto WordsOf(StripeStart /*type*/) { return std::array{"same", "next"}; }
  enum class Estimator : std::uint8_t { kAuto, kAverage, kWeighted, kTcp };
  friend constexpr auto WordsOf(Estimator /*type*/) {
    return std::array{"auto", "average", "weighted", "tcp"};
  }
  enum class Metric : std::uint8_t { kRccl, kPaper };
  friend constexpr auto WordsOf(Metric /*type*/) { return std::array{"rccl", "paper"}; }
  enum class Weights : std::uint8_t { kFiltered, kInverse };
  friend constexpr auto WordsOf(Weights /*type*/) { return std::array{"filtered", "inverse"}; }
  enum class TokenUpdate : std::uint8_t { kClamp, kKeep };
  friend constexpr auto WordsOf(TokenUpdate /*type*/) { return std::array{"clamp", "keep"}; }

  /// A name of RequestSchemeTable() (transport/model/requests/request_schemes.h).
  std::string scheduler = "message";
  std::int64_t size = 524'288;            ///< of a request [byte]
  std::int64_t send_recv_size = 131'072;  ///< of a request of send and receive [byte]
  std::int64_t in_flight = 8;             ///< requests of a connection that are not yet polled
  StripeStart stripe_start = StripeStart::kSame;

  Estimator estimator = Estimator::kAuto;
  Metric metric = Metric::kRccl;
  Weights weights = Weights::kFiltered;
  TokenUpdate token_update = TokenUpdate::kClamp;
  double weight = 0;                               ///< of a new sample; 0: average
  Time metric_floor = MicroSeconds(1);             ///< least sample of the metric paper
  Time reset_interval = MicroSeconds(60'000'000);  ///< zero: never
  Time update_interval = MicroSeconds(50);
  std::int64_t split_min = 65'536;  ///< least bytes a queue pair that make a stripe
  std::int64_t tokens = 100;        ///< of a round of all queue pairs
  bool wrr = false;                 ///< cast-stripe: requests below split_min go by tokens
  bool probe = true;                ///< a share of 0 bytes becomes one of 128

  PollingOptions polling;

  /// Adds requests.* and cast.*.
  void Declare(OptionSet* options);
  /// Whether messages are divided into requests.
  bool divides() const;
  /// Whether requests are scheduled by measured round trips: CAST.
  bool casts() const;

 private:
  /// Adds cast.*: samples, estimates, weights and intervals.
  void DeclareCast(OptionSet* options);
  /// Adds cast.*: stripes and tokens.
  void DeclareSplit(OptionSet* options);
};

/// Returns the scheduler that NCCL_IB_SPLIT_DATA_ON_QPS and NCCL_IB_QP_SCHED_ENABLE stand for.
/// Without splitting, NCCL_IB_QP_SCHED_WRR_ENABLE changes nothing: CAST then always goes by tokens.
const char* SchedulerFor(bool split, bool enable);

}  // namespace heddle
