// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/lid_tables.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Who has which LID.
class LidOwners {
 public:
  explicit LidOwners(const InfinibandNetwork& network, const FabricPlaces& places)
      : file_(network.file), host_(kHighestLid + 1), line_(kHighestLid + 1, 0) {
    for (std::uint32_t i = 0; i < network.nodes.size(); ++i) {
      const InfinibandNode& node = network.nodes[i];
      if (node.kind == InfinibandKind::kSwitch) {
        Add(node.lid, node.lmc, NodeId(), node.line);
        continue;
      }
      for (const InfinibandPort& port : node.ports)
        Add(port.lid, port.lmc, places.IdOf({i, port.number}), port.line);
    }
  }

  bool IsKnown(std::uint16_t lid) const { return line_[lid] != 0; }
  /// NodeId() for all but the first LIDs of hosts.
  NodeId HostOf(std::uint16_t lid) const { return host_[lid]; }
  std::string LmcText() const {
    if (several_ == 0) return "";
    return fmt::format(
        "{}: {} hosts have {} LIDs (LMC above 0): of {} paths to them, those of the "
        "first LID of each are taken",
        file_, several_, lids_, lids_);
  }

 private:
  void Add(std::uint32_t lid, std::uint8_t lmc, NodeId host, std::int64_t line) {
    if (lid == 0) return;
    const std::uint32_t count = 1U << lmc;
    if (lid + count - 1 > kHighestLid) {
      FailInput({file_, line}, fmt::format("LIDs {} to {}", lid, lid + count - 1),
                fmt::format("LIDs up to {}", kHighestLid));
    }
    for (std::uint32_t i = lid; i < lid + count; ++i) {
      if (line_[i] != 0)
        FailInput({file_, line}, fmt::format("LID {} is also that of line {}", i, line_[i]),
                  "a LID of its own for each port");
      line_[i] = line;
    }
    host_[lid] = host;
    if (host.valid() && count > 1) {
      ++several_;
      lids_ += count;
    }
  }

  const std::string& file_;
  std::vector<NodeId> host_;
  std::vector<std::int64_t> line_;
  std::size_t several_ = 0, lids_ = 0;
};

class TablesMaker {
 public:
  explicit TablesMaker(const LidTablesInput& input)
      : input_(input),
        owners_(input.network, input.places),
        strange_(kHighestLid + 1, false),
        tables_(input.graph) {}

  ForwardingTables Make(std::vector<std::string>* warnings) {
    for (const SwitchRoutes& table : input_.dump.switches) AddTable(table);
    Warn(warnings);
    return std::move(tables_);
  }

 private:
  using PortIds = std::array<std::uint16_t, 256>;

  /// PortId by InfiniBand's number; kNone: no cable.
  PortIds PortIdsOf(NodeId node) const {
    PortIds ids;
    ids.fill(ForwardingTables::kNone);
    const std::vector<std::uint8_t>& numbers = input_.port_numbers[node.value];
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ids[numbers[i]] = static_cast<std::uint16_t>(i);
    return ids;
  }

  void AddTable(const SwitchRoutes& table) {
    const NodeId node = input_.places.IdOf({table.node, 0});
    const PortIds ids = PortIdsOf(node);
    for (const LidRoute& route : table.routes) {
      const NodeId host = owners_.HostOf(route.lid);
      if (route.lid != 0 && !owners_.IsKnown(route.lid)) strange_[route.lid] = true;
      if (!host.valid() || route.port == 0 || route.port == LidRoute::kUnreachable) continue;
      if (ids[route.port] == ForwardingTables::kNone)
        ++without_cable_;
      else
        tables_.Set(node, host, PortId(ids[route.port]));
    }
  }

  void Warn(std::vector<std::string>* warnings) const {
    const auto warn = [&](std::size_t count, const char* what) {
      if (count > 0) warnings->push_back(fmt::format("{}: {} {}", input_.dump.file, count, what));
    };
    warn(input_.places.switches() - input_.dump.switches.size(), "switches have no table");
    warn(without_cable_, "entries for hosts name a port without a cable");
    std::size_t strange = 0;
    for (const bool is_strange : strange_) strange += is_strange ? 1 : 0;
    warn(strange, "LIDs are of no port of the network");
    if (const std::string text = owners_.LmcText(); !text.empty()) warnings->push_back(text);
  }

  const LidTablesInput& input_;
  LidOwners owners_;
  std::vector<bool> strange_;  ///< by LID: in tables, but of no port
  ForwardingTables tables_;
  std::size_t without_cable_ = 0;
};

}  // namespace

ForwardingTables MakeLidTables(const LidTablesInput& input, std::vector<std::string>* warnings) {
  return TablesMaker(input).Make(warnings);
}

}  // namespace heddle
