// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/discovered_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "topology/infiniband_files/cable_remark.h"
#include "topology/infiniband_files/dump_lines.h"
#include "topology/infiniband_files/network_builder.h"

namespace heddle {
namespace {

/// The quoted name of a node: "S-0000000000200003".
struct NodeName {
  InfinibandKind kind;
  std::uint64_t guid;
};

struct KindWord {
  std::string_view word;
  InfinibandKind kind;
  char letter;
};
constexpr KindWord kKinds[] = {{"Switch", InfinibandKind::kSwitch, 'S'},
                               {"Ca", InfinibandKind::kCa, 'H'},
                               {"Hca", InfinibandKind::kCa, 'H'},
                               {"Rt", InfinibandKind::kRouter, 'R'}};
/// Lines before the line of a node.
constexpr std::string_view kBefore[] = {"vendid=", "devid=",  "sysimgguid=", "switchguid=",
                                        "caguid=", "rtguid=", "Chassis ",    "Non-Chassis Nodes"};
constexpr const char* kBlockLine =
    "a line that begins with Switch, Ca, Rt, [PORT], vendid= or another attribute";

class BlockReader {
 public:
  BlockReader(std::string_view text, const std::string& name)
      : lines_(text, name), builder_(name) {}

  InfinibandNetwork Read() {
    while (lines_.Next()) ReadLine();
    return builder_.Finish();
  }

 private:
  void ReadLine() {
    if (lines_.Take("[")) {
      ReadPort();
    } else if (IsBeforeNode()) {
      node_.reset();
    } else if (const std::optional<InfinibandKind> kind = TakeKind()) {
      ReadNode(*kind);
    } else {
      lines_.FailRest(kBlockLine);
    }
  }

  bool IsBeforeNode() const {
    return std::any_of(std::begin(kBefore), std::end(kBefore),
                       [&](std::string_view word) { return lines_.At(word); });
  }

  std::optional<InfinibandKind> TakeKind() {
    const std::string_view word = lines_.rest().substr(0, lines_.rest().find_first_of(" \t"));
    for (const KindWord& one : kKinds) {
      if (one.word == word && lines_.Take(word)) return one.kind;
    }
    return std::nullopt;
  }

  /// `Switch 8 "S-0000000000200003" # "leaf3" base port 0 lid 6 lmc 0`, from the number on.
  void ReadNode(InfinibandKind kind) {
    InfinibandNode node;
    node.line = lines_.line();
    lines_.SkipBlanks();
    node.port_count = static_cast<std::uint32_t>(
        lines_.RequireNumber("the number of ports", 1, kHighestInfinibandPort));
    lines_.SkipBlanks();
    const NodeName name = RequireName();
    if (name.kind != kind)
      lines_.Fail("a name of another kind of node",
                  "\"S-GUID\" of a switch, \"H-GUID\" of a CA, \"R-GUID\" of a router");
    node.kind = kind;
    node.guid = name.guid;
    const CableRemark remark = ReadCableRemark(&lines_);
    node.description = remark.description;
    if (kind == InfinibandKind::kSwitch) {
      node.lid = remark.peer.lid;
      node.lmc = remark.peer.lmc;
    }
    node_ = builder_.AddNode(std::move(node));
  }

  /// `[1](10001f) "S-0000000000200003"[4] # lid 24 lmc 0 "leaf3" lid 6 4xSDR`, after the bracket.
  void ReadPort() {
    if (!node_) lines_.Fail("a port outside of a block", "first the line of its node");
    CableEnd end;
    end.node = *node_;
    end.port = RequirePort();
    end.port.line = lines_.line();
    lines_.SkipBlanks();
    const NodeName peer = RequireName();
    end.peer_kind = peer.kind;
    end.peer_guid = peer.guid;
    lines_.Require("[", "the port at the other end, [PORT]");
    end.peer = RequirePort();
    const CableRemark remark = ReadCableRemark(&lines_);
    if (builder_.node(end.node).kind != InfinibandKind::kSwitch) {
      end.port.lid = remark.own.lid;
      end.port.lmc = remark.own.lmc;
    }
    end.peer.lid = remark.peer.lid;
    end.width = remark.width;
    end.speed = remark.speed;
    builder_.AddEnd(end);
  }

  NodeName RequireName() {
    constexpr const char* kName = "a node's name, such as \"S-0000000000200003\"";
    lines_.Require("\"", kName);
    const std::string_view rest = lines_.rest();
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindWord& one) {
      return !rest.empty() && one.letter == rest.front();
    });
    if (kind == std::end(kKinds)) lines_.FailRest(kName);
    lines_.Take(rest.substr(0, 1));
    lines_.Require("-", kName);
    const NodeName name{kind->kind, lines_.RequireHex(kName)};
    lines_.Require("\"", kName);
    return name;
  }

  /// `1]`, `1][ext 5]`, `1](10001f)`: the number, and the GUID if it is given.
  InfinibandPort RequirePort() {
    InfinibandPort port;
    port.number =
        static_cast<std::uint8_t>(lines_.RequireNumber("a port", 1, kHighestInfinibandPort));
    lines_.Require("]", "] after the port");
    if (lines_.Take("[ext ")) {  // a number that is printed on the chassis
      lines_.RequireNumber("the external port", 0, ~std::uint32_t{0});
      lines_.Require("]", "] after the external port");
    }
    lines_.SkipBlanks();
    if (lines_.Take("(")) {
      port.guid = lines_.RequireHex("the GUID of the port");
      lines_.Require(")", ") after the GUID");
    }
    return port;
  }

  DumpLines lines_;
  NetworkBuilder builder_;
  std::optional<std::uint32_t> node_;  ///< of the block
};

}  // namespace

InfinibandNetwork ReadDiscoveredBlocks(std::string_view text, const std::string& name) {
  return BlockReader(text, name).Read();
}

}  // namespace heddle
