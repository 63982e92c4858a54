// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/uec/loss_recovery.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::int64_t kLeastPackets = 5;

}  // namespace

std::int64_t LossRecovery::OnAck(State* state, std::int64_t held, std::int64_t window,
                                 std::int64_t max_window, PacketWindow* packets) const {
  const std::int64_t cumulative = packets->base();
  if (state->active != 0 && cumulative >= state->until) state->active = 0;
  if (state->active == 0) {
    const std::int64_t bytes =
        std::max(std::min(window + window / 2, max_window), kLeastPackets * payload_);
    if (held < bytes / payload_ || packets->queued_bytes() > 0) return 0;
    *state = {packets->next(), 0, 1};
  }
  const std::int64_t end = std::min(state->until, cumulative + window / payload_);
  std::int64_t queued = 0;
  for (std::int64_t at = std::max(cumulative, state->resent); at < end; ++at)
    queued += packets->Lose(at);
  state->resent = std::max(state->resent, end);
  return queued;
}

void LossRecovery::OnProbeAnswer(State* state, Time delay, const PacketWindow& packets) const {
  if (delay < target_delay_) *state = {packets.next(), packets.base(), 1};
}

}  // namespace heddle
