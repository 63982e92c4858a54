// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/all_to_all_v_schedule.h"

#include "core/base/check.h"

namespace heddle {

AllToAllVSchedule::AllToAllVSchedule(const PairSizes& sizes, const GroupShape& shape)
    : sizes_(sizes), shape_(shape), counts_(shape.ranks()) {
  HEDDLE_INVARIANT(sizes.bytes.size() == std::size_t{shape.ranks()} * shape.ranks(),
                   "a table of sizes is of another group");
  for (Participant from = 0; from < shape.ranks(); ++from) {
    for (Participant to = 0; to < shape.ranks(); ++to) {
      if (from == to || BytesOf(from, to) == 0) continue;
      ++counts_[from].sends;
      ++counts_[to].receives;
      ++flow_count_;
    }
  }
}

FlowCounts AllToAllVSchedule::CountsOf(Participant p) const {
  return shape_.is_rank(p) ? counts_[p] : FlowCounts{};
}

bool AllToAllVSchedule::Knows(const GroupFlow& name) const {
  return name.connection == Connection::kDirect && BytesOf(name.source, name.destination) > 0;
}

void AllToAllVSchedule::Begin(Participant p, std::vector<GroupFlow>* out) const {
  if (!shape_.is_rank(p)) return;
  GroupFlow flow;
  flow.source = p;
  flow.connection = Connection::kDirect;
  for (Participant to = 0; to < shape_.ranks(); ++to) {
    flow.destination = to;
    flow.bytes = BytesOf(p, to);
    if (to != p && flow.bytes > 0) out->push_back(flow);
    flow.offset += flow.bytes;
  }
}

void AllToAllVSchedule::ForEach(const std::function<void(const GroupFlow&)>& visit) const {
  std::vector<GroupFlow> of_rank;
  for (Participant rank = 0; rank < shape_.ranks(); ++rank) {
    of_rank.clear();
    Begin(rank, &of_rank);
    for (const GroupFlow& flow : of_rank) visit(flow);
  }
}

}  // namespace heddle
