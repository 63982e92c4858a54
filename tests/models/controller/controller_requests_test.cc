// SPDX-License-Identifier: GPL-2.0-only
/// The central controller and messages of requests: a path for each queue pair that may send.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/models/controller/controlled.h"
#include "tests/support/results.h"
#include "transport/model/requests/request_schemes.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kPayload = 9000;          ///< bytes of a packet
constexpr std::int64_t kRequest = 8 * kPayload;  ///< bytes of a request

TransportOptions ControlledRequests(const std::string& scheduler) {
  TransportOptions options = Controlled();
  options.requests.scheduler = scheduler;
  options.nic.qps_per_connection = 4;
  options.requests.size = options.requests.send_recv_size = kRequest;
  options.requests.split_min = 1000;
  return options;
}

const Choice* FindChoice(const std::vector<Choice>& choices, std::uint32_t request) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const Choice& c) { return c.request == request; });
  return found == choices.end() ? nullptr : &*found;
}

class ControlledSchemes : public ::testing::TestWithParam<std::string> {};

/// A message of many requests: whatever queue pairs send it, each has a spine of its own, takes the
/// port that the controller gave, and all paths are given back.
TEST_P(ControlledSchemes, GiveEachQueuePairAPathOfItsOwn) {
  const Graph graph = TwoLeaves(4).Build();
  const Observed outcome =
      Simulate(graph, {Flow(0, 2, 16 * kRequest)}, ControlledRequests(GetParam()));
  const std::vector<Choice> choices = Choices(outcome);
  const bool alone = !TraitsOfScheme(GetParam()).alternates;
  ASSERT_EQ(RowCount(outcome.flows), alone ? 1U : 4U);
  EXPECT_EQ(choices.size(), alone ? 1U : 4U);
  std::set<std::uint32_t> spines;
  for (std::size_t row = 0; row < RowCount(outcome.flows); ++row) {
    const Choice* choice = FindChoice(choices, Request(outcome, row));
    ASSERT_NE(choice, nullptr) << row;
    EXPECT_EQ(choice->outcome, 0);
    EXPECT_EQ(SourcePort(outcome, row), choice->source_port);
    spines.insert(SpineOf(*choice));
  }
  EXPECT_EQ(spines.size(), RowCount(outcome.flows));
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

/// A message of one request: what the scheme does not use is released when all is posted, one
/// latency after the start, while the flow still runs.
TEST_P(ControlledSchemes, GiveBackPathsThatNoQueuePairUses) {
  const Graph graph = TwoLeaves(4).Build();
  const Observed outcome =
      Simulate(graph, {Flow(0, 2, 4 * kPayload)}, ControlledRequests(GetParam()));
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_GT(RowCount(outcome.flows), 0U);
  std::set<std::uint32_t> used;
  for (std::size_t row = 0; row < RowCount(outcome.flows); ++row)
    used.insert(Request(outcome, row));
  for (const Choice& choice : choices) {
    const std::int64_t start = Start(outcome, 0);
    if (used.count(choice.request) > 0) {
      EXPECT_GT(choice.released, start + kLatency);
    } else {
      EXPECT_EQ(choice.released, start + kLatency);
    }
  }
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

std::vector<std::string> Dividing() {
  std::vector<std::string> names;
  for (const RequestSchemeTraits& scheme : RequestSchemeTable()) {
    if (scheme.divides) names.emplace_back(scheme.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ControlledSchemes, ::testing::ValuesIn(Dividing()),
                         [](const auto& scheme) {
                           std::string name = scheme.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// Two messages at once on four spines, of four queue pairs each: the paths of the one are not
/// those of the other, and what finds no path goes by its own port.
TEST(ControlledRequests, OfTwoMessagesShareNoPath) {
  const Graph graph = TwoLeaves(4).Build();
  const Observed outcome = Simulate(graph, {Flow(0, 2, 16 * kRequest), Flow(1, 3, 16 * kRequest)},
                                    ControlledRequests("stripe"));
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(choices.size(), 8U);
  EXPECT_EQ(std::count_if(choices.begin(), choices.end(),
                          [](const Choice& choice) { return choice.outcome == 0; }),
            4);
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

/// A way that fails while some queue pairs have not begun: they begin on the path that the
/// controller found instead.
TEST(ControlledRequests, MoveBeforeTheirQueuePairsBegin) {
  const Graph graph = TwoLeaves(4).Build();
  TransportOptions options = ControlledRequests("round-robin");
  options.requests.in_flight = 1;
  options.convergence = MicroSeconds(1);
  options.reliability.timeout = MicroSeconds(50);
  Scenario scenario = options;
  // One request takes 13 us and more; the fourth queue pair begins after 40 us.
  scenario.failures = {{MicroSeconds(5), LinkId(4), LinkEvent::Kind::kDown, {}}};
  const Observed outcome = Simulate(graph, {Flow(0, 2, 8 * kRequest)}, scenario);
  const std::vector<Choice> choices = Choices(outcome);
  ASSERT_EQ(RowCount(outcome.flows), 4U);
  const auto moved = std::count_if(choices.begin(), choices.end(),
                                   [](const Choice& choice) { return choice.cause == 1; });
  EXPECT_GT(moved, 0);
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_EQ(State(outcome, row), static_cast<int>(FlowState::kFinished)) << row;
  EXPECT_EQ(WhatIsWrongWith(choices), "");
}

}  // namespace
}  // namespace heddle::testing
