// SPDX-License-Identifier: GPL-2.0-only
/// Results of runs, some with failures, on the fabric of tests/unit/io/two_leaves.h. Its links by
/// number: 0 to 3 are NVLinks, 4 to 7 join GPUs 0 to 3 to leaves, 8 and 9 join leaf 6 to spines 8
/// and 9, 10 and 11 leaf 7. Times are picoseconds; routes follow 100 ps after a failure.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "io/analysis/result_view.h"
#include "io/failures/paths_over_time.h"
#include "tests/support/made_result.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {

struct RunFlow {
  std::uint32_t src = 0, dst = 2;
  std::int64_t start = 0, fct = 1000;
  std::uint16_t source_port = 0;
  std::uint8_t state = 0;
  std::uint32_t operation = 0;
};

/// A run without failures that ended at 3000 ps. A flow's number is its row.
inline MadeResult TwoLeafRun(const std::vector<RunFlow>& flows) {
  U32 src, dst, number, operation;
  U16 port;
  I64 start, fct;
  U8 state;
  for (const RunFlow& flow : flows) {
    number.push_back(static_cast<std::uint32_t>(number.size()));
    src.push_back(flow.src);
    dst.push_back(flow.dst);
    start.push_back(flow.start);
    fct.push_back(flow.fct);
    port.push_back(flow.source_port);
    state.push_back(flow.state);
    operation.push_back(flow.operation);
  }
  MadeResult result;
  result.tables = {ShapeTable(TwoLeaves()), LinkTable(TwoLeaves()),
                   TableOf("flows", flows.size(),
                           {{"src", src},
                            {"dst", dst},
                            {"number", number},
                            {"source_port", port},
                            {"destination_port", U16(flows.size(), 100)},
                            {"size_bytes", I64(flows.size(), 1000)},
                            {"start_ps", start},
                            {"fct_ps", fct},
                            {"received_ps", fct},
                            {"state", state},
                            {"operation", operation}},
                           {Present::kJobs}),
                   TableOf("failures", 0), TableOf("recovery", 0)};
  result.root["simulated_ps"] = std::int64_t{3000};
  result.root["flows_recorded"] = std::string("all");
  result.root["option failure.convergence"] = std::string("100ps");
  return result;
}

/// A link goes down at 500 ps and comes back at 1500 ps: routes change at 600 and 1600 ps.
inline void LetLinkFail(std::uint32_t a, std::uint32_t b, MadeResult* result) {
  result->table("failures") = TableOf("failures", 2,
                                      {{"time_ps", I64{500, 1500}},
                                       {"event", Texts{"link_down", "link_up"}},
                                       {"node", U32{a, a}},
                                       {"peer", I64{b, b}},
                                       {"cable", I64{-1, -1}}});
}

/// A result as a file while it exists, and a view of it.
struct ViewedRun {
  explicit ViewedRun(const MadeResult& result)
      : path(WriteTo(TempPath("run.h5"), result)), source(path) {}
  ~ViewedRun() { std::remove(path.c_str()); }
  ViewedRun(const ViewedRun&) = delete;
  ViewedRun& operator=(const ViewedRun&) = delete;

  static std::string WriteTo(const std::string& file, const MadeResult& result) {
    result.Write(file);
    return file;
  }

  const std::string path;
  const ReportSource source;
};

/// A source port with which the data of a pair cross one spine and their acknowledgements another,
/// or the same, in the healthy fabric.
inline std::uint16_t PortOver(std::uint32_t data_spine, std::uint32_t ack_spine,
                              std::uint32_t src = 0, std::uint32_t dst = 2) {
  std::vector<RunFlow> flows;
  for (std::uint16_t port = 10'000; port < 10'064; ++port)
    flows.push_back({src, dst, 0, 1000, port});
  const ViewedRun run(TwoLeafRun(flows));
  const Table table = run.source.reader().ReadTable("flows");
  const PathsOverTime paths(run.source, table, {});
  const Graph graph = TwoLeaves();
  for (std::size_t row = 0; row < flows.size(); ++row) {
    const auto crosses = [&](const std::vector<LinkId>& links, std::uint32_t spine) {
      return graph.link(links.at(1)).b.value == spine;
    };
    if (crosses(paths.Healthy(row), data_spine) && crosses(paths.OfAcks(row, 0), ack_spine))
      return flows[row].source_port;
  }
  ADD_FAILURE() << "no source port";
  return 0;
}

}  // namespace heddle
