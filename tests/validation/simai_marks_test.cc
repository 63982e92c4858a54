// SPDX-License-Identifier: GPL-2.0-only
/// An incast whose marks are random: SimAI's one answer is compared with the distribution of
/// heddle's over seeds and orders of the cables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "tests/validation/comparison.h"
#include "tests/validation/distribution.h"
#include "tests/validation/recabled.h"
#include "tests/validation/simai_case.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kDraws = 60;

/// Completion times [ns]: of all flows, of the first and of the last to end.
std::map<std::string, double> FiguresOf(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times) sum += time;
  return {{"mean", sum / static_cast<double>(times.size())},
          {"shortest", *std::min_element(times.begin(), times.end())},
          {"longest", *std::max_element(times.begin(), times.end())}};
}

class SimaiMarks : public ::testing::TestWithParam<const char*> {};

TEST_P(SimaiMarks, SimaiIsWithinTheDistribution) {
  const std::string name = GetParam();
  SimaiCase c(name);
  c.options.truncate_ns = true;
  std::map<std::string, DrawnFigure> own;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    const Graph graph = Recabled(name, draw);
    std::vector<double> times;
    for (const auto& [flow, answer] :
         AnswersOf(Simulation(graph, c.flows, c.options, draw + 1).flows))
      times.push_back(static_cast<double>(answer.fct) / 1000);
    for (const auto& [figure, value] : FiguresOf(times)) own[figure].Add(value);
  }
  std::vector<double> simai;
  for (const auto& [flow, times] : ReadFct(name))
    simai.push_back(static_cast<double>(times.fct_ns));
  for (const auto& [figure, value] : FiguresOf(simai))
    ExpectWithin(name, figure, value, own[figure]);
}

INSTANTIATE_TEST_SUITE_P(Case, SimaiMarks,
                         ::testing::Values("f_incast16_2MB_cc8", "f_incast8_2MB_cc1"),
                         [](const auto& made) { return std::string(made.param); });

}  // namespace
}  // namespace heddle::testing
