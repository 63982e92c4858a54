// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_path_log.h"

#include <sstream>

#include "tests/support/io_test_util.h"
#include "tests/unit/io/controller_tables.h"

namespace heddle {
namespace {

std::string Text(const Table& requests, const Table& paths, const Table& flows) {
  std::ostringstream out;
  ExportPathLog(requests, paths, flows, out);
  return out.str();
}

const Table kRequests = Requests({{0, 8, 0},
                                  {300, 9, 5, ControllerOutcome::kHostsOwnPort, 0},
                                  {300, 9, 6, ControllerOutcome::kLeastLoaded, 17},
                                  {0, 8, 0, ControllerOutcome::kFreePath, 4},
                                  {7, 9, 0, ControllerOutcome::kFreePath, 3}});
const Table kPaths = PathHops(
    {{0, 18, 8}, {0, 20, 1}, {0, 19, 0}, {2, 18, 9}, {2, 19, 1}, {3, 18, 10}, {4, 19, 65535}});

TEST(ExportPathLog, ALineADecisionWithAPath) {
  // Flow 0 was moved: two paths. The request of GPU 7 has no flow, as in a run without flow
  // records.
  const Table flows = FlowTable(
      {{0, 8, 4, 0, 10, 0}, {0, 1, 10000}, {300, 9, 10000, 0, 10, 5}, {300, 9, 17, 0, 10, 6}});
  EXPECT_EQ(Text(kRequests, kPaths, flows),
            "flow_id,sip,dip,sport,dport,n_hops,hops\n"
            "0,11.0.0.1,11.0.8.1,1,100,3,18:8;20:1;19:0\n"
            "3,11.1.44.1,11.0.9.1,17,100,2,18:9;19:1\n"
            "0,11.0.0.1,11.0.8.1,4,100,1,18:10\n"
            "-1,11.0.7.1,11.0.9.1,3,100,1,19:65535\n");
}

TEST(ExportPathLog, DestinationPortIsTheFlows) {
  Table flows = FlowTable({{0, 8, 1, 0, 10, 0}});
  flows.columns[4].data = std::vector<std::uint16_t>{4791};
  EXPECT_EQ(Text(Requests({{0, 8, 0}}), PathHops({{0, 18, 8}}), flows),
            "flow_id,sip,dip,sport,dport,n_hops,hops\n0,11.0.0.1,11.0.8.1,1,4791,1,18:8\n");
}

/// If the controller reserves the path of a host's own port, that port is the flow's.
TEST(ExportPathLog, OwnPortIsTheFlows) {
  EXPECT_EQ(Text(Requests({{0, 8, 0, ControllerOutcome::kHostsOwnPort, 0}}), PathHops({{0, 18, 8}}),
                 FlowTable({{0, 8, 10001, 0, 10, 0}})),
            "flow_id,sip,dip,sport,dport,n_hops,hops\n0,11.0.0.1,11.0.8.1,10001,100,1,18:8\n");
}

TEST(ExportPathLog, NoDecisionsAreAHeader) {
  EXPECT_EQ(Text(Requests({}), PathHops({}), FlowTable({})),
            "flow_id,sip,dip,sport,dport,n_hops,hops\n");
}

TEST(ExportPathLog, PathsThatFitNoDecisionAreRefused) {
  const Table flows = FlowTable({});
  for (const Table& paths :
       {PathHops({{5, 1, 1}}), PathHops({{-1, 1, 1}}), PathHops({{1, 1, 1}, {0, 1, 1}})}) {
    EXPECT_NE(
        MessageOf([&] { Text(kRequests, paths, flows); }).find("table controller/paths: row "),
        std::string::npos);
  }
  EXPECT_NE(MessageOf([&] { Text(kPaths, kRequests, flows); }).find("no column"),
            std::string::npos);
  EXPECT_NE(
      MessageOf([&] { Text(kRequests, kPaths, FlowTable({}, false)); }).find("no column request"),
      std::string::npos);
}

TEST(ControllerJoin, LastDecisionIsInForceAndFirstFlowCarriesIt) {
  const Table flows =
      FlowTable({{0, 8, 4, 0, 10, 0}, {0, 8, 4, 0, 10, 0}, {0, 1, 10000}, {7, 9, 3, 0, 10, 1}});
  EXPECT_EQ(DecisionsOfFlows(flows, kRequests), (std::vector<std::uint32_t>{3, 3, kNoRow, kNoRow}));
  EXPECT_EQ(FlowsOfDecisions(flows, kRequests),
            (std::vector<std::uint32_t>{0, kNoRow, kNoRow, 0, kNoRow}));
  EXPECT_EQ(HopsOfDecisions(kRequests, kPaths), (std::vector<std::size_t>{0, 3, 3, 5, 6, 7}));
}

}  // namespace
}  // namespace heddle
