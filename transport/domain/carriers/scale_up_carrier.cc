// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/carriers/scale_up_carrier.h"

#include "transport/domain/host/nic_routing.h"
#include "transport/domain/scale_up/scale_up_side.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/scale_up_run.h"

namespace heddle {
namespace {

/// Returns the port of the message's source by which it leaves, if that is one of a scale-up link,
/// else kNone. `number`: its flow's. Only in runs with scale-up links.
std::uint32_t PortOf(const DomainState& state, std::uint32_t node, const FlowPost& flow,
                     std::uint32_t number) {
  const DomainState::Node& source = state.nodes()[node];
  const ScaleUpRun& run = *state.context().scale_up;
  if (run.routes)
    return source.first_port + run.routes->Next(source.id, flow.destination, flow.lane).value;
  // Messages take the planes of NVSwitches in turn.
  const auto turn = static_cast<std::uint16_t>(number);
  const std::uint32_t port =
      state.parts().nic_routing.Choose(source, flow.destination, turn, flow.destination_port);
  return state.parts().scale_up.Has(port) ? port : DomainState::kNone;
}

}  // namespace

bool ScaleUpCarrier::Takes(const DomainState& state, const MessageStart& start) const {
  if (state.context().scale_up == nullptr) return false;
  const std::uint32_t number =
      start.numbered() ? start.flow().numbers.number : start.queue.next_flow;
  return PortOf(state, start.node, start.flow(), number) != DomainState::kNone;
}

void ScaleUpCarrier::Start(DomainState& state, const MessageStart& start,
                           SendWindows* /*windows*/) const {
  if (!start.numbered()) {
    const FlowNumbers numbers{start.queue.next_flow++, start.queue.next_message++, 0};
    StartOne(state, start, start.flow(), numbers);
    return;
  }
  state.context().split.ForEachFlow(
      start.flow(), [&](const FlowPost& part) { StartOne(state, start, part, part.numbers); });
}

void ScaleUpCarrier::StartOne(DomainState& state, const MessageStart& start, const FlowPost& flow,
                              const FlowNumbers& numbers) {
  ScaleUpFlow transfer;
  transfer.flow = {flow.source, numbers.number};
  transfer.destination = flow.destination;
  transfer.message = numbers.message;
  transfer.source_port = numbers.source_port;
  transfer.destination_port = flow.destination_port;
  transfer.lane = flow.lane;
  transfer.priority = flow.priority;
  transfer.port = PortOf(state, start.node, flow, numbers.number);
  transfer.size = flow.size;
  transfer.origin = flow.origin;
  // Nothing is acknowledged, so its end is known where it arrives.
  transfer.post = start.opener.Open(state, flow, start.connection, numbers.number, 1, true);
  state.parts().scale_up.Start(state, transfer);
}

}  // namespace heddle
