// SPDX-License-Identifier: GPL-2.0-only
// Checks of a sender that was loaded from a checkpoint.
#include "transport/domain/requests/request_desk.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/streams/stream_desk.h"

namespace heddle {

void Sender::Check(const DomainState& state, MessageDesk::Claims* messages,
                   PathClient::Claims* grants) const {
  const FabricContext& context = state.context();
  const std::size_t slots = own_.pairs.size();
  ExpectState(context.control.mode() == 0 || slots == 0 ||
                  own_.rates.Has(static_cast<std::uint32_t>(slots - 1)),
              "queue pairs without congestion control");
  ExpectState(own_.reliability.Covers(slots), "queue pairs without a window of packets");
  const std::vector<bool> used = own_.pairs.used_slots();
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const QueuePair& pair = own_.pairs[slot];
    ExpectState(pair.flow.source.valid() == used[slot],
                "a queue pair that is both free and in use");
    if (!used[slot]) continue;
    CheckPair(state, slot);
    messages->ClaimStarted(pair);
    state.parts().requests.CheckPair(state, slot, pair);
    if (pair.grant != PathClient::kNone) grants->ClaimStarted(pair.grant, slot, pair.flow.source);
  }
  state.parts().requests.CheckOwners(used);
  own_.nics.Check(state, own_.pairs, context.options.reliability.sure_of_ack());
}

void Sender::CheckPair(const DomainState& state, std::uint32_t slot) const {
  const QueuePair& pair = own_.pairs[slot];
  const TransportOptions& options = state.context().options;
  ExpectState(state.IsHost(pair.flow.source) && state.IsEnd(pair.destination) &&
                  pair.destination != pair.flow.source,
              "a flow between no hosts");
  const std::int64_t kept = pair.more_comes() ? 1 : 0;
  const bool counted = pair.size + kept > 0 && pair.size <= kMaxFlowBytes && pair.unacked >= 0 &&
                       pair.unacked < pair.size + kept && pair.next >= pair.unacked &&
                       pair.next <= pair.size && pair.highest >= 0 && pair.highest <= pair.size;
  ExpectState(counted && pair.pace.limit >= 0 && pair.priority < kPriorities && pair.resend <= 1 &&
                  pair.asked <= 1,
              "a flow of more bytes than it has");
  ExpectState(pair.ultra <= 1, "a flow of no protocol");
  ExpectState(pair.grows <= 1 && (pair.grows == 0 || state.parts().streams.Carries(slot)),
              "a flow that grows with no sum");
  if (pair.ultra != 0) own_.uec.Check(state, slot, pair);
  const bool parked = pair.port == QueuePair::kParked;
  const std::int64_t line = pair.pace.line_rate.bps, rate = pair.pace.rate.bps;
  const bool sprays = state.context().entropies.sprays() && pair.ultra == 0 && line > 0;
  ExpectState(pair.sprays == (sprays ? 1 : 0), "entropies of a flow that has none");
  if (sprays) {
    own_.entropies.Check(state.context().entropies, slot,
                         (pair.size + options.payload - 1) / options.payload);
  }
  ExpectState((parked && line == 0 && rate == 0) || (rate > 0 && line > 0),
              "a flow without a rate");
  if (!parked) {
    const bool placed = DomainState::IsPortOf(*state.FindNode(pair.flow.source), pair.port) &&
                        state.ports()[pair.port].nic != DomainState::kNone;
    ExpectState(placed && own_.nics[state.ports()[pair.port].nic].Has(pair.position, slot),
                "a flow at no NIC");
  }
  if (pair.ultra == 0) own_.reliability.Check(slot, pair);
}

}  // namespace heddle
