// SPDX-License-Identifier: GPL-2.0-only
/// Rings over several servers, whose messages meet by hash collisions: their answers are chaotic,
/// so SimAI's one answer is compared with the distribution of heddle's over orders of the cables
/// (recabled.h), which have no physical effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/simulate_jobs.h"
#include "tests/validation/comparison.h"
#include "tests/validation/distribution.h"
#include "tests/validation/recabled.h"
#include "tests/validation/workload_case.h"

namespace heddle::testing {
namespace {

/// Figures of messages in SimAI's fct.txt [ns], which is too large for the repository.
struct RingCase {
  const char* test;
  const char* name;
  std::uint32_t orders;  ///< of the cables
  std::map<std::string, double> simai;
};

/// Mean and 99th percentile of messages, and time of the last end [ns]; times of the report's
/// layers.
std::map<std::string, double> FiguresOf(const WorkloadCase& input, const Observed& outcome) {
  std::vector<double> times;
  double end = 0;
  for (const auto& [flow, answer] : AnswersOf(outcome.flows)) {
    times.push_back(static_cast<double>(answer.fct) / 1000);
    end = std::max(end, static_cast<double>(answer.start + answer.fct) / 1000);
  }
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (const double time : times) sum += time;
  std::map<std::string, double> figures = {
      {"messages, mean", sum / static_cast<double>(times.size())},
      {"messages, 99th percentile", times[times.size() * 99 / 100]},
      {"end", end}};
  for (const ReportFigure& figure : ReportOf(input.job, outcome)) {
    if (figure.column == "fwd total comm")
      figures["layer " + std::to_string(figure.layer)] = static_cast<double>(figure.ps) / 1000;
  }
  return figures;
}

std::map<std::string, double> SimaiFigures(const RingCase& ring) {
  std::map<std::string, double> figures = ring.simai;
  std::ifstream report = OpenCase(ring.name, "ncclFlowModel_EndToEnd.csv");
  for (const ReportFigure& figure : ReadEndToEnd(report)) {
    if (figure.column == "fwd total comm" && figure.ps > 0)
      figures["layer " + std::to_string(figure.layer)] = static_cast<double>(figure.ps) / 1000;
  }
  return figures;
}

class SimaiRings : public ::testing::TestWithParam<RingCase> {};

TEST_P(SimaiRings, SimaiIsWithinTheDistribution) {
  const RingCase& ring = GetParam();
  WorkloadCase input(ring.name);
  input.transport.truncate_ns = true;
  Scenario scenario = input.transport;
  scenario.collectives = input.collectives;
  std::map<std::string, DrawnFigure> own;
  for (std::uint32_t order = 0; order < ring.orders; ++order) {
    const Graph graph = Recabled(ring.name, order);
    for (const auto& [name, value] : FiguresOf(input, SimulateJobs(graph, {input.job}, scenario)))
      own[name].Add(value);
  }
  for (const auto& [name, simai] : SimaiFigures(ring))
    ExpectWithin(ring.name, name, simai, own.at(name));
}

INSTANTIATE_TEST_SUITE_P(Case, SimaiRings,
                         ::testing::Values(RingCase{"few_orders",
                                                    "c1_sx16_tp16_ar_sizes",
                                                    8,
                                                    {{"messages, mean", 3656.931},
                                                     {"messages, 99th percentile", 33301},
                                                     {"end", 847757}}},
                                           RingCase{"c1_sx16_tp16_ar_sizes",
                                                    "c1_sx16_tp16_ar_sizes",
                                                    30,
                                                    {{"messages, mean", 3656.931},
                                                     {"messages, 99th percentile", 33301},
                                                     {"end", 847757}}},
                                           RingCase{"doc_dcn256_16M",
                                                    "doc_dcn256_16M",
                                                    30,
                                                    {{"messages, mean", 16388.052},
                                                     {"messages, 99th percentile", 45217},
                                                     {"end", 2163430}}}),
                         [](const auto& made) { return std::string(made.param.test); });

}  // namespace
}  // namespace heddle::testing
