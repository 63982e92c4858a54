// SPDX-License-Identifier: GPL-2.0-only
/// All cases of tests/data/cases with workloads: compares every time in SimAI 1.6's report, and
/// every flow of fct.txt, with heddle's.
///
/// heddle's times come from its own export of that report. With compat.truncate_ns all are equal to
/// the nanosecond except where ties decide (kRules); without it they are within 1.5 %.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/simulate_jobs.h"
#include "tests/validation/comparison.h"
#include "tests/validation/distribution.h"
#include "tests/validation/workload_case.h"

namespace heddle::testing {
namespace {

constexpr double kTruncatedBound = 0.002;  ///< of a figure that is not equal
constexpr double kExactBound = 0.015;

struct Rule {
  const char* name;
  std::size_t equal_flows;  ///< with compat.truncate_ns: start and completion time equal; at least
  /// Layers whose communication then differs because of ties; totals may differ with them.
  std::set<std::uint32_t> different;
};

const Rule kRules[] = {
    {"c1_sx32_ag_rs", 7024, {}},
    {"c1_sx32_dp4_ar64M", 192, {}},
    {"c1_sx32_ep4_ata", 75, {0}},
    {"c1_sx32_tp8_nvls_sizes", 68, {0, 1, 2, 3}},
    {"c1_sx32_tp8_ring_sizes", 588, {0, 1, 2, 3}},
    {"c2_sx128a100_micro", 16656, {1}},
    {"doc_ring32", 7708, {2, 3}},
};

/// Flows of fct.txt and of heddle by (source, destination, port).
struct FlowCount {
  std::size_t flows = 0, starts = 0, times = 0, both = 0;
  double largest_start = 0;  ///< largest difference [ns]
  double largest_time = 0;   ///< largest difference as a share
};

FlowCount CountEqual(const Answers& simai, const OwnAnswers& own) {
  if (simai.size() != own.size()) throw std::runtime_error("not as many flows as in fct.txt");
  FlowCount count;
  for (const auto& [flow, theirs] : simai) {
    const auto found = own.find(flow);
    if (found == own.end()) throw std::runtime_error("heddle did not run " + Text(flow));
    const FlowPicoseconds& ours = found->second;
    const bool start = ours.start == theirs.start_ns * 1000,
               time = ours.fct == theirs.fct_ns * 1000;
    ++count.flows;
    count.starts += start ? 1 : 0;
    count.times += time ? 1 : 0;
    count.both += start && time ? 1 : 0;
    count.largest_start = std::max(
        count.largest_start,
        std::abs(static_cast<double>(ours.start) / 1000 - static_cast<double>(theirs.start_ns)));
    count.largest_time = std::max(
        count.largest_time,
        std::abs(static_cast<double>(ours.fct) / 1000 / static_cast<double>(theirs.fct_ns) - 1));
  }
  return count;
}

std::vector<std::string>& Lines() {
  static std::vector<std::string> lines;
  return lines;
}

template <class... Values>
void AddLine(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  Lines().emplace_back(text);
}

/// Prints the table after the last test, in one piece.
class Printer final : public ::testing::Environment {
 public:
  void TearDown() override {
    if (Lines().empty()) return;
    std::printf(
        "\nSimAI 1.6's reports and heddle's [us]. `ns`: heddle truncates times as SimAI does; "
        "`ps`: it does not.\n\n"
        "| case | times | layer | column | SimAI | heddle | difference "
        "|\n|---|---|---|---|---:|---:|---:|\n");
    for (const std::string& line : Lines()) std::printf("%s\n", line.c_str());
  }
};
[[maybe_unused]] const ::testing::Environment* const kPrinter =
    ::testing::AddGlobalTestEnvironment(new Printer);

double Microseconds(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

class SimaiWorkloads : public ::testing::TestWithParam<Rule> {
 protected:
  void Run(bool truncate);
  const Rule& rule_ = GetParam();
};

void SimaiWorkloads::Run(bool truncate) {
  WorkloadCase input(rule_.name);
  input.transport.truncate_ns = truncate;
  Scenario scenario = input.transport;
  scenario.collectives = input.collectives;
  const Observed outcome = SimulateJobs(input.graph, {input.job}, scenario);
  ASSERT_TRUE(outcome.waiting.empty()) << outcome.waiting.front();
  std::ifstream report = OpenCase(rule_.name, "ncclFlowModel_EndToEnd.csv");
  const std::vector<ReportFigure> simai = ReadEndToEnd(report), own = ReportOf(input.job, outcome);
  ASSERT_EQ(simai.size(), own.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < simai.size(); ++i) {
    const std::string what = std::to_string(simai[i].layer) + " " + simai[i].column;
    ASSERT_EQ(own[i].column, simai[i].column);
    const auto theirs = static_cast<double>(simai[i].ps), ours = static_cast<double>(own[i].ps);
    const double difference = simai[i].ps == own[i].ps ? 0 : ours / theirs - 1;
    equal += difference == 0 ? 1 : 0;
    // Computing times are inputs, and zeros are equal: no rows for these.
    const bool given = simai[i].ps == own[i].ps &&
                       (simai[i].ps == 0 || simai[i].column.find("compute") != std::string::npos);
    if (!given) {
      AddLine("| %s | %s | %s | %s | %.3f | %.6f | %.4f %% |", rule_.name, truncate ? "ns" : "ps",
              i + 3 < simai.size() ? std::to_string(simai[i].layer).c_str() : "all",
              simai[i].column.c_str(), Microseconds(simai[i].ps), Microseconds(own[i].ps),
              100 * difference);
    }
    const bool total = simai[i].column == "workload finished at" || i + 3 >= simai.size();
    const bool communication = simai[i].column.find("comm") != std::string::npos;
    const bool may_differ =
        (total || (communication && rule_.different.count(simai[i].layer) != 0)) &&
        !rule_.different.empty();
    if (!truncate || may_differ) {
      EXPECT_LE(std::abs(difference), truncate ? kTruncatedBound : kExactBound)
          << what << ": SimAI " << theirs << " ps, heddle " << ours;
    } else {
      EXPECT_EQ(simai[i].ps, own[i].ps) << what << " [ps]: SimAI, heddle";
    }
  }
  const FlowCount flows = CountEqual(ReadFct(rule_.name), AnswersOf(outcome.flows));
  AddLine(
      "| %s | %s | flows | %zu: %zu starts, %zu times, %zu both equal | starts off by %.1f ns at "
      "most | %zu of %zu "
      "figures equal | "
      "%.2f %% at most |",
      rule_.name, truncate ? "ns" : "ps", flows.flows, flows.starts, flows.times, flows.both,
      flows.largest_start, equal, simai.size(), 100 * flows.largest_time);
  if (truncate) {
    EXPECT_GE(flows.both, rule_.equal_flows);
  }
}

TEST_P(SimaiWorkloads, TruncatedEqual) { Run(true); }
TEST_P(SimaiWorkloads, ExactWithinBound) { Run(false); }

INSTANTIATE_TEST_SUITE_P(Case, SimaiWorkloads, ::testing::ValuesIn(kRules),
                         [](const auto& made) { return std::string(made.param.name); });

TEST(SimaiWorkloadTable, HoldsEveryCaseOnce) {
  std::set<std::string> ruled, present;
  for (const Rule& rule : kRules) EXPECT_TRUE(ruled.insert(rule.name).second) << rule.name;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_TEST_DATA) + "/cases")) {
    const std::string name = entry.path().filename().string();
    if (std::filesystem::exists(entry.path() / "workload.txt") && !IsByDistribution(name))
      present.insert(name);
  }
  EXPECT_EQ(ruled, present);
}

}  // namespace
}  // namespace heddle::testing
