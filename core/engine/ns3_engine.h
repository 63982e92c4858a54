// SPDX-License-Identifier: GPL-2.0-only
/// The same domains under ns-3's unmodified parallel engines: the reference for heddle's own
/// engine.
///
/// Each rank is one ns-3 node with a point-to-point device to each neighbour rank; a message to
/// another rank is one MpiInterface::SendPacket. The message is delivered one tick before its time
/// stamp, so that it is in its domain's queue before any event of that time runs, and heddle's
/// order of equal times holds. One ns-3 event for each time wakes a domain.
#pragma once

#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

#include "core/engine/engine.h"

namespace heddle {

class Ns3Engine {
 public:
  /// `kind`: kNs3 or kNs3Null. `setup` must outlive it.
  Ns3Engine(EngineKind kind, const Communicator& world, const EngineSetup& setup);
  /// Runs until no rank has an event. Collective.
  EngineReport Run();

 private:
  /// Makes the nodes and devices of all ranks on every rank, so that their numbers agree.
  void ConnectRanks();
  /// Runs the events of a domain due at `due_ps` [ps], then sends what it has posted. Does nothing
  /// if an earlier wake-up has replaced this one.
  void Wake(std::uint32_t index, std::int64_t due_ps);
  /// Schedules a wake-up, unless the domain has one at `time` or earlier.
  void WakeAt(std::uint32_t index, Time time);
  /// Schedules wake-ups of the domains that have received earlier events.
  void ScheduleHastened();
  /// Sends every message to other ranks as a packet of its own.
  void SendOutboxes();
  /// Does nothing: the event that keeps ns-3's null-message promise true.
  static void Nothing() {}
  /// Delivers the message in a packet to its domain. Throws InvariantError for a wrong size.
  void Receive(ns3::Ptr<ns3::Packet> packet);
  /// Checks on all ranks, at fixed simulated times, whether any event is left, as null messages
  /// never end by themselves.
  void CheckDone();

  EngineKind kind_;
  Communicator world_;
  const EngineSetup& setup_;
  std::vector<Time> wake_;  ///< by domain index: earliest scheduled wake-up
  std::uint64_t wakes_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
};

}  // namespace heddle
