// SPDX-License-Identifier: GPL-2.0-only
/// GPUs follow the order of their programs: no GPU sends for a collective that its program has not
/// reached, and the collectives of a communicator run one after the other.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "core/options/enum_words.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

const Table& Named(const Observed& outcome, const std::string& name) {
  for (const Table& table : outcome.jobs) {
    if (table.name == name) return table;
  }
  throw std::out_of_range(name);
}

std::string Workload(const std::string& layers, int count) {
  return "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n" + std::to_string(count) +
         "\n" + layers;
}

/// When each GPU issued each operation, and when it finished it.
std::map<std::pair<std::uint32_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> Parts(
    const Observed& outcome) {
  std::map<std::pair<std::uint32_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> parts;
  const Table& steps = Named(outcome, "steps");
  const auto& gpu = GetColumn<std::uint32_t>(steps, "gpu");
  const auto& operation = GetColumn<std::int64_t>(steps, "operation");
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    if (operation[i] < 0) continue;
    parts[{gpu[i], operation[i]}] = {GetColumn<std::int64_t>(steps, "start_ps")[i],
                                     GetColumn<std::int64_t>(steps, "end_ps")[i]};
  }
  return parts;
}

/// GPU 3's cable is slow (25 of 400 Gbps), so that GPUs 2 and 3 are later than GPUs 0 and 1, with
/// which they share DP groups.
Observed Uneven(const std::string& completion) {
  const Graph graph = Star({{400}, {400}, {400}, {25}});
  const Job job = MakeJob(
      graph, Workload("first -1 1000 ALLREDUCE 200000 500 NONE 0 10000000 ALLREDUCE 400000 1\n"
                      "second -1 1000 NONE 0 500 NONE 0 3000000 ALLREDUCE 900000 1\n",
                      2));
  TransportOptions options;
  options.completion = *FindWord<TransportOptions::Completion>(completion);
  return SimulateJobs(graph, {job}, options);
}

TEST(Programs, NobodySendsBeforeItsOwnPartBegins) {
  for (const char* completion : {"acked", "received"}) {
    const Observed outcome = Uneven(completion);
    const auto parts = Parts(outcome);
    const auto& source = GetColumn<std::uint32_t>(outcome.flows, "src");
    const auto& operation = GetColumn<std::uint32_t>(outcome.flows, "operation");
    const auto& start = GetColumn<std::int64_t>(outcome.flows, "start_ps");
    const std::int64_t least = CollectiveOptions().send_latency.ps;
    ASSERT_GT(source.size(), 10U);
    for (std::size_t i = 0; i < source.size(); ++i) {
      EXPECT_GE(start[i], parts.at({source[i], operation[i]}).first + least)
          << "GPU " << source[i] << ", operation " << operation[i] << ", " << completion;
    }
  }
}

TEST(Programs, CollectivesOfACommunicatorGoOneAfterTheOther) {
  // Operations 1 and 2 are the gradients of the second and the first layer, both of DP; the first
  // layer's is issued later.
  for (const char* completion : {"acked", "received"}) {
    const Observed outcome = Uneven(completion);
    const auto parts = Parts(outcome);
    const auto& source = GetColumn<std::uint32_t>(outcome.flows, "src");
    const auto& operation = GetColumn<std::uint32_t>(outcome.flows, "operation");
    const auto& start = GetColumn<std::int64_t>(outcome.flows, "start_ps");
    // Operations of DP, as issued.
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> order;
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
      order[gpu] = parts.at({gpu, 1}).first < parts.at({gpu, 2}).first ? std::pair{1U, 2U}
                                                                       : std::pair{2U, 1U};
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (operation[i] != order[source[i]].second) continue;
      EXPECT_GE(start[i], parts.at({source[i], order[source[i]].first}).second - 1000)
          << completion;  // less the update
    }
  }
}

TEST(Programs, MessagesBetweenStagesCountForNoLayer) {
  const Graph graph = Star({{100}, {100}});
  const Job job = MakeJob(
      graph,
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 2 ga: 1 pp_comm: 100000\n1\n"
      "layer -1 1000 NONE 0 500 NONE 0 300 NONE 0 1\n");
  const Observed outcome = SimulateJobs(graph, {job});
  const Table& layers = Named(outcome, "layers");
  std::int64_t waited = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const char* phase : {"fwd", "ig", "wg"}) {
      EXPECT_EQ(GetColumn<std::int64_t>(layers, std::string(phase) + "_total_ps")[i], 0) << phase;
      EXPECT_EQ(GetColumn<std::int64_t>(layers, std::string(phase) + "_exposed_ps")[i], 0) << phase;
    }
    waited += GetColumn<std::int64_t>(layers, "pp_exposed_ps")[i];
  }
  EXPECT_GT(waited, 2 * CollectiveOptions().send_latency.ps);
}

}  // namespace
}  // namespace heddle::testing
