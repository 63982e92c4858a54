// SPDX-License-Identifier: GPL-2.0-only
// Flows that begin and end at the nodes of this domain.
#include <algorithm>

#include "transport/domain/scale_up/scale_up_side.h"
#include "transport/domain/state/message_reports.h"
#include "transport/domain/state/scale_up_ideal.h"

namespace heddle {

void ScaleUpSide::Start(DomainState& state, ScaleUpFlow flow) {
  flow.start = state.now();
  flow.next = kNone;
  const std::uint32_t slot = flows_.Allocate();
  flows_[slot] = flow;
  ++state.books().flows_started;
  Lane& lane = LaneOf(flow.port);
  if (lane.first == kNone) {
    lane.first = slot;
  } else {
    flows_[lane.last].next = slot;
  }
  lane.last = slot;
  Send(state, state.ports()[flow.port], flow.port);
}

std::int64_t ScaleUpSide::TrainOf(const DomainState& state, const Lane& lane, std::int64_t most) {
  // Packets that begin later belong to the next sample, or the next bin.
  const Time last = std::min(state.sampler().next(), state.tier_load().edge() - PicoSeconds(1));
  if (last <= state.now()) return 1;
  return std::min(
      most, 1 + (last - state.now()).ps / std::max<std::int64_t>(lane.link.full_time().ps, 1));
}

bool ScaleUpSide::SendOwn(DomainState& state, Lane* lane, Port& port) {
  const std::uint32_t slot = lane->first;
  ScaleUpFlow& flow = flows_[slot];
  const std::int64_t left = flow.size - flow.sent, full = lane->link.packet_bytes();
  ScaleUpPacket p;
  std::int64_t count = 1;
  if (lane->alone) {
    count = lane->link.PacketsOf(left);
  } else if (lane->trains) {
    count = TrainOf(state, *lane, lane->link.PacketsOf(left));
  } else if (!TakeCredit(lane, std::min(left, full), &p.channel)) {
    return false;
  }
  p.source = flow.flow.source;
  p.destination = flow.destination;
  p.flow_number = flow.flow.number;
  p.flow_slot = slot;
  p.bytes = std::min(left, count * full);
  p.count = static_cast<std::uint32_t>(count);
  p.first = flow.packets;
  p.lane = flow.lane;
  p.last = p.bytes == left ? 1 : 0;
  flow.sent += p.bytes;
  flow.packets += p.count;
  const std::int64_t wire = lane->link.WireBytes(p.bytes, count);
  state.books().injected_packets += count;
  state.books().injected_bytes += p.bytes;
  lane->own_next = 0;
  TakeTurns(lane, p.last != 0);
  const std::uint32_t post = flow.post;
  const Time time = lane->link.TrainTime(p.bytes, count), end = state.now() + time;
  // On a lane whose packets do not wait, the port is free again at once.
  Transmit(state, *lane, port, p, wire, lane->alone ? Time() : time,
           lane->link.Reach(p.bytes, count));
  if (p.last != 0 && post != ScaleUpFlow::kNoPost)
    state.parts().reports.ReportSent(state, post, end);
  return true;
}

void ScaleUpSide::TakeTurns(Lane* lane, bool done) {
  const std::uint32_t slot = lane->first, next = flows_[slot].next;
  if (!done && (!lane->turns || next == kNone)) return;
  lane->first = next;
  if (next == kNone) lane->last = kNone;
  if (done) return;
  flows_[slot].next = kNone;
  flows_[lane->last].next = slot;
  lane->last = slot;
}

void ScaleUpSide::Receive(DomainState& state, const ScaleUpPacket& p, NodeId node) {
  state.books().received_packets += p.count;
  state.books().received_bytes += p.bytes;
  if (p.first == 0 && p.last != 0) return Complete(state, p);
  const std::uint64_t key = FlowId{p.source, p.flow_number}.packed();
  std::uint32_t slot = index_.Find(key);
  if (slot == FlatMap::kNone) {
    slot = arriving_.Allocate();
    arriving_[slot] = {{p.source, p.flow_number}, node, 0, 0};
    index_.Insert(key, slot);
  }
  ScaleUpArriving& flow = arriving_[slot];
  flow.received += p.count;
  if (p.last != 0) flow.packets = p.first + p.count;
  if (flow.received != flow.packets) return;
  index_.Erase(key);
  flow.flow = FlowId();
  arriving_.Free(slot);
  Complete(state, p);
}

void ScaleUpSide::Complete(DomainState& state, const ScaleUpPacket& p) {
  const FlowId flow{p.source, p.flow_number};
  state.ledger().AddArrival({flow, state.now()});
  ScaleUpPacket report = p;
  report.kind = ScaleUpKind::kArrived;
  report.bytes = state.now().ps;
  const DomainId to = state.context().domain_of[p.source.value];
  const Time at = state.now() + state.context().LeastDelay(state.id(), to);
  const std::uint64_t order =
      EventOrder(p.source, PortId(0), FabricEvent::kScaleUpQuiet, p.flow_number).bits();
  if (to == state.id()) {
    state.Deliver(at, order, report);
  } else {
    static constexpr MessageTail kNoTail{};
    state.post_office().Send(state.post_office().AddressOf(to), to, at, order, report,
                             state.context().tails ? &kNoTail : nullptr);
  }
  state.parts().reports.ReportReceived(state, flow);
}

FlowRecord ScaleUpSide::RowOf(const ScaleUpFlow& flow, FlowState how) {
  FlowRecord row;
  row.flow = flow.flow;
  row.destination = flow.destination;
  row.source_port = flow.source_port;
  row.destination_port = flow.destination_port;
  row.priority = flow.priority;
  row.state = how;
  row.message = flow.message;
  row.size = flow.size;
  row.start = flow.start;
  row.origin = flow.origin;
  return row;
}

void ScaleUpSide::End(DomainState& state, std::uint32_t slot, Time arrival) {
  const ScaleUpFlow flow = flows_[slot];
  flows_[slot].flow = FlowId();
  flows_.Free(slot);
  FlowRecord row = RowOf(flow, FlowState::kFinished);
  row.completion = arrival - flow.start;
  row.ideal = ScaleUpIdealTime(state.context(), row, flow.lane);
  state.ledger().AddFlow(row);
  ++state.books().flows_finished;
  if (flow.post != ScaleUpFlow::kNoPost) state.parts().reports.Forget(flow.post);
}

void ScaleUpSide::AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const {
  const std::vector<bool> used = flows_.used_slots();
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    if (!used[slot]) continue;
    FlowRecord row = RowOf(flows_[slot], FlowState::kUnderWay);
    row.ideal = ScaleUpIdealTime(state.context(), row, flows_[slot].lane);
    open->push_back(row);
  }
}

}  // namespace heddle
