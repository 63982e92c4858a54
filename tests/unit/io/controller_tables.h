// SPDX-License-Identifier: GPL-2.0-only
/// Tables of a run with the central controller, made from a few figures.
#pragma once

#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/analysis/controller_join.h"

namespace heddle {

struct FlowFigures {
  std::uint32_t src, dst;
  std::uint16_t source_port;
  std::int64_t start_ns = 0, fct_ns = 1000;  ///< fct_ns -1: not finished
  std::uint32_t request = kNoRow;
  std::int64_t size = 1'000'000, ideal_ns = 1000;
  std::uint8_t state = 0;
};

/// Table "flows"; numbers count within a source, as in a result.
inline Table FlowTable(const std::vector<FlowFigures>& flows, bool with_requests = true) {
  std::vector<std::uint32_t> src, dst, number, request;
  std::vector<std::uint16_t> source_port, destination_port;
  std::vector<std::int64_t> size, start, fct, ideal;
  std::vector<std::uint8_t> state;
  for (const FlowFigures& flow : flows) {
    number.push_back(!src.empty() && src.back() == flow.src ? number.back() + 1 : 0);
    src.push_back(flow.src);
    dst.push_back(flow.dst);
    source_port.push_back(flow.source_port);
    destination_port.push_back(100);
    size.push_back(flow.size);
    start.push_back(flow.start_ns * 1000);
    fct.push_back(flow.fct_ns < 0 ? -1 : flow.fct_ns * 1000);
    ideal.push_back(flow.ideal_ns * 1000);
    state.push_back(flow.state);
    request.push_back(flow.request);
  }
  Table table{"flows",
              "",
              {{"src", "1", "", src},
               {"dst", "1", "", dst},
               {"number", "1", "", number},
               {"source_port", "1", "", source_port},
               {"destination_port", "1", "", destination_port},
               {"size_bytes", "byte", "", size},
               {"start_ps", "ps", "", start},
               {"fct_ps", "ps", "", fct},
               {"ideal_ps", "ps", "", ideal},
               {"state", "1", "", state}}};
  if (with_requests) table.columns.push_back({"request", "1", "", request});
  return table;
}

struct RequestFigures {
  std::uint32_t src, dst, request;
  ControllerOutcome outcome = ControllerOutcome::kFreePath;
  std::uint16_t source_port = 1;
};

inline Table Requests(const std::vector<RequestFigures>& requests) {
  std::vector<std::uint32_t> src, dst, number;
  std::vector<std::uint16_t> source_port;
  std::vector<std::uint8_t> outcome;
  for (const RequestFigures& request : requests) {
    src.push_back(request.src);
    dst.push_back(request.dst);
    number.push_back(request.request);
    outcome.push_back(static_cast<std::uint8_t>(request.outcome));
    source_port.push_back(request.source_port);
  }
  return {kRequestTable,
          "",
          {{"src", "1", "", src},
           {"dst", "1", "", dst},
           {"request", "1", "", number},
           {"outcome", "1", "", outcome},
           {"source_port", "1", "", source_port}}};
}

struct HopFigures {
  std::int64_t row;
  std::uint32_t node;
  std::uint16_t port;
};

inline Table PathHops(const std::vector<HopFigures>& hops) {
  std::vector<std::int64_t> row;
  std::vector<std::uint32_t> node;
  std::vector<std::uint16_t> port;
  for (const HopFigures& hop : hops) {
    row.push_back(hop.row);
    node.push_back(hop.node);
    port.push_back(hop.port);
  }
  return {
      kPathTable, "", {{"row", "1", "", row}, {"node", "1", "", node}, {"port", "1", "", port}}};
}

}  // namespace heddle
