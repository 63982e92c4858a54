// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/discovered_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/options/token_reader.h"
#include "topology/infiniband_files/cable_remark.h"
#include "topology/infiniband_files/dump_lines.h"
#include "topology/infiniband_files/network_builder.h"

namespace heddle {
namespace {

constexpr const char* kPortLine = "CA, SW or RT, a LID, a port, a GUID, as ibnetdiscover -p prints";

/// `SW 6 4 0x0000000000200003`
struct ListedPort {
  InfinibandKind kind;
  std::uint16_t lid = 0;
  std::uint8_t number = 0;  ///< may be 0, a switch's own
  std::uint64_t guid = 0;
};

class PortReader {
 public:
  PortReader(std::string_view text, const std::string& name) : lines_(text, name), builder_(name) {}

  InfinibandNetwork Read() {
    while (lines_.Next()) ReadLine();
    return builder_.Finish();
  }

 private:
  /// `CA 24 1 0x10001f 4x SDR - SW 6 4 0x200003 ( 'node16 HCA-1' - 'leaf3' )`, or, without a
  /// cable, `SW 6 9 0x200003 4x SDR 'leaf3'`.
  void ReadLine() {
    const ListedPort port = RequirePort();
    lines_.SkipBlanks();
    const std::string_view width = lines_.TakeWord();
    lines_.SkipBlanks();
    const std::string_view speed = lines_.TakeWord();
    lines_.SkipBlanks();
    if (!lines_.Take("- ")) {
      lines_.Require("'", "- and the other end, or the node's name");
      const std::string_view name = lines_.rest();
      // A CA without a cable is nothing here: its other ports count as other CAs.
      if (port.kind == InfinibandKind::kSwitch)
        NodeOf(port, name.substr(0, std::min(name.rfind('\''), name.size())));
      return;
    }
    lines_.SkipBlanks();
    const ListedPort peer = RequirePort();
    if (port.number == 0 || peer.number == 0) lines_.Fail("a cable at port 0", "ports from 1");
    AddEnd(port, peer, LanesOf(width), speed, RequireFirstName());
  }

  ListedPort RequirePort() {
    ListedPort port;
    const std::string_view before = lines_.rest(), kind = lines_.TakeWord();
    if (kind != "SW" && kind != "CA" && kind != "RT") {
      lines_.Fail("found " + Quote(before), kPortLine);
    }
    port.kind = kind == "SW"   ? InfinibandKind::kSwitch
                : kind == "CA" ? InfinibandKind::kCa
                               : InfinibandKind::kRouter;
    lines_.SkipBlanks();
    port.lid = CheckedLid(lines_, lines_.RequireNumber("a LID", 0, 0xFFFF));
    lines_.SkipBlanks();
    port.number =
        static_cast<std::uint8_t>(lines_.RequireNumber("a port", 0, kHighestInfinibandPort));
    lines_.SkipBlanks();
    port.guid = lines_.RequireHex("a GUID");
    return port;
  }

  /// The first of the two names in `( 'node16 HCA-1' - 'leaf3' )`, which may have quotes in them.
  std::string_view RequireFirstName() {
    constexpr const char* kNames = "the names of both nodes, ( 'NAME' - 'NAME' )";
    lines_.SkipBlanks();
    lines_.Require("(", kNames);
    lines_.SkipBlanks();
    lines_.Require("'", kNames);
    const std::string_view names = lines_.rest();
    const std::size_t end = names.find("' - '");
    if (end == std::string_view::npos || names.substr(names.size() - 3) != "' )")
      lines_.FailRest(kNames);
    return names.substr(0, end);
  }

  /// The node of a port, with the LID if it is a switch; a new one if there is none.
  std::uint32_t NodeOf(const ListedPort& port, std::string_view description) {
    if (const std::optional<std::uint32_t> found = builder_.Find(port.guid)) {
      const InfinibandNode& node = builder_.node(*found);
      const bool is_switch = node.kind == InfinibandKind::kSwitch;
      if (node.kind == port.kind && (!is_switch || node.lid == port.lid)) return *found;
      lines_.Fail(fmt::format("{} is of another kind, or has another LID, than on line {}",
                              Describe(node), node.line),
                  "one kind and one LID for all ports of a switch");
    }
    InfinibandNode node;
    node.kind = port.kind;
    node.guid = port.guid;
    node.description = description;
    node.line = lines_.line();
    if (port.kind == InfinibandKind::kSwitch) node.lid = port.lid;
    return builder_.AddNode(std::move(node));
  }

  void AddEnd(const ListedPort& port, const ListedPort& peer, std::uint8_t width,
              std::string_view speed, std::string_view description) {
    CableEnd end;
    end.node = NodeOf(port, description);
    end.port.number = port.number;
    end.port.line = lines_.line();
    if (port.kind != InfinibandKind::kSwitch) {
      end.port.lid = port.lid;
      end.port.guid = port.guid;
    }
    end.peer_kind = peer.kind;
    end.peer_guid = peer.guid;
    end.peer.number = peer.number;
    end.peer.lid = peer.lid;
    end.width = width;
    end.speed = speed;
    builder_.AddEnd(end);
  }

  DumpLines lines_;
  NetworkBuilder builder_;
};

}  // namespace

InfinibandNetwork ReadDiscoveredPorts(std::string_view text, const std::string& name) {
  return PortReader(text, name).Read();
}

}  // namespace heddle
