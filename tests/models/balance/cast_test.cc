// SPDX-License-Identifier: GPL-2.0-only
/// Requests and CAST in whole runs (docs/models/cast.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/results.h"
#include "tests/support/small_fabric.h"
#include "topology/load/best_split.h"
#include "transport/model/requests/request_schemes.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kMiB = 1'048'576;

/// All that divide messages.
std::vector<std::string> Schedulers() {
  std::vector<std::string> names;
  for (const RequestSchemeTraits& scheme : RequestSchemeTable()) {
    if (scheme.divides) names.emplace_back(scheme.name);
  }
  return names;
}

TransportOptions With(const std::string& scheduler, std::int64_t queue_pairs) {
  TransportOptions options = Unlimited();
  options.requests.scheduler = scheduler;
  options.nic.qps_per_connection = queue_pairs;
  options.requests.split_min = 16'384;
  return options;
}

std::int64_t LastEnd(const Observed& outcome, std::uint16_t source = 0) {
  const auto& sources = GetColumn<std::uint32_t>(outcome.flows, "src");
  const auto& start = GetColumn<std::int64_t>(outcome.flows, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(outcome.flows, "fct_ps");
  std::int64_t last = 0;
  for (std::size_t i = 0; i < fct.size(); ++i) {
    if (sources[i] == source) last = std::max(last, start[i] + fct[i]);
  }
  return last;
}

std::int64_t Bytes0(const Observed& outcome) {
  const auto& sources = GetColumn<std::uint32_t>(outcome.flows, "src");
  const auto& size = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < size.size(); ++i) sum += sources[i] == 0 ? size[i] : 0;
  return sum;
}

TEST(Requests, AreNoGainAndNoLossOnAWayOfTheirOwn) {
  const Graph graph = Row({{100}, {100}});
  const std::vector<FlowRequest> flow = {Flow(0, 1, 64 * kMiB)};
  const std::int64_t whole = LastEnd(Simulate(graph, flow, Unlimited()));
  for (const std::string& scheduler : Schedulers()) {
    const Observed outcome = Simulate(graph, flow, With(scheduler, 4));
    EXPECT_EQ(RowCount(outcome.flows), scheduler == "single" ? 1u : 4u) << scheduler;
    EXPECT_EQ(Bytes0(outcome), 64 * kMiB) << scheduler;
    EXPECT_NEAR(static_cast<double>(LastEnd(outcome)), static_cast<double>(whole),
                0.01 * static_cast<double>(whole))
        << scheduler;
    EXPECT_EQ(outcome.books.resent_bytes, 0) << scheduler;
  }
}

/// GPUs 0 to 7 at leaf 16, 8 to 15 at leaf 17, all at 100 Gbps; two ways between the leaves, over
/// the spines 18 and 19, of 50 Gbps each.
Graph TwoWays() {
  Graph graph(16, 0, 4, 1, "X");
  for (std::uint32_t gpu = 0; gpu < 16; ++gpu)
    graph.AddLink({NodeId(gpu), NodeId(gpu < 8 ? 16 : 17), BitRate{100 * kG}, NanoSeconds(500), 0});
  for (const std::uint32_t leaf : {16U, 17U}) {
    for (const std::uint32_t spine : {18U, 19U})
      graph.AddLink({NodeId(leaf), NodeId(spine), BitRate{50 * kG}, NanoSeconds(500), 0});
  }
  return graph;
}
constexpr std::uint32_t kFirstPath = 8;  ///< port of leaf 16

/// Of the bytes on the two ways, the share on the first.
double OnFirstPath(const Observed& outcome) {
  const auto first = static_cast<double>(PortFigure(outcome, 16, kFirstPath, "sent_packets"));
  const auto second = static_cast<double>(PortFigure(outcome, 16, kFirstPath + 1, "sent_packets"));
  return first / (first + second);
}

TransportOptions Shared(const std::string& scheduler) {
  TransportOptions options = With(scheduler, 4);
  options.congestion.mode = 1;
  options.has_window = true;
  return options;
}

/// The flow with the first destination port for which `share` of its equal stripes takes the first
/// way.
FlowRequest Steered(FlowRequest flow, std::int64_t queue_pairs, double share) {
  const FlowRequest wanted = flow;
  for (flow.destination_port = 100; flow.destination_port < 200; ++flow.destination_port) {
    flow.size = Bytes{131'072};
    flow.start = Time{0};
    TransportOptions options = With("stripe", queue_pairs);
    if (OnFirstPath(Simulate(TwoWays(), {flow}, options)) == share) break;
  }
  const std::uint16_t port = flow.destination_port;
  flow = wanted;
  flow.destination_port = port;
  return flow;
}

/// A message of two queue pairs on each way.
FlowRequest Message(std::int64_t size) { return Steered(Flow(0, 8, size), 4, 0.5); }

/// Others on the first way, from `start` on.
std::vector<FlowRequest> Others(std::uint32_t count, std::int64_t size, std::int64_t start = 0) {
  std::vector<FlowRequest> flows;
  for (std::uint32_t i = 1; i <= count; ++i)
    flows.push_back(Steered(Flow(i, 8 + i, size, 3, start), 4, 1));
  return flows;
}

double Milliseconds(const Observed& outcome) { return static_cast<double>(LastEnd(outcome)) / 1e9; }

/// Of the bytes from GPU 0, the share on its two queue pairs with the most.
double OnTheBetterTwo(const Observed& outcome) {
  std::vector<std::int64_t> bytes;
  const auto& sources = GetColumn<std::uint32_t>(outcome.flows, "src");
  const auto& size = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (sources[i] == 0) bytes.push_back(size[i]);
  }
  std::sort(bytes.rbegin(), bytes.rend());
  return static_cast<double>(bytes[0] + bytes[1]) / static_cast<double>(Bytes0(outcome));
}

TEST(Cast, MovesBytesAwayFromOthers) {
  std::vector<FlowRequest> flows = Others(5, 64 * kMiB);
  flows.insert(flows.begin(), Message(32 * kMiB));
  std::map<std::string, double> time;
  for (const char* scheduler : {"round-robin", "stripe", "cast-stripe", "cast-wrr"}) {
    const Observed outcome = Simulate(TwoWays(), flows, Shared(scheduler));
    EXPECT_TRUE(AllFinished(outcome));
    EXPECT_EQ(Bytes0(outcome), 32 * kMiB) << scheduler;
    const bool cast = scheduler[0] == 'c';
    EXPECT_EQ(OnTheBetterTwo(outcome) > 0.7, cast) << scheduler;
    time[scheduler] = Milliseconds(outcome);
  }
  EXPECT_LT(time["cast-stripe"], 0.5 * time["stripe"]);
  EXPECT_LT(time["cast-wrr"], 0.7 * time["round-robin"]);
}

/// The share on the first way when each of these messages has two queue pairs on each way and
/// `fixed` others are on the first, all of the same size, divided as well as can be.
double BestOnFirstWay(std::size_t messages, std::size_t fixed) {
  SplitProblem problem;
  problem.rates = {1, 1};
  problem.connections.assign(messages, {{0}, {0}, {1}, {1}});
  problem.connections.resize(messages + fixed, {{0}});
  const BestSplit best = FindBestSplit(problem);
  double first = 0;
  for (const std::vector<double>& parts : best.parts)
    first += parts.size() == 1 ? 1 : parts[0] + parts[1];
  return first / static_cast<double>(problem.connections.size());
}

/// Three messages meet one other on the first way: with equal parts it has 5/8 of all bytes, and
/// the best division, a linear program's, gives it a half.
TEST(Cast, GoesTowardsTheBestDivisionOfFixedPaths) {
  std::vector<FlowRequest> flows = Others(1, 32 * kMiB);
  for (const std::uint32_t gpu : {0U, 2U, 3U})
    flows.push_back(Steered(Flow(gpu, 8 + gpu, 32 * kMiB), 4, 0.5));
  const double best = BestOnFirstWay(3, 1);
  EXPECT_NEAR(best, 0.5, 0.01);
  const double equal = OnFirstPath(Simulate(TwoWays(), flows, Shared("stripe")));
  EXPECT_NEAR(equal, 0.625, 0.01);
  for (const char* scheduler : {"cast-stripe", "cast-wrr"}) {
    const double cast = OnFirstPath(Simulate(TwoWays(), flows, Shared(scheduler)));
    EXPECT_LT(cast, equal - 0.3 * (equal - best)) << scheduler;
    EXPECT_GT(cast, best - 0.3 * (equal - best)) << scheduler << " goes too far";
  }
}

/// Of GPU 0, over time.
struct Weights {
  std::vector<std::int64_t> time;
  std::vector<double> on_first_path;
};

/// As the samples of the monitor say. `slow`: the queue pairs on the first way.
Weights WeightsOf(const Observed& outcome, const std::vector<std::uint16_t>& slow) {
  const Table& table = Monitor(outcome, "monitors/cast");
  const auto& src = GetColumn<std::uint32_t>(table, "src");
  const auto& time = GetColumn<std::int64_t>(table, "time_ps");
  const auto& pair = GetColumn<std::uint16_t>(table, "queue_pair");
  const auto& weight = GetColumn<double>(table, "weight");
  Weights weights;
  for (std::size_t i = 0; i < src.size(); ++i) {
    if (src[i] != 0) continue;
    if (weights.time.empty() || weights.time.back() != time[i]) {
      weights.time.push_back(time[i]);
      weights.on_first_path.push_back(0);
    }
    if (std::find(slow.begin(), slow.end(), pair[i]) != slow.end())
      weights.on_first_path.back() += weight[i];
  }
  return weights;
}

/// The queue pairs of the message whose packets take the first way.
std::vector<std::uint16_t> OnFirst(FlowRequest message) {
  std::vector<std::uint16_t> first;
  for (std::uint16_t pairs = 1; pairs <= 4; ++pairs) {
    message.size = Bytes{pairs};  // a packet of a byte each
    const Observed outcome = Simulate(TwoWays(), {message}, With("message", 4));
    const auto here = static_cast<std::size_t>(PortFigure(outcome, 16, kFirstPath, "sent_packets"));
    if (here > first.size()) first.push_back(static_cast<std::uint16_t>(pairs - 1));
  }
  return first;
}

/// Others begin on the first way when the weights are settled. Returns how long it takes until
/// less than 0.3 go there; -1 if they were not settled.
std::int64_t TimeToAnswer(Time reset_interval) {
  const std::int64_t start = 2'000 * kMicro;
  const FlowRequest message = Message(48 * kMiB);
  std::vector<FlowRequest> flows = Others(5, 16 * kMiB, start);
  flows.insert(flows.begin(), message);
  TransportOptions options = Shared("cast-stripe");
  options.monitors.cast = true;
  options.requests.reset_interval = reset_interval;
  const Weights weights = WeightsOf(Simulate(TwoWays(), flows, options), OnFirst(message));
  double before = 0;
  for (std::size_t i = 0; i < weights.time.size(); ++i) {
    if (weights.time[i] > start && weights.on_first_path[i] < 0.3)
      return before > 0.35 && before < 0.65 ? weights.time[i] - start : -1;
    if (weights.time[i] <= start) before = weights.on_first_path[i];
  }
  return Time::Max().ps;
}

TEST(Cast, AnswersAChangeWithinTheResetInterval) {
  const std::int64_t soon = TimeToAnswer(MicroSeconds(500)), late = TimeToAnswer(Time{0});
  EXPECT_GT(soon, 0);
  EXPECT_LT(soon, 500 * kMicro);
  // An average over all that was remembers the time without others.
  EXPECT_GT(late, 2 * soon);
}

/// Messages in both directions and of many sizes: all bytes arrive, whatever the scheduler.
TEST(Requests, KeepAllBytes) {
  std::vector<FlowRequest> flows;
  std::int64_t sum = 0;
  for (const std::int64_t size : {1, 2, 127, 128, 129, 9'000, 9'001, 524'288, 524'289, 3'000'000}) {
    for (const std::uint32_t gpu : {0U, 3U, 9U}) {
      flows.push_back(Flow(gpu, gpu < 8 ? gpu + 8 : gpu - 8, size, 3, sum % 7 * kMicro));
      sum += size;
    }
  }
  for (const std::string& scheduler : Schedulers()) {
    for (const std::int64_t request : {129, 9'001, 524'288}) {
      TransportOptions options = Shared(scheduler);
      options.requests.size = request;
      options.requests.split_min = 0;
      options.nic.qps_per_connection = 3;
      const Observed outcome = Simulate(TwoWays(), flows, options);
      EXPECT_TRUE(AllFinished(outcome)) << scheduler << " " << request;
      const auto& size = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
      EXPECT_EQ(std::accumulate(size.begin(), size.end(), std::int64_t{0}), sum)
          << scheduler << " " << request;
    }
  }
}

/// The byte that is kept back is all of the first request.
TEST(Requests, OfOneByteEnd) {
  TransportOptions options = With("round-robin", 2);
  options.requests.size = 1;
  const Observed outcome = Simulate(Row({{100}, {100}}), {Flow(0, 1, 50)}, options);
  EXPECT_TRUE(AllFinished(outcome));
  EXPECT_EQ(Bytes0(outcome), 50);
  EXPECT_EQ(RowCount(outcome.flows), 2u);
}

/// One request under way: each waits for the ACK of the one before, and for the poll. At 100 Gbps,
/// over two links of 1 us, two full packets are acknowledged 3 kTx + 2 us after their start, and
/// the ACK takes 2 kAckTx + 2 us.
TEST(Requests, RowsOfWhatWasNeverPostedAreInOrder) {
  // The only switch dies before anything is acknowledged: of each message two requests are posted,
  // the rest is a row without a number.
  const Graph graph = Star(std::vector<Cable>(3, Cable{25, 20 * kMicro}));
  TransportOptions options = With("cast-wrr", 2);
  options.requests.size = 65536;
  options.requests.in_flight = 2;
  FailureEvent dies;
  dies.time = MicroSeconds(1);
  dies.what = FailureEvent::What::kNodeDown;
  dies.a = NodeId(3);
  std::vector<FlowRequest> flows;
  for (const std::int64_t size : {214'441, 199'169, 214'441, 214'441, 300'000})
    flows.push_back(Flow(1, 2, size, 4, kMicro));
  for (const std::uint32_t grain : {1U, 0U}) {
    RunPlan plan;
    plan.grain = grain;
    Scenario scenario{options, plan};
    scenario.failures = ExpandFailures(graph, {dies});
    const Observed o = Simulate(graph, flows, scenario);
    const auto& numbers = GetColumn<std::uint32_t>(o.flows, "number");
    const auto& messages = GetColumn<std::uint32_t>(o.flows, "message");
    const auto& sizes = GetColumn<std::int64_t>(o.flows, "size_bytes");
    ASSERT_EQ(numbers.size(), 15U) << "two queue pairs and a rest of each message";
    for (std::uint32_t i = 0; i < 5; ++i) {
      EXPECT_EQ(numbers[10 + i], FlowNumbers::kNone);
      EXPECT_EQ(messages[10 + i], i);
      EXPECT_EQ(sizes[10 + i], flows[i].size.count - 2 * 65536);
    }
  }
}

TEST(Requests, WaitForTheSlotOfTheOneBefore) {
  TransportOptions options = With("single", 1);
  options.requests.size = 18'000;
  options.requests.in_flight = 1;
  options.requests.polling.interval = Time{0};
  const Observed outcome = Simulate(Row({{100}, {100}}), {Flow(0, 1, 4 * 18'000)}, options);
  const std::int64_t request = 3 * kTx + 4 * kMicro + 2 * kAckTx;
  // The second packet of the first is a byte shorter, and reaches a port that is not free yet. That
  // byte makes a third packet at the end, right behind the others, and its ACK follows theirs.
  EXPECT_EQ(Fct(outcome, 0), 4 * request - kPs + kAckTx);
}

}  // namespace
}  // namespace heddle::testing
