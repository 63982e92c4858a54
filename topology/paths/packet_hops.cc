// SPDX-License-Identifier: GPL-2.0-only
#include "topology/paths/packet_hops.h"

#include <algorithm>

#include "core/base/check.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

std::int64_t CountParts(std::int64_t whole, std::int64_t part) { return (whole + part - 1) / part; }

}  // namespace

const PacketHops::Pair& PacketHops::Find(NodeId source, NodeId destination) {
  if (last_.source == source && last_.destination == destination) return last_;
  const std::uint32_t there = routes_.Hops(source, destination),
                      back = routes_.Hops(destination, source);
  if (there == Routes::kUnreachable || back == Routes::kUnreachable) {
    const bool is_rail_only = FindRailMate(graph_, routes_, source, destination).valid();
    throw UserError(DescribeNoPath(graph_, routes_, source, destination) +
                    (is_rail_only ? ". Expected: collective.pxn=true (AS_PXN_ENABLE=1), by which "
                                    "rings, AllToAll and SendRecv change rails so, or a connected "
                                    "fabric"
                                  : ". Expected: a connected fabric"));
  }
  const bool in_trains =
      graph_.kind(source) == NodeKind::kNvSwitch || graph_.kind(destination) == NodeKind::kNvSwitch;
  last_ = {source, destination, static_cast<double>(there), static_cast<double>(back),
           packeting_.payload * (in_trains ? packeting_.train : 1)};
  return last_;
}

bool PacketHops::Divides(NodeId source, NodeId destination) const {
  return packeting_.request > 0 && graph_.InTwoServers(source, destination);
}

void PacketHops::AddParts(const Pair& pair, std::int64_t size, double parts) {
  const std::int64_t per_ack =
      std::max<std::int64_t>(1, CountParts(packeting_.ack_interval, pair.payload));
  const std::int64_t packets = CountParts(size, pair.payload), acks = CountParts(packets, per_ack);
  packet_hops_ +=
      parts * (static_cast<double>(packets) * pair.there + static_cast<double>(acks) * pair.back);
}

void PacketHops::AddRequests(const Pair& pair, std::int64_t bytes, double count) {
  const auto add = [&](std::int64_t request, double requests) {
    const std::int64_t part = CountParts(request, packeting_.sharing),
                       parts = CountParts(request, part);
    AddParts(pair, part, requests * static_cast<double>(parts - 1));
    AddParts(pair, request - part * (parts - 1), requests);
  };
  const std::int64_t requests = CountParts(bytes, packeting_.request);
  add(packeting_.request, count * static_cast<double>(requests - 1));
  add(bytes - packeting_.request * (requests - 1), count);
  const std::int64_t used = std::min(packeting_.alternate, requests * packeting_.sharing);
  flows_ += count * static_cast<double>(used);
}

void PacketHops::Add(NodeId source, NodeId destination, std::int64_t bytes, std::uint64_t count) {
  if (count == 0) return;
  const Pair& pair = Find(source, destination);
  const auto messages = static_cast<double>(count);
  bytes_ += messages * static_cast<double>(bytes);
  if (Divides(source, destination)) return AddRequests(pair, bytes, messages);
  const std::int64_t part = CountParts(bytes, packeting_.queue_pairs),
                     parts = CountParts(bytes, part);
  // All queue pairs carry equal shares, except the last.
  AddParts(pair, part, messages * static_cast<double>(parts - 1));
  AddParts(pair, bytes - part * (parts - 1), messages);
  flows_ += messages * static_cast<double>(parts);
}

}  // namespace heddle
