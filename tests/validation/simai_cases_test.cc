// SPDX-License-Identifier: GPL-2.0-only
/// All cases of tests/data/cases with flows, each within its bound: SimAI 1.6 and heddle on the same input.
///
/// Where nothing is at random the two agree to the nanosecond if heddle truncates times as SimAI does (compat.truncate_ns), and
/// within 1 % if it does not. Where something is, SimAI's answer is one sample: heddle's mean over several seeds stands for it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "tests/validation/comparison.h"

namespace heddle::testing {
namespace {

constexpr double kEqual = 0;           ///< bound: equal to the nanosecond
constexpr double kTieBound = 0.002;    ///< of a flow, where packets meet at the same nanosecond
constexpr double kExactBound = 0.01;   ///< of a flow, without truncation
constexpr double kLooseBound = 0.05;   ///< mean and slowest, where randomness or telemetry differ

enum class Kind {
  kFlows,   ///< flow by flow: `truncated` bounds those with compat.truncate_ns, `exact` those without
  kMeans,   ///< mean and slowest, over `seeds` runs
};

struct Rule {
  const char* name;
  Kind kind;
  double truncated;
  double exact;
  int seeds;
  const char* remark;
};

constexpr const char* kSame = "same mechanisms";
constexpr Rule kRules[] = {
    {"f_single_cc1", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_sizes_cc1", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_sx128_rail_cc1", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_hpndp64_rail_cc1", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_burst8_4MB_cc0", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_two2one_4MB_cc1", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_two2one_4MB_cc7", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_two2one_4MB_cc8", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_pfc_two2one_bs1_fixed", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_incast8_2MB_cc1_det", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_incast8_2MB_cc8_det", Kind::kFlows, kEqual, kExactBound, 1, kSame},
    {"f_incast8_2MB_cc7", Kind::kFlows, kEqual, kLooseBound, 1, "TIMELY's gradient amplifies nanoseconds"},
    {"f_burst8_4MB_cc1_det", Kind::kFlows, kTieBound, kExactBound, 1, "ties"},
    {"f_dcn64_mixed_cc1", Kind::kFlows, kExactBound, kExactBound, 1, "ties"},
    {"f_pfc_incast16_bs2_fixed", Kind::kFlows, 0.02, 0.02, 1, "ties"},
    {"f_two2one_4MB_cc3_fixed", Kind::kFlows, kTieBound, kExactBound, 1, "telemetry without bit fields"},
    {"f_incast8_2MB_cc3_fixed", Kind::kMeans, 0, kLooseBound, 1, "telemetry without bit fields"},
    {"f_two2one_4MB_cc10_fixed", Kind::kMeans, 0, kLooseBound, 1, "PINT's code rounds to the nearest, SimAI's at random"},
    {"f_incast8_2MB_cc10_fixed", Kind::kMeans, 0, kLooseBound, 1, "PINT's code rounds to the nearest, SimAI's at random"},
    {"f_incast8_2MB_cc1", Kind::kMeans, 0, kLooseBound, 16, "random marks"},
    {"f_loss_one40MB_cc1", Kind::kMeans, 0, kLooseBound, 64, "random losses"},
};

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%g %%", 100 * share);
  return text;
}

class SimaiCases : public ::testing::TestWithParam<Rule> {
 protected:
  OwnAnswers Run(std::uint64_t seed = 1) const {
    return AnswersOf(Simulation(case_.graph, case_.flows, case_.options, seed).flows);
  }
  const Rule& rule_ = GetParam();
  SimaiCase case_{rule_.name};
  const Answers simai_ = ReadFct(rule_.name);
};

void FlowByFlow(const Rule& rule, const char* times, double bound, const Answers& simai, const OwnAnswers& own) {
  const Comparison c = Compare(simai, own);
  for (const auto& [flow, answer] : simai) {
    const FlowPicoseconds& ps = own.at(flow);
    EXPECT_EQ(ps.start, answer.start_ns * 1000) << Text(flow) << ": start";
    const double theirs = static_cast<double>(answer.fct_ns) * 1000;
    if (bound == kEqual) {
      EXPECT_EQ(ps.fct, answer.fct_ns * 1000) << Text(flow) << ": completion time [ps]";
    } else {
      EXPECT_NEAR(static_cast<double>(ps.fct), theirs, bound * theirs) << Text(flow) << ": completion time [ps]";
    }
  }
  AddRow({rule.name, times, bound == kEqual ? "equal" : Percent(bound) + " a flow", c, "a flow", c.largest,
          c.equal == c.flows ? "" : bound == kExactBound && rule.truncated == kEqual ? "picoseconds" : rule.remark});
}

void CheckIdealTimes(const Answers& simai, const OwnAnswers& own) {
  for (const auto& [flow, answer] : simai) {
    EXPECT_EQ(own.at(flow).ideal, answer.ideal_ns * 1000) << Text(flow) << ": ideal time (column 8 of fct.txt) [ps]";
  }
}

TEST_P(SimaiCases, TruncatedWithinBound) {
  if (rule_.kind != Kind::kFlows) GTEST_SKIP() << "compared by mean and slowest";
  case_.options.truncate_ns = true;
  const OwnAnswers own = Run();
  FlowByFlow(rule_, "ns", rule_.truncated, simai_, own);
  CheckIdealTimes(simai_, own);
}

TEST_P(SimaiCases, ExactWithinBound) {
  ASSERT_FALSE(case_.options.truncate_ns) << "truncation must not be the default";
  if (rule_.kind == Kind::kFlows) {
    FlowByFlow(rule_, "ps", rule_.exact, simai_, Run());
    return;
  }
  Comparison all;
  double least = 1e300, most = 0;
  for (int seed = 1; seed <= rule_.seeds; ++seed) {
    const Comparison c = Compare(simai_, Run(static_cast<std::uint64_t>(seed)));
    if (seed == 1) all = c;
    if (seed > 1) {
      all.equal += c.equal;
      all.slowest += c.slowest;
      all.mean += c.mean;
    }
    least = std::min(least, c.mean);
    most = std::max(most, c.mean);
  }
  all.slowest /= rule_.seeds;
  all.mean /= rule_.seeds;
  EXPECT_LE(std::abs(all.mean_difference()), rule_.exact) << "mean: SimAI " << all.simai_mean << " ns, heddle " << all.mean;
  EXPECT_LE(std::abs(all.slowest_difference()), rule_.exact) << "slowest: SimAI " << all.simai_slowest << " ns, heddle " << all.slowest;
  std::string remark = rule_.remark;
  if (rule_.seeds > 1) {
    EXPECT_LT(least, most) << "the seed must matter";
    EXPECT_LE(least, all.simai_mean) << "SimAI's mean is a sample of heddle's";
    EXPECT_GE(most, all.simai_mean) << "SimAI's mean is a sample of heddle's";
    char text[96];
    std::snprintf(text, sizeof text, "; means of the seeds %.0f to %.0f ns", least, most);
    remark += text;
  }
  const bool mean = std::abs(all.mean_difference()) > std::abs(all.slowest_difference());
  AddRow({rule_.name, rule_.seeds == 1 ? "ps" : std::to_string(rule_.seeds) + " seeds", Percent(rule_.exact), all,
          mean ? "mean" : "slowest", mean ? all.mean_difference() : all.slowest_difference(), remark});
}

INSTANTIATE_TEST_SUITE_P(Case, SimaiCases, ::testing::ValuesIn(kRules),
                         [](const auto& made) { return std::string(made.param.name); });

TEST(SimaiCaseTable, HoldsEveryCaseOnce) {
  std::set<std::string> ruled, present;
  for (const Rule& rule : kRules) EXPECT_TRUE(ruled.insert(rule.name).second) << rule.name;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HEDDLE_TEST_DATA) + "/cases")) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("f_", 0) == 0) present.insert(name);
  }
  EXPECT_EQ(ruled, present);
  EXPECT_EQ(ruled.size(), 21u);
}

}  // namespace
}  // namespace heddle::testing
