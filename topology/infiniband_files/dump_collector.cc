// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/dump_collector.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::uint16_t kNoEntry = 0xFFFF;

}  // namespace

DumpCollector::DumpCollector(const DumpLines* lines, const InfinibandNetwork& network,
                             bool has_ends)
    : lines_(lines),
      network_(&network),
      has_ends_(has_ends),
      port_of_lid_(kHighestLid + 1, kNoEntry) {
  dump_.file = lines->file();
  for (std::uint32_t i = 0; i < network.nodes.size(); ++i) {
    if (network.nodes[i].kind == InfinibandKind::kSwitch)
      switch_of_guid_.emplace(network.nodes[i].guid, i);
  }
}

void DumpCollector::Warn(const std::string& text) {
  dump_.warnings.push_back(dump_.file + ": " + text);
}

void DumpCollector::Begin(std::uint64_t guid) {
  Close();
  guid_ = guid;
  head_ = lines_->line();
  ended_ = false;
  entries_ = 0;
  const auto at = switch_of_guid_.find(guid);
  target_ = at == switch_of_guid_.end() ? Target::kUnknownSwitch : Target::kSwitch;
  if (target_ == Target::kSwitch) table_.node = at->second;
}

void DumpCollector::PassOver() {
  if (target_ == Target::kNone) lines_->Fail("a private table of no switch", "first its switch");
  if (entries_ > 0) Close();
  target_ = Target::kPrivateTable;
}

void DumpCollector::CheckPort(std::uint8_t port) const {
  const InfinibandNode& node = network_->nodes[table_.node];
  if (port == LidRoute::kUnreachable || node.port_count == 0 || port <= node.port_count) return;
  lines_->Fail(fmt::format("port {} of {}", port, Describe(node)),
               fmt::format("ports from 0 to {}", node.port_count));
}

void DumpCollector::Add(LidRoute route) {
  if (target_ == Target::kNone || ended_)
    lines_->Fail("an entry outside of a table", "first the line of its switch");
  ++entries_;
  if (target_ != Target::kSwitch) return;
  CheckPort(route.port);
  std::uint16_t& port = port_of_lid_[route.lid];
  if (port == route.port) return;
  if (port != kNoEntry) {
    lines_->Fail(fmt::format("port {} for LID {:#06x}, which has port {} already", route.port,
                             route.lid, port),
                 "one port for each LID");
  }
  port = route.port;
  table_.routes.push_back(route);
}

void DumpCollector::End() {
  if (target_ == Target::kNone || ended_) lines_->Fail("an end outside of a table", "a table");
  ended_ = true;
}

void DumpCollector::Close() {
  if (target_ == Target::kNone) return;
  if (target_ == Target::kPrivateTable) {
    ++private_;
    return;
  }
  if (has_ends_ && !ended_) ++open_;
  const auto [begun, is_new] = begun_.emplace(guid_, head_);
  if (!is_new) {
    FailInput({dump_.file, head_},
              fmt::format("switch 0x{:016x} is there already, on line {}", guid_, begun->second),
              "each switch once");
  }
  if (target_ == Target::kUnknownSwitch) {
    if (unknown_++ == 0) first_unknown_ = guid_;
    return;
  }
  for (const LidRoute& route : table_.routes) port_of_lid_[route.lid] = kNoEntry;
  dump_.switches.push_back(std::move(table_));
  table_ = {};
}

ForwardingDump DumpCollector::Finish() {
  Close();
  target_ = Target::kNone;
  if (unknown_ > 0) {
    Warn(fmt::format("{} switches are not in {}, the first is 0x{:016x}", unknown_, network_->file,
                     first_unknown_));
  }
  if (private_ > 0)
    Warn(fmt::format("{} private tables (PLFT_NUM above 0) are passed over", private_));
  if (open_ > 0) Warn(fmt::format("{} tables have no end: is the file cut short?", open_));
  return std::move(dump_);
}

}  // namespace heddle
