// SPDX-License-Identifier: GPL-2.0-only
/// Dispatch and combine over two hops beside DeepEP's published figures (deepseek-ai/DeepEP, README
/// of V2 and of V1's normal kernels): DeepSeek-V3's sizes, FP8 out, BF16 back.
///
/// Their rates are of rows for all servers of a token, its own included (in one server: for all
/// ranks), over the time. DeepEP's tests have a group of experts a server, at most four of them a
/// token. The model has the NICs' and NVLinks' rates and nothing of kernels; so it is faster, and
/// by how much is what the table says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "collectives/closed_form/closed_prices.h"
#include "collectives/job/placed_job.h"
#include "tests/support/expert_jobs.h"

namespace heddle::testing {
namespace {

constexpr double kGigabyte = 1e9;
constexpr std::int64_t kGigabit = 1'000'000'000;
constexpr std::int64_t kBf16Row = 14'336, kFp8Row = 7'392;

struct Published {
  const char* name;
  std::uint32_t servers;
  std::int64_t tokens;
  std::int64_t nvlink;       ///< of a GPU in a direction [Gbit/s]
  double dispatch, combine;  ///< [GB/s], as DeepEP counts
};

/// H800: about 160 GB/s of NVLink, as DeepEP says. H100 and B200: 450 and 900 GB/s.
constexpr Published kRows[] = {
    {"V1, H800, EP8", 1, 4096, 1280, 153, 158},  {"V1, H800, EP16", 2, 4096, 1280, 43, 43},
    {"V1, H800, EP32", 4, 4096, 1280, 58, 57},   {"V1, H800, EP64", 8, 4096, 1280, 51, 50},
    {"V2, SM90, EP16", 2, 8192, 3600, 90, 81},   {"V2, SM90, EP32", 4, 8192, 3600, 61, 61},
    {"V2, SM100, EP8", 1, 8192, 7200, 726, 740},
};

ExpertOptions Experts(const Published& row) {
  ExpertOptions options;
  options.routing = ExpertOptions::Routing::kUniform;
  options.form = ExpertOptions::Form::kServer;
  options.dispatch = ExpertOptions::Precision::kFp8;
  options.tokens = row.tokens;
  options.groups = row.servers;
  options.top_groups = std::min(row.servers, 4U);
  return options;
}

/// Rows that DeepEP's rate counts, of a token: for servers; in one server, for ranks.
double CountedRows(const RoutedTokens& tokens, std::uint32_t servers) {
  std::vector<std::uint32_t> place_of;
  for (std::uint32_t rank = 0; rank < tokens.ranks(); ++rank)
    place_of.push_back(servers == 1 ? rank : rank / 8);
  double rows = 0;
  for (const std::uint32_t some : tokens.RowsByServer(place_of, servers == 1 ? 8 : servers))
    rows += some;
  return rows / tokens.ranks();
}

/// DeepEP hands on pieces of a few tokens.
CollectiveOptions InPieces() {
  CollectiveOptions options;
  options.send_latency = Time{0};
  options.expert_chunks = 64;
  return options;
}

double ClosedForm(const Graph& graph, const Job& job, std::uint32_t operation) {
  const CollectiveOptions options = InPieces();
  PlacedJob placed(0, job, graph, options);
  const CollectiveSpec& spec = placed.Op(operation).spec;
  CollectiveCall call;
  call.operation = spec.operation;
  call.group_type = spec.group;
  call.bytes = spec.bytes;
  call.sizes = spec.sizes;
  call.members = job.gpus.data();
  call.ranks = graph.gpu_count();
  WireFigures wire;
  wire.payload = 4096;
  ClosedPrices prices(graph, options, wire);
  return prices.PriceOf(call).seconds();
}

TEST(DeepEp, PublishedRatesAreNearTheModels) {
  std::printf("%-16s %22s %24s\n", "", "dispatch [us]", "combine [us]");
  for (const Published& row : kRows) {
    const Graph graph = ServersOfEight(row.servers, 400 * kGigabit, row.nvlink * kGigabit);
    const Job job = DispatchAndCombine(graph, Experts(row), row.tokens * 8 * kBf16Row);
    const double rows = CountedRows(*job.program.experts->layers[0], row.servers);
    std::string line = fmt::format("{:<16}", row.name);
    for (const bool back : {false, true}) {
      const double bytes = rows * static_cast<double>(back ? kBf16Row : kFp8Row);
      const double published = bytes / ((back ? row.combine : row.dispatch) * kGigabyte);
      const double model = ClosedForm(graph, job, back ? 1 : 0);
      line += fmt::format("  {:8.0f} of {:6.0f}, {:4.2f}", model * 1e6, published * 1e6,
                          published / model);
      EXPECT_GT(published / model, 1.0) << row.name;
      EXPECT_LT(published / model, 1.45) << row.name;
    }
    std::printf("%s\n", line.c_str());
  }
}

/// Packets take as long as the closed form says.
TEST(DeepEp, PacketsAgreeWithTheClosedForm) {
  for (const Published& row : kRows) {
    if (row.servers > 2) continue;
    const Graph graph = ServersOfEight(row.servers, 400 * kGigabit, row.nvlink * kGigabit);
    ExpertOptions experts = Experts(row);
    experts.tokens = 1024;
    const Job job = DispatchAndCombine(graph, experts, 1024 * 8 * kBf16Row);
    Scenario scenario;
    scenario.options.congestion.mode = 0;
    scenario.options.payload = 4096;
    scenario.collectives = InPieces();
    const Observed outcome = SimulateJobs(graph, {job}, scenario);
    const auto& end = GetColumn<std::int64_t>(outcome.jobs.at(2), "end_ps");
    const auto& start = GetColumn<std::int64_t>(outcome.jobs.at(2), "start_ps");
    const double ratio =
        static_cast<double>(end.at(0) - start.at(0)) * 1e-12 / ClosedForm(graph, job, 0);
    std::printf("%-16s packets / closed form, 1024 tokens: %.3f\n", row.name, ratio);
    EXPECT_GT(ratio, 0.97) << row.name;
    EXPECT_LT(ratio, 1.12) << row.name;
  }
}

}  // namespace
}  // namespace heddle::testing
