// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/nscc.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

/// Truncated to whole bytes (or bytes squared), as uet-htsim does at each step.
std::int64_t Whole(double value) {
  return value < static_cast<double>(kMostBytes) ? static_cast<std::int64_t>(value) : kMostBytes;
}

void Gather(std::int64_t* sum, double increase) {
  *sum = std::min(*sum + Whole(increase), kMostBytes);
}

void Add(NsccChanges* changes, NsccCause cause, std::int64_t bytes) { changes->of(cause) += bytes; }

void SetWindow(Nscc::State* state, std::int64_t window, NsccCause cause, NsccChanges* changes) {
  Add(changes, cause, window - state->window);
  state->window = window;
}

}  // namespace

Nscc::Nscc(const UecOptions& options, const UecScale& scale)
    : scale_(scale),
      gamma_(options.gamma),
      max_decrease_(options.max_decrease),
      fast_delay_(options.fast_delay),
      delay_gain_(options.delay_gain),
      gate_(options.quick_adapt_gate),
      ack_threshold_(options.ack_threshold),
      adapts_(options.adapts_window()),
      credit_(options.uses_credit()),
      nack_lowers_rtt_(options.nack_lowers_rtt),
      full_mtu_(options.spec_full_mtu),
      needs_sample_(options.spec_needs_sample),
      at_end_(options.spec_quick_adapt),
      spec_ack_request_(options.spec_ack_request) {}

void Nscc::Start(State* state, Time base_rtt) const {
  HEDDLE_EXPECT(base_rtt > Time{0});
  *state = State{};
  state->base_rtt = base_rtt;
  state->max_window = scale_.MaxWindow(base_rtt);
  state->window = std::min(scale_.initial_window, state->max_window);
}

void Nscc::OnAck(State* state, const Ack& ack, NsccChanges* changes) const {
  if (!adapts_) return;
  state->achieved += ack.new_bytes;
  state->received += ack.new_bytes;
  state->ignored += ack.new_bytes;
  if (needs_sample_ && !ack.round_trip) return;
  const Time delay = TakeSample(state, ack);
  if (QuickAdapt(state, ack.now, false, ack.marked, delay, ack.in_flight, changes)) return;
  if (!ack.marked) {
    Increase(state, ack.new_bytes, delay, changes);
  } else if (delay >= scale_.target_delay) {
    Decrease(state, ack.now, changes);
  }
  Limit(state, changes);
  Adjust(state, ack.now, changes);
  Limit(state, changes);
}

void Nscc::OnNack(State* state, const Nack& nack, NsccChanges* changes) const {
  if (!adapts_) return;
  if (nack.round_trip && nack_lowers_rtt_) LowerBase(state, *nack.round_trip);
  state->ignored += nack.bytes;
  Average(state, scale_.base_rtt, true);
  state->trigger = 1;
  if (QuickAdapt(state, nack.now, true, true, Time{0}, nack.in_flight, changes)) return;
  if (credit_ && nack.last_hop) return;
  SetWindow(state, std::max(state->window - nack.bytes, scale_.min_window), NsccCause::kNack,
            changes);
  Limit(state, changes);
}

void Nscc::OnTimeout(State* state, std::int64_t bytes, NsccChanges* changes) const {
  if (!adapts_) return;
  SetWindow(state, std::max(state->window - bytes, scale_.min_window), NsccCause::kTimeout,
            changes);
}

bool Nscc::AsksForAck(const State& state, std::int64_t in_flight, std::int64_t bytes) const {
  if (!spec_ack_request_) return in_flight + bytes >= state.window;
  return state.window - in_flight < scale_.min_window || state.window < ack_threshold_;
}

void Nscc::LowerBase(State* state, Time rtt) const {
  if (rtt >= state->base_rtt || rtt <= Time{0}) return;
  state->base_rtt = rtt;
  state->max_window = scale_.MaxWindow(rtt);
}

/// Returns the delay of this ACK; the average if it has no usable round trip.
Time Nscc::TakeSample(State* state, const Ack& ack) const {
  if (!ack.round_trip) return state->average_delay;
  if (ack.lowers_base) LowerBase(state, *ack.round_trip);
  if (*ack.round_trip < state->base_rtt) return state->average_delay;
  const Time delay = *ack.round_trip - state->base_rtt;
  Average(state, delay, ack.marked);
  return delay;
}

void Nscc::Average(State* state, Time delay, bool marked) const {
  auto sample = static_cast<double>(delay.ps);
  if (!marked && delay > scale_.target_delay)
    sample = 0.25 * static_cast<double>(state->base_rtt.ps);
  const auto before = static_cast<double>(state->average_delay.ps);
  state->average_delay = {Whole(delay_gain_ * sample + (1 - delay_gain_) * before)};
}

/// Whether the window adapted, or this answer is ignored: its packet was sent before it did.
bool Nscc::QuickAdapt(State* state, Time now, bool loss, bool marked, Time delay,
                      std::int64_t in_flight, NsccChanges* changes) const {
  bool done = false;
  const bool over = now > state->quick_adapt_end || (at_end_ && now == state->quick_adapt_end);
  if (state->ignored < state->to_ignore && marked) {
    done = true;
  } else if (over) {
    const bool asked = state->trigger != 0 || loss || delay > scale_.quick_adapt_delay;
    if (state->quick_adapt_end != Time{0} && asked &&
        state->achieved < state->max_window >> gate_) {
      SetWindow(state, std::max(state->achieved, scale_.min_window), NsccCause::kQuickAdapt,
                changes);
      state->to_ignore = in_flight;
      state->ignored = 0;
      state->trigger = 0;
      done = true;
    }
    state->achieved = 0;
    state->quick_adapt_end = now + state->base_rtt + scale_.target_delay;
  }
  if (done) state->fair = state->proportional = state->received = 0;
  return done;
}

void Nscc::Increase(State* state, std::int64_t new_bytes, Time delay, NsccChanges* changes) const {
  const auto bytes = static_cast<double>(new_bytes);
  if (delay >= scale_.target_delay) {
    Gather(&state->fair, scale_.fair_increase * bytes);
  } else if (!FastIncrease(state, new_bytes, delay, changes)) {
    const auto room = static_cast<double>((scale_.target_delay - delay).ps);
    Gather(&state->proportional, scale_.alpha * bytes * room);
  }
}

bool Nscc::FastIncrease(State* state, std::int64_t new_bytes, Time delay,
                        NsccChanges* changes) const {
  const bool empty = delay < fast_delay_;
  state->fast_bytes = empty ? state->fast_bytes + new_bytes : 0;
  const bool active = empty && (state->fast != 0 || state->fast_bytes > state->window);
  state->fast = active ? 1 : 0;
  if (active) {
    const std::int64_t step = Whole(scale_.fast_scale * static_cast<double>(new_bytes));
    SetWindow(state, state->window + step, NsccCause::kFast, changes);
  }
  return active;
}

void Nscc::Decrease(State* state, Time now, NsccChanges* changes) const {
  state->fast = 0;
  state->fast_bytes = 0;
  const Time average = state->average_delay;
  if (average <= scale_.target_delay || now - state->last_decrease <= state->base_rtt) return;
  const double excess =
      static_cast<double>((average - scale_.target_delay).ps) / static_cast<double>(average.ps);
  const double factor = std::max(1 - gamma_ * excess, 1 - max_decrease_);
  const std::int64_t window = Whole(static_cast<double>(state->window) * factor);
  SetWindow(state, std::max(window, scale_.min_window), NsccCause::kDecrease, changes);
  state->last_decrease = now;
}

void Nscc::Adjust(State* state, Time now, NsccChanges* changes) const {
  const Time since = now - state->last_adjust;
  if (state->received <= scale_.adjust_bytes && since <= scale_.base_rtt) return;
  const std::int64_t before = state->window;
  const std::int64_t step = (state->fair + state->proportional) / before;
  Add(changes, NsccCause::kFair, state->fair / before);
  Add(changes, NsccCause::kProportional, step - state->fair / before);
  state->window += step;
  if (since >= scale_.base_rtt) {
    SetWindow(state, state->window + Whole(scale_.eta), NsccCause::kEta, changes);
    state->last_adjust = now;
  }
  state->fair = state->proportional = state->received = 0;
}

void Nscc::Limit(State* state, NsccChanges* changes) const {
  SetWindow(state, std::max(std::min(state->window, state->max_window), scale_.min_window),
            NsccCause::kLimit, changes);
}

void Nscc::State::Check() const {
  bool sound = window > 0 && max_window > 0 && base_rtt > Time{0} && fast <= 1 && trigger <= 1;
  for (const std::int64_t value :
       {window, max_window, fair, proportional, received, achieved, fast_bytes, ignored,
        base_rtt.ps, average_delay.ps, last_decrease.ps, last_adjust.ps, quick_adapt_end.ps}) {
    sound = sound && value >= 0 && value <= kMostBytes;
  }
  ExpectState(sound && to_ignore >= -kMostBytes && to_ignore <= kMostBytes,
              "a window of NSCC that is out of range");
}

}  // namespace heddle
