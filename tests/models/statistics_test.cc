// SPDX-License-Identifier: GPL-2.0-only
/// Statistics of a run compared with its own tables, for any choice of kept flows; samples compared
/// with all flows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/models/controller/controlled.h"
#include "topology/graph/link_tiers.h"

namespace heddle::testing {
namespace {

const Table& Statistics(const Observed& o, const std::string& name) {
  for (const Table& table : o.statistics) {
    if (table.name == name) return table;
  }
  throw std::out_of_range("no table " + name);
}

std::vector<std::uint64_t> DigestsOfStatistics(const Observed& o) {
  std::vector<std::uint64_t> digests;
  for (const Table& table : o.statistics) digests.push_back(Digest(table));
  return digests;
}

Observed RunSampled(const Graph& graph, const std::vector<FlowRequest>& flows,
                    const TransportOptions& options, FlowSample sample,
                    const std::vector<LinkEvent>& failures = {}) {
  RunPlan plan;
  plan.sample = sample;
  return Simulate(graph, flows, {options, plan, failures});
}

/// RowMap of /flows as texts by (source, number). For a flow that did not finish, the arrival is
/// omitted: its receiver does not know that the flow's row will be kept.
using RowMap = std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>;
RowMap FlowRows(const Observed& o) {
  RowMap rows;
  const auto& src = GetColumn<std::uint32_t>(o.flows, "src");
  const auto& number = GetColumn<std::uint32_t>(o.flows, "number");
  for (std::size_t i = 0; i < src.size(); ++i) {
    std::string text;
    const bool finished = State(o, i) == 0;
    for (const Column& column : o.flows.columns) {
      if (!finished && column.name == "received_ps") continue;
      std::visit([&](const auto& values) { text += fmt::format("{} {} ", column.name, values[i]); },
                 column.data);
    }
    EXPECT_TRUE(rows.emplace(std::pair(src[i], number[i]), text).second) << "twice: " << text;
  }
  return rows;
}

/// Bytes sent on each tier, from /ports, whose rows are links.
std::map<std::string, std::int64_t> SentByTier(const Graph& graph, const Table& ports) {
  const LinkTiers tiers(graph);
  std::map<std::string, std::int64_t> sent;
  for (const LinkTiers::Tier& tier : tiers.tiers()) sent[tier.name] = 0;
  const auto& node = GetColumn<std::uint32_t>(ports, "node");
  for (std::size_t i = 0; i < node.size(); ++i) {
    const NodeId from(node[i]);
    const NodeId to = graph.ports(from)[GetColumn<std::uint32_t>(ports, "port")[i]].peer;
    sent[tiers.tiers()[tiers.Of(from, to)].name] += GetColumn<std::int64_t>(ports, "sent_bytes")[i];
  }
  return sent;
}

TEST(TierLoadTable, AddsUpToWhatPortsSent) {
  const Graph fabric = SpecificationFabric();
  TransportOptions lossy = MarkAlways();
  lossy.reliability.error_rate = 1e-3;
  for (const TransportOptions& options : {Unlimited(), lossy}) {
    const Observed outcome = Simulate(fabric, Bursts(16, 400, 300'000, 4), options);
    const Table& load = Statistics(outcome, "tier_load");
    std::map<std::string, std::int64_t> sums;
    std::set<std::int64_t> begins;
    const auto& from = GetColumn<std::int64_t>(load, "from_ps");
    const auto& to = GetColumn<std::int64_t>(load, "to_ps");
    for (std::size_t i = 0; i < from.size(); ++i) {
      sums[GetColumn<std::string>(load, "tier")[i]] +=
          GetColumn<std::int64_t>(load, "sent_bytes")[i];
      begins.insert(from[i]);
      EXPECT_LE(to[i], outcome.end.ps);
      EXPECT_LE(GetColumn<double>(load, "utilisation")[i],
                1.2);  // the last packets of a bin end in the next
    }
    EXPECT_EQ(sums, SentByTier(fabric, outcome.ports));
    EXPECT_EQ(sums.size(), 5U);
    EXPECT_EQ(to.back(), outcome.end.ps);
    EXPECT_EQ(from.size(), 5 * begins.size());
    EXPECT_LE(begins.size(), 256U);
  }
}

TEST(TierLoadTable, PacketsCountWhereTheyBegin) {
  // 2 packets of 724,160 ps each over two cables of 1 us: begun at 0 and 724,160 by the NIC, at
  // 1,724,160 and 2,448,320 by the switch; ACKs at 3,448,320 and 4,172,480 by GPU 1, 4800 ps and 1
  // us later by the switch; the end is another 1,004,800 ps later.
  const Observed outcome = Simulate(Row({{}, {}}), {Flow(0, 1, 18'000)}, Unlimited());
  const Table& load = Statistics(outcome, "tier_load");
  const std::int64_t end = 4'172'480 + 2 * (4800 + 1'000'000);
  ASSERT_EQ(outcome.end.ps, end);
  EXPECT_EQ(GetColumn<std::string>(load, "tier").front(), "host to leaf");
  EXPECT_EQ(GetColumn<std::int64_t>(load, "sent_bytes"),
            (std::vector<std::int64_t>{2 * 9052, 0, 0, 60, 60, 0, 0, 0, 9052, 9052, 0, 60, 60, 0}));
  EXPECT_EQ(GetColumn<std::int64_t>(load, "to_ps")[5], 6'000'000);
  EXPECT_EQ(GetColumn<std::int64_t>(load, "to_ps")[6], end);
  // Two links of 100 Gbps carry 25,000 bytes in 1 us.
  EXPECT_DOUBLE_EQ(GetColumn<double>(load, "utilisation")[0], 2 * 9052 / 25'000.0);
  EXPECT_EQ(GetColumn<std::uint32_t>(load, "links")[0], 2U);
}

TEST(FlowStatisticsTables, AreThoseOfTheFlows) {
  const Observed outcome =
      Simulate(SpecificationFabric(), Bursts(16, 500, 300'000, 6), MarkAlways());
  const auto& fct = GetColumn<std::int64_t>(outcome.flows, "fct_ps");
  const auto& size = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
  const auto& ideal = GetColumn<std::int64_t>(outcome.flows, "ideal_ps");
  ASSERT_TRUE(AllFinished(outcome));
  const Table& sizes = Statistics(outcome, "flow_sizes");
  const Table& slowdowns = Statistics(outcome, "slowdown_histogram");
  const Table& times = Statistics(outcome, "fct_histogram");
  std::int64_t flows = 0;
  for (std::size_t row = 0; row < GetColumn<std::int64_t>(sizes, "flows").size(); ++row) {
    const std::int64_t from = GetColumn<std::int64_t>(sizes, "from_bytes")[row],
                       to = GetColumn<std::int64_t>(sizes, "to_bytes")[row];
    EXPECT_EQ(to, 2 * from);
    std::int64_t count = 0, bytes = 0, longest = 0;
    double time_sum = 0, slowdown_sum = 0, worst = 0;
    for (std::size_t i = 0; i < fct.size(); ++i) {
      if (size[i] < from || size[i] >= to) continue;
      const double slowdown = static_cast<double>(fct[i]) / static_cast<double>(ideal[i]);
      ++count;
      bytes += size[i];
      longest = std::max(longest, fct[i]);
      time_sum += static_cast<double>(fct[i]);
      slowdown_sum += slowdown;
      worst = std::max(worst, slowdown);
    }
    EXPECT_EQ(GetColumn<std::int64_t>(sizes, "flows")[row], count);
    EXPECT_EQ(GetColumn<std::int64_t>(sizes, "bytes")[row], bytes);
    EXPECT_EQ(GetColumn<std::int64_t>(sizes, "fct_max_ps")[row], longest);
    EXPECT_NEAR(GetColumn<double>(sizes, "fct_mean_ps")[row], time_sum / static_cast<double>(count),
                1);
    EXPECT_NEAR(GetColumn<double>(sizes, "slowdown_mean")[row],
                slowdown_sum / static_cast<double>(count), 2e-6);
    EXPECT_NEAR(GetColumn<double>(sizes, "slowdown_max")[row], worst, 2e-6);
    flows += count;
  }
  EXPECT_EQ(flows, 500);
  std::int64_t counted = 0;
  for (std::size_t row = 0; row < GetColumn<std::int64_t>(slowdowns, "flows").size(); ++row) {
    const double from = GetColumn<double>(slowdowns, "slowdown_from")[row],
                 to = GetColumn<double>(slowdowns, "slowdown_to")[row];
    const std::int64_t least = GetColumn<std::int64_t>(slowdowns, "from_bytes")[row];
    std::int64_t count = 0;
    for (std::size_t i = 0; i < fct.size(); ++i) {
      const double slowdown = static_cast<double>(fct[i]) / static_cast<double>(ideal[i]);
      count += size[i] >= least && size[i] < 2 * least && slowdown >= from && slowdown < to ? 1 : 0;
    }
    EXPECT_LE((to - from) / from, 1.0 / 64);
    EXPECT_EQ(GetColumn<std::int64_t>(slowdowns, "flows")[row], count);
    counted += count;
  }
  EXPECT_EQ(counted, 500);
  counted = 0;
  for (std::size_t row = 0; row < GetColumn<std::int64_t>(times, "flows").size(); ++row) {
    const std::int64_t from = GetColumn<std::int64_t>(times, "fct_from_ps")[row],
                       to = GetColumn<std::int64_t>(times, "fct_to_ps")[row];
    const auto count =
        std::count_if(fct.begin(), fct.end(), [&](std::int64_t t) { return t >= from && t < to; });
    EXPECT_LE(64 * (to - from), from);
    EXPECT_EQ(GetColumn<std::int64_t>(times, "flows")[row], count);
    counted += count;
  }
  EXPECT_EQ(counted, 500);
}

TEST(Samples, ArePartOfAllFlowsAndChangeNothing) {
  const Graph graph = SpecificationFabric();
  const std::vector<FlowRequest> flows = Bursts(16, 600, 200'000, 5);
  // The cable of GPU 5 fails for good: some flows do not end, and are kept whatever the sample.
  const std::vector<LinkEvent> failures = {
      {MicroSeconds(60), graph.ports(NodeId(5))[1].link, LinkEvent::Kind::kDown, {}}};
  for (const TransportOptions& options : {MarkAlways(), Controlled()}) {
    const Observed all = RunSampled(graph, flows, options, {1}, failures);
    const RowMap rows = FlowRows(all);
    ASSERT_EQ(rows.size(), 600U);
    std::set<std::pair<std::uint32_t, std::uint32_t>> open;
    const auto& state = GetColumn<std::uint8_t>(all.flows, "state");
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (state[i] != 0)
        open.insert({GetColumn<std::uint32_t>(all.flows, "src")[i],
                     GetColumn<std::uint32_t>(all.flows, "number")[i]});
    }
    ASSERT_GT(open.size(), 3U);
    for (std::uint64_t every : {0, 2, 7, 100'000'000}) {
      const FlowSample sample{every};
      const Observed some = RunSampled(graph, flows, options, sample, failures);
      RowMap expected;
      for (const auto& [id, text] : rows) {
        if (open.count(id) > 0 || sample.Keeps({NodeId(id.first), id.second})) expected[id] = text;
      }
      EXPECT_EQ(FlowRows(some), expected) << every;
      EXPECT_EQ(DigestsOfStatistics(some), DigestsOfStatistics(all));
      EXPECT_EQ(some.flow_digest, all.flow_digest);
      EXPECT_EQ(Digest(some.ports), Digest(all.ports));
      EXPECT_EQ(some.controller.size(), all.controller.size());
      for (const Choice& choice : some.controller.empty() ? std::vector<Choice>() : Choices(some)) {
        EXPECT_TRUE(sample.Keeps({NodeId(choice.source), choice.request}));
      }
    }
  }
}

TEST(Samples, WithoutRowsTheControllerHoldsAndGivesBackTheSame) {
  // CheckHeldPaths() runs at the end of every simulation; unfinished flows include those that wait
  // for an answer or a path.
  const Graph graph = SpecificationFabric();
  TransportOptions options = Controlled();
  options.controller.service = MicroSeconds(2);
  const std::vector<FlowRequest> flows = Bursts(16, 300, 200'000, 8);
  const Observed all = RunSampled(graph, flows, options, {1});
  const Observed none = RunSampled(graph, flows, options, {0});
  EXPECT_EQ(FlowRows(none).size(), 0U);
  EXPECT_TRUE(Choices(none).empty());
  EXPECT_GT(Choices(all).size(), 100U);
  EXPECT_EQ(none.flow_digest, all.flow_digest);
  EXPECT_EQ(none.end, all.end);
  EXPECT_EQ(DigestsOfStatistics(none), DigestsOfStatistics(all));
}

TEST(FlowDigest, CoversFlowsThatDidNotFinish) {
  // The same, except for the size of the flow that never ends.
  const std::vector<LinkEvent> failures = {{PicoSeconds(0), LinkId(1), LinkEvent::Kind::kDown, {}}};
  const auto digest = [&](std::int64_t size) {
    return RunSampled(Row({{}, {}}), {Flow(0, 1, size)}, Unlimited(), {0}, failures).flow_digest;
  };
  EXPECT_NE(digest(9000), digest(9001));
  EXPECT_EQ(digest(9000), digest(9000));
}

}  // namespace
}  // namespace heddle::testing
