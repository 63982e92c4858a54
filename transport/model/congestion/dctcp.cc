// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/congestion/dctcp.h"

#include <algorithm>

#include "core/options/options.h"

namespace heddle {

Dctcp::Dctcp(const Options& options, const RateOptions& rates) : options_(options), rates_(rates) {}

void Dctcp::Start(State* state, Pace* pace, std::uint64_t /*seed*/, FlowId /*flow*/) const {
  *state = State{};
  pace->rate = pace->line_rate;
}

void Dctcp::OnAck(State* state, Pace* pace, const AckSignals& signals) const {
  if (signals.congestion) ++state->marked;
  const bool batch_ended = signals.acknowledged > state->last_update;
  if (batch_ended) EndBatch(state, signals);
  if (signals.acknowledged > state->cut_at) state->reduced = 0;
  if (signals.congestion && state->reduced == 0) {
    pace->rate = Bounded(Scaled(pace->rate, 1 - state->alpha / 2, pace->line_rate), rates_.minimum,
                         pace->line_rate);
    state->reduced = 1;
    state->cut_at = signals.next;
  }
  if (batch_ended && state->reduced == 0) {
    pace->rate = Bounded(BitRate{pace->rate.bps + options_.additive_increase.bps}, rates_.minimum,
                         pace->line_rate);
  }
}

/// The first batch starts with all that was sent and keeps the marks counted so far, as in SimAI.
void Dctcp::EndBatch(State* state, const AckSignals& signals) const {
  std::int64_t in_flight = signals.next;
  if (state->last_update != 0) {
    const double share =
        std::min(1.0, static_cast<double>(state->marked) / static_cast<double>(state->batch));
    state->alpha = (1 - rates_.gain) * state->alpha + rates_.gain * share;
    state->marked = 0;
    in_flight -= signals.acknowledged;
  }
  state->batch = in_flight / rates_.payload + 1;
  state->last_update = signals.next;
}

void Dctcp::Options::Declare(OptionSet* options) {
  options->AddGroup({"dctcp", "DCTCP, CC_MODE 8", "docs/models/dctcp.md"});
  options->Add({"dctcp.additive_increase", "DCTCP_RATE_AI",
                "increase of DCTCP for each batch without a cut", "bit/s", "SimAI.conf"},
               &additive_increase, kLowestRate, kHighestRate);
}

}  // namespace heddle
