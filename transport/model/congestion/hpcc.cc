// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/hpcc.h"

#include <algorithm>

#include "core/options/options.h"

namespace heddle {
namespace {

/// Whether both sets of records come from one path: as many hops, each later and with no fewer
/// bytes sent.
bool SamePath(const Telemetry& before, const Telemetry& now) {
  if (before.count != now.count) return false;
  for (std::uint32_t i = 0; i < now.count; ++i) {
    const Telemetry::Hop& old = before.hops[i];
    if (now.hops[i].time_ps <= old.time_ps || now.hops[i].sent_bytes < old.sent_bytes) return false;
  }
  return true;
}

/// Returns the window that the queue is compared with [byte]: Pace::window, or one bandwidth-delay
/// product if there is none.
double WindowBytes(const Pace& pace) {
  if (pace.window > 0) return static_cast<double>(pace.window);
  return static_cast<double>(pace.line_rate.bps) / 8 * pace.base_rtt.seconds();
}

double HopUtilisation(const Telemetry::Hop& before, const Telemetry::Hop& now, const Pace& pace) {
  const double rate = now.rate_bps;
  const double seconds = static_cast<double>(now.time_ps - before.time_ps) * 1e-12;
  const double sent = static_cast<double>(now.sent_bytes - before.sent_bytes) * 8 / seconds;
  const double queue = std::min(now.queued_bytes, before.queued_bytes);
  return sent / rate + queue * (static_cast<double>(pace.line_rate.bps) / rate) / WindowBytes(pace);
}

/// Returns the moving average over a base round trip T, with a sample that covers `tau` [ps] of it.
double Average(double old, double sample, std::int64_t tau, Time base_rtt) {
  const double weight =
      static_cast<double>(std::min(tau, base_rtt.ps)) / static_cast<double>(base_rtt.ps);
  return old * (1 - weight) + sample * weight;
}

}  // namespace

HpccRule::Outcome HpccRule::Step(BitRate reference, std::uint32_t stage, double utilisation,
                                 BitRate line) const {
  const double c = utilisation / target;
  const bool multiply = c >= 1 || stage >= threshold;
  const BitRate base = multiply ? Scaled(reference, 1 / c, line) : reference;
  return {Bounded(BitRate{base.bps + increase.bps}, minimum, line), multiply ? 0 : stage + 1};
}

HpccRule Hpcc::Options::Rule(const RateOptions& rates) const {
  return {target_utilisation, increase_stages, rates.additive_increase, rates.minimum};
}

Hpcc::Hpcc(const Options& options, const RateOptions& rates)
    : options_(options), rule_(options.Rule(rates)) {}

void Hpcc::Start(State* state, Pace* pace, std::uint64_t /*seed*/, FlowId /*flow*/) const {
  *state = State{};
  pace->rate = pace->line_rate;
  state->reference = pace->rate;
  for (State::Hop& hop : state->hops) hop.reference = pace->rate;
}

void Hpcc::OnAck(State* state, Pace* pace, const AckSignals& signals) const {
  const auto* telemetry = static_cast<const Telemetry*>(signals.tail);
  if (telemetry == nullptr || telemetry->count == 0) return;  // no switch on the path reports
  const Telemetry& fresh = *telemetry;
  if (state->last_update == 0) {
    state->last = fresh;
    state->last_update = signals.next;
    return;
  }
  const bool full = signals.acknowledged > state->last_update;
  if (!full && !options_.fast_react) return;
  if (full) state->last_update = signals.next;
  if (!SamePath(state->last, fresh)) {
    state->last = fresh;
    for (State::Hop& hop : state->hops) hop = {1, pace->rate, 0, 0};
    return;
  }
  const Measured measured = Measure(state, *pace, fresh, full);
  if (!measured.any) return;
  if (options_.rate_per_hop) {
    RatePerHop(state, pace, measured, full);
  } else {
    OneRate(state, pace, measured, full);
  }
}

Hpcc::Measured Hpcc::Measure(State* state, const Pace& pace, const Telemetry& fresh,
                             bool full) const {
  Measured measured;
  for (std::uint32_t i = 0; i < fresh.count; ++i) {
    if (options_.sample_feedback && !full && fresh.hops[i].queued_bytes == 0) continue;
    measured.utilisation[i] = HopUtilisation(state->last.hops[i], fresh.hops[i], pace);
    measured.tau[i] = fresh.hops[i].time_ps - state->last.hops[i].time_ps;
    measured.any = true;
    state->last.hops[i] = fresh.hops[i];
  }
  return measured;
}

void Hpcc::OneRate(State* state, Pace* pace, const Measured& measured, bool full) const {
  const double* fullest =
      std::max_element(std::begin(measured.utilisation), std::end(measured.utilisation));
  const std::int64_t tau = measured.tau[fullest - measured.utilisation];
  state->utilisation = Average(state->utilisation, *fullest, tau, pace->base_rtt);
  const auto next = rule_.Step(state->reference, state->stage, state->utilisation, pace->line_rate);
  pace->rate = next.rate;
  if (!full) return;
  state->reference = next.rate;
  state->stage = next.stage;
}

void Hpcc::RatePerHop(State* state, Pace* pace, const Measured& measured, bool full) const {
  BitRate lowest = pace->line_rate;
  for (std::uint32_t i = 0; i < state->last.count; ++i) {
    State::Hop& hop = state->hops[i];
    BitRate rate = hop.reference;
    if (measured.tau[i] > 0) {
      hop.utilisation =
          Average(hop.utilisation, measured.utilisation[i], measured.tau[i], pace->base_rtt);
      const auto next = rule_.Step(hop.reference, hop.stage, hop.utilisation, pace->line_rate);
      rate = next.rate;
      if (full) {
        hop.reference = next.rate;
        hop.stage = next.stage;
      }
    }
    lowest = std::min(lowest, rate, [](BitRate a, BitRate b) { return a < b; });
  }
  pace->rate = lowest;
}

void Hpcc::Options::Declare(OptionSet* options) {
  options->AddGroup({"hpcc", "HPCC and HPCC-PINT, CC_MODE 3 and 10", "docs/models/hpcc.md"});
  const std::string conf = "SimAI.conf";
  options->Add({"hpcc.target_utilisation", "U_TARGET", "utilisation that HPCC and HPCC-PINT aim at",
                "", conf},
               &target_utilisation, 0.01, 1.0);
  options->Add({"hpcc.increase_stages", "MI_THRESH",
                "additive steps of HPCC and HPCC-PINT before a multiplicative one; 0: every step "
                "is multiplicative",
                "", conf},
               &increase_stages, 0, 1'000'000);
  options->Add({"hpcc.fast_react", "FAST_REACT",
                "HPCC and HPCC-PINT react to every ACK, not once a round trip", "", conf},
               &fast_react);
  options->Add({"hpcc.rate_per_hop", "MULTI_RATE",
                "HPCC keeps a rate for each hop and sends at the lowest", "", conf},
               &rate_per_hop);
  options->Add(
      {"hpcc.sample_feedback", "SAMPLE_FEEDBACK",
       "HPCC leaves hops with an empty queue out of the reactions between two full updates", "",
       conf},
      &sample_feedback);
}

}  // namespace heddle
