// SPDX-License-Identifier: GPL-2.0-only
/// Whether the state that a checkpoint gave a domain can be a domain's: what a run takes for
/// granted and looks up without asking.
///
/// Checksums find what disks and networks damage. This finds what somebody wrote with checksums of
/// their own: every index leads to something, everything has one owner, what is counted twice is
/// counted alike. It does not know whether a run came this way.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/domain/fabric_domain/fabric_domain.h"

namespace heddle {

class StateCheck {
 public:
  /// Of a domain that has loaded its state, its agent's included.
  explicit StateCheck(const FabricDomain& domain);

  /// Throws UserError "the saved state has ...". Takes about as long as loading did.
  void Check();

 private:
  using Node = FabricDomain::Node;
  static constexpr std::uint32_t kNone = ~0U;

  // Nodes, ports, queues, events.
  void CheckPort(std::uint32_t index);
  void CheckQueue(std::uint32_t index, int queue);
  void CheckPacket(std::uint32_t slot, const Node& node) const;
  void CheckEvent(const Event& event);
  void CheckSize(const Packet& p) const;
  void CheckArrival(std::uint32_t slot);
  void CheckNotice(std::uint32_t slot);
  /// The cargo is this event's or queue's alone.
  void Claim(std::uint32_t slot);

  void CheckRecords() const;

  const FabricDomain& domain_;
  const FabricContext& context_;
  std::vector<bool> cargo_;  ///< by slot: is used and not claimed yet
  std::vector<Time> wakes_;  ///< of the agent, ascending
  MessageDesk::Claims messages_;
  PathClient::Claims grants_;
};

}  // namespace heddle
