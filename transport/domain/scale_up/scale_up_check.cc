// SPDX-License-Identifier: GPL-2.0-only
// Checks of scale-up links that were loaded from a checkpoint.
#include "transport/domain/scale_up/scale_up_side.h"
#include "transport/domain/state/scale_up_run.h"

namespace heddle {

void ScaleUpSide::CheckData(const DomainState& state, std::uint32_t slot) const {
  const ScaleUpPacket& p = At(state, slot);
  ExpectState(p.kind == ScaleUpKind::kData && Has(p.ingress) && state.IsEnd(p.source) &&
                  state.IsEnd(p.destination) && p.source != p.destination,
              "a scale-up packet between no hosts");
  const Lane& lane = LaneOf(p.ingress);
  ExpectState(p.bytes > 0 && p.bytes <= kMaxFlowBytes && p.count > 0 &&
                  lane.link.PacketsOf(p.bytes) >= p.count && p.channel < lane.link.channels() &&
                  p.last <= 1,
              "a scale-up packet of no size");
  const DomainState::Node& node = state.NodeOf(state.ports()[p.ingress]);
  const ScaleUpRun* run = state.context().scale_up.get();
  const bool gpus_pass_on = run != nullptr && (run->routes || run->direct);
  const bool goes_on = gpus_pass_on || node.forwards != DomainState::kNone;
  ExpectState(state.HasLane(p.lane) && (p.destination == node.id || goes_on),
              "a scale-up packet that cannot go on");
}

void ScaleUpSide::CheckWaiting(const DomainState& state, const Lane& lane,
                               std::uint32_t slot) const {
  CheckData(state, slot);
  ExpectState(state.ports()[At(state, slot).ingress].node == state.ports()[lane.port].node,
              "a scale-up packet that came in at another node");
}

void ScaleUpSide::CheckLearned(const DomainState& state, std::uint32_t slot) const {
  const ScaleUpPacket& p = At(state, slot);
  if (p.kind == ScaleUpKind::kArrived) {
    ExpectState(p.flow_slot < flows_.size() &&
                    flows_[p.flow_slot].flow == FlowId{p.source, p.flow_number} &&
                    p.source.valid() && flows_[p.flow_slot].sent == flows_[p.flow_slot].size &&
                    p.bytes >= 0,
                "a report of a flow that there is not");
    return;
  }
  ExpectState(p.kind == ScaleUpKind::kCredit && Has(p.ingress) && LaneOf(p.ingress).limited &&
                  p.channel < LaneOf(p.ingress).link.channels() && p.bytes > 0 &&
                  p.bytes <= LaneOf(p.ingress).link.buffer_flits(),
              "a credit of no link");
}

void ScaleUpSide::CheckLane(const Lane& lane, const std::vector<bool>& used,
                            std::vector<bool>* queued) const {
  std::uint32_t last = kNone;
  for (std::uint32_t slot = lane.first; slot != kNone; slot = flows_[slot].next) {
    ExpectState(slot < used.size() && used[slot] && !(*queued)[slot] &&
                    flows_[slot].port == lane.port && flows_[slot].sent < flows_[slot].size,
                "a flow that waits nowhere");
    (*queued)[slot] = true;
    last = slot;
  }
  ExpectState(last == lane.last, "a queue of flows without an end");
  ExpectState(lane.next_channel < lane.link.channels() && lane.own_next <= 1,
              "a virtual channel that there is not");
  for (std::uint32_t i = 0; lane.limited && i < lane.link.channels(); ++i) {
    ExpectState(credits_[lane.credits + i] <= lane.link.buffer_flits(),
                "more credits than buffers");
  }
}

void ScaleUpSide::CheckFlows(const DomainState& state) const {
  const std::vector<bool> used = flows_.used_slots();
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    const ScaleUpFlow& flow = flows_[slot];
    ExpectState(flow.flow.source.valid() == used[slot], "a flow that is both free and in use");
    if (!used[slot]) continue;
    ExpectState(state.IsHost(flow.flow.source) && state.IsEnd(flow.destination) &&
                    flow.destination != flow.flow.source && Has(flow.port) &&
                    state.NodeOf(state.ports()[flow.port]).id == flow.flow.source,
                "a flow between no hosts");
    ExpectState(flow.size > 0 && flow.size <= kMaxFlowBytes && flow.sent >= 0 &&
                    flow.sent <= flow.size && flow.start >= Time{0} && flow.start <= state.now(),
                "a flow of more bytes than it has");
    ExpectState(state.HasLane(flow.lane) && flow.priority < kPriorities,
                "a flow on a lane that there is not");
  }
  std::vector<bool> queued(used.size(), false);
  for (const Lane& lane : lanes_) CheckLane(lane, used, &queued);
  for (std::uint32_t slot = 0; slot < used.size(); ++slot) {
    ExpectState(!used[slot] || queued[slot] || flows_[slot].sent == flows_[slot].size,
                "a flow that never ends");
  }
  CheckArriving(state);
}

void ScaleUpSide::CheckArriving(const DomainState& state) const {
  const std::vector<bool> arriving = arriving_.used_slots();
  std::size_t live = 0;
  for (std::uint32_t slot = 0; slot < arriving.size(); ++slot) {
    if (!arriving[slot]) continue;
    ++live;
    const ScaleUpArriving& flow = arriving_[slot];
    ExpectState(flow.flow.source.valid() && index_.Find(flow.flow.packed()) == slot &&
                    state.IsEnd(flow.flow.source) && state.FindNode(flow.node) != nullptr,
                "a receiver that nobody finds");
  }
  ExpectState(index_.size() == live, "receivers of no flow");
}

}  // namespace heddle
