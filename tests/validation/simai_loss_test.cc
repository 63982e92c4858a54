// SPDX-License-Identifier: GPL-2.0-only
/// Losses: SimAI's result is one sample, compared with the spread of heddle's results; heddle's
/// losses are compared with the given rate.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/validation/comparison.h"

namespace heddle::testing {
namespace {

constexpr std::uint64_t kSeeds = 64;

TEST(SimaiLoss, AnswerIsASampleOfHeddlesAndTheLossesAreAsManyAsAsked) {
  const char* name = "f_loss_one40MB_cc1";
  const SimaiCase c(name);
  const auto simai = static_cast<double>(ReadFct(name).begin()->second.fct_ns);
  double sum = 0, squares = 0, dropped = 0, hops = 0;
  std::uint64_t faster = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Simulation run(c.graph, c.flows, c.options, seed);
    const double fct = static_cast<double>(AnswersOf(run.flows).begin()->second.fct) / 1000;
    sum += fct;
    squares += fct * fct;
    faster += fct < simai ? 1 : 0;
    dropped += static_cast<double>(run.fabric->Books().dropped_packets);
    hops += static_cast<double>(run.fabric->Books().link_packets);
  }
  const double mean = sum / kSeeds, deviation = std::sqrt(squares / kSeeds - mean * mean);
  std::printf(
      "%s: SimAI %.0f ns, heddle %.0f +- %.0f ns over %llu seeds, %llu of them faster than SimAI; "
      "%.1f packets lost a run, "
      "%.1f expected\n",
      name, simai, mean, deviation, static_cast<unsigned long long>(kSeeds),
      static_cast<unsigned long long>(faster), dropped / kSeeds, hops * 0.001 / kSeeds);
  EXPECT_LE(std::abs(simai - mean), 3 * deviation)
      << "SimAI's answer [ns] lies outside heddle's spread";
  EXPECT_NEAR(dropped, hops * 0.001, 4 * std::sqrt(hops * 0.001))
      << "losses of all runs: 1 in 1000 packets on a link";
}

}  // namespace
}  // namespace heddle::testing
