// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/record/sorted_flows.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace heddle {
namespace {

FlowRecord SortedFlow(std::uint32_t source, std::uint32_t number, std::int64_t start = 0) {
  FlowRecord flow;
  flow.flow = {NodeId(source), number};
  flow.start = Time{start};
  return flow;
}

struct Read {
  std::vector<FlowRecord> flows;
  std::vector<std::int64_t> received;
  std::vector<FlowArrival> arrivals;
  std::size_t largest = 0;  ///< block
};

Read ReadAll(const std::vector<FlowRecords>& domains, std::size_t block_rows) {
  std::vector<FlowLists> lists;
  for (const FlowRecords& domain : domains) lists.push_back({&domain.flows, &domain.arrivals});
  SortedFlows sorted(lists, block_rows);
  Read read;
  FlowRecords block;
  while (sorted.Next(&block)) {
    EXPECT_EQ(block.received.size(), block.flows.size());
    EXPECT_TRUE(block.flows.empty() || block.arrivals.empty());
    read.largest = std::max(read.largest, block.flows.size());
    read.flows.insert(read.flows.end(), block.flows.begin(), block.flows.end());
    for (const Time time : block.received) read.received.push_back(time.ps);
    read.arrivals.insert(read.arrivals.end(), block.arrivals.begin(), block.arrivals.end());
  }
  return read;
}

TEST(SortedFlows, JoinsTheEarliestArrivalAndKeepsThoseWithoutAFlow) {
  // The domain of the receivers comes before that of the senders.
  const Read read = ReadAll({{{SortedFlow(8, 0, 50)},
                              {{{NodeId(2), 1}, Time{70}},
                               {{NodeId(9), 0}, Time{5}},
                               {{NodeId(2), 1}, Time{60}},
                               {{NodeId(2), 0}, Time{9}}}},
                             {{SortedFlow(2, 3), SortedFlow(2, 1, 10)}, {}}},
                            100);
  ASSERT_EQ(read.flows.size(), 3u);
  EXPECT_EQ(read.flows[0].flow, (FlowId{NodeId(2), 1}));
  EXPECT_EQ(read.flows[1].flow, (FlowId{NodeId(2), 3}));
  EXPECT_EQ(read.flows[2].flow, (FlowId{NodeId(8), 0}));
  EXPECT_EQ(read.received, (std::vector<std::int64_t>{50, -1, -1}));
  ASSERT_EQ(read.arrivals.size(), 2u);
  EXPECT_EQ(read.arrivals[0].flow, (FlowId{NodeId(2), 0}));
  EXPECT_EQ(read.arrivals[0].time, Time{9});
  EXPECT_EQ(read.arrivals[1].flow, (FlowId{NodeId(9), 0}));
}

TEST(SortedFlows, WithoutRecordsThereIsOneEmptyBlock) {
  SortedFlows none({}, 10);
  FlowRecords block;
  block.flows.push_back(SortedFlow(1, 1));
  EXPECT_TRUE(none.Next(&block));
  EXPECT_TRUE(block.empty());
  EXPECT_FALSE(none.Next(&block));
}

TEST(SortedFlows, ManyFlowsAsAMapSays) {
  std::mt19937 random(11);
  for (const std::size_t block_rows : {1, 7, 64, 5000}) {
    std::vector<FlowRecords> domains(6);
    std::map<std::uint64_t, std::int64_t> start, earliest;
    for (std::uint32_t i = 0; i < 2000; ++i) {
      // Sources of a domain follow each other, but for the last domain, which has some of each.
      const std::uint32_t source = i % 50, number = i / 50;
      const FlowRecord flow = SortedFlow(source, number, 1 + static_cast<int>(random() % 100));
      start[flow.flow.packed()] = flow.start.ps;
      domains[random() % 20 == 0 ? 5 : source / 10].flows.push_back(flow);
      for (auto many = random() % 3; many > 0; --many) {
        const std::int64_t time = flow.start.ps + static_cast<int>(random() % 1000);
        auto& least = earliest.try_emplace(flow.flow.packed(), time).first->second;
        least = std::min(least, time);
        domains[random() % 6].arrivals.push_back({flow.flow, Time{time}});
      }
    }
    for (FlowRecords& domain : domains)
      std::shuffle(domain.flows.begin(), domain.flows.end(), random);
    const Read read = ReadAll(domains, block_rows);
    EXPECT_LE(read.largest, block_rows);
    EXPECT_TRUE(read.arrivals.empty());
    ASSERT_EQ(read.flows.size(), start.size());
    std::set<std::uint64_t> found;
    std::size_t steps_back = 0;
    for (std::size_t i = 0; i < read.flows.size(); ++i) {
      const std::uint64_t flow = read.flows[i].flow.packed();
      const auto arrival = earliest.find(flow);
      ASSERT_EQ(read.received[i], arrival == earliest.end() ? -1 : arrival->second - start[flow]);
      found.insert(flow);
      if (i > 0 && flow < read.flows[i - 1].flow.packed()) ++steps_back;
    }
    EXPECT_EQ(found.size(), start.size());
    EXPECT_LE(steps_back, 2u) << "the last domain overlaps the others";
  }
}

}  // namespace
}  // namespace heddle
