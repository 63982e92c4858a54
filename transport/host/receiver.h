// SPDX-License-Identifier: GPL-2.0-only
/// The receiving side of a domain's hosts: is a packet in order, is it new, and what is said about
/// it.
///
/// Go-back-N as in SimAI's ns-3, with two mends: data that the receiver already has is acknowledged
/// again, and marks of packets that were not acknowledged one by one are not forgotten (they are
/// with compat.simai_acks). The flow's last byte always has an ACK, which SimAI may leave out.
/// Selective repeat after IRN (Mittal et al., SIGCOMM 2018).
#ifndef HEDDLE_TRANSPORT_HOST_RECEIVER_H_
#define HEDDLE_TRANSPORT_HOST_RECEIVER_H_

#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/flat_map.h"
#include "core/containers/slot_pool.h"
#include "transport/host/nic_routing.h"
#include "transport/nic/queue_pair.h"
#include "transport/nic/selective_repeat.h"
#include "transport/state/domain_state.h"

namespace heddle {

/// The flows that are being received.
class Receiver {
 public:
  using Node = DomainState::Node;

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
  /// Bring near what Find() looks at.
  void PrefetchIndex(FlowId flow) const { index_.Prefetch(flow.packed()); }

  void AddMemory(MemoryAccount* account) const;
  /// Of what was loaded: throws UserError "the saved state has ...".
  void Check(const DomainState& state) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& index_& slots_& windows_;
  }

 private:
  std::uint32_t SlotOf(DomainState& state, const Node& node, const Packet& data);
  static ReceiveQueuePair NewReceiver(const DomainState& state, const Node& node,
                                      const Packet& data);
  /// Go-back-N: whether the packet is the next in order; a gap is reported.
  static bool AcceptInOrder(DomainState& state, ReceiveQueuePair* receiver, const Packet& data,
                            const MessageTail* tail);
  /// With a window of packets: keeps what is new and near enough; whether the next byte in order
  /// moved. What came out of order is reported, if it is further ahead than may be
  /// (ReliabilityOptions::reorder).
  bool AcceptInWindow(DomainState& state, std::uint32_t slot, const Packet& data,
                      const MessageTail* tail);
  /// Go-back-N: says that bytes from the next expected one on are missing, at most once an
  /// interval.
  static void ReportGap(DomainState& state, ReceiveQueuePair* receiver, const Packet& data,
                        const MessageTail* tail);
  static void AcknowledgeAgain(DomainState& state, const Node& node, const Packet& data,
                               const MessageTail* tail);
  static void SendAck(DomainState& state, const ReceiveQueuePair& receiver, PacketKind kind,
                      const Packet& data, const MessageTail* tail, std::int64_t note = 0);

  FlatMap index_;  ///< FlowId::packed() to a slot
  SlotPool<ReceiveQueuePair> slots_;
  std::vector<SelectiveReceiver> windows_;  ///< by slot; if ReliabilityOptions::keeps()
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_HOST_RECEIVER_H_
