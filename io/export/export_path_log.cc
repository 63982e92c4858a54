// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_path_log.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/traffic/flow_request.h"
#include "io/analysis/controller_join.h"
#include "topology/routes/ecmp_hash.h"

namespace heddle {
namespace {

std::string DottedAddress(std::uint32_t node) {
  const std::uint32_t address = AddressOf(NodeId(node));
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

}  // namespace

void ExportPathLog(const Table& requests, const Table& paths, const Table& flows,
                   std::ostream& out) {
  const auto& source = GetColumn<std::uint32_t>(requests, "src");
  const auto& destination = GetColumn<std::uint32_t>(requests, "dst");
  const auto& source_port = GetColumn<std::uint16_t>(requests, "source_port");
  const auto& node = GetColumn<std::uint32_t>(paths, "node");
  const auto& port = GetColumn<std::uint16_t>(paths, "port");
  const auto& flow_source_port = GetColumn<std::uint16_t>(flows, "source_port");
  const auto& flow_destination_port = GetColumn<std::uint16_t>(flows, "destination_port");
  const std::vector<std::size_t> first_hop = HopsOfDecisions(requests, paths);
  const std::vector<std::uint32_t> flow_of = FlowsOfDecisions(flows, requests);
  fmt::memory_buffer text;
  const auto append = [&](auto format, const auto&... values) {
    fmt::format_to(std::back_inserter(text), format, values...);
  };
  append(FMT_STRING("flow_id,sip,dip,sport,dport,n_hops,hops\n"));
  for (std::size_t row = 0; row < source.size(); ++row) {
    const std::size_t hops = first_hop[row + 1] - first_hop[row];
    if (hops == 0) continue;
    const std::uint32_t flow = flow_of[row];
    const bool known = flow != kNoRow;
    const std::uint16_t from_port =
        source_port[row] == 0 && known ? flow_source_port[flow] : source_port[row];
    const std::uint16_t to_port =
        known ? flow_destination_port[flow] : FlowRequest().destination_port;
    append(FMT_STRING("{},{},{},{},{},{},"), known ? static_cast<std::int64_t>(flow) : -1,
           DottedAddress(source[row]), DottedAddress(destination[row]), from_port, to_port, hops);
    for (std::size_t i = first_hop[row]; i < first_hop[row + 1]; ++i) {
      append(FMT_STRING("{}{}:{}"), i == first_hop[row] ? "" : ";", node[i], port[i]);
    }
    text.push_back('\n');
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace heddle
