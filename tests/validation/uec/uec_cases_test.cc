// SPDX-License-Identifier: GPL-2.0-only
/// Every case of uet-htsim (tests/data/uec) that heddle can run, over seeds: completion times,
/// NACKs and reordering against uet-htsim's. Prints a table, which docs/studies/uec.md has.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tests/validation/uec/uec_verdict.h"

namespace heddle::testing {
namespace {

constexpr std::uint32_t kSeeds = 5, kSeedsOfLuck = 20;

std::string& Rows() {
  static std::string rows;
  return rows;
}

/// Prints all rows in one piece.
class TablePrinter : public ::testing::Environment {
 public:
  void TearDown() override {
    if (!Rows().empty()) std::printf("%s%s", VerdictHead().c_str(), Rows().c_str());
  }
};
[[maybe_unused]] const auto* const kPrinter = ::testing::AddGlobalTestEnvironment(new TablePrinter);

std::vector<std::string> MappedCases() {
  std::vector<std::string> names;
  for (const auto& [name, figures] : ReferenceFigures())
    if (WhyNotMapped(name).empty()) names.push_back(name);
  return names;
}

class UecCases : public ::testing::TestWithParam<std::string> {};

TEST_P(UecCases, AgreeWithUetHtsim) {
  const UecCase c = MakeUecCase(GetParam());
  const auto judged =
      Judge(c, RunUecCase(c, c.by_luck ? kSeedsOfLuck : kSeeds), ReferenceFigures().at(c.name));
  Rows() += VerdictRow(c.name, judged, "");
  for (const Judged& one : judged)
    EXPECT_TRUE(one.agrees) << one.figure << ": " << one.ours.mean << " (" << one.ours.low << " to "
                            << one.ours.high << "), uet-htsim " << one.theirs.mean << " ("
                            << one.theirs.low << " to " << one.theirs.high << ")";
}

INSTANTIATE_TEST_SUITE_P(Case, UecCases, ::testing::ValuesIn(MappedCases()), [](const auto& made) {
  std::string name = made.param;
  for (char& letter : name)
    if (letter == '-') letter = '_';
  return name;
});

}  // namespace
}  // namespace heddle::testing
