// SPDX-License-Identifier: GPL-2.0-only
/// Helpers of the congestion control tests: options by key, a pace, an ACK.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/options/options.h"
#include "transport/model/congestion/congestion_options.h"

namespace heddle::testing {

inline CongestionOptions Congestion(
    const std::vector<std::pair<std::string, std::string>>& settings) {
  CongestionOptions options;
  OptionSet set;
  options.Declare(&set);
  for (const auto& [key, value] : settings) set.Set(key, value);
  return options;
}

inline std::string CongestionError(const std::string& key, const std::string& value) {
  try {
    Congestion({{key, value}});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// 100 Gbps, 10 us, and the window that follows.
inline Pace PaceOf(std::int64_t gbps = 100, Time rtt = MicroSeconds(10)) {
  Pace pace;
  pace.line_rate = BitRate{gbps * 1'000'000'000};
  pace.base_rtt = rtt;
  pace.window = pace.line_rate.bps / 8 * rtt.ps / 1'000'000'000'000;
  return pace;
}

inline FlowId AnyFlow(std::uint32_t number = 0) { return {NodeId(3), number}; }

/// A sender of one algorithm with its state, for short traces.
template <class Algorithm>
struct PacedSender {
  explicit PacedSender(const CongestionOptions& options, const Pace& start = PaceOf())
      : control(MakeAlgorithm<Algorithm>(options)), pace(start) {
    control.Start(&state, &pace, 1, AnyFlow());
  }
  void Ack(const AckSignals& signals) { control.OnAck(&state, &pace, signals); }
  std::int64_t rate() const { return pace.rate.bps; }

  Algorithm control;
  Pace pace;
  typename Algorithm::State state;
};

}  // namespace heddle::testing
