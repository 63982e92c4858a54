// SPDX-License-Identifier: GPL-2.0-only
// What lower rooms ask of higher ones (transport/state/domain_parts.h and the headers of the
// desks), each a call of the part that does it.
#include "transport/domain/part_calls.h"

#include "transport/host/message_desk.h"
#include "transport/replay_domain/replay_side.h"
#include "transport/switching/pause_control.h"

namespace heddle {

bool IsReplayed(DomainState& state, std::uint32_t slot, std::uint32_t port) {
  return state.parts().replay.Takes(state, slot, port);
}

bool Tells(DomainState& state, std::uint32_t slot, EpisodeStep step) {
  return state.parts().replay.Tells(state, slot, step);
}

bool TellsArrival(DomainState& state, std::uint32_t queue_pair, FlowId flow) {
  const SlotPool<QueuePair>& pairs = state.parts().sender.pairs();
  if (queue_pair >= pairs.size() || pairs[queue_pair].flow != flow) return true;
  return Tells(state, queue_pair, EpisodeStep::kArrived);
}

void HasEnded(DomainState& state, std::uint32_t slot, const FlowRecord* row) {
  state.parts().replay.Ended(state, slot, row);
}

bool IsReplayedWhole(DomainState& state, std::uint32_t node, const FlowHeap::Item& item) {
  return state.parts().replay.whole().Takes(state, node, item);
}

void RecordLoad(DomainState& state, const Port& port, std::uint32_t bytes) {
  state.parts().replay.Carries(state, static_cast<std::uint32_t>(&port - state.ports_.data()),
                               bytes);
}

void RecordDraw(DomainState& state, std::uint32_t port) { state.parts().replay.Draws(state, port); }

void SendInTurns(DomainState& state, const DomainParts& parts, Port& port, std::uint32_t index) {
  // What passes through and its own queue pairs take turns.
  const bool passing = port.sendable() != 0;
  bool own = false;
  if (!passing || port.own_turn != 0) own = parts.sender.nic().SendData(state, port, index);
  port.own_turn = own ? 0 : 1;
  if (!own && passing) parts.switch_side.SendNext(state, port, index);
  // Something has left; cut to whole nanoseconds (compat.truncate_ns), an ACK does so in no time.
  if ((own || passing) && (port.sendable() != 0 || parts.sender.nics().any_ready(port)))
    state.WakePort(port, index, port.busy_until);
}

void Send(DomainState& state, Port& port, std::uint32_t index) {
  SendWith(state, state.parts(), port, index);
}

void QueueChanged(DomainState& state, const Port& port, int queue, const Packet& p, int sign) {
  if (state.sampler_.watches_queues() && !port.has(Port::kAtHost)) {
    const auto index = static_cast<std::uint32_t>(&port - state.ports_.data());
    state.sampler_.SampleQueue(state, state.now_, index, queue);
  }
  state.parts().pause.QueueChanged(state, port, queue, p, sign);
}

std::uint32_t StartFlow(DomainState& state, std::uint32_t node, const QueuePair& pair) {
  return state.parts().sender.life().Start(state, node, pair);
}

void GrowFlow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open) {
  state.parts().sender.life().Grow(state, slot, size, open);
}

void GrowStream(DomainState& state, std::uint32_t slot, std::int64_t size, bool all) {
  state.parts().sender.life().GrowStream(state, slot, size, all);
}

void AddFlow(DomainState& state, std::uint32_t post) { state.parts().desk.AddFlow(post); }

void CloseMessage(DomainState& state, const QueuePair& first,
                  const std::vector<std::uint32_t>& queue_pairs) {
  state.parts().desk.CloseMessage(state, first, queue_pairs);
}

void AbandonMessage(DomainState& state, const QueuePair& first) {
  state.parts().desk.AbandonMessage(first);
}

void ReturnGrant(DomainState& state, std::uint32_t grant) {
  state.parts().paths.GiveBack(state, grant);
}

void FlowReceived(DomainState& state, FlowId flow) {
  state.parts().desk.ReportReceived(state, flow);
}

void MessageLeft(DomainState& state, std::uint32_t post, Time when) {
  state.parts().desk.ReportSent(state, post, when);
}

void MessageArrived(DomainState& state, std::uint32_t post) { state.parts().desk.Forget(post); }

}  // namespace heddle
