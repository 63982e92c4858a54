// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/pint.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {

Pint::Pint(const Options& options, const Hpcc::Options& hpcc, const RateOptions& rates)
    : options_(options), rule_(hpcc.Rule(rates)), fast_react_(hpcc.fast_react) {
  for (double load = kLeastUtilisation; load < kMostUtilisation * options_.log_base;
       load *= options_.log_base) {
    loads_.push_back(load);
  }
  HEDDLE_INVARIANT(loads_.size() <= std::numeric_limits<std::uint16_t>::max(),
                   "PINT_LOG_BASE needs more than 16 bits");
}

void Pint::Start(State* state, Pace* pace, std::uint64_t seed, FlowId flow) const {
  *state = State{};
  state->random = RandomStream(seed, flow.packed(), RandomPurpose::kPintSampling);
  pace->rate = pace->line_rate;
  state->reference = pace->rate;
}

void Pint::OnAck(State* state, Pace* pace, const AckSignals& signals) const {
  if (state->random.Uniform() >= options_.probability) return;
  const auto code = static_cast<std::uint16_t>(signals.stamp);  // of the fullest port on the path
  if (code == 0) return;                                        // no switch on the path reports
  if (state->last_update == 0) {
    state->last_update = signals.next;
    return;
  }
  const bool full = signals.acknowledged > state->last_update;
  if (!full && !fast_react_) return;
  const auto next = rule_.Step(state->reference, state->stage, Decode(code), pace->line_rate);
  pace->rate = next.rate;
  if (!full) return;
  state->reference = next.rate;
  state->stage = next.stage;
  state->last_update = signals.next;
}

void Pint::Stamp(const PortReading& port, PortState* state, std::int64_t* stamp,
                 Tail* /*tail*/) const {
  HEDDLE_EXPECT(port.max_rtt.ps > 0 && port.rate.bps > 0);
  const double round_trip_bytes =
      static_cast<double>(port.rate.bps) / 8 * port.max_rtt.seconds();  // B T
  const std::int64_t elapsed = std::min((port.now - state->last).ps, port.max_rtt.ps);
  const double share =
      static_cast<double>(elapsed) / static_cast<double>(port.max_rtt.ps);  // dt / T
  state->utilisation = share * (static_cast<double>(port.queued_bytes) / round_trip_bytes) +
                       static_cast<double>(state->last_bytes) / round_trip_bytes +
                       (1 - share) * state->utilisation;
  state->last = port.now;
  state->last_bytes = port.packet_bytes;
  *stamp = std::max<std::int64_t>(*stamp, Encode(state->utilisation));
}

/// The code whose load is nearest by ratio: between two loads the border is their geometric mean.
std::uint16_t Pint::Encode(double utilisation) const {
  const auto above = std::upper_bound(loads_.begin(), loads_.end(), utilisation);
  if (above == loads_.begin()) return 1;
  const auto code = static_cast<std::uint16_t>(above - loads_.begin());  // of the load at or below
  if (above == loads_.end()) return code;
  return utilisation * utilisation < above[-1] * above[0] ? code
                                                          : static_cast<std::uint16_t>(code + 1);
}

double Pint::Decode(std::uint16_t code) const {
  if (code == 0) return 0;
  return loads_[std::min<std::size_t>(code, loads_.size()) - 1];
}

void Pint::Options::Declare(OptionSet* options) {
  options->AddGroup({"pint", "telemetry of HPCC-PINT, CC_MODE 10", "docs/models/hpcc-pint.md"});
  const std::string conf = "SimAI.conf";
  options->Add({"pint.log_base", "PINT_LOG_BASE",
                "ratio of two neighbouring codes of a port's load", "", conf},
               &log_base, 1.001, 2.0);
  options->Add(
      {"pint.probability", "PINT_PROB", "share of the ACKs that the sender reacts to", "", conf},
      &probability, 1e-6, 1.0);
}

}  // namespace heddle
