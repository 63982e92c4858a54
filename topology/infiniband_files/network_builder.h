// SPDX-License-Identifier: GPL-2.0-only
/// Joins the ends of cables, which a dump lists one by one, to an InfinibandNetwork.
///
/// A dump lists every cable twice, once at each end. Both must name each other, and agree on LIDs
/// and GUIDs where both give them.
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

/// A cable as one of its ends describes it.
struct CableEnd {
  std::uint32_t node = 0;  ///< from AddNode()
  InfinibandPort port;
  InfinibandKind peer_kind = InfinibandKind::kSwitch;
  std::uint64_t peer_guid = 0;
  InfinibandPort peer;     ///< what this end says of it; the LID of a switch stands here, too
  std::uint8_t width = 0;  ///< lanes; 0: unknown
  std::string_view speed;  ///< of a lane; must live until Finish()
};

class NetworkBuilder {
 public:
  /// `file`: name for messages.
  explicit NetworkBuilder(std::string file);

  /// Returns the number of the node with this GUID, if there is one so far.
  std::optional<std::uint32_t> Find(std::uint64_t guid) const;
  /// Returns a node by its number from AddNode(), with the cables' ends added so far.
  const InfinibandNode& node(std::uint32_t number) const { return network_.nodes[number]; }
  /// Adds a node and returns its number, from 0. Throws UserError for a GUID that is there already,
  /// and for more than kMaxNodes nodes.
  std::uint32_t AddNode(InfinibandNode node);
  /// Adds an end of a cable. Throws UserError for a port that has a cable already, or that the node
  /// does not have.
  void AddEnd(const CableEnd& end);
  /// Joins the ends and returns the network. Throws UserError for an end whose other end is missing
  /// or describes another cable. Call it once.
  InfinibandNetwork Finish();

 private:
  /// Throws UserError with the file and a line: `found` is wrong.
  [[noreturn]] void Fail(std::int64_t line, const std::string& found,
                         const std::string& expected) const;
  /// Returns the place in ends_ of what is at the other side of an end. Throws UserError if the
  /// file does not list it.
  std::size_t OtherEnd(const CableEnd& end) const;
  /// Throws UserError unless `other` names `end` too, with the same LID and GUID where both give
  /// them.
  void CheckAgreement(const CableEnd& end, const CableEnd& other) const;
  /// Adds the cable of two ends that agree; if their rates differ, with the lower one and a
  /// warning.
  void AddCable(const CableEnd& a, const CableEnd& b);

  InfinibandNetwork network_;
  std::unordered_map<std::uint64_t, std::uint32_t> node_of_guid_;
  std::vector<CableEnd> ends_;
  std::unordered_map<std::uint64_t, std::size_t> end_at_;  ///< by node and port
  std::size_t differing_speeds_ = 0;
};

}  // namespace heddle
