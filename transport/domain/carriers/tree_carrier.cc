// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/carriers/tree_carrier.h"

#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/flow_starter.h"
#include "transport/domain/streams/stream_desk.h"

namespace heddle {

bool TreeCarrier::Takes(const DomainState& /*state*/, const MessageStart& start) const {
  return start.flow().in_tree();
}

void TreeCarrier::Start(DomainState& state, const MessageStart& start,
                        SendWindows* /*windows*/) const {
  const FlowPost& flow = start.flow();
  QueuePair pair = start.NewPair();
  pair.flow = {flow.source, start.queue.next_flow++};
  pair.source_port = start.queue.ports.Next(flow.destination);
  pair.post = start.opener.Open(state, flow, start.connection, pair.flow.number, 1, true);
  if (!flow.stream.given()) {
    pair.size = flow.size;
    state.parts().starter.Start(state, start.node, pair);
    return;
  }
  pair.grows = 1;
  state.parts().streams.Open(state, flow.stream,
                             state.parts().starter.Start(state, start.node, pair), flow.size);
}

}  // namespace heddle
