// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/sweep_names.h"

#include <gtest/gtest.h>

#include "tests/support/message_of.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

/// The values of an axis, each with its label.
SweepAxis AxisOf(const std::string& key,
                 const std::vector<std::pair<const char*, const char*>>& values) {
  SweepAxis axis{key, {}};
  for (const auto& [value, label] : values)
    axis.values.push_back({key, value, {"t.toml", 3}, label});
  return axis;
}

/// The names of all runs in which each axis has the value of the run's number.
Words NamesOf(const std::vector<SweepAxis>& axes, const std::string& label = "") {
  SweepTable table;
  table.file = "t.toml";
  table.axes = axes;
  table.label = label;
  std::vector<std::vector<std::size_t>> runs;
  const std::size_t count = axes.empty() ? 1 : axes[0].values.size();
  for (std::size_t row = 0; row < count; ++row) runs.emplace_back(axes.size(), row);
  return SweepNames(table, runs);
}

TEST(SweepNames, HaveLabelsFilesSizesAndWords) {
  SweepAxis control = AxisOf("transport.congestion_control", {{"1", ""}, {"3", "mine"}});
  control.values[0].word = "dcqcn";
  EXPECT_EQ(NamesOf({AxisOf("topology", {{"in/sx.txt", ""}, {"in/dcn.txt", ""}}),
                     AxisOf("size", {{"65536", ""}, {"3000", ""}}), control}),
            (Words{"sx_64KiB_dcqcn", "dcn_3000B_mine"}));
}

TEST(SweepNames, OthersHaveTheLastPartOfTheKey) {
  EXPECT_EQ(NamesOf({AxisOf("controller.enable", {{"true", ""}, {"false", ""}}),
                     AxisOf("passes", {{"1", ""}, {"2", ""}})}),
            (Words{"enable-true_passes-1", "enable-false_passes-2"}));
  // Two keys whose last parts are the same are whole.
  EXPECT_EQ(NamesOf({AxisOf("a.enable", {{"true", ""}}), AxisOf("b.enable", {{"true", ""}})}),
            (Words{"a.enable-true_b.enable-true"}));
}

TEST(SweepNames, WithoutAnAxisItIsTheLabelOfTheRun) {
  EXPECT_EQ(NamesOf({}), Words{"run"});
  EXPECT_EQ(NamesOf({}, "my study"), Words{"my-study"});
  EXPECT_EQ(NamesOf({AxisOf("seed", {{"4", ""}})}, "my"), Words{"my_seed-4"});
}

TEST(SweepNames, EqualWordsAreLengthened) {
  EXPECT_EQ(NamesOf({AxisOf("topology", {{"a/x.txt", ""}, {"b/x.txt", ""}, {"b/y.txt", ""}})}),
            (Words{"a-x", "b-x", "y"}));
  EXPECT_EQ(NamesOf({AxisOf("topology", {{"a/x.txt", ""}, {"a/x.dot", ""}})}),
            (Words{"a-x.txt", "a-x.dot"}));
  SweepAxis control = AxisOf("t.cc", {{"1", ""}, {"DCQCN", ""}});
  for (SweepEntry& entry : control.values) entry.word = "dcqcn";
  EXPECT_EQ(NamesOf({control}), (Words{"cc-1", "cc-DCQCN"}));
  // Labels that file systems cannot tell apart.
  EXPECT_EQ(NamesOf({AxisOf("seed", {{"1", "a b"}, {"2", "a-b"}})}), (Words{"seed-1", "seed-2"}));
  // Words that are different, but not behind each other.
  EXPECT_EQ(NamesOf({AxisOf("failures", {{"a_b.csv", ""}, {"a.csv", ""}}),
                     AxisOf("trace", {{"c.csv", ""}, {"b_c.csv", ""}})}),
            (Words{"a_b.csv_c.csv", "a.csv_b_c.csv"}));
}

TEST(SweepNames, AZipHasAsManyWordsAsItsRowsNeed) {
  const auto zip = [](std::vector<SweepAxis> axes) {
    for (SweepAxis& axis : axes) axis.zip = 1;
    return NamesOf(axes);
  };
  EXPECT_EQ(zip({AxisOf("topology", {{"a.txt", ""}, {"b.txt", ""}}),
                 AxisOf("workload", {{"v.txt", ""}, {"v.txt", ""}})}),
            (Words{"a", "b"}));
  EXPECT_EQ(zip({AxisOf("topology", {{"a.txt", ""}, {"a.txt", ""}}),
                 AxisOf("workload", {{"v.txt", ""}, {"w.txt", ""}}),
                 AxisOf("passes", {{"1", ""}, {"2", ""}})}),
            (Words{"a_v", "a_w"}));
  EXPECT_EQ(zip({AxisOf("topology", {{"a.txt", "small"}, {"b.txt", "large"}}),
                 AxisOf("workload", {{"v.txt", ""}, {"w.txt", ""}})}),
            (Words{"small", "large"}));
}

TEST(SweepNames, RunsThatAreTheSameAreRefused) {
  const std::string refusal = MessageOf([] {
    NamesOf({AxisOf("seed", {{"1", ""}, {"2", ""}, {"1", ""}})});
  });
  EXPECT_EQ(refusal.find("t.toml: runs 0 and 2 have the name 'seed-1'. Expected: "), 0U) << refusal;
  const std::string path = std::string(300, 'x') + ".txt";
  EXPECT_NE(MessageOf([&] {
              NamesOf({AxisOf("topology", {{path.c_str(), ""}})});
            }).find("300 bytes"),
            std::string::npos);
}

TEST(SweepNames, ShownValuesAreForPeople) {
  EXPECT_EQ(ShownValues(AxisOf("size", {{"65536", ""}, {"3000", ""}})),
            (Words{"64 KiB", "3000 B"}));
  EXPECT_EQ(ShownValues(AxisOf("topology", {{"in/a.txt", ""}, {"in/b.txt", "the b"}})),
            (Words{"a", "the b"}));
  EXPECT_EQ(ShownValues(AxisOf("topology", {{"c/a.txt", ""}, {"d/a.txt", ""}})),
            (Words{"c/a.txt", "d/a.txt"}));
  EXPECT_EQ(ShownValues(AxisOf("CC_MODE", {{"1", ""}})), (Words{"1"}));
}

}  // namespace
}  // namespace heddle
