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
  Ns3Engine(EngineKind kind, const Communicator& world, const EngineSetup& setup);
  EngineReport Run();

 private:
  void ConnectRanks();
  void Wake(std::uint32_t index, std::int64_t due_ps);
  void WakeAt(std::uint32_t index, Time time);
  void ScheduleHastened();
  void SendOutboxes();
  static void Nothing() {}
  void Receive(ns3::Ptr<ns3::Packet> packet);
  /// Null messages never end by themselves, so at fixed simulated times all ranks check whether any
  /// event is left.
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
