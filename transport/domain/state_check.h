// SPDX-License-Identifier: GPL-2.0-only
/// Whether the state that a checkpoint gave a domain can be a domain's: what a run takes for
/// granted and looks up without asking.
///
/// Checksums find what disks and networks damage. This finds what somebody wrote with checksums of
/// their own: every index leads to something, everything has one owner, what is counted twice is
/// counted alike. It does not know whether a run came this way.
#ifndef HEDDLE_TRANSPORT_DOMAIN_STATE_CHECK_H_
#define HEDDLE_TRANSPORT_DOMAIN_STATE_CHECK_H_

#include <cstdint>
#include <vector>

#include "transport/domain/fabric_domain.h"

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

  // state_check.cc: nodes, ports, queues, events.
  bool IsEnd(NodeId node) const;
  bool IsHost(NodeId node) const;
  bool IsPortOf(const Node& node, std::uint32_t port) const {
    return port - node.first_port < node.ports;
  }
  void CheckPort(std::uint32_t index);
  void CheckQueue(std::uint32_t index, int queue);
  void CheckBuffer(const Node& node) const;
  void CheckPacket(std::uint32_t slot, const Node& node) const;
  void CheckEvent(const Event& event);
  void CheckArrival(std::uint32_t slot);
  void CheckNotice(std::uint32_t slot);
  void CheckWakes() const;
  /// The cargo is this event's or queue's alone.
  void Claim(std::uint32_t slot);

  // flow_state_check.cc: queue pairs, receivers, messages, dealings with the controller, records.
  void CheckQueuePairs();
  void CheckQueuePair(std::uint32_t slot);
  void CheckNics();
  void CheckReceivers() const;
  void CheckMessages() const;
  void CheckPost(const FlowPost& post, const Node& node) const;
  void CheckPostQueue(const Node& node);
  void CheckHost(const Node& node);
  void CheckGrants();
  /// All of a message's grants belong to it alone. Returns how many have no answer yet.
  std::uint32_t ClaimGrants(std::uint32_t first);
  void ClaimGrant(std::uint32_t slot);
  void CheckRecords() const;

  const FabricDomain& domain_;
  const FabricContext& context_;
  std::vector<bool> cargo_;                 ///< by slot: is used and not claimed yet
  std::vector<bool> pairs_;                 ///< queue pairs, by slot: used
  std::vector<bool> posts_;                 ///< posted messages, by slot: used
  std::vector<bool> grants_;                ///< by slot: used
  std::vector<bool> free_grants_;           ///< of those, by slot: not claimed yet
  std::vector<std::uint32_t> open_;         ///< queue pairs under way, by posted message
  std::vector<std::size_t> starts_, asks_;  ///< pending events, by node
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_DOMAIN_STATE_CHECK_H_
