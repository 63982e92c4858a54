// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/all_to_all_schedule.h"

#include "collectives/schedule/pieces.h"

namespace heddle {

FlowCounts AllToAllSchedule::CountsOf(Participant p) const {
  if (!shape_.is_rank(p)) return {};
  return {shape_.ranks() - 1, shape_.ranks() - 1};
}

void AllToAllSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (!shape_.is_rank(p)) return;
  for (Participant peer = 0; peer < shape_.ranks(); ++peer) {
    if (peer == p) continue;
    const ByteRange part = PartOf({0, bytes_}, shape_.ranks(), peer);
    GroupFlow flow;
    flow.source = p;
    flow.destination = peer;
    flow.connection = Connection::kDirect;
    flow.offset = part.offset;
    flow.bytes = part.bytes;
    out->push_back(flow);
  }
}

void AllToAllSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> of_rank;
  for (Participant rank = 0; rank < shape_.ranks(); ++rank) {
    of_rank.clear();
    Begin(rank, &of_rank);
    for (const GroupFlow& flow : of_rank) visit(flow);
  }
}

}  // namespace heddle
