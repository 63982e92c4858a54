// SPDX-License-Identifier: GPL-2.0-only
/// The receiving side of a domain's hosts: whose packet it is, and when there is an ACK. Whether it
/// is in order, and what is said of a gap, is the scheme's (transport/model/reliability).
///
/// ACKs as in SimAI's ns-3, with two mends: data that the receiver already has is acknowledged
/// again, and marks of packets that were not acknowledged one by one are not forgotten (they are
/// with compat.simai_acks). The flow's last byte always has an ACK, which SimAI may leave out.
#pragma once

#include <cstdint>
#include <utility>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "transport/domain/host/nic_routing.h"
#include "transport/domain/state/domain_state.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/reliability/receive_reliability.h"

namespace heddle {

/// The flows that are being received.
class Receiver {
 public:
  using Node = DomainState::Node;

  /// Makes the scheme of reliable delivery that the options name.
  explicit Receiver(const FabricContext& context) : reliability_(context.delivery()) {}

  /// Takes a data packet that has arrived at `node`, its destination: acknowledges it if an ACK is
  /// due, and reports the flow's arrival with its last byte in order.
  void ReceiveData(DomainState& state, const Node& node, const Packet& data,
                   const MessageTail* tail);
  /// Answers a probe of a path; the answer acknowledges nothing of the flow.
  static void AnswerProbe(DomainState& state, const Node& node, const Packet& probe,
                          const MessageTail* tail);
  /// Chooses the NIC of the ACKs again, for flows of which `concerns(sender, receiver)`.
  template <class Concerns>
  void Reroute(const DomainState& state, const Concerns& concerns) {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      ReceiveQueuePair& receiver = slots_[slot];
      if (!receiver.flow.source.valid() || !concerns(receiver.flow.source, receiver.node)) continue;
      receiver.ack_port =
          state.parts().nic_routing.Choose(*state.FindNode(receiver.node), receiver.flow.source,
                                           receiver.destination_port, receiver.source_port);
    }
  }

  /// Returns the receiving side of a flow; null if the flow is not being received.
  const ReceiveQueuePair* Find(FlowId flow) const {
    const std::uint32_t slot = index_.Find(flow.packed());
    return slot != FlatMap::kNone ? &slots_[slot] : nullptr;
  }
  /// Returns the same to write to, for cycles that are skipped (transport/domain/replay).
  ReceiveQueuePair* FindToMove(FlowId flow) {
    return const_cast<ReceiveQueuePair*>(std::as_const(*this).Find(flow));
  }
  /// Prefetches what Find() looks at.
  void PrefetchIndex(FlowId flow) const { index_.Prefetch(flow.packed()); }

  /// Adds the bytes of the receiving queue pairs to Structure::kReceivers.
  void AddMemory(MemoryAccount* account) const;
  /// Checks what was loaded: throws UserError "the saved state has ...".
  void Check(const DomainState& state) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& index_& slots_& reliability_;
  }

 private:
  /// Returns the slot of the packet's flow, made at its first packet; FlatMap::kNone if the flow
  /// has been received in whole.
  std::uint32_t SlotOf(DomainState& state, const Node& node, const Packet& data);
  /// Returns the receiving side of a flow that has nothing yet, with ports and NIC as this packet
  /// has them.
  static ReceiveQueuePair NewReceiver(const DomainState& state, const Node& node,
                                      const Packet& data);
  /// Ends a flow that is here in whole, whose packets name this queue pair of its sender: writes
  /// its arrival and frees the slot.
  void End(DomainState& state, std::uint32_t slot, std::uint32_t queue_pair);
  /// Answers a packet that is not the next in order: with an ACK, a NACK or nothing.
  [[gnu::noinline]] static void AnswerAtOnce(DomainState& state, ReceiveQueuePair* receiver,
                                             Reception reception, const Packet& data,
                                             const MessageTail* tail);
  /// Acknowledges a packet of a flow that was received in whole, as all its ACKs were lost.
  static void AcknowledgeAgain(DomainState& state, const Node& node, const Packet& data,
                               const MessageTail* tail);
  /// Sends an answer to `data` from the flow's ACK port; none if no route leads back. `note`: of
  /// the scheme of reliable delivery.
  static void SendAck(DomainState& state, const ReceiveQueuePair& receiver, PacketKind kind,
                      const Packet& data, const MessageTail* tail, std::int64_t note = 0);

  FlatMap index_;  ///< FlowId::packed() to a slot
  SlotPool<ReceiveQueuePair> slots_;
  ReceiveReliability reliability_;
};

}  // namespace heddle
