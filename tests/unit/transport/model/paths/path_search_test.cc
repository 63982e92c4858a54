// SPDX-License-Identifier: GPL-2.0-only
/// The path search gives the results of the sequential one
/// (tests/unit/transport/model/paths/sequential_search.h), at a cost that does not grow with
/// failures: cost is counted in ports traced, not in time.
#include "transport/model/paths/path_search.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

#include "core/base/random.h"
#include "tests/unit/transport/model/paths/sequential_search.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::uint16_t kPort = 100;  ///< SimAI's destination port
constexpr BitRate PathSearchGbps(std::int64_t n) { return {n * 1'000'000'000}; }

Graph Small(const std::string& name, std::uint32_t gpus, std::uint32_t spines,
            std::uint32_t nics_per_leaf) {
  LeafSpineOptions options = FindTemplate(name).defaults;
  options.gpus = gpus;
  options.gpus_per_server = 8;
  options.nics_per_leaf = nics_per_leaf;
  options.spine_switches = spines;
  options.leaves_per_spine = 64;
  options.leaf_spine_bandwidth = "400Gbps";
  return Generate(name, options);
}

/// DCN-SingleToR with 16 GPUs, eight spines: the ECMP controller's specification, section 7.1.
Graph SpecificationFabric() { return Small("DCN-SingleToR", 16, 8, 8); }

/// GPUs with two cables each (of two rates, in either order), leaves of four GPUs, three cables
/// from a leaf to each of three spines.
Graph ParallelCables() {
  constexpr std::uint32_t kGpus = 16, kLeaves = 4, kSpines = 3, kCables = 3;
  Graph graph(kGpus, 0, kLeaves + kSpines, 2, "X");
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    graph.AddLink({NodeId(gpu), NodeId(kGpus + gpu / 4),
                   gpu % 3 == 0 ? PathSearchGbps(400) : PathSearchGbps(100), Time{}, 0});
    graph.AddLink({NodeId(gpu), NodeId(kGpus + gpu / 4),
                   gpu % 2 == 0 ? PathSearchGbps(100) : PathSearchGbps(400), Time{}, 0});
  }
  for (std::uint32_t i = 0; i < kLeaves * kSpines * kCables; ++i) {
    const std::uint32_t leaf = i / kCables % kLeaves, spine = i / kCables / kLeaves;
    graph.AddLink({NodeId(kGpus + leaf), NodeId(kGpus + kLeaves + spine),
                   PathSearchGbps(100 * (1 + i % kCables)), Time{}, 0});
  }
  return graph;
}

/// Two pods of two leaves and three aggregation switches; aggregation switch i of a pod is linked
/// to the cores 2i and 2i + 1.
Graph ThreeTiers() {
  constexpr std::uint32_t kGpus = 8, kPods = 2, kLeaves = 2, kAggregations = 3, kCores = 6;
  Graph graph(kGpus, 0, kPods * (kLeaves + kAggregations) + kCores, 1, "X");
  const auto leaf = [](std::uint32_t i) { return NodeId(kGpus + i); };
  const auto aggregation = [](std::uint32_t i) { return NodeId(kGpus + kPods * kLeaves + i); };
  const auto core = [](std::uint32_t i) {
    return NodeId(kGpus + kPods * (kLeaves + kAggregations) + i);
  };
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    graph.AddLink({NodeId(gpu), leaf(gpu / 2), PathSearchGbps(gpu == 1 ? 50 : 200), Time{}, 0});
  }
  for (std::uint32_t i = 0; i < kPods * kLeaves * kAggregations; ++i) {
    const std::uint32_t from = i / kAggregations;
    const NodeId to = aggregation(from / kLeaves * kAggregations + i % kAggregations);
    graph.AddLink({leaf(from), to, PathSearchGbps(100 + 100 * (i % 4)), Time{}, 0});
  }
  for (std::uint32_t i = 0; i < kPods * kAggregations * 2; ++i) {
    graph.AddLink(
        {aggregation(i / 2), core(i % kCores), PathSearchGbps(i % 3 == 0 ? 400 : 200), Time{}, 0});
  }
  return graph;
}

struct Fabric {
  const char* name;
  std::function<Graph()> build;
};
void PrintTo(const Fabric& fabric, std::ostream* out) { *out << fabric.name; }

const Fabric kFabrics[] = {
    {"SpectrumX", [] { return Small("Spectrum-X", 32, 5, 2); }},
    {"SingleTor", SpecificationFabric},
    {"DualTor", [] { return Small("DCN-DualToR", 32, 6, 8); }},
    {"HpnSinglePlane", [] { return Small("AlibabaHPN-SinglePlane", 32, 4, 2); }},
    {"HpnDualPlane", [] { return Small("AlibabaHPN-DualPlane", 32, 6, 2); }},
    {"ParallelCables", ParallelCables},
    {"ThreeTiers", ThreeTiers},
};

struct Pair {
  NodeId source, destination;
  std::uint16_t destination_port;
};

/// The links between switches that go down: one in five.
std::vector<LinkId> SomeFabricLinks(const Graph& graph) {
  std::vector<LinkId> links;
  for (std::uint32_t i = 0; i < graph.links().size(); ++i) {
    const Link& link = graph.link(LinkId(i));
    const bool between_switches =
        graph.kind(link.a) == NodeKind::kSwitch && graph.kind(link.b) == NodeKind::kSwitch;
    if (between_switches && i % 5 == 2) links.push_back(LinkId(i));
  }
  return links;
}

/// A fabric with all links up and with some down, and the reference searches of both, which are
/// kept for all limits.
struct Case {
  explicit Case(Graph built) : graph(std::move(built)) {}
  const Graph graph;
  const Routes routes{graph};
  const HopNumbers numbers{graph};
  Routes::Change change;
  const Routes fewer = routes.WithDown(SomeFabricLinks(graph), &change);
  SequentialSearch oracle{graph, routes, numbers}, oracle_of_fewer{graph, fewer, numbers};
};

/// Calls both searches with the same requests, reserves and releases at random, and compares all
/// results.
class Twins {
 public:
  Twins(Case* fabric, ShareLimit limit, std::size_t memo_bytes, std::uint64_t seed)
      : graph_(fabric->graph),
        fabric_(fabric),
        shares_(graph_, fabric->numbers, limit),
        search_(graph_, fabric->routes, fabric->numbers, shares_, memo_bytes),
        oracle_(&fabric->oracle),
        random_(seed, 0, RandomPurpose::kPlacement) {
    RandomStream same_for_all_limits(0, 0, RandomPurpose::kPlacement);
    for (int i = 0; i < 7; ++i) pairs_.push_back(RandomPair(&same_for_all_limits));
  }

  /// `fill`: how many of ten results are reserved; the fewer, the more are released.
  void Ask(int requests, std::uint64_t fill) {
    for (int i = 0; i < requests && !::testing::Test::HasFailure(); ++i) {
      // Some pairs repeatedly, so that the memo matters, others rarely.
      Step(pairs_[random_.Below(1 + random_.Below(pairs_.size()))], fill);
    }
  }
  void UseFewerLinks() {
    search_.UseRoutes(fabric_->fewer);
    oracle_ = &fabric_->oracle_of_fewer;
  }
  void UseAllLinks() {
    search_.UseRoutes(fabric_->routes);
    oracle_ = &fabric_->oracle;
  }
  int none_free() const { return none_free_; }
  int free() const { return free_; }

 private:
  Pair RandomPair(RandomStream* random) const {
    const auto source = static_cast<std::uint32_t>(random->Below(graph_.gpu_count()));
    const auto further = static_cast<std::uint32_t>(1 + random->Below(graph_.gpu_count() - 1));
    return {NodeId(source), NodeId((source + further) % graph_.gpu_count()),
            random->Below(2) == 0 ? kPort : static_cast<std::uint16_t>(random->Below(65536))};
  }
  void Step(const Pair& pair, std::uint64_t fill) {
    SearchedPath expected, actual;
    const std::uint64_t kind = random_.Below(20);
    bool there = false;
    if (kind == 0) {
      const auto port = static_cast<std::uint16_t>(1 + random_.Below(PathSearch::kLastPort));
      there = oracle_->Trace(pair.source, pair.destination, port, pair.destination_port, &expected);
      ASSERT_EQ(search_.Trace(pair.source, pair.destination, port, pair.destination_port, &actual),
                there);
    } else if (kind < 4) {
      there = oracle_->FindLeastLoaded(shares_, pair.source, pair.destination,
                                       pair.destination_port, &expected);
      ASSERT_EQ(
          search_.FindLeastLoaded(pair.source, pair.destination, pair.destination_port, &actual),
          there);
    } else {
      there = oracle_->FindFree(shares_, pair.source, pair.destination, pair.destination_port,
                                &expected);
      ASSERT_EQ(search_.FindFree(pair.source, pair.destination, pair.destination_port, &actual),
                there);
      ++(there ? free_ : none_free_);
    }
    ASSERT_EQ(actual.candidates, expected.candidates);
    if (there) {
      ASSERT_EQ(actual.source_port, expected.source_port);
      ASSERT_EQ(actual.hops, expected.hops);
      ASSERT_EQ(actual.demand.bps, expected.demand.bps);
      if (random_.Below(10) < fill) Reserve(actual);
    }
    if (!reserved_.empty() && random_.Below(10) >= fill) ReleaseOne();
  }
  /// Also reserves the last hop, as the controller does: it must make no difference.
  void Reserve(const SearchedPath& path) {
    for (const HopIndex hop : path.hops) shares_.Reserve(hop, path.demand);
    reserved_.push_back(path);
  }
  void ReleaseOne() {
    std::swap(reserved_[random_.Below(reserved_.size())], reserved_.back());
    for (const HopIndex hop : reserved_.back().hops) shares_.Release(hop, reserved_.back().demand);
    reserved_.pop_back();
  }

  const Graph& graph_;
  Case* fabric_;
  LinkShares shares_;
  PathSearch search_;
  SequentialSearch* oracle_;
  RandomStream random_;
  std::vector<Pair> pairs_;
  std::vector<SearchedPath> reserved_;
  int free_ = 0, none_free_ = 0;
};

class PathSearchProperty : public ::testing::TestWithParam<Fabric> {};

TEST_P(PathSearchProperty, GivesTheAnswersOfTheSequentialSearch) {
  Case fabric(GetParam().build());
  EXPECT_FALSE(fabric.change.classes.empty());
  const ShareLimit limits[] = {{ShareLimit::Unit::kFlows, 1},
                               {ShareLimit::Unit::kFlows, 3},
                               {ShareLimit::Unit::kRate, PathSearchGbps(350).bps},
                               {ShareLimit::Unit::kLine, 0}};
  // Remembers everything; one pair at most; nothing between requests.
  const std::size_t memos[] = {PathSearch::kMemoBytes, 600, 0, PathSearch::kMemoBytes};
  for (int i = 0; i < 4; ++i) {
    SCOPED_TRACE("limit " + ToText(limits[i]));
    Twins twins(&fabric, limits[i], memos[i], static_cast<std::uint64_t>(i));
    twins.Ask(200, 10);
    twins.Ask(200, 4);
    twins.UseFewerLinks();
    twins.Ask(100, 7);
    twins.UseAllLinks();
    twins.Ask(50, 5);
    EXPECT_GT(twins.free(), 20) << "a test of requests that are refused only proves little";
    EXPECT_GT(twins.none_free(), 20) << "so does one of requests that are granted only";
  }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, PathSearchProperty, ::testing::ValuesIn(kFabrics),
                         [](const auto& fabric) { return std::string(fabric.param.name); });

class PathSearchTest : public ::testing::Test {
 protected:
  void Reserve(const SearchedPath& path) {
    for (const HopIndex hop : path.hops) shares_.Reserve(hop, path.demand);
  }
  bool FindFree(std::uint32_t from, std::uint32_t to, SearchedPath* path) {
    return search_.FindFree(NodeId(from), NodeId(to), kPort, path);
  }
  /// Reserves this many of the leaf's links to spines. GPUs 0 to 7 are at switch 18.
  void TakeUplinks(std::uint32_t count) {
    const NodeId leaf(18);
    std::uint32_t taken = 0;
    for (std::uint32_t port = 0; port < graph_.ports(leaf).size() && taken < count; ++port) {
      if (graph_.is_gpu(graph_.ports(leaf)[port].peer)) continue;
      shares_.Reserve(numbers_.Of(leaf, PortId(port)), PathSearchGbps(100));
      ++taken;
    }
    ASSERT_EQ(taken, count);
  }

  const Graph graph_ = SpecificationFabric();
  const Routes routes_{graph_};
  const HopNumbers numbers_{graph_};
  LinkShares shares_{graph_, numbers_, ShareLimit{}};
  PathSearch search_{graph_, routes_, numbers_, shares_};
};

TEST_F(PathSearchTest, GivesTheSeedsPorts) {
  const std::uint16_t seed[] = {1, 1, 1, 1, 2, 4, 2, 1};  // section 7.1
  for (std::uint32_t i = 0; i < 8; ++i) {
    SearchedPath path;
    ASSERT_TRUE(FindFree(i, i + 8, &path));
    EXPECT_EQ(path.source_port, seed[i]) << "flow " << i;
    EXPECT_EQ(path.candidates, seed[i]);
    EXPECT_EQ(path.hops.size(), 3u);
    Reserve(path);
  }
}

TEST_F(PathSearchTest, TheLastHopDoesNotCount) {
  SearchedPath path, again;
  ASSERT_TRUE(FindFree(0, 8, &path));
  shares_.Reserve(path.hops.back(), path.demand);
  ASSERT_TRUE(FindFree(0, 8, &again));
  EXPECT_EQ(again.source_port, path.source_port);
  ASSERT_TRUE(search_.FindLeastLoaded(NodeId(0), NodeId(8), kPort, &again));
  EXPECT_EQ(again.source_port, path.source_port);
  // Of the others each does.
  for (std::size_t i = 0; i + 1 < path.hops.size(); ++i) {
    shares_.Reserve(path.hops[i], path.demand);
    ASSERT_TRUE(FindFree(0, 8, &again));
    EXPECT_NE(again.source_port, path.source_port) << "hop " << i;
    shares_.Release(path.hops[i], path.demand);
  }
}

TEST_F(PathSearchTest, OnlyPairsOverSeveralSwitchesHaveAChoice) {
  EXPECT_TRUE(HasChoiceOfPath(graph_, routes_, NodeId(0), NodeId(8)));
  EXPECT_FALSE(HasChoiceOfPath(graph_, routes_, NodeId(0), NodeId(7))) << "the same server";
  EXPECT_FALSE(HasChoiceOfPath(graph_, routes_, NodeId(0), NodeId(16))) << "an NVSwitch";
  const Graph rails = Small("Spectrum-X", 32, 5, 4);
  const Routes routes(rails);
  EXPECT_FALSE(HasChoiceOfPath(rails, routes, NodeId(0), NodeId(8))) << "one leaf";
  EXPECT_TRUE(HasChoiceOfPath(rails, routes, NodeId(0), NodeId(9)));
}

TEST_F(PathSearchTest, WithoutAWayThereIsNoPath) {
  Graph graph(2, 0, 2, 1, "X");
  graph.AddLink({NodeId(0), NodeId(2), PathSearchGbps(1), Time{}, 0});
  graph.AddLink({NodeId(1), NodeId(3), PathSearchGbps(1), Time{}, 0});
  const Routes routes(graph);
  const HopNumbers numbers(graph);
  const LinkShares shares(graph, numbers, ShareLimit{});
  PathSearch search(graph, routes, numbers, shares);
  EXPECT_FALSE(HasChoiceOfPath(graph, routes, NodeId(0), NodeId(1)));
  SearchedPath path;
  EXPECT_FALSE(search.FindFree(NodeId(0), NodeId(1), kPort, &path));
  EXPECT_EQ(path.candidates, PathSearch::kLastPort);
  EXPECT_FALSE(search.FindLeastLoaded(NodeId(0), NodeId(1), kPort, &path));
  EXPECT_FALSE(search.Trace(NodeId(0), NodeId(1), 1, kPort, &path));
}

TEST_F(PathSearchTest, TracesNoPortTwice) {
  for (const std::uint32_t taken : {0, 4, 7}) {
    const std::uint64_t before = search_.traced();
    TakeUplinks(taken - std::min<std::uint32_t>(taken, shares_.links_in_use()));
    SearchedPath first, second;
    ASSERT_TRUE(FindFree(0, 8, &first));
    EXPECT_EQ(search_.traced(), std::max<std::uint64_t>(before, first.source_port))
        << "each port up to the one found, once";
    const std::uint64_t once = search_.traced();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(FindFree(0, 8, &second));
    EXPECT_EQ(search_.traced(), once) << "asked again";
    EXPECT_EQ(second.source_port, first.source_port);
    ASSERT_TRUE(search_.FindLeastLoaded(NodeId(0), NodeId(8), kPort, &second));
    EXPECT_EQ(search_.traced(), once) << "a free path is a least-loaded one";
  }
}

TEST_F(PathSearchTest, TracesNothingIfNothingIsFree) {
  TakeUplinks(8);
  for (std::uint32_t from = 0; from < 8; ++from) {
    for (std::uint32_t to = 8; to < 16; ++to) {
      SearchedPath path;
      ASSERT_FALSE(FindFree(from, to, &path));
      ASSERT_EQ(path.candidates, PathSearch::kLastPort);
    }
  }
  EXPECT_EQ(search_.traced(), 0u);
}

/// More ways than source ports can reach: one leaf, one spine, one leaf, and 200 parallel cables
/// between them.
class UnreachedPath : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kCables = 200;
  static Graph Build() {
    Graph graph(2, 0, 3, 1, "X");
    graph.AddLink({NodeId(0), NodeId(2), PathSearchGbps(100), Time{}, 0});
    graph.AddLink({NodeId(1), NodeId(4), PathSearchGbps(100), Time{}, 0});
    for (std::uint32_t i = 0; i < kCables; ++i) {
      graph.AddLink({NodeId(2), NodeId(3), PathSearchGbps(100), Time{}, 0});
      graph.AddLink({NodeId(3), NodeId(4), PathSearchGbps(100), Time{}, 0});
    }
    return graph;
  }
  /// The first and second hop of a way that no source port leads onto.
  std::pair<HopIndex, HopIndex> FindIt() {
    std::set<std::pair<HopIndex, HopIndex>> reached;
    for (std::uint32_t port = PathSearch::kFirstPort; port <= PathSearch::kLastPort; ++port) {
      SearchedPath path;
      EXPECT_TRUE(oracle_.Trace(NodeId(0), NodeId(1), port, kPort, &path));
      reached.emplace(path.hops[0], path.hops[1]);
    }
    for (std::uint32_t up = 1; up <= kCables; ++up) {
      for (std::uint32_t down = kCables; down < 2 * kCables; ++down) {
        const std::pair<HopIndex, HopIndex> way{numbers_.Of(NodeId(2), PortId(up)),
                                                numbers_.Of(NodeId(3), PortId(down))};
        const Hop spine = numbers_.At(way.second);
        if (graph_.ports(spine.node)[spine.port.value].peer == NodeId(4) && reached.count(way) == 0)
          return way;
      }
    }
    return {};
  }
  const Graph graph_ = Build();
  const Routes routes_{graph_};
  const HopNumbers numbers_{graph_};
  LinkShares shares_{graph_, numbers_, ShareLimit{}};
  PathSearch search_{graph_, routes_, numbers_, shares_};
  SequentialSearch oracle_{graph_, routes_, numbers_};
};

TEST_F(UnreachedPath, IsNoPathAndIsLookedForOnce) {
  const auto [up, down] = FindIt();
  ASSERT_NE(up, down) << "this fabric has none";
  for (HopIndex hop = numbers_.Of(NodeId(2), PortId(0)); hop < numbers_.Of(NodeId(4), PortId(0));
       ++hop) {
    if (hop == up || hop == down) continue;
    for (HopIndex flows = 0; flows <= hop % 3; ++flows) shares_.Reserve(hop, PathSearchGbps(100));
  }
  SearchedPath path, expected;
  ASSERT_FALSE(search_.FindFree(NodeId(0), NodeId(1), kPort, &path));
  EXPECT_EQ(path.candidates, PathSearch::kLastPort);
  EXPECT_EQ(search_.traced(), PathSearch::kLastPort);
  for (int i = 0; i < 10; ++i) ASSERT_FALSE(search_.FindFree(NodeId(0), NodeId(1), kPort, &path));
  ASSERT_TRUE(search_.FindLeastLoaded(NodeId(0), NodeId(1), kPort, &path));
  ASSERT_TRUE(oracle_.FindLeastLoaded(shares_, NodeId(0), NodeId(1), kPort, &expected));
  EXPECT_EQ(path.source_port, expected.source_port);
  EXPECT_EQ(path.hops, expected.hops);
  EXPECT_EQ(search_.traced(), PathSearch::kLastPort) << "all ports, once";
}

}  // namespace
}  // namespace heddle::testing
