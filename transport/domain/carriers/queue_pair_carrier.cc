// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/carriers/queue_pair_carrier.h"

#include <cstdint>

#include "transport/domain/host/path_client.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/flow_starter.h"

namespace heddle {

MessageSplit SplitOf(const FabricContext& context, const FlowHeap::Item& item) {
  const bool was_divided =
      item.flow.numbers.given() && item.grant != PathClient::kNone && !context.requests.active();
  return was_divided ? MessageSplit() : context.split;
}

void QueuePairCarrier::Start(DomainState& state, const MessageStart& start,
                             SendWindows* windows) const {
  const FabricContext& context = state.context();
  const FlowPost& flow = start.flow();
  PostQueue& queue = start.queue;
  QueuePair pair = start.NewPair();
  pair.pace.window = windows->Of(context, flow);
  const MessageSplit split = SplitOf(context, start.item);
  pair.post = start.opener.Open(state, flow, start.connection, queue.next_flow,
                                split.FlowsOf(flow.size), start.on_arrival || flow.on_arrival);
  pair.grant = start.item.grant;
  std::uint16_t port = start.connection_port;
  split.ForEachFlow(flow, [&](const FlowPost& part) {
    pair.flow = {flow.source, start.numbered() ? part.numbers.number : queue.next_flow++};
    if (start.lasts()) {
      pair.source_port = port++;
    } else {
      pair.source_port =
          start.numbered() ? part.numbers.source_port : queue.ports.Next(flow.destination);
    }
    pair.size = part.size;
    state.parts().starter.Start(state, start.node, pair);
    if (pair.grant != PathClient::kNone) pair.grant = state.parts().paths.Next(pair.grant);
  });
}

}  // namespace heddle
