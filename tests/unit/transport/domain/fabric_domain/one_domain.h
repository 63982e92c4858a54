// SPDX-License-Identifier: GPL-2.0-only
/// The state and the parts of one domain that has a whole fabric, without the events that would
/// drive them: each part is tested by its own calls, and what it asks of the others is done.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "topology/routes/route_timeline.h"
#include "transport/domain/fabric_domain/wiring.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/host/path_client.h"
#include "transport/domain/host/receiver.h"
#include "transport/domain/messages/message_desk.h"
#include "transport/domain/replay/replay_side.h"
#include "transport/domain/requests/request_desk.h"
#include "transport/domain/scale_up/scale_up_side.h"
#include "transport/domain/sending/sender.h"
#include "transport/domain/state/domain_parts.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/ideal_time.h"
#include "transport/domain/streams/stream_desk.h"
#include "transport/domain/switching/pause_control.h"
#include "transport/domain/switching/switch_side.h"
#include "transport/domain/uec/uec_receiver.h"

namespace heddle::testing {

/// Without congestion control's marks and telemetry. Domain 1 is on another rank and has no nodes.
class OneDomain {
 public:
  explicit OneDomain(Graph graph, const TransportOptions& options = {},
                     const std::vector<LinkEvent>& failures = {})
      : graph_(std::move(graph)), context_(options) {
    context_.graph = &graph_;
    context_.nic_rate = graph_.links().front().rate;
    context_.link_tiers.emplace(graph_);
    metrics_.emplace(graph_, Bytes{options.payload});
    context_.metrics = &*metrics_;
    context_.header_bytes = kHeaderBytes;
    context_.ack_bytes = kAckBytes;
    context_.fails_until.assign(graph_.links().size(), Time{-1});
    std::vector<NodeId> nodes;
    std::uint32_t ports = 0;
    for (std::uint32_t node = 0; node < graph_.node_count(); ++node) {
      nodes.emplace_back(node);
      context_.domain_of.emplace_back(0);
      context_.first_port.push_back(ports);
      ports += static_cast<std::uint32_t>(graph_.ports(NodeId(node)).size());
    }
    const RouteTimeline timeline(std::make_shared<Routes>(graph_), failures);
    context_.epochs = timeline.epochs();
    context_.places = PlaceHostsByEpoch(graph_, timeline);
    context_.trains = PacketTrains(graph_, options.payload, kHeaderBytes, 1);
    ideal_times_.emplace(graph_, context_.epochs, failures,
                         IdealTimes::Sizes{context_.trains, kAckBytes, false});
    context_.ideal_times = &*ideal_times_;
    state_.emplace(&context_, &post_office_);
    parts_.emplace(context_);
    refs_.emplace(parts_->All());
    state_->SetParts(&*refs_);
    for (const NodeId node : nodes) AddNode(*state_, node);
    state_->clock().now = MicroSeconds(10);
  }

  FabricContext& context() { return context_; }
  DomainState& state() { return *state_; }
  const DomainParts& parts() const { return *refs_; }
  /// Rows of the flows that have started and not ended.
  std::vector<FlowRecord> Started() const {
    std::vector<FlowRecord> open;
    parts_->sender.life().AddOpen(*state_, &open);
    return open;
  }
  const DomainState::Node& node(std::uint32_t id) const { return state_->nodes()[id]; }
  /// A node's port, numbered within the domain.
  std::uint32_t PortAt(std::uint32_t id, std::uint32_t number) const {
    return node(id).first_port + number;
  }
  /// What is on a link, by its arrival.
  std::vector<Packet> OnLinks() const {
    std::vector<Packet> packets;
    for (const Event& event : state_->queue().Sorted()) {
      if (EventOrder(event.order).kind() == FabricEvent::kArrival)
        packets.push_back(std::as_const(*state_).packet(event.argument));
    }
    return packets;
  }
  /// What was sent to domain 1, in order.
  const std::vector<AddressedMessage>& SentAway() { return post_office_.outbox(RankId(1)); }
  /// What waits at a port, first first.
  std::vector<Packet> Waiting(std::uint32_t index, int queue) const {
    const Port& port = state_->ports()[index];
    std::vector<Packet> packets;
    if ((port.waiting >> queue & 1) == 0) return packets;
    for (std::uint32_t slot = port.queues[queue].head; slot != kNoPacket;
         slot = packets.back().next) {
      packets.push_back(std::as_const(*state_).packet(slot));
    }
    return packets;
  }

 private:
  class State final : public DomainState {
   public:
    State(const FabricContext* context, PostOffice* post_office)
        : DomainState(DomainId(0), context, post_office) {}
    void RunUntil(Time) override {}
    void SetParts(const DomainParts* parts) { parts_ = parts; }
  };
  struct Parts {
    explicit Parts(const FabricContext& context)
        : switch_side(context), nic_routing(context, 4), receiver(context), sender(context) {}
    DomainParts All() {
      return {pause, switch_side, nic_routing, receiver, uec_receiver, scale_up, sender,
              desk,  paths,       streams,     requests, replay,       desk,     sender.life()};
    }

    PauseControl pause;
    SwitchSide switch_side;
    NicRouting nic_routing;
    Receiver receiver;
    UecReceiver uec_receiver;
    ScaleUpSide scale_up;
    Sender sender;
    MessageDesk desk;
    PathClient paths;
    StreamDesk streams;
    RequestDesk requests;
    ReplaySide replay;
  };

  Graph graph_;
  FabricContext context_;
  std::optional<PathMetrics> metrics_;
  std::optional<IdealTimes> ideal_times_;
  PostOffice post_office_{{RankId(0), RankId(1)}, RankId(0), 2};
  std::optional<State> state_;
  std::optional<Parts> parts_;
  std::optional<DomainParts> refs_;
};

}  // namespace heddle::testing
