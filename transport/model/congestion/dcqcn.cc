// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/dcqcn.h"

#include "core/options/options.h"

namespace heddle {
namespace {

/// The check's grid lies this much after alpha's, so that alpha's tick of the same microsecond
/// comes first (SimAI).
constexpr Time kCheckOffset = NanoSeconds(1);

/// base^n by squaring: only multiplications, so the same bits on every machine.
double Power(double base, std::int64_t n) {
  double result = 1;
  for (; n > 0; n >>= 1, base *= base) {
    if (n & 1) result *= base;
  }
  return result;
}

}  // namespace

Dcqcn::Dcqcn(const Options& options, const RateOptions& rates) : options_(options), rates_(rates) {}

void Dcqcn::Start(State* state, Pace* pace, std::uint64_t /*seed*/, FlowId /*flow*/) const {
  *state = State{};
  pace->rate = pace->line_rate;
  state->target = pace->rate;
}

void Dcqcn::OnCnp(State* state, Pace* pace, Time now) const {
  if (state->started == 0) {
    state->started = 1;
    state->first_cnp = now;
    state->alpha = 1;
    state->target = pace->rate;
    state->next_alpha = now + options_.alpha_interval;
    state->next_decrease = now + kCheckOffset + options_.decrease_interval;
    return;
  }
  OnTimer(state, pace, now);
  CatchUpAlpha(state, now);
  state->marked = 1;
  if (state->next_decrease != Time::Max()) return;
  const Time grid = state->first_cnp +
                    kCheckOffset;  // in the past: the first check has run, or it would be pending
  const std::int64_t passed = (now - grid).ps / options_.decrease_interval.ps;
  state->next_decrease = grid + options_.decrease_interval * (passed + 1);
}

void Dcqcn::OnTimer(State* state, Pace* pace, Time now) const {
  const bool increase_first = options_.increase_interval > options_.decrease_interval;
  while (NextTimer(*state) <= now) {
    const bool increase = state->next_increase < state->next_decrease ||
                          (state->next_increase == state->next_decrease && increase_first);
    if (increase) {
      Increase(state, pace);
    } else {
      Decrease(state, pace);
    }
  }
}

void Dcqcn::CatchUpAlpha(State* state, Time now) const {
  if (now < state->next_alpha) return;
  const std::int64_t ticks = (now - state->next_alpha).ps / options_.alpha_interval.ps + 1;
  const double keep = 1 - rates_.gain;
  state->next_alpha += options_.alpha_interval * ticks;
  state->alpha = keep * state->alpha + (state->marked != 0 ? rates_.gain : 0);
  state->marked = 0;
  const std::int64_t rest = ticks - 1;
  if (rest > kSingleTicks) {
    state->alpha *= Power(keep, rest);
  } else {
    for (std::int64_t i = 0; i < rest; ++i) state->alpha *= keep;
  }
}

void Dcqcn::Decrease(State* state, Pace* pace) const {
  const Time now = state->next_decrease;
  CatchUpAlpha(state, now);
  if (options_.clamp_target || state->stage != 0) state->target = pace->rate;
  pace->rate = Bounded(Scaled(pace->rate, 1 - state->alpha / 2, pace->line_rate), rates_.minimum,
                       pace->line_rate);
  state->stage = 0;
  state->next_decrease = Time::Max();
  state->next_increase = now + options_.increase_interval;
}

/// Once R_t is the line rate and R is where halving leaves it, further ticks change nothing but
/// `stage`: R_t is held at the line rate by every stage, so R stays too. And of `stage` a cut asks
/// only whether it is zero. So with stage >= 1 the timer may stop until the next cut restarts it. R
/// ends at the line rate or up to 2 bit/s below, as in SimAI: each half is cut down to an integer,
/// and then R = R/2 + R_t/2 has no larger solution that is reached from below.
void Dcqcn::Increase(State* state, Pace* pace) const {
  if (state->stage >= options_.fast_recovery) {
    const bool hyper = state->stage > options_.fast_recovery;
    const BitRate step = hyper ? rates_.hyper_increase : rates_.additive_increase;
    state->target.bps = std::min(state->target.bps + step.bps, pace->line_rate.bps);
  }
  pace->rate = Middle(pace->rate, state->target, pace->line_rate);
  ++state->stage;
  state->next_increase += options_.increase_interval;
  const bool settled = state->target == pace->line_rate &&
                       Middle(pace->rate, pace->line_rate, pace->line_rate) == pace->rate;
  if (settled) state->next_increase = Time::Max();
}

BitRate Dcqcn::Middle(BitRate rate, BitRate target, BitRate line) const {
  return Bounded(BitRate{rate.bps / 2 + target.bps / 2}, rates_.minimum, line);
}

double Dcqcn::AlphaAt(State state, Time now) const {
  if (state.started != 0) CatchUpAlpha(&state, now);
  return state.alpha;
}

void Dcqcn::Options::Declare(OptionSet* options) {
  options->AddGroup({"dcqcn", "DCQCN, CC_MODE 1", "docs/models/dcqcn.md"});
  const std::string conf = "SimAI.conf";
  const Time least = NanoSeconds(1);
  const Time most = MicroSeconds(1'000'000);
  options->Add({"dcqcn.alpha_interval", "ALPHA_RESUME_INTERVAL",
                "time between two updates of alpha", "us", conf},
               &alpha_interval, least, most, "us");
  options->Add({"dcqcn.decrease_interval", "RATE_DECREASE_INTERVAL",
                "time between two checks whether to cut the rate", "us", conf},
               &decrease_interval, least, most, "us");
  options->Add({"dcqcn.increase_interval", "RP_TIMER",
                "time between two recovery ticks after a cut", "us", conf},
               &increase_interval, least, most, "us");
  options->Add(
      {"dcqcn.fast_recovery", "FAST_RECOVERY_TIMES",
       "recovery ticks that only halve the distance to the target rate, before the target rises",
       "", conf},
      &fast_recovery, 0, 1'000'000);
  options->Add({"dcqcn.clamp_target", "CLAMP_TARGET_RATE",
                "every cut lowers the target to the rate before the cut", "", conf},
               &clamp_target);
}

}  // namespace heddle
