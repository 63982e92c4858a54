// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/send_recv_schedule.h"

#include "core/base/check.h"

namespace heddle {

SendRecvSchedule::SendRecvSchedule(const CollectiveSpec& spec, const GroupShape& shape, bool pxn)
    : spec_(spec), shape_(shape), pxn_(pxn), counts_(shape.ranks()) {
  HEDDLE_EXPECT(shape.ranks() > 1 && spec.root != spec.peer);
  for (std::uint32_t k = 0; k < chunk_count(); ++k) counts_.Add(HopOf(k));
}

Crossing SendRecvSchedule::HopOf(std::uint32_t k) const {
  const Participant from = to_next() ? k : spec_.root;
  const Participant to = to_next() ? (k + 1) % shape_.ranks() : spec_.peer;
  return MakeCrossing(shape_, from, to, Connection::kDirect, pxn_);
}

GroupFlow SendRecvSchedule::Flow(const Crossing& hop, std::uint32_t leg, std::uint32_t k) const {
  GroupFlow flow;
  flow.source = hop.legs[leg].source;
  flow.destination = hop.legs[leg].destination;
  flow.connection = hop.legs[leg].connection;
  flow.chunk = k;
  flow.bytes = spec_.bytes;
  return flow;
}

void SendRecvSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (!shape_.is_rank(p)) return;
  if (to_next()) {
    out->push_back(Flow(HopOf(p), 0, p));
  } else if (p == spec_.root) {
    out->push_back(Flow(HopOf(0), 0, 0));
  }
}

void SendRecvSchedule::After(const GroupFlow& arrived, std::vector<GroupFlow>* children) const {
  const Crossing hop = HopOf(arrived.chunk);
  const std::uint32_t leg = hop.LegOf(arrived);
  if (leg + 1 < hop.count) children->push_back(Flow(hop, leg + 1, arrived.chunk));
}

std::uint32_t SendRecvSchedule::ParentCount(const GroupFlow& flow) const {
  return HopOf(flow.chunk).LegOf(flow);
}

void SendRecvSchedule::Parents(const GroupFlow& flow, std::vector<GroupFlow>* parents) const {
  const Crossing hop = HopOf(flow.chunk);
  if (hop.LegOf(flow) > 0) parents->push_back(Flow(hop, 0, flow.chunk));
}

void SendRecvSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  for (std::uint32_t k = 0; k < chunk_count(); ++k) {
    const Crossing hop = HopOf(k);
    for (std::uint32_t leg = 0; leg < hop.count; ++leg) visit(Flow(hop, leg, k));
  }
}

}  // namespace heddle
