// SPDX-License-Identifier: GPL-2.0-only
// heddle against ASTRA-SIM 1.0, cell by cell; a table is printed.
#include "tests/validation/astra/astra_reference.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace heddle::testing {
namespace {

class AstraReference : public ::testing::TestWithParam<AstraRun> {};

TEST_P(AstraReference, EndsWhenAstraSimDoes) {
  const AstraRun& run = GetParam();
  const AstraAnswer answer = Answer(run);
  std::printf("%s\n",
              fmt::format("{:32} end {:>12.0f} ns, reference {:>12.0f} ({:+.3f} %)  exposed "
                          "{:.1f} us, reference {:.1f}",
                          run.tag, answer.end_ns, run.end_ns,
                          100 * (answer.end_ns / run.end_ns - 1), answer.exposed_us, run.exposed_us)
                  .c_str());
  EXPECT_EQ(answer.messages, run.messages);
  EXPECT_NEAR(answer.end_ns, run.end_ns, 0.01 * run.end_ns);
  if (run.exposed_us >= 0) {
    EXPECT_NEAR(answer.exposed_us, run.exposed_us, 0.02 * run.exposed_us);
  }
}

INSTANTIATE_TEST_SUITE_P(Given, AstraReference, ::testing::ValuesIn(ReadAstraRuns()),
                         [](const auto& row) { return row.param.tag; });

}  // namespace
}  // namespace heddle::testing
