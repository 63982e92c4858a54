// SPDX-License-Identifier: GPL-2.0-only
/// The sending side of Ultra Ethernet flows: which packet is next, when it may go, what ACKs,
/// NACKs, pulls and timers change.
///
/// Source: Ultra Ethernet Specification 1.0 and uet-htsim; the rules are those of
/// transport/model/uec, the paths those of transport/model/entropy. A flow stands beside its
/// QueuePair, which the NIC, the flow's row and its message know
/// (transport/domain/sending/sender.h): size, acknowledged bytes, readiness, counts.
///   A packet goes if window and credit allow: first what is to be sent again, lowest number first.
///   The timer runs for the oldest outstanding packet. When it fires, that packet is lost; if it
///   may not be sent again at once, a request to send goes instead, at most one each base round
///   trip. A flow that may not send and waits for nothing asks too, after a timeout.
/// Invariant: what is in flight is 0 when all is acknowledged.
/// Not modelled: a back-off of the timer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/uec_run.h"
#include "transport/domain/uec/uec_packets.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/uec/packet_window.h"

namespace heddle {

/// What a flow has besides its queue pair.
struct UecFlow {
  PacketWindow packets;
  Nscc::State window;
  ReceiverCredit::State credit;
  LossRecovery::State recovery;
  EntropyState entropy;
  std::int64_t in_flight = 0;  ///< [byte on the wire]; may be negative
  std::int64_t counted = 0;    ///< bytes on the wire that the receiver said to have
  Time requested{-1};          ///< the last request to send; negative: none
  Time probed{-1};             ///< the last probe for losses; negative: none
  Time next_probe = Time::Max();
  std::uint16_t path_probe = 0;   ///< entropy of the last probe of a path
  std::uint8_t path_unheard = 0;  ///< 1: it has not been answered
  std::uint8_t live = 0;          ///< 0: of no flow, all else is as it was made

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& live;
    if (live == 0) return;
    archive& packets& window& credit& recovery& entropy& in_flight& counted& requested& probed&
        next_probe& path_probe& path_unheard;
  }
};

/// `slot` is a queue pair's and `pair` that one. Only for runs with FabricContext::uec.
class UecSender {
 public:
  /// Starts a flow at its first port: makes its window, its credit and its entropies.
  void Start(const DomainState& state, std::uint32_t slot, QueuePair* pair);
  /// Whether there is something to send that window and credit let go.
  bool MaySend(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const;
  /// Returns the next packet, which leaves now; requires MaySend(). `waiting`: flows that wait at
  /// the NIC, this one included.
  Packet Next(DomainState& state, std::uint32_t slot, QueuePair* pair, std::int64_t waiting);
  /// Takes an ACK, NACK or pull of this flow. Returns whether the flow is finished.
  bool Receive(DomainState& state, std::uint32_t slot, QueuePair* pair, const Packet& p);
  /// Forgets a flow that has ended.
  void End(std::uint32_t slot) { flows_[slot] = UecFlow(); }

  /// Returns when Expire() is to be called at the latest; Time::Max(): never.
  Time Deadline(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const;
  /// Does what is due now: lost packets, requests, probes. Returns false if the flow is to be given
  /// up.
  bool Expire(DomainState& state, std::uint32_t slot, QueuePair* pair);

  /// Adds the bytes of flows, windows and entropies to Structure::kSenders.
  void AddMemory(MemoryAccount* account) const;
  /// Checks one loaded flow: throws UserError "the saved state has ...".
  void Check(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flows_;
  }

 private:
  /// Takes an ACK: progress, round trip, window, losses. Returns false if it cannot be one of this
  /// flow.
  bool OnAck(DomainState& state, std::uint32_t slot, QueuePair* pair, const Packet& p);
  /// Takes a NACK: the packet is lost, or with delivery in order all from it on.
  void OnNack(const DomainState& state, std::uint32_t slot, const Packet& p);
  /// Reports to entropies and loss recovery what an ACK says of the packet that it answers.
  void OnAnswer(const DomainState& state, UecFlow* flow, const UecAck& ack, const Packet& p) const;
  /// Returns the bytes on the wire of a packet of the flow.
  static std::int64_t BytesOf(const UecRun& uec, const QueuePair& pair, std::int64_t number);
  /// Returns the packets of the flow.
  static std::int64_t PacketsOf(const UecRun& uec, const QueuePair& pair);
  /// Returns the bytes on the wire of the packet that is next; 0: there is nothing to send.
  std::int64_t NextBytes(const UecRun& uec, const UecFlow& flow, const QueuePair& pair) const;
  /// Returns the credit that the flow asks for in all [quantum]; 0 without receiver credit.
  std::int64_t PullTarget(const UecRun& uec, const UecFlow& flow, const QueuePair& pair,
                          std::int64_t waiting) const;
  /// Whether the flow can neither send nor expects an answer to what it sent.
  bool IsStuck(const DomainState& state, std::uint32_t slot, const QueuePair& pair) const;
  /// Takes the oldest outstanding packet as lost: window, entropy and counts.
  void LoseOldest(DomainState& state, UecFlow* flow, QueuePair* pair);
  /// Sends a packet without payload that asks for credit, or probes a path or losses; none if the
  /// flow is at no port.
  void SendRequest(DomainState& state, std::uint32_t slot, const QueuePair& pair, UecRequest what,
                   std::uint16_t entropy);

  std::vector<UecFlow> flows_;  ///< by slot
};

}  // namespace heddle
