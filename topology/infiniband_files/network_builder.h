// SPDX-License-Identifier: GPL-2.0-only
/// Joins the ends of cables that a dump tells one by one to an InfinibandNetwork.
///
/// A dump tells every cable twice, once at each end. Both must name each other, and agree on LIDs
/// and GUIDs where both tell them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/infiniband/infiniband_network.h"

namespace heddle {

/// A cable as one of its ends tells it.
struct CableEnd {
  std::uint32_t node = 0;  ///< from AddNode()
  InfinibandPort port;
  InfinibandKind peer_kind = InfinibandKind::kSwitch;
  std::uint64_t peer_guid = 0;
  InfinibandPort peer;     ///< what this end tells of it; the LID of a switch stands here, too
  std::uint8_t width = 0;  ///< lanes; 0: unknown
  std::string_view speed;  ///< of a lane; must live until Finish()
};

class NetworkBuilder {
 public:
  explicit NetworkBuilder(std::string file);

  /// The number of the node with this GUID, if there is one so far.
  std::optional<std::uint32_t> Find(std::uint64_t guid) const;
  const InfinibandNode& node(std::uint32_t number) const { return network_.nodes[number]; }
  /// Returns the node's number. Throws UserError for a GUID that is there already, and for more
  /// than kMaxNodes nodes.
  std::uint32_t AddNode(InfinibandNode node);
  /// Throws UserError for a port that has a cable already, or that the node does not have.
  void AddEnd(const CableEnd& end);
  /// Throws UserError for an end whose other end is missing or tells another cable. Call it once.
  InfinibandNetwork Finish();

 private:
  [[noreturn]] void Fail(std::int64_t line, const std::string& found,
                         const std::string& expected) const;
  /// The place in ends_ of what is at the other side of an end.
  std::size_t OtherEnd(const CableEnd& end) const;
  void CheckAgreement(const CableEnd& end, const CableEnd& other) const;
  void AddCable(const CableEnd& a, const CableEnd& b);

  InfinibandNetwork network_;
  std::unordered_map<std::uint64_t, std::uint32_t> node_of_guid_;
  std::vector<CableEnd> ends_;
  std::unordered_map<std::uint64_t, std::size_t> end_at_;  ///< by node and port
  std::size_t differing_speeds_ = 0;
};

}  // namespace heddle
