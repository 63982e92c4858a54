// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/timely.h"

#include <algorithm>

#include "core/options/options.h"

namespace heddle {

Timely::Timely(const Options& options, const RateOptions& rates)
    : options_(options), rates_(rates) {}

void Timely::Start(State* state, Pace* pace, std::uint64_t /*seed*/, FlowId /*flow*/) const {
  *state = State{};
  pace->rate = pace->line_rate;
}

void Timely::OnAck(State* state, Pace* pace, const AckSignals& signals) const {
  if (signals.acknowledged <= state->last_update) return;
  if (state->last_update != 0) Update(state, pace, signals.round_trip());
  state->last_update = signals.next;
  state->last_rtt = signals.round_trip();
}

void Timely::Update(State* state, Pace* pace, Time rtt) const {
  const double fresh = static_cast<double>((rtt - state->last_rtt).ps);
  state->difference_ps = (1 - options_.weight) * state->difference_ps + options_.weight * fresh;
  const double gradient = state->difference_ps / static_cast<double>(options_.minimum_rtt.ps);
  if (rtt < options_.low || (rtt <= options_.high && gradient <= 0)) {
    const bool hyper = state->raises >= options_.hyper_after;
    const BitRate step = hyper ? rates_.hyper_increase : rates_.additive_increase;
    pace->rate = Bounded(BitRate{pace->rate.bps + step.bps}, rates_.minimum, pace->line_rate);
    ++state->raises;
    return;
  }
  const double over = 1 - static_cast<double>(options_.high.ps) / static_cast<double>(rtt.ps);
  const double cut = options_.decrease * (rtt > options_.high ? over : gradient);
  pace->rate = Bounded(Scaled(pace->rate, std::max(0.0, 1 - cut), pace->line_rate), rates_.minimum,
                       pace->line_rate);
  state->raises = 0;
}

void Timely::Options::Declare(OptionSet* options) {
  options->AddGroup({"timely", "TIMELY, CC_MODE 7", "docs/models/timely.md"});
  const std::string fixed = "fixed in SimAI's ns-3";
  const Time most = MicroSeconds(1'000'000);
  options->Add({"timely.weight", "", "weight of a new round trip difference", "", fixed}, &weight,
               1e-6, 1.0);
  options->Add({"timely.decrease", "", "multiplicative decrease factor", "", fixed}, &decrease,
               1e-6, 1.0);
  options->Add({"timely.low", "", "below this round trip the rate always rises", "us", fixed}, &low,
               Time{0}, most, "us");
  options->Add({"timely.high", "", "above this round trip the rate always falls", "us", fixed},
               &high, Time{0}, most, "us");
  options->Add(
      {"timely.minimum_rtt", "", "round trip that the gradient is divided by", "us", fixed},
      &minimum_rtt, NanoSeconds(1), most, "us");
  options->Add({"timely.hyper_after", "", "raises in a row before the hyper increase", "", fixed},
               &hyper_after, 0, 1'000'000);
}

}  // namespace heddle
