// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/carriers/request_carrier.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "transport/domain/host/path_client.h"
#include "transport/domain/requests/request_desk.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

bool RequestCarrier::Takes(const DomainState& state, const MessageStart& start) const {
  return RequestDesk::Divides(state.context(), start.flow());
}

void RequestCarrier::Start(DomainState& state, const MessageStart& start,
                           SendWindows* windows) const {
  const FlowPost& flow = start.flow();
  PostQueue& queue = start.queue;
  const std::int64_t most = state.context().options.nic.qps_per_connection;
  QueuePair first = start.NewPair();
  first.pace.window = windows->Of(state.context(), flow);
  if (start.numbered()) {
    first.flow = {flow.source, flow.numbers.number};
    first.source_port = flow.numbers.source_port;
  } else {
    first.flow = {flow.source, queue.next_flow};
    queue.next_flow += static_cast<std::uint32_t>(most);
    first.source_port = start.lasts() ? start.connection_port : queue.ports.Next(flow.destination);
    for (std::int64_t i = 1; i < most && !start.lasts(); ++i) queue.ports.Next(flow.destination);
  }
  first.post = start.opener.OpenGrowing(state, flow, start.connection);
  std::vector<std::uint32_t> grants;
  for (std::uint32_t grant = start.item.grant; grant != PathClient::kNone;
       grant = state.parts().paths.Next(grant))
    grants.push_back(grant);
  state.parts().requests.Start(state, start.node, flow, first, start.lasts(), std::move(grants));
}

}  // namespace heddle
