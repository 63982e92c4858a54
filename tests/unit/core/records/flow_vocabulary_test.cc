// SPDX-License-Identifier: GPL-2.0-only
#include "core/records/flow_vocabulary.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace heddle {
namespace {

FlowRecord AFlow() {
  FlowRecord flow;
  flow.flow = {NodeId(1), 2};
  flow.destination = NodeId(3);
  flow.source_port = 40000;
  flow.destination_port = 50000;
  flow.completion = PicoSeconds(9);
  return flow;
}

TEST(FlowVocabulary, EveryMemberOfARowIsInItsDigest) {
  const std::vector<std::function<void(FlowRecord*)>> changes = {
      [](FlowRecord*) {},
      [](FlowRecord* f) { f->flow.source = NodeId(5); },
      [](FlowRecord* f) { f->flow.number = 5; },
      [](FlowRecord* f) { f->destination = NodeId(5); },
      [](FlowRecord* f) { f->source_port = 5; },
      [](FlowRecord* f) { f->source_port = 65535; },
      [](FlowRecord* f) { f->destination_port = 5; },
      [](FlowRecord* f) { f->priority = 5; },
      [](FlowRecord* f) { f->state = FlowState::kUnderWay; },
      [](FlowRecord* f) { f->message = 5; },
      [](FlowRecord* f) { f->size = 5; },
      [](FlowRecord* f) { f->start = PicoSeconds(5); },
      [](FlowRecord* f) { f->completion = PicoSeconds(5); },
      [](FlowRecord* f) { f->ideal = PicoSeconds(5); },
      [](FlowRecord* f) { f->origin.operation = 5; },
      [](FlowRecord* f) { f->origin.chunk = 5; },
      [](FlowRecord* f) { f->origin.channel = 5; },
      [](FlowRecord* f) { f->origin.job = 5; },
      [](FlowRecord* f) { f->request = 5; },
  };
  std::set<std::uint64_t> digests;
  for (const auto& change : changes) {
    FlowRecord flow = AFlow();
    change(&flow);
    digests.insert(DigestOf(flow));
  }
  EXPECT_EQ(digests.size(), changes.size());
}

TEST(FlowVocabulary, AnArrivalIsAnotherAtAnotherTime) {
  const FlowArrival arrival{{NodeId(1), 2}, PicoSeconds(3)};
  EXPECT_NE(DigestOf(arrival), DigestOf(FlowArrival{{NodeId(1), 2}, PicoSeconds(4)}));
  EXPECT_NE(DigestOf(arrival), DigestOf(FlowArrival{{NodeId(2), 1}, PicoSeconds(3)}));
}

TEST(FlowVocabulary, TheResultsStatesAreNumberedAsItsPageSays) {
  EXPECT_EQ(FlowStateValues(),
            "0 finished, 1 not started, 2 no route, 3 retry limit exceeded, 4 paused, "
            "5 under way");
}

}  // namespace
}  // namespace heddle
