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

  explicit Receiver(const FabricContext& context) : reliability_(context.delivery()) {}

  /// Data has arrived at `node`, its destination.
  void ReceiveData(DomainState& state, const Node& node, const Packet& data,
                   const MessageTail* tail);
  /// A probe of a path has arrived: the answer says so, and nothing of the flow.
  static void AnswerProbe(DomainState& state, const Node& node, const Packet& probe,
                          const MessageTail* tail);
  /// Choose the NIC of the ACKs again, for flows of which `concerns(sender, receiver)`.
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

  /// Null if the flow is not being received.
  const ReceiveQueuePair* Find(FlowId flow) const {
    const std::uint32_t slot = index_.Find(flow.packed());
    return slot != FlatMap::kNone ? &slots_[slot] : nullptr;
  }
  /// For cycles that are skipped (transport/domain/replay).
  ReceiveQueuePair* FindToMove(FlowId flow) {
    return const_cast<ReceiveQueuePair*>(std::as_const(*this).Find(flow));
  }
  /// Bring near what Find() looks at.
  void PrefetchIndex(FlowId flow) const { index_.Prefetch(flow.packed()); }

  void AddMemory(MemoryAccount* account) const;
  /// Of what was loaded: throws UserError "the saved state has ...".
  void Check(const DomainState& state) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& index_& slots_& reliability_;
  }

 private:
  std::uint32_t SlotOf(DomainState& state, const Node& node, const Packet& data);
  static ReceiveQueuePair NewReceiver(const DomainState& state, const Node& node,
                                      const Packet& data);
  /// All of a flow is here, whose packets name this queue pair of its sender.
  void End(DomainState& state, std::uint32_t slot, std::uint32_t queue_pair);
  /// To a packet that is not the next in order.
  [[gnu::noinline]] static void AnswerAtOnce(DomainState& state, ReceiveQueuePair* receiver,
                                             Reception reception, const Packet& data,
                                             const MessageTail* tail);
  static void AcknowledgeAgain(DomainState& state, const Node& node, const Packet& data,
                               const MessageTail* tail);
  static void SendAck(DomainState& state, const ReceiveQueuePair& receiver, PacketKind kind,
                      const Packet& data, const MessageTail* tail, std::int64_t note = 0);

  FlatMap index_;  ///< FlowId::packed() to a slot
  SlotPool<ReceiveQueuePair> slots_;
  ReceiveReliability reliability_;
};

}  // namespace heddle
