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
  explicit NicSending(SendState* own) : own_(*own), packets_(own) {}

  /// The queue pair, which is at no port, goes to this one.
  void Join(DomainState& state, std::uint32_t slot, std::uint32_t index);
  /// It goes to no port, if it is at one.
  void Leave(DomainState& state, std::uint32_t slot);
  /// It goes to the port that its route begins at, if that is another, and sends there.
  void Choose(DomainState& state, std::uint32_t slot);

  /// A GPU's port, which is free: sends an ACK that waits there, or data.
  void SendNext(DomainState& state, Port& port, std::uint32_t index);
  /// Sends a packet of the port's queue pairs, if one may. If one may later, the port is woken.
  bool SendData(DomainState& state, Port& port, std::uint32_t index);

  /// Tells the NIC whether the queue pair may send, and lets it.
  void Update(DomainState& state, std::uint32_t slot);
  /// The same once window, credit or what is to be sent of an Ultra Ethernet flow has changed.
  void UpdateUec(DomainState& state, std::uint32_t slot);

 private:
  /// The queue pair is at a port for the first time.
  void Begin(DomainState& state, std::uint32_t slot, std::uint32_t index);
  /// A flow of Ultra Ethernet's classes whose first port leads to a switch.
  static bool IsUec(const DomainState& state, const QueuePair& pair, std::uint32_t port);
  /// A port's first queue pair comes, or its last one has left: counts the time that NIC ports are
  /// in use, by adding the time of each end and subtracting that of each beginning.
  void CountTime(DomainState& state, std::uint32_t port, bool comes) const;

  SendState& own_;
  PacketMaker packets_;
};

}  // namespace heddle
