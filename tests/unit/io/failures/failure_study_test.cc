// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/failure_study.h"

#include <cstdio>

#include "core/base/check.h"
#include "io/failures/failure_difference.h"
#include "tests/support/made_result.h"

namespace heddle {
namespace {

/// SmallGraph() has one switch, node 6: GPU 2's only way to other servers is link 5, to port 2 of
/// the switch. The run ends at 3000 ps.
constexpr std::uint32_t kSwitch = 6;

struct Made {
  std::uint32_t src = 0, dst = 2;
  std::int64_t start = 0, fct = 1000;
  std::uint8_t state = 0;
};

MadeResult ResultOf(const std::vector<Made>& flows) {
  MadeResult result;
  AddCommon(&result);
  const std::size_t rows = flows.size();
  result.tables.push_back(
      TableOf("flows", rows, {{"size_bytes", I64(rows, 1000)}, {"ideal_ps", I64(rows, 900)}}));
  result.tables.push_back(TableOf("drops", 0));
  for (std::uint32_t i = 0; i < rows; ++i) {
    result.values<std::uint32_t>("flows", "src")[i] = flows[i].src;
    result.values<std::uint32_t>("flows", "dst")[i] = flows[i].dst;
    result.values<std::uint32_t>("flows", "number")[i] = i;
    result.values<std::int64_t>("flows", "start_ps")[i] = flows[i].start;
    result.values<std::int64_t>("flows", "fct_ps")[i] = flows[i].fct;
    result.values<std::uint8_t>("flows", "state")[i] = flows[i].state;
  }
  return result;
}

/// GPU 2's link goes down at 500 ps and comes back at 900 ps.
MadeResult WithFailure(MadeResult result) {
  result.table("failures") = TableOf("failures", 2,
                                     {{"time_ps", I64{500, 900}},
                                      {"event", Texts{"link_down", "link_up"}},
                                      {"node", U32{kSwitch, 2}},
                                      {"peer", I64{2, kSwitch}},
                                      {"cable", I64{-1, -1}}});
  return result;
}

void Converge(const std::string& time, MadeResult* result) {
  result->root["option failure.convergence"] = time;
}

/// A result as a file while it exists.
class Written {
 public:
  Written(const MadeResult& result, const std::string& name) : path_(TempPath(name)) {
    result.Write(path_);
  }
  ~Written() { std::remove(path_.c_str()); }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

FailureStudy StudyOf(const MadeResult& result) {
  return StudyFailures(Written(result, "study.h5").path());
}

TEST(FailureStudy, WhoWasOnALinkAndWhoWasNot) {
  // On it: to GPU 2, from GPU 2, and to GPU 2 from before the failure. Not on it: another
  // destination, ended at the failure, begun when routes were back, never started, within the
  // server.
  MadeResult result = WithFailure(ResultOf({{0, 2, 0, 2000},
                                            {2, 1, 499, 100},
                                            {1, 2, 600, 1500},
                                            {0, 3, 0, 2000},
                                            {0, 2, 100, 400},
                                            {0, 2, 1000, 100},
                                            {1, 2, 600, -1, 1},
                                            {2, 3, 0, 2000}}));
  Converge("100ps", &result);
  const FailureStudy study = StudyOf(result);
  EXPECT_EQ(study.unknown, "");
  ASSERT_EQ(study.outages.size(), 1u);
  const OutageFlows& flows = study.outages[0].flows;
  EXPECT_EQ(flows.on_it, 3);
  EXPECT_EQ(flows.no_way, 2) << "rows 0 and 2 from 600 ps, when the routes follow, to 1000 ps";
  EXPECT_EQ(flows.longest_ps, 400);
  EXPECT_EQ(flows.unharmed, 1);
  EXPECT_EQ(flows.moved + flows.detours, 0);
  EXPECT_EQ(study.flows_started, 7);
}

TEST(FailureStudy, RecoveryCountsForWhoWasOnItOnly) {
  MadeResult result = WithFailure(ResultOf({{0, 2, 0, 2000}, {0, 3, 0, 2000}}));
  result.table("recovery") = TableOf("recovery", 2,
                                     {{"src", U32{0, 0}},
                                      {"number", U32{0, 1}},
                                      {"timeouts", U16{2, 1}},
                                      {"waited_ps", I64{700, 50}},
                                      {"nacks", U32{1, 0}},
                                      {"resent_bytes", I64{300, 9}}});
  const FailureStudy study = StudyOf(result);
  const OutageFlows& flows = study.outages[0].flows;
  EXPECT_EQ(flows.on_it, 1);
  EXPECT_EQ(flows.timed_out, 1);
  EXPECT_EQ(flows.recovery.timeouts, 2);
  EXPECT_EQ(flows.recovery.resent_bytes, 300);
  EXPECT_EQ(flows.longest_ps, 700) << "longer than without a way";
  EXPECT_EQ(study.outages[0].longest, "server 0 / GPU 0 to server 1 / GPU 0");
  EXPECT_EQ(study.flows_of_others, 1);
  EXPECT_EQ(study.others.timeouts, 1);
}

TEST(FailureStudy, PacketsLostAtThePortsOfTheLink) {
  MadeResult result = WithFailure(ResultOf({{0, 2, 0, 2000}}));
  result.table("drops") =
      TableOf("drops", 4,
              {{"node", U32{2, kSwitch, kSwitch, kSwitch}},
               {"port", U32{1, 1, 2, 2}},
               {"reason", Texts{"link down", "link down", "link down", "no route"}},
               {"packets", I64{1, 10, 100, 1000}}});
  const FailureStudy study = StudyOf(result);
  EXPECT_EQ(study.outages[0].lost_packets, 101);
  EXPECT_EQ(study.lost_packets, 111);
  EXPECT_EQ(study.no_route_packets, 1000);
}

TEST(FailureStudy, FlowsThatDoNotEnd) {
  MadeResult result = WithFailure(ResultOf({{0, 2, 0, -1, 2}, {0, 3, 0, 100}}));
  result.values<std::int64_t>("failures", "time_ps")[1] = 5000;
  const FailureStudy study = StudyOf(result);
  EXPECT_EQ(study.after_end, 1u);
  EXPECT_EQ(study.outages[0].flows.unfinished, 1);
  EXPECT_EQ(study.outages[0].flows.longest_ps, 2500) << "from 500 ps to the end";
}

TEST(FailureStudy, WithoutAllFlowsEventsAndPacketsRemain) {
  MadeResult result = WithFailure(ResultOf({{0, 2, 0, 2000}}));
  result.root["flows_recorded"] = std::string("none");
  const FailureStudy study = StudyOf(result);
  EXPECT_NE(study.unknown.find("--record flows=all"), std::string::npos);
  ASSERT_EQ(study.outages.size(), 1u);
  EXPECT_EQ(study.outages[0].flows.on_it, 0);
}

TEST(FailureStudy, WhatIsNoResultOfAFailureIsRefused) {
  EXPECT_THROW(StudyOf(ResultOf({{0, 2, 0, 2000}})), UserError);
  MadeResult unknown = WithFailure(ResultOf({{0, 2, 0, 2000}}));
  unknown.values<std::string>("failures", "event")[0] = "link_lost";
  EXPECT_THROW(StudyOf(unknown), UserError);
  MadeResult elsewhere = WithFailure(ResultOf({{0, 2, 0, 2000}}));
  elsewhere.values<std::uint32_t>("failures", "node")[0] = 77;
  EXPECT_THROW(StudyOf(elsewhere), UserError);
}

TEST(FailureDifference, EndsOfBothResults) {
  const Written here(WithFailure(ResultOf({{0, 2, 0, 2000}, {0, 3, 0, 90}, {1, 2, 0, -1, 2}})),
                     "here.h5");
  const Written there(ResultOf({{0, 2, 0, 1500}, {0, 3, 0, 100}, {1, 2, 0, 400}, {1, 3, 0, 50}}),
                      "there.h5");
  const FailureDifference found = CompareFailures(here.path(), there.path());
  EXPECT_TRUE(found.has_flows);
  EXPECT_FALSE(found.other_failed);
  EXPECT_EQ(found.flows.compared, 4);
  EXPECT_EQ(found.flows.later, 1);
  EXPECT_EQ(found.flows.earlier, 1);
  EXPECT_EQ(found.flows.unended, 1);
  EXPECT_EQ(found.flows.absent, 1);
  EXPECT_EQ(found.flows.most_ps, 500);
  EXPECT_EQ(found.flows.most, "server 0 / GPU 0 to server 1 / GPU 0");
  EXPECT_EQ(found.last_end_ps, 2000);
  EXPECT_EQ(found.other_last_end_ps, 1500);
  EXPECT_THROW(CompareFailures(there.path(), here.path()), UserError) << "it lacks 1 to 3";
}

}  // namespace
}  // namespace heddle
