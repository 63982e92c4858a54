// SPDX-License-Identifier: GPL-2.0-only
/// A connection whose requests the tests post and complete by hand.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/options/options.h"
#include "transport/model/requests/request_scheduler.h"

namespace heddle::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;
using Shares = std::vector<std::pair<std::uint32_t, std::int64_t>>;

constexpr std::int64_t kRequest = 512 * 1024;
constexpr BitRate kRate{8'000'000'000};  // a byte a nanosecond

inline RequestOptions OptionsOf(const Settings& settings) {
  RequestOptions options;
  OptionSet set;
  options.Declare(&set);
  for (const auto& [key, value] : settings) set.Set(key, value);
  return options;
}

/// A connection and its clock [us].
class PostedConnection {
 public:
  PostedConnection(const std::string& name, int queue_pairs, Settings settings = {})
      : PostedConnection(queue_pairs, With(name, std::move(settings))) {}

  Shares Post(std::int64_t bytes, std::int64_t us = 0) {
    scheduler.Post(&state, bytes, MicroSeconds(us), &posted);
    Shares shares;
    for (const auto& share : posted) shares.emplace_back(share.queue_pair, share.bytes);
    return shares;
  }
  bool timed() const { return posted.at(0).timed; }
  /// A sample of `us` microseconds beyond the payload's time, polled at `at`.
  void Sample(std::uint32_t queue_pair, std::int64_t us, std::int64_t at = 1000,
              Time min_latency = {}) {
    const RequestScheduler::Share share{queue_pair, true, 1000};  // 1 us
    scheduler.Completed(&state,
                        {share, MicroSeconds(at - us - 1), MicroSeconds(at), kRate, min_latency});
  }
  /// Starts the timer, then computes weights from these samples.
  void Weigh(const std::vector<std::int64_t>& samples) {
    Post(kRequest, 1);
    for (std::uint32_t i = 0; i < samples.size(); ++i) Sample(i, samples[i]);
    Post(kRequest, 1001);
  }
  std::vector<double> Weights() const {
    std::vector<double> weights;
    for (std::uint32_t i = 0; i < state.size(); ++i) weights.push_back(state.weight(i));
    return weights;
  }

  RequestScheduler scheduler;
  ConnectionState state;
  std::vector<RequestScheduler::Share> posted;

 private:
  PostedConnection(int queue_pairs, const Settings& settings)
      : scheduler(OptionsOf(settings), queue_pairs), state(scheduler.NewConnection()) {}
  static Settings With(const std::string& name, Settings settings) {
    settings.emplace_back("requests.scheduler", name);
    return settings;
  }
};

}  // namespace heddle::testing
