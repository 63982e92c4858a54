// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/flow_life.h"

#include "core/traffic/source_ports.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/host/path_client.h"
#include "transport/domain/requests/request_desk.h"
#include "transport/domain/state/ideal_time.h"
#include "transport/domain/state/message_reports.h"
#include "transport/domain/state/replay_watcher.h"
#include "transport/domain/state/transmit.h"
#include "transport/domain/streams/stream_desk.h"
#include "transport/model/nic/flow_rows.h"
#include "transport/model/replay/episode_record.h"

namespace heddle {
namespace {

FlowRecord RowOf(const DomainState& state, const QueuePair& pair, FlowState how) {
  FlowRecord row = RecordOf(pair);
  row.state = how;
  const IdealTimes::Flow flow = IdealTimes::FlowOf(row);
  IdealTimes& ideal_times = *state.context().ideal_times;
  if (how == FlowState::kFinished) {
    row.completion = state.now() - pair.start;
    row.ideal = ideal_times.OfFinished(flow, pair.start, state.now(), pair.recovery.moves > 0);
  } else {
    row.ideal = ideal_times.Of(flow, pair.start);
  }
  if (pair.post != QueuePair::kParked) row.origin = state.parts().reports.OriginOf(pair.post);
  if (pair.grant != PathClient::kNone) row.request = state.parts().paths.RequestOf(pair.grant);
  return row;
}

}  // namespace

std::uint32_t FlowLife::Start(DomainState& state, std::uint32_t node, const QueuePair& made) {
  const std::uint32_t slot = Reserve(state);
  QueuePair pair = made;
  if (pair.grant != PathClient::kNone) {
    pair.source_port = state.parts().paths.Use(pair.grant, slot, pair.source_port);
  } else if (state.context().draws_ports) {
    pair.source_port = RandomSourcePort(state.context().seed, pair.flow.source, pair.destination,
                                        pair.source_port);
  }
  pair.pace.base_rtt = state.context().max_rtt;
  pair.next_send = state.now();
  pair.start = state.now();
  own_.pairs[slot] = pair;
  ++state.books().flows_started;
  const std::uint32_t port = state.parts().nic_routing.Choose(
      state.nodes()[node], pair.destination, pair.source_port, pair.destination_port);
  if (port == QueuePair::kParked) return slot;
  if (state.watcher() != nullptr && state.watcher()->TakesFlow(state, slot, port)) return slot;
  nic_.Join(state, slot, port);
  Send(state, state.ports()[port], port);
  return slot;
}

std::uint32_t FlowLife::Reserve(DomainState& state) {
  const std::uint32_t slot = own_.pairs.Allocate();
  own_.rates.Reserve(state.context(), slot);
  own_.reliability.Start(slot);
  return slot;
}

void FlowLife::StartAgain(DomainState& state, std::uint32_t slot, const QueuePair& pair,
                          std::uint32_t port) {
  own_.pairs[slot] = pair;
  nic_.Join(state, slot, port);
  Send(state, state.ports()[port], port);
}

Time FlowLife::LastWireTime(const DomainState& state, const QueuePair& pair, const Port& port) {
  const PacketTrains& trains = state.context().trains;
  const std::int64_t payload = trains.PayloadOf(pair.flow.source, pair.destination);
  const std::int64_t last = pair.size - (pair.size - 1) / payload * payload;
  return state.WireTime(port, trains.WireBytes(last));
}

void FlowLife::EndAgain(DomainState& state, std::uint32_t slot) {
  QueuePair& pair = own_.pairs[slot];
  nic_.Leave(state, slot);
  pair.flow = FlowId();
  pair.rate_timer = Time::Max();
  own_.pairs.Free(slot);
  state.watcher()->FlowEnded(state, slot, nullptr);
}

void FlowLife::Grow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open) {
  own_.pairs[slot].size = size;
  own_.pairs[slot].divided = open ? QueuePair::kOpen : QueuePair::kClosed;
  nic_.Update(state, slot);
}

void FlowLife::GrowStream(DomainState& state, std::uint32_t slot, std::int64_t size, bool all) {
  own_.pairs[slot].size = size;
  own_.pairs[slot].grows = all ? 0 : 1;
  nic_.Update(state, slot);
}

void FlowLife::ChangePort(DomainState& state, std::uint32_t slot, std::uint16_t source_port) {
  QueuePair& pair = own_.pairs[slot];
  pair.source_port = source_port;
  if (pair.recovery.moves < 0xffff) ++pair.recovery.moves;
  nic_.Choose(state, slot);
}

void FlowLife::End(DomainState& state, std::uint32_t slot, FlowState how) {
  QueuePair& pair = own_.pairs[slot];
  const bool finished = how == FlowState::kFinished;
  if (state.watcher() != nullptr && !state.watcher()->Notifies(state, slot, EpisodeStep::kEnded)) {
    EndAgain(state, slot);
    return;
  }
  const FlowRecord row = RowOf(state, pair, how);
  state.ledger().AddFlow(row);
  if (finished) {
    ++state.books().flows_finished;
    if (pair.post != QueuePair::kParked) state.parts().reports.ReportAcked(state, pair.post);
  }
  if (state.context().options.monitors.any()) state.sampler().SamplePair(state.now(), &pair);
  nic_.Leave(state, slot);
  if (pair.ultra != 0) own_.uec.End(slot);
  if (pair.divided != 0) state.parts().requests.Ended(state, slot, !finished);
  if (pair.grows != 0) state.parts().streams.Abandon(slot);
  own_.entropies.End(slot);
  if (pair.grant != PathClient::kNone) state.parts().paths.GiveBack(state, pair.grant);
  pair.flow = FlowId();  // late ACKs and timers find nobody
  pair.rate_timer = Time::Max();
  own_.pairs.Free(slot);
  if (state.watcher() != nullptr) state.watcher()->FlowEnded(state, slot, &row);
}

void FlowLife::AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const {
  for (std::uint32_t slot : LiveQueuePairs(own_.pairs)) {
    const QueuePair& pair = own_.pairs[slot];
    FlowState how = FlowState::kNoRoute;
    if (pair.port != QueuePair::kParked) {
      const bool paused = (state.ports()[pair.port].paused >> pair.priority & 1) != 0;
      how = paused ? FlowState::kPaused : FlowState::kUnderWay;
    }
    open->push_back(RowOf(state, pair, how));
  }
}

}  // namespace heddle
