// SPDX-License-Identifier: GPL-2.0-only
/// Experts over packets: bytes of ports, times of closed forms, who waits for whom.
#include <gtest/gtest.h>

#include <set>

#include "collectives/closed_form/closed_prices.h"
#include "collectives/job/placed_job.h"
#include "core/options/enum_words.h"
#include "core/traffic/expert_table.h"
#include "tests/support/expert_jobs.h"

namespace heddle::testing {
namespace {

using Form = ExpertOptions::Form;
using Routing = ExpertOptions::Routing;

constexpr std::uint32_t kOfServer = 8;
constexpr std::int64_t kGigabit = 1'000'000'000;

ExpertOptions Skewed(Form form, Routing routing = Routing::kZipf) {
  ExpertOptions options;
  options.routing = routing;
  options.form = form;
  options.zipf = 0.5;
  options.count = 64;
  options.top_k = 4;
  options.tokens = 256;
  return options;
}
constexpr std::int64_t kRow = 4000;
constexpr std::int64_t kBuffer = kRow * 4 * 256;

Scenario Plain() {
  Scenario scenario;
  scenario.options.congestion.mode = 0;
  return scenario;
}

/// Bytes that GPUs sent to others of their server, and to those of others.
struct Sent {
  std::vector<std::int64_t> inside, across;
};

Sent SentBy(const Observed& outcome, std::uint32_t gpus, std::uint32_t operation) {
  const auto& source = GetColumn<std::uint32_t>(outcome.flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(outcome.flows, "dst");
  const auto& size = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
  const auto& of = GetColumn<std::uint32_t>(outcome.flows, "operation");
  Sent sent{std::vector<std::int64_t>(gpus), std::vector<std::int64_t>(gpus)};
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (of[i] != operation) continue;
    const bool is_inside = source[i] / kOfServer == destination[i] / kOfServer;
    (is_inside ? sent.inside : sent.across)[source[i]] += size[i];
  }
  return sent;
}

/// By following each token, once to each server and on to each rank.
Sent FollowTokens(const RoutedTokens& tokens, bool returns) {
  Sent sent{std::vector<std::int64_t>(tokens.ranks()), std::vector<std::int64_t>(tokens.ranks())};
  tokens.ForEach([&](std::uint32_t home, const std::vector<std::uint32_t>& experts) {
    std::set<std::uint32_t> ranks, servers;
    for (const std::uint32_t expert : experts) ranks.insert(tokens.RankOf(expert));
    for (const std::uint32_t rank : ranks) servers.insert(rank / kOfServer);
    for (const std::uint32_t server : servers) {
      const bool own = server == home / kOfServer;
      const std::uint32_t entry = server * kOfServer + home % kOfServer;
      if (!own) sent.across[returns ? entry : home] += kRow;
      for (const std::uint32_t rank : ranks) {
        if (rank / kOfServer == server && rank != entry)
          sent.inside[returns ? rank : entry] += kRow;
      }
    }
  });
  return sent;
}

TEST(Experts, TokensCrossOnceForEachServer) {
  const Graph graph = ServersOfEight(3, 400 * kGigabit, 1600 * kGigabit);
  ExpertOptions options = Skewed(Form::kServer);
  options.count = 48;
  const Job job = DispatchAndCombine(graph, options, kBuffer);
  const Observed outcome = SimulateJobs(graph, {job}, Plain());
  EXPECT_TRUE(outcome.waiting.empty());
  for (const bool returns : {false, true}) {
    const Sent found = SentBy(outcome, graph.gpu_count(), returns ? 1 : 0);
    const Sent expected = FollowTokens(*job.program.experts->tokens[0], returns);
    EXPECT_EQ(found.inside, expected.inside);
    EXPECT_EQ(found.across, expected.across);
  }
}

/// [ps] of an operation, from its begin on the first GPU.
double TimeOf(const Observed& outcome, std::uint32_t operation) {
  const Table& collectives = outcome.jobs.at(2);
  const auto& numbers = GetColumn<std::uint32_t>(collectives, "operation");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == operation)
      return static_cast<double>(GetColumn<std::int64_t>(collectives, "end_ps")[i] -
                                 GetColumn<std::int64_t>(collectives, "start_ps")[i]);
  }
  ADD_FAILURE() << "no operation " << operation;
  return 0;
}

double PriceOf(const Graph& graph, const Job& job, std::uint32_t operation) {
  const CollectiveOptions options;
  PlacedJob placed(0, job, graph, options);
  const CollectiveSpec& spec = placed.Op(operation).spec;
  CollectiveCall call;
  call.operation = spec.operation;
  call.group_type = spec.group;
  call.bytes = spec.bytes;
  call.sizes = spec.sizes;
  call.members = job.gpus.data();
  call.ranks = graph.gpu_count();
  ClosedPrices prices(graph, options, WireFigures());
  return static_cast<double>(prices.PriceOf(call).ps);
}

/// The closed form is that of the busiest port: nothing arrives sooner, and packets come near it.
TEST(Experts, ClosedFormIsThatOfTheBusiestPort) {
  const Graph graph = ServersOfEight(4, 400 * kGigabit, 1600 * kGigabit);
  for (const Form form : {Form::kPlain, Form::kRank, Form::kServer}) {
    for (const Routing routing : {Routing::kUniform, Routing::kZipf}) {
      const Job job = DispatchAndCombine(graph, Skewed(form, routing), 4 * kBuffer);
      const Observed outcome = SimulateJobs(graph, {job}, Plain());
      // The dispatch: the combine begins when the experts of each rank have computed.
      const double ratio = TimeOf(outcome, 0) / PriceOf(graph, job, 0);
      EXPECT_GT(ratio, 0.97) << ToText(form) << " " << ToText(routing);
      EXPECT_LT(ratio, 1.25) << ToText(form) << " " << ToText(routing);
    }
  }
}

TEST(Experts, SkewCostsWhatTheBusiestRankReceives) {
  const Graph graph = ServersOfEight(4, 400 * kGigabit, 1600 * kGigabit);
  const auto time = [&](Form form, Routing routing) {
    ExpertOptions options = Skewed(form, routing);
    options.order = ExpertOptions::Order::kInOrder;
    const Job job = DispatchAndCombine(graph, options, 4 * kBuffer);
    return TimeOf(SimulateJobs(graph, {job}, Plain()), 0);
  };
  EXPECT_GT(time(Form::kPlain, Routing::kZipf), 2 * time(Form::kPlain, Routing::kUniform));
  // Fewer bytes over NICs.
  EXPECT_LT(time(Form::kServer, Routing::kUniform), time(Form::kPlain, Routing::kUniform));
}

/// Half of all choices are of the experts of rank 3 of eight: it computes four times as long as the
/// workload says, and the others wait for it in the combine.
TEST(Experts, TheSlowestRankPacesTheStep) {
  const Graph graph = ServersOfEight(1, 400 * kGigabit, 1600 * kGigabit);
  ExpertOptions options;
  options.routing = Routing::kCounts;
  options.count = 8;
  options.top_k = 1;
  options.tokens = 70;
  options.table_data =
      std::make_shared<const ExpertTable>(ExpertTable{"counts.txt", {1, 1, 1, 7, 1, 1, 1, 1}, {}});
  const Job job = DispatchAndCombine(graph, options, 70'000);
  const Observed outcome = SimulateJobs(graph, {job}, Plain());
  const Table& layers = outcome.jobs.at(3);
  const auto& ranks = GetColumn<std::uint32_t>(layers, "rank");
  const auto& lines = GetColumn<std::uint32_t>(layers, "layer");
  const auto& computed = GetColumn<std::int64_t>(layers, "fwd_compute_ps");
  const auto& exposed = GetColumn<std::int64_t>(layers, "fwd_exposed_ps");
  std::vector<std::int64_t> waited(8);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (lines[i] == 1) {
      EXPECT_EQ(computed[i], ranks[i] == 3 ? 400'000'000 : 400'000'000 / 7) << ranks[i];
    }
    if (lines[i] == 2) waited[ranks[i]] = exposed[i];
  }
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    if (rank == 3) continue;
    EXPECT_GT(waited[rank] - waited[3], 300'000'000) << rank;
  }
  EXPECT_GT(outcome.end, NanoSeconds(400'000));
}

}  // namespace
}  // namespace heddle::testing
