// SPDX-License-Identifier: GPL-2.0-only
/// The receiving side of Ultra Ethernet flows: what has arrived, what is said about it, and the
/// credit that a NIC gives.
///
/// Source: Ultra Ethernet Specification 1.0 and uet-htsim; the rules are those of
/// transport/model/uec. Data are placed as they come; a flow is complete when all its packets are
/// here. ACKs, NACKs and pulls have priority 0 and take the path of the entropy that they answer;
/// pulls take 128 entropies in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/uec_run.h"
#include "transport/domain/uec/credit_pacers.h"
#include "transport/domain/uec/uec_packets.h"

namespace heddle {

/// What is fixed of a flow that arrives.
struct UecArriving {
  FlowId flow;  ///< source invalid: the slot is free
  NodeId node;  ///< the receiving one
  std::uint16_t source_port = 0, destination_port = 0;
  std::uint32_t queue_pair = 0;   ///< the sender's slot
  std::uint32_t port = ~0U;       ///< of its answers, numbered within the domain; kParked: no route
  std::uint32_t sink = ~0U;       ///< of CreditPacers; kNone: no credit is given
  std::uint32_t sink_port = ~0U;  ///< whose pacer gives it: the first port of its answers
  std::uint8_t pull_entropy = 0;
  std::uint8_t unused[7] = {};
  std::int64_t packets = -1;  ///< of the flow, once its last one has come
};
static_assert(std::is_trivially_copyable_v<UecArriving>);

/// `routing` is the domain's NicRouting, which the room above knows: Choose(node, peer, ports).
class UecReceiver {
 public:
  using Node = DomainState::Node;

  /// Takes data, a trimmed packet or a request that has reached `node`, its destination. The first
  /// one of a flow opens its window and, if the receiver gives credit, its sink.
  template <class Routing>
  void Receive(DomainState& state, Routing& routing, const Node& node, const Packet& p) {
    std::uint32_t slot = index_.Find(FlowId{p.source, p.flow_number}.packed());
    if (slot == FlatMap::kNone) {
      const std::uint32_t port = routing.Choose(node, p.source, p.destination_port, p.source_port);
      if (p.answered != 0) {
        AnswerAgain(state, port, p);
        return;
      }
      slot = Add(state, node, p, port);
    }
    Take(state, slot, p);
  }
  /// Chooses the NIC of the answers again, for flows of which `concerns(sender, receiver)`.
  template <class Routing, class Concerns>
  void Reroute(DomainState& state, Routing& routing, const Concerns& concerns) {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      const UecArriving& at = slots_[slot];
      if (!at.flow.source.valid() || !concerns(at.flow.source, at.node)) continue;
      Move(state, slot,
           routing.Choose(*state.FindNode(at.node), at.flow.source, at.destination_port,
                          at.source_port));
    }
  }

  // Events of a port (FabricEvent::kUecPull, kUecCredit).
  /// Whether the pull of this time is still its port's pending one.
  bool PullIsDue(const DomainState& state, std::uint32_t port, Time time) {
    return pacers_.PullIsDue(state, port, time);
  }
  /// Whether the adjustment of this time is still its port's pending one.
  bool CreditIsDue(std::uint32_t port, Time time) { return pacers_.CreditIsDue(port, time); }
  /// Sends the pull that is due at the port, unless its flow is complete or has no route.
  void Pull(DomainState& state, std::uint32_t port);
  /// Adjusts the rate of credit of the port, which is due.
  void AdjustCredit(DomainState& state, std::uint32_t port) { pacers_.Adjust(state, port); }

  /// Prefetches what Receive() looks at first.
  void PrefetchIndex(FlowId flow) const { index_.Prefetch(flow.packed()); }

  /// Adds the bytes of flows, windows and pacers to Structure::kReceivers.
  void AddMemory(MemoryAccount* account) const;
  /// Checks what was loaded: throws UserError "the saved state has ...".
  void Check(const DomainState& state) const;
  /// Whether a pacer's event may name this port.
  bool MayHaveEvent(std::uint32_t port) const { return pacers_.Has(port); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& index_& slots_& windows_& pacers_;
  }

 private:
  /// Adds a flow at its first packet; its answers leave by `port`. Returns its slot.
  std::uint32_t Add(DomainState& state, const Node& node, const Packet& p, std::uint32_t port);
  /// Gives the flow a sink at its port, if receivers give credit and it has a route.
  void OpenCredit(DomainState& state, std::uint32_t slot);
  /// Takes a packet of a known flow: its wish for credit, then what its kind asks for.
  void Take(DomainState& state, std::uint32_t slot, const Packet& p);
  /// Places data, answers with an ACK or a NACK as the window says, and completes the flow.
  void TakeData(DomainState& state, std::uint32_t slot, const Packet& p);
  /// Answers a trimmed packet: with a NACK, or with an ACK if its data are here.
  void TakeTrimmed(DomainState& state, std::uint32_t slot, const Packet& p);
  /// Notes and reports the arrival of a flow, and frees its slot and its sink.
  void Complete(DomainState& state, std::uint32_t slot);
  /// Lets the answers leave by another port. Credit stays with the pacer of the first one.
  void Move(DomainState& state, std::uint32_t slot, std::uint32_t port);
  /// Answers `p` with the state of the window. `anchored`: the bitmap begins at its number.
  void SendAck(DomainState& state, std::uint32_t slot, const Packet& p, bool anchored);
  /// Answers `p` with a NACK of the packet `number`.
  void SendNack(DomainState& state, std::uint32_t slot, const Packet& p, std::int64_t number);
  /// Acknowledges all of a flow that was received in whole, as its ACKs were lost.
  static void AnswerAgain(DomainState& state, std::uint32_t port, const Packet& p);
  /// Returns an answer to `p` of this kind, with the entropy and the mark of `p`.
  static Packet AnswerTo(const DomainState& state, const Packet& p, PacketKind kind);

  FlatMap index_;  ///< FlowId::packed() to a slot
  SlotPool<UecArriving> slots_;
  std::vector<ArrivalWindow> windows_;  ///< by slot
  CreditPacers pacers_;
};

}  // namespace heddle
