// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/fabric_domain/wiring.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "transport/domain/scale_up/scale_up_side.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/switching/switch_side.h"

namespace heddle {

std::uint8_t FixedFlags(const FabricContext& context, NodeId node, const PortExtras& extras,
                        bool scale_up) {
  if (scale_up) return Port::kRare;
  const unsigned faulty =
      extras.error_rate > 0 || extras.fails_until >= Time{0} ? unsigned{Port::kFaulty} : 0U;
  const Graph& graph = *context.graph;
  if (!graph.passes_on(node)) return static_cast<std::uint8_t>(faulty | Port::kAtHost);
  const unsigned ends = graph.ends_flows(node) ? unsigned{Port::kEndsFlows} : 0U;
  if (graph.kind(node) == NodeKind::kNvSwitch) return static_cast<std::uint8_t>(faulty | ends);
  const unsigned marks = context.marks || context.uec != nullptr ? unsigned{Port::kMarks} : 0U;
  const unsigned stamps = context.control.stamps() ? unsigned{Port::kStamps} : 0U;
  return static_cast<std::uint8_t>(faulty | ends | marks | stamps);
}

std::uint32_t PsPerByte(const FabricContext& context, BitRate rate) {
  const bool whole = 8'000'000'000'000 % rate.bps == 0 && !context.options.truncate_ns;
  const std::int64_t ps = whole ? 8'000'000'000'000 / rate.bps : 0;
  return ps <= 0xffffffff ? static_cast<std::uint32_t>(ps) : 0;
}

namespace {

void ConnectPort(DomainState& state, const DomainState::Node& node, PortId number) {
  const FabricContext& context = state.context();
  const Graph& graph = *context.graph;
  const Attachment& attachment = graph.ports(node.id)[number.value];
  const Link& link = graph.link(attachment.link);
  Port port;
  PortExtras extras(context.seed, node.id, number);
  port.delay = link.delay;
  port.far_order = EventOrder(attachment.peer, attachment.peer_port, FabricEvent::kArrival).bits();
  port.far_domain = context.domain_of[attachment.peer.value];
  port.far_address = state.post_office().AddressOf(port.far_domain);
  port.far_port = context.first_port[attachment.peer.value] + attachment.peer_port.value;
  port.node = static_cast<std::uint32_t>(state.nodes().size() - 1);
  port.own_order = EventOrder(node.id, number, FabricEvent::kPortFree).bits();
  extras.error_rate =
      link.error_rate > 0 ? link.error_rate : context.options.reliability.error_rate;
  extras.fails_until = context.fails_until[attachment.link.value];
  const bool scale_up = link.layer != Link::kEthernet;
  port.flags = FixedFlags(context, node.id, extras, scale_up);
  port.rare_flags = scale_up ? Port::kScaleUp : 0;
  if (node.kind == NodeKind::kGpu) state.parts().sender.AddNic(&port);
  port.tier = state.tier_load().SlotOf(context.link_tiers->Of(node.id, attachment.peer));
  state.ports().push_back(port);
  state.extras().push_back(extras);
  const auto index = static_cast<std::uint32_t>(state.ports().size() - 1);
  SetRate(state, index, link.rate);
  if (scale_up) state.parts().scale_up.AddPort(state, index, attachment, link);
}

}  // namespace

void AddNode(DomainState& state, NodeId id) {
  const FabricContext& context = state.context();
  const Graph& graph = *context.graph;
  DomainState::Node node;
  node.id = id;
  node.kind = graph.kind(id);
  node.first_port = context.first_port[id.value];
  node.ports = static_cast<std::uint32_t>(graph.ports(id).size());
  HEDDLE_ASSERT(node.first_port == state.ports().size());
  if (node.kind == NodeKind::kGpu) {
    node.host = state.parts().sender.AddHost();
    for (const Attachment& port : graph.ports(id))
      node.nics += graph.kind(port.peer) == NodeKind::kSwitch ? 1 : 0;
  } else {
    node.forwards = state.parts().switch_side.AddNode(context, id, node.first_port);
    node.pauses = node.kind == NodeKind::kSwitch && context.options.pfc.enabled;
  }
  state.nodes().push_back(node);
  for (std::uint32_t port = 0; port < node.ports; ++port) ConnectPort(state, node, PortId(port));
}

void SetRate(DomainState& state, std::uint32_t index, BitRate rate) {
  const FabricContext& context = state.context();
  Port& port = state.ports()[index];
  port.rate = rate;
  port.ps_per_byte = PsPerByte(context, rate);
  const DomainState::Node& node = state.nodes()[port.node];
  std::int64_t kmin = 0xffffffff;
  if (context.uec != nullptr && node.forwards != DomainState::kNone) {
    LossyQueues& lossy = state.parts().switch_side.lossy();
    lossy.SetRate(state, node, index, rate);
    kmin = std::min(kmin, lossy.kmin(index));
  }
  if (!port.has(Port::kMarks)) return;
  PortExtras& extras = state.extras()[index];
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  extras.ecn = {kNever, kNever, 0};
  if (context.marks) {
    extras.ecn = context.ecn->For(rate, fmt::format("{} port {}", Describe(*context.graph, node.id),
                                                    state.NumberOf(index).value));
    kmin = std::min(kmin, extras.ecn.kmin);
  }
  port.kmin = static_cast<std::uint32_t>(kmin);
}

}  // namespace heddle
