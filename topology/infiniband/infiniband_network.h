// SPDX-License-Identifier: GPL-2.0-only
/// An InfiniBand subnet as a dump describes it, before it becomes a Graph.
///
/// Terms (IBA specification, volume 1): a channel adapter (CA) is what a host has of the network. A
/// GUID is a number for life. A LID is the address that the subnet manager gave to a port, and a
/// switch has one for all its ports. LMC: a port has the 2^lmc LIDs from its LID on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"

namespace heddle {

/// Unicast LIDs are 1 to 0xBFFF; 0 stands for none.
inline constexpr std::uint32_t kHighestLid = 0xBFFF;
inline constexpr std::uint32_t kHighestLmc = 7;
/// Ports of a node are numbered from 1; port 0 of a switch is the switch itself.
inline constexpr std::uint32_t kHighestInfinibandPort = 254;

enum class InfinibandKind : std::uint8_t { kSwitch, kCa, kRouter };

/// A port with a cable.
struct InfinibandPort {
  std::uint64_t guid = 0;  ///< 0: unknown, as of switches
  std::int64_t line = 0;   ///< of the file
  std::uint16_t lid = 0;   ///< 0: none, as ports of switches have
  std::uint8_t lmc = 0;
  std::uint8_t number = 0;  ///< from 1
};

struct InfinibandNode {
  InfinibandKind kind = InfinibandKind::kSwitch;
  std::uint64_t guid = 0;
  std::string description;       ///< free text: "node01 HCA-1"
  std::uint32_t port_count = 0;  ///< 0: unknown
  std::uint16_t lid = 0;         ///< of a switch
  std::uint8_t lmc = 0;
  std::int64_t line = 0;
  std::vector<InfinibandPort> ports;  ///< those with a cable, by number
};

/// One end of a cable: a node by its place in InfinibandNetwork::nodes, and a port's number.
struct InfinibandEnd {
  std::uint32_t node = 0;
  std::uint8_t port = 0;
};

struct InfinibandCable {
  InfinibandEnd a, b;
  std::uint8_t width = 0;  ///< lanes; 0: unknown
  std::string speed;       ///< of a lane, "EDR"
  BitRate rate;            ///< of data, each direction; 0: unknown
};

struct InfinibandNetwork {
  std::string file;                     ///< name for messages
  std::vector<InfinibandNode> nodes;    ///< in the order of the file
  std::vector<InfinibandCable> cables;  ///< in the order of the file
  std::vector<std::string> warnings;
};

/// Returns the data rate of a cable after encoding; 0 for a width or a speed that is not known.
/// Lanes carry (Gbit/s) SDR 2, DDR 4, QDR 8, FDR10 10, FDR 14.0625 * 64 / 66, EDR 25, HDR 50, NDR
/// 100, XDR 200.
BitRate InfinibandRate(std::uint32_t width, std::string_view speed);

/// Returns the port of that number, which must have a cable.
const InfinibandPort& PortNumbered(const InfinibandNode& node, std::uint8_t number);

/// Returns a name for messages: `switch 0x0000000000200003 "leaf3"`.
std::string Describe(const InfinibandNode& node);

}  // namespace heddle
