// SPDX-License-Identifier: GPL-2.0-only
#include "topology/paths/path_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/check.h"
#include "tests/support/test_data.h"
#include "topology/shapes/generator.h"

namespace heddle {
namespace {

constexpr Bytes kPayload{9000};

class IdealColumn : public ::testing::TestWithParam<const char*> {};

TEST_P(IdealColumn, EqualsSimais) {
  const Graph graph = ReadCase(GetParam());
  const PathMetrics metrics(graph, kPayload);
  int flows = 0;
  for (const std::string& line : ReadLines(CasePath(GetParam(), "fct.txt"))) {
    std::istringstream in(line);
    std::uint32_t source, destination;
    std::int64_t source_port, destination_port, size, start, fct, ideal;
    ASSERT_TRUE(in >> std::hex >> source >> destination >> std::dec >> source_port >>
                destination_port >> size >> start >> fct >> ideal);
    const auto node = [](std::uint32_t address) { return NodeId((address >> 8) & 0xffff); };
    const PairMetrics pair = metrics.Pair(node(source), node(destination));
    EXPECT_EQ(IdealCompletionTime(pair, {size}, kPayload), NanoSeconds(ideal)) << line;
    ++flows;
  }
  EXPECT_GT(flows, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, IdealColumn,
    ::testing::Values("f_burst8_4MB_cc0", "f_burst8_4MB_cc1_det", "f_dcn64_mixed_cc1",
                      "f_hpndp64_rail_cc1", "f_incast8_2MB_cc1", "f_incast8_2MB_cc10_fixed",
                      "f_incast8_2MB_cc1_det", "f_incast8_2MB_cc3_fixed", "f_incast8_2MB_cc7",
                      "f_incast8_2MB_cc8_det", "f_loss_one40MB_cc1", "f_pfc_incast16_bs2_fixed",
                      "f_pfc_two2one_bs1_fixed", "f_single_cc1", "f_sizes_cc1", "f_sx128_rail_cc1",
                      "f_two2one_4MB_cc1", "f_two2one_4MB_cc10_fixed", "f_two2one_4MB_cc3_fixed",
                      "f_two2one_4MB_cc7", "f_two2one_4MB_cc8"));

TEST(PathMetrics, OneServerOverItsNvSwitch) {
  const Graph graph = ReadCase("c1_sx32");
  const PairMetrics pair = PathMetrics(graph, kPayload).Pair(NodeId(0), NodeId(1));
  EXPECT_EQ(pair.delay, NanoSeconds(50));
  EXPECT_EQ(pair.serialisation, NanoSeconds(50));  // 25 ns a link
  EXPECT_EQ(pair.rtt(), NanoSeconds(150));
  EXPECT_EQ(pair.bandwidth.bps, 2'880'000'000'000);
  EXPECT_EQ(pair.bdp(), Bytes{54'000});  // 150 ns at 2880 Gbps
}

TEST(PathMetrics, NvSwitchIsReachedByItsOwnGpusOnly) {
  const Graph graph = ReadCase("c1_sx32");
  const PathMetrics metrics(graph, kPayload);
  EXPECT_EQ(metrics.Pair(NodeId(0), NodeId(32)).rtt(), NanoSeconds(75));
  EXPECT_EQ(metrics.Pair(NodeId(32), NodeId(0)).rtt(), NanoSeconds(75));
  EXPECT_EQ(metrics.Pair(NodeId(0), NodeId(32)).bandwidth.bps, 2'880'000'000'000);
  EXPECT_EQ(metrics.Pair(NodeId(0), NodeId(32)).bdp(), Bytes{27'000});  // 75 ns at 2880 Gbps
  EXPECT_FALSE(metrics.Pair(NodeId(8), NodeId(32)).reachable());
  EXPECT_FALSE(metrics.Pair(NodeId(33), NodeId(32)).reachable());
}

/// SimAI's algorithm: one search from a destination over all nodes, neighbours in descending id.
std::vector<PairMetrics> PlainSearch(const Graph& graph, NodeId destination) {
  std::vector<PairMetrics> found(graph.node_count());
  std::vector<bool> seen(graph.node_count(), false);
  seen[destination.value] = true;
  std::vector<NodeId> queue{destination};
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const NodeId here = queue[head];
    for (std::uint32_t id = graph.node_count(); id-- > 0;) {
      const Link* last = nullptr;
      for (const Attachment& port : graph.ports(here)) {
        last = port.peer == NodeId(id) ? &graph.link(port.link) : last;
      }
      if (last == nullptr || seen[id]) {
        continue;
      }
      seen[id] = true;
      const PairMetrics& from = found[here.value];
      found[id].delay = from.delay + last->delay;
      found[id].serialisation =
          from.serialisation + NanoSeconds(kPayload.count * 8'000'000'000 / last->rate.bps);
      found[id].bandwidth = here == destination ? last->rate : std::min(from.bandwidth, last->rate);
      if (!graph.is_gpu(NodeId(id))) {
        queue.push_back(NodeId(id));
      }
    }
  }
  return found;
}

void ExpectPlainSearch(const Graph& graph) {
  const PathMetrics metrics(graph, kPayload);
  Time max_rtt{0};
  Bytes max_bdp{0};
  for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
    const auto expected = PlainSearch(graph, NodeId(to));
    for (std::uint32_t from = 0; from < graph.gpu_count(); ++from) {
      if (from == to) {
        continue;
      }
      const PairMetrics pair = metrics.Pair(NodeId(from), NodeId(to));
      ASSERT_EQ(pair.delay, expected[from].delay) << from << " to " << to;
      ASSERT_EQ(pair.serialisation, expected[from].serialisation) << from << " to " << to;
      ASSERT_EQ(pair.bandwidth, expected[from].bandwidth) << from << " to " << to;
      if (pair.reachable()) {
        max_rtt = std::max(max_rtt, pair.rtt());
        max_bdp = std::max(max_bdp, pair.bdp());
      }
    }
  }
  EXPECT_EQ(metrics.max_rtt(), max_rtt);
  EXPECT_EQ(metrics.max_bdp(), max_bdp);
}

TEST(PathMetrics, EqualAPlainSearchOnEveryTemplate) {
  for (const LeafSpineTemplate& t : LeafSpineTemplates()) {
    LeafSpineOptions options = t.defaults;
    options.gpus = 32;
    options.nics_per_leaf = 2;
    options.spine_switches = 4;
    options.leaves_per_spine = 64;
    ExpectPlainSearch(Generate(t.name, options));
  }
}

TEST(PathMetrics, EqualAPlainSearchOnRandomGraphs) {
  std::uint32_t state = 7;
  const auto random = [&](std::uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
  };
  for (int round = 0; round < 300; ++round) {
    Graph graph(2 + random(6), random(4), random(5), 2, "X");
    for (std::uint32_t links = random(25); links > 0; --links) {
      const std::uint32_t a = random(graph.node_count());
      const std::uint32_t b = random(graph.node_count());
      if (a != b) {
        Connect(&graph, a, b, {(1 + random(5)) * 100'000'000'000}, NanoSeconds(random(4) * 100));
      }
    }
    ExpectPlainSearch(graph);
  }
}

TEST(PathMetrics, HugeMessagesDoNotOverflow) {
  const PairMetrics pair{NanoSeconds(0), NanoSeconds(0), BitRate{8'000'000'000}};  // 1 byte a ns
  const Bytes size{9'000'000'000'000};                                             // 9 TB
  EXPECT_EQ(WireBytes(size, kPayload), Bytes{9'052'000'000'000});
  EXPECT_EQ(IdealCompletionTime(pair, size, kPayload), NanoSeconds(9'052'000'000'000));
}

TEST(PathMetrics, RefusesAnAbsurdPayload) {
  const Graph graph = ReadCase("f_single_cc1");
  EXPECT_THROW(PathMetrics(graph, Bytes{0}), UserError);
  EXPECT_THROW(PathMetrics(graph, Bytes{1'000'001}), UserError);
}

}  // namespace
}  // namespace heddle
