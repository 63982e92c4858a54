// SPDX-License-Identifier: GPL-2.0-only
/// The sending side of a domain's hosts: flows start, the NIC chooses what to send, and ACKs, NACKs
/// and timers say how a queue pair goes on, until its end. What is sent again after a loss is the
/// scheme's (transport/reliability).
#ifndef HEDDLE_TRANSPORT_HOST_SENDER_H_
#define HEDDLE_TRANSPORT_HOST_SENDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/slot_pool.h"
#include "core/containers/state_count.h"
#include "core/records/flow_vocabulary.h"
#include "transport/host/message_desk.h"
#include "transport/host/nic.h"
#include "transport/host/nic_routing.h"
#include "transport/host/path_client.h"
#include "transport/host/rate_control.h"
#include "transport/nic/packet_entropies.h"
#include "transport/nic/queue_pair.h"
#include "transport/reliability/send_reliability.h"
#include "transport/state/domain_state.h"
#include "transport/uec_domain/uec_sender.h"

namespace heddle {

/// The queue pairs of a domain's hosts. `slot` is one's.
class Sender {
 public:
  using Node = DomainState::Node;

  explicit Sender(const FabricContext& context) : reliability_(context.delivery()) {}

  /// Returns its number (DomainPorts::Node::host).
  std::uint32_t AddHost() {
    timeout_at_.push_back(Time::Max());
    return static_cast<std::uint32_t>(timeout_at_.size() - 1);
  }
  std::size_t hosts() const { return timeout_at_.size(); }
  /// A GPU's port.
  void AddNic(Port* port) { nics_.AddTo(port); }

  /// As heddle::StartFlow.
  std::uint32_t Start(DomainState& state, std::uint32_t node, QueuePair pair);
  /// As heddle::GrowFlow.
  void Grow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open);
  /// A GPU's port, which is free: sends an ACK that waits there, or data.
  void SendNext(DomainState& state, Port& port, std::uint32_t index);
  /// Sends a packet of the port's queue pairs, if one may. If one may later, the port is woken.
  bool SendData(DomainState& state, Port& port, std::uint32_t index);
  /// An ACK or NACK has arrived at its host.
  void ReceiveAck(DomainState& state, const Packet& ack, const MessageTail* tail);

  /// An ACK, NACK or pull of Ultra Ethernet has arrived at its host.
  void ReceiveUec(DomainState& state, const Packet& p);

  void ReceiveProbeAnswer(const DomainState& state, const Packet& answer);

  /// Whether a timer event is not overtaken.
  bool RateTimerIsDue(DomainState& state, std::uint32_t slot, Time time, EventOrder order) {
    return rates_.TimerIsDue(state, slot, &pairs_[slot], time, order);
  }
  void RateTimer(DomainState& state, std::uint32_t slot);
  bool TimeoutIsDue(DomainState& state, std::uint32_t node, Time time);
  void Timeouts(DomainState& state, std::uint32_t node);

  /// Chooses the NIC again of flows of which `concerns(sender, receiver)`.
  template <class Concerns>
  void Reroute(DomainState& state, const Concerns& concerns) {
    for (std::uint32_t slot : LiveQueuePairs(pairs_)) {
      if (concerns(pairs_[slot].flow.source, pairs_[slot].destination)) ChooseNic(state, slot);
    }
  }
  /// The queue pair goes on with another source port.
  void ChangePort(DomainState& state, std::uint32_t slot, std::uint16_t source_port) {
    pairs_[slot].source_port = source_port;
    if (pairs_[slot].recovery.moves < 0xffff) ++pairs_[slot].recovery.moves;
    ChooseNic(state, slot);
  }

  /// Rows of the flows that have started and not ended.
  void AddOpen(const DomainState& state, std::vector<FlowRecord>* open) const;
  const Nics& nics() const { return nics_; }
  const SlotPool<QueuePair>& pairs() const { return pairs_; }
  /// For samples, which a queue pair keeps.
  SlotPool<QueuePair>* sampled_pairs() { return &pairs_; }
  /// Brings near what TimeoutIsDue() looks at first.
  void PrefetchHost(std::uint32_t host) const { __builtin_prefetch(&timeout_at_[host]); }

  void AddMemory(MemoryAccount* account) const;
  /// Of what was loaded: throws UserError "the saved state has ...". Claims what queue pairs have
  /// of messages and grants.
  void Check(const DomainState& state, MessageDesk::Claims* messages,
             PathClient::Claims* grants) const;
  /// Whether a rate timer's event may name this slot.
  bool MayHaveTimer(std::uint32_t slot) const { return slot < pairs_.size() && rates_.Has(slot); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    const std::size_t hosts = timeout_at_.size();
    archive& timeout_at_& nics_& pairs_& rates_& reliability_& uec_& entropies_;
    if constexpr (Archive::is_loading::value)
      ExpectState(timeout_at_.size() == hosts, "other hosts than the fabric");
  }

 private:
  void ChooseNic(DomainState& state, std::uint32_t slot);
  void Join(DomainState& state, std::uint32_t slot, std::uint32_t port);
  void Leave(DomainState& state, std::uint32_t slot);
  /// A port's first queue pair comes, or its last one has left: counts the time that NIC ports are
  /// in use, by adding the time of each end and subtracting that of each beginning.
  void CountNicTime(DomainState& state, std::uint32_t port, bool comes) const;
  /// The next packet of RoCE; `kPlain`: of a queue pair that is QueuePair::plain().
  template <bool kPlain>
  Packet NextPacket(DomainState& state, std::uint32_t slot);
  /// What a queue pair sends that is not plain.
  [[gnu::noinline]] Packet NextOther(DomainState& state, std::uint32_t slot);
  // With entropies only. Not inlined, so that runs without them do not pay for registers.

  [[gnu::noinline]] Packet Probe(const DomainState& state, std::uint32_t slot,
                                 std::uint16_t entropy) const;
  /// Gives a packet of this byte its entropy.
  [[gnu::noinline]] void Spray(const DomainState& state, std::uint32_t slot, std::int64_t offset,
                               Packet* p);
  /// What an ACK or NACK says of the entropy of the packet that it answers.
  [[gnu::noinline]] void LearnEntropy(const DomainState& state, std::uint32_t slot,
                                      const Packet& ack);
  /// The packet of this byte counts as lost.
  [[gnu::noinline]] void CountLost(const DomainState& state, std::uint32_t slot,
                                   std::int64_t offset);
  /// Tells the NIC whether the queue pair may send, and lets it.
  void UpdateReadiness(DomainState& state, std::uint32_t slot);
  /// When it gives up waiting for an ACK; Time::Max() if it waits for none.
  Time TimeoutOf(const DomainState& state, std::uint32_t slot) const {
    const QueuePair& pair = pairs_[slot];
    if (pair.ultra != 0) return uec_.Deadline(state, slot, pair);
    if (!pair.in_flight()) return Time::Max();
    return pair.last_progress + state.context_->options.reliability.TimeoutAfter(pair.timeouts);
  }
  /// A flow of Ultra Ethernet's classes whose first port leads to a switch.
  static bool IsUec(const DomainState& state, const QueuePair& pair, std::uint32_t port);
  /// Window, credit or what is to be sent of an Ultra Ethernet flow has changed.
  void UpdateUec(DomainState& state, std::uint32_t slot);
  Packet NextUecPacket(DomainState& state, std::uint32_t slot);
  void ArmTimeout(DomainState& state, std::uint32_t node, Time deadline);
  Time NextTimeout(const DomainState& state, const Node& node) const;
  void TimeOut(DomainState& state, std::uint32_t slot);
  void End(DomainState& state, std::uint32_t slot, FlowState how);
  void CheckPair(const DomainState& state, std::uint32_t slot) const;

  std::vector<Time> timeout_at_;  ///< by host: when its pending timeout event fires
  Nics nics_;
  SlotPool<QueuePair> pairs_;
  RateControl rates_;
  SendReliability reliability_;
  UecSender uec_;
  PacketEntropies entropies_;  ///< if FabricContext::entropies sprays
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_HOST_SENDER_H_
