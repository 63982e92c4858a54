// SPDX-License-Identifier: GPL-2.0-only
/// Arbitration and sending at the NIC ports of a domain's hosts: which queue pairs are at a port,
/// which of them may send, and what leaves.
///
/// The queue pair's first port is where it learns its line rate and its protocol.
#pragma once

#include <cstdint>

#include "transport/domain/sending/packet_maker.h"
#include "transport/domain/sending/send_state.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

/// `slot` is a queue pair's, `index` a port's number within the domain.
class NicSending {
 public:
  /// Works on the state of the domain's sender, which outlives this object.
  explicit NicSending(SendState* own) : own_(*own), packets_(own) {}

  /// Adds the queue pair, which is at no port, to this one. At its first port it also gets its rate
  /// and its protocol.
  void Join(DomainState& state, std::uint32_t slot, std::uint32_t index);
  /// Removes the queue pair from its port, if it is at one.
  void Leave(DomainState& state, std::uint32_t slot);
  /// Moves the queue pair to the port that its route begins at, if that is another, and sends
  /// there. Without a route it is at no port.
  void Choose(DomainState& state, std::uint32_t slot);

  /// Sends an ACK that waits at a GPU's port, which is free, or data.
  void SendNext(DomainState& state, Port& port, std::uint32_t index);
  /// Sends a packet of the port's queue pairs, if one may, and returns whether it did. If one may
  /// later, the port is woken then.
  bool SendData(DomainState& state, Port& port, std::uint32_t index);

  /// Notes at the NIC whether the queue pair may send, and lets it.
  void Update(DomainState& state, std::uint32_t slot);
  /// Does what Update() does after a change of window, credit or resends of an Ultra Ethernet flow,
  /// and arms its timeout.
  void UpdateUec(DomainState& state, std::uint32_t slot);

 private:
  /// Sets rate, protocol and entropies of a queue pair that is at a port for the first time.
  void Begin(DomainState& state, std::uint32_t slot, std::uint32_t index);
  /// Whether a flow is of Ultra Ethernet's classes, and its first port leads to a switch.
  static bool IsUec(const DomainState& state, const QueuePair& pair, std::uint32_t port);
  /// Counts the time that NIC ports are in use, by adding the time of each end and subtracting that
  /// of each beginning. Called when a port's first queue pair comes, or its last one has left.
  void CountTime(DomainState& state, std::uint32_t port, bool comes) const;

  SendState& own_;
  PacketMaker packets_;
};

}  // namespace heddle
