// SPDX-License-Identifier: GPL-2.0-only
/// Results for the tests of heddle report, and what the page gets of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/report/report.h"
#include "io/report/report_json.h"
#include "io/result/graph_table.h"
#include "io/result/result_writer.h"
#include "tests/support/io_test_util.h"
#include "tests/support/made_result.h"

namespace heddle {

using Text = std::vector<std::string>;

struct FlowRow {
  std::uint32_t src, dst;
  std::int64_t size, start, fct, ideal;
  std::uint8_t state = 0;
};

inline Table FlowsOf(const std::vector<FlowRow>& rows) {
  U32 number, src, dst;
  U16 ports, destination_ports;
  I64 size, start, fct, ideal;
  U8 state;
  for (const FlowRow& row : rows) {
    number.push_back(static_cast<std::uint32_t>(number.size()));
    src.push_back(row.src);
    dst.push_back(row.dst);
    ports.push_back(10000);
    destination_ports.push_back(100);
    size.push_back(row.size);
    start.push_back(row.start);
    fct.push_back(row.fct);
    ideal.push_back(row.ideal);
    state.push_back(row.state);
  }
  return {"flows",
          "",
          {{"number", "1", "", number},
           {"src", "1", "", src},
           {"dst", "1", "", dst},
           {"source_port", "1", "", ports},
           {"destination_port", "1", "", destination_ports},
           {"size_bytes", "byte", "", size},
           {"start_ps", "ps", "", start},
           {"fct_ps", "ps", "", fct},
           {"ideal_ps", "ps", "", ideal},
           {"state", "1", "", state}}};
}

/// A result of SmallGraph() (io_test_util.h): GPUs 0 to 3, NVSwitches 4 and 5, switch 6; each GPU's
/// port 0 is NVLink, port 1 400 Gbit/s.
inline std::string WriteRun(const std::string& name, const std::vector<Table>& tables,
                            const std::vector<Attribute>& attributes = {}) {
  const std::string path = TempPath(name);
  ResultWriter writer(path, true);
  writer.Write(ShapeTable(SmallGraph()));
  writer.Write(LinkTable(SmallGraph()));
  for (const Table& table : tables) writer.Write(table);
  writer.WriteAttributes(attributes);
  writer.Close();
  return path;
}

inline Json DataOf(const std::vector<std::string>& paths,
                   const std::map<std::string, std::string>& defaults = {}) {
  return Json::parse(ReportData({paths, "", "heddle test", defaults}));
}
inline Json RunOf(const std::string& path) { return DataOf({path})["runs"][0]; }

inline Table PortsOf(const std::vector<std::array<std::int64_t, 3>>& rows) {  // node, port, bytes
  U32 node, port;
  I64 packets, bytes, zero;
  for (const auto& row : rows) {
    node.push_back(static_cast<std::uint32_t>(row[0]));
    port.push_back(static_cast<std::uint32_t>(row[1]));
    packets.push_back(1);
    bytes.push_back(row[2]);
    zero.push_back(0);
  }
  return {"ports",
          "",
          {{"node", "1", "", node},
           {"port", "1", "", port},
           {"sent_packets", "1", "", packets},
           {"sent_bytes", "byte", "", bytes},
           {"max_queued_bytes", "byte", "", zero},
           {"ecn_marked", "1", "", zero},
           {"pauses", "1", "", zero},
           {"paused_ps", "ps", "", zero}}};
}

}  // namespace heddle
