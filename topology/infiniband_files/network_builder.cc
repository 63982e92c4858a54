// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/network_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/ids.h"

namespace heddle {
namespace {

std::uint64_t Key(std::uint32_t node, std::uint8_t port) { return std::uint64_t{node} << 8 | port; }

}  // namespace

NetworkBuilder::NetworkBuilder(std::string file) { network_.file = std::move(file); }

void NetworkBuilder::Fail(std::int64_t line, const std::string& found,
                          const std::string& expected) const {
  FailInput({network_.file, line}, found, expected);
}

std::optional<std::uint32_t> NetworkBuilder::Find(std::uint64_t guid) const {
  const auto found = node_of_guid_.find(guid);
  if (found == node_of_guid_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t NetworkBuilder::AddNode(InfinibandNode node) {
  const auto number = static_cast<std::uint32_t>(network_.nodes.size());
  if (number == kMaxNodes) Fail(node.line, "one node too many", fmt::format("up to {}", kMaxNodes));
  const auto [at, is_new] = node_of_guid_.emplace(node.guid, number);
  if (!is_new) {
    Fail(node.line,
         fmt::format("{} is there already, on line {}", Describe(node),
                     network_.nodes[at->second].line),
         "each node once");
  }
  network_.nodes.push_back(std::move(node));
  return number;
}

void NetworkBuilder::AddEnd(const CableEnd& end) {
  InfinibandNode& node = network_.nodes[end.node];
  if (node.port_count != 0 && end.port.number > node.port_count) {
    Fail(end.port.line, fmt::format("port {} of {}", end.port.number, Describe(node)),
         fmt::format("ports from 1 to {}", node.port_count));
  }
  const auto [at, is_new] = end_at_.emplace(Key(end.node, end.port.number), ends_.size());
  if (!is_new) {
    Fail(end.port.line,
         fmt::format("port {} of {} has a cable already, on line {}", end.port.number,
                     Describe(node), ends_[at->second].port.line),
         "one cable for each port");
  }
  node.ports.push_back(end.port);
  ends_.push_back(end);
}

std::size_t NetworkBuilder::OtherEnd(const CableEnd& end) const {
  const std::optional<std::uint32_t> peer = Find(end.peer_guid);
  if (!peer) {
    Fail(end.port.line,
         fmt::format("a cable to 0x{:016x}, of which the file says nothing else", end.peer_guid),
         "the whole output, with all nodes");
  }
  const InfinibandNode& node = network_.nodes[*peer];
  if (node.kind != end.peer_kind) {
    Fail(end.port.line,
         fmt::format("a cable to 0x{:016x} as another kind of node than on line {}", end.peer_guid,
                     node.line),
         "one kind of node");
  }
  const auto at = end_at_.find(Key(*peer, end.peer.number));
  if (at == end_at_.end()) {
    Fail(end.port.line,
         fmt::format("a cable to port {} of {}, which does not tell it", end.peer.number,
                     Describe(node)),
         "each cable at both of its ends");
  }
  return at->second;
}

void NetworkBuilder::CheckAgreement(const CableEnd& end, const CableEnd& other) const {
  const InfinibandNode& peer = network_.nodes[other.node];
  const auto fail = [&](const std::string& what, const std::string& expected) {
    Fail(end.port.line,
         fmt::format("a cable to port {} of {}, {} on line {}", other.port.number, Describe(peer),
                     what, other.port.line),
         expected);
  };
  if (other.peer_guid != network_.nodes[end.node].guid || other.peer.number != end.port.number)
    fail("which has another cable there", "the same cable at both of its ends");
  const std::uint16_t lid = peer.kind == InfinibandKind::kSwitch ? peer.lid : other.port.lid;
  if (end.peer.lid != 0 && lid != 0 && end.peer.lid != lid)
    fail(fmt::format("LID {}, which has LID {}", end.peer.lid, lid), "the same LID");
  if (end.peer.guid != 0 && other.port.guid != 0 && end.peer.guid != other.port.guid)
    fail("which has another GUID", "the same GUID");
}

void NetworkBuilder::AddCable(const CableEnd& a, const CableEnd& b) {
  const BitRate rate_a = InfinibandRate(a.width, a.speed),
                rate_b = InfinibandRate(b.width, b.speed);
  if (rate_a.bps > 0 && rate_b.bps > 0 && rate_a != rate_b) ++differing_speeds_;
  const bool take_b = rate_a.bps == 0 || (rate_b.bps > 0 && rate_b < rate_a);
  const CableEnd& slower = take_b ? b : a;
  network_.cables.push_back({{a.node, a.port.number},
                             {b.node, b.port.number},
                             slower.width,
                             std::string(slower.speed),
                             take_b ? rate_b : rate_a});
}

InfinibandNetwork NetworkBuilder::Finish() {
  if (network_.nodes.empty()) Fail(0, "no node", "the whole output, with switches and CAs");
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const std::size_t other = OtherEnd(ends_[i]);
    CheckAgreement(ends_[i], ends_[other]);
    if (i <= other) AddCable(ends_[i], ends_[other]);
  }
  for (InfinibandNode& node : network_.nodes) {
    std::sort(node.ports.begin(), node.ports.end(),
              [](const InfinibandPort& a, const InfinibandPort& b) { return a.number < b.number; });
  }
  if (differing_speeds_ > 0) {
    network_.warnings.push_back(
        fmt::format("{}: {} cables have another speed at one end than at the other: the slower is "
                    "taken",
                    network_.file, differing_speeds_));
  }
  return std::move(network_);
}

}  // namespace heddle
