// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/receiver_credit.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {

void ReceiverCredit::EndSpeculation(State* state) const {
  if (state->speculating == 0) return;
  state->speculating = 0;
  state->credit = std::min<std::int64_t>(state->credit, 0);
}

void ReceiverCredit::OnPull(State* state, std::int64_t pull) const {
  EndSpeculation(state);
  if (pull <= state->pull) return;
  state->credit = std::min(most_, state->credit + kCreditQuantum * (pull - state->pull));
  state->pull = pull;
}

std::int64_t ReceiverCredit::PullTarget(const State& state, const Backlog& backlog) const {
  HEDDLE_EXPECT(backlog.waiting_flows >= 1);
  std::int64_t want = backlog.fresh + backlog.retransmission;
  if (backlog.window) want = std::min(want, *backlog.window + packet_);
  want = std::min(want, most_) - state.credit;
  if (state.speculating != 0 && backlog.fresh > 0) want = std::max(want, packet_);
  return QuantaOver(kCreditQuantum * state.pull + want / backlog.waiting_flows);
}

}  // namespace heddle
