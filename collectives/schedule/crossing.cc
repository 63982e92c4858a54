// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/crossing.h"

#include "core/base/check.h"

namespace heddle {

std::uint32_t Crossing::LegOf(const GroupFlow& flow) const {
  for (std::uint32_t leg = 0; leg < count; ++leg) {
    const Leg& one = legs[leg];
    if (one.source == flow.source && one.destination == flow.destination &&
        one.connection == flow.connection)
      return leg;
  }
  HEDDLE_EXPECT(false);
  return 0;
}

Crossing MakeCrossing(const GroupShape& shape, Participant from, Participant to,
                      Connection straight, bool pxn) {
  const std::uint32_t here = shape.server_of(from), there = shape.server_of(to);
  if (pxn && here != there && shape.rail(from) != shape.rail(to)) {
    const Participant proxy = shape.on_rail(here, shape.rail(to));
    if (proxy != GroupShape::kNone)
      return {{{from, proxy, Connection::kPxnInit}, {proxy, to, Connection::kPxnNet}}, 2};
    const Participant far = shape.on_rail(there, shape.rail(from));
    if (far != GroupShape::kNone)
      return {{{from, far, Connection::kPxnNet}, {far, to, Connection::kPxnFinal}}, 2};
  }
  return {{{from, to, straight}, {}}, 1};
}

void LegCounts::Add(const Crossing& hop) {
  for (std::uint32_t leg = 0; leg < hop.count; ++leg) {
    ++counts_[hop.legs[leg].source].sends;
    ++counts_[hop.legs[leg].destination].receives;
  }
  total_ += hop.count;
}

}  // namespace heddle
