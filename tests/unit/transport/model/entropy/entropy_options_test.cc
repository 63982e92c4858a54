// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/entropy_options.h"

#include <gtest/gtest.h>

#include "core/options/options.h"
#include "tests/unit/transport/model/entropy/chooser_test_util.h"

namespace heddle::testing {
namespace {

std::string ErrorOf(const std::string& key, const std::string& value) {
  try {
    Options({{key, value}});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(EntropyOptions, Defaults) {
  using Scheme = EntropyOptions::Scheme;
  const EntropyOptions options = Options({});
  EXPECT_EQ(options.scheme, Scheme::kAuto);
  EXPECT_FALSE(EntropyChooser(options.Resolved(Scheme::kFlow)).sprays());
  EXPECT_TRUE(EntropyChooser(options.Resolved(Scheme::kMixed)).sprays());
  EXPECT_EQ(Options({{"scheme", "reps"}}).Resolved(Scheme::kFlow).scheme, Scheme::kReps);
  EXPECT_THROW(EntropyChooser{options}, UserError);
  EXPECT_EQ(options.paths, 64);
  EXPECT_EQ(options.reps_freeze, MicroSeconds(10'000));
  EXPECT_FALSE(options.thaws_as_paper());
  EXPECT_TRUE(Options({{"reps_thaw", "paper"}}).thaws_as_paper());
  EXPECT_EQ(Options({{"mrc_skip", "auto"}}).mrc_skip, Time{0});
  EXPECT_EQ(Options({{"mrc_skip", "5us"}}).mrc_skip, MicroSeconds(5));
}

TEST(EntropyOptions, Ranges) {
  const Settings good = {{"paths", "1"},
                         {"paths", "65536"},
                         {"reps_ring", "1"},
                         {"reps_ring", "16"},
                         {"bitmap_lost", "15"},
                         {"bitmap_lost", "0"},
                         {"bitmap_saturation", "0"},
                         {"plb_share", "1"},
                         {"mrc_least", "0"},
                         {"mrc_least", "1"},
                         {"plb_suspend", "0"},
                         {"reps_freeze", "0"}};
  for (const auto& [key, value] : good) EXPECT_EQ(ErrorOf(key, value), "") << key;
  const Settings bad = {
      {"paths", "0"},           {"paths", "65537"},           {"reps_ring", "0"},
      {"reps_ring", "17"},      {"bitmap_lost", "16"},        {"bitmap_marked", "-1"},
      {"bitmap_trimmed", "16"}, {"bitmap_saturation", "1.1"}, {"plb_share", "0"},
      {"plb_rounds", "0"},      {"plb_idle_rounds", "0"},     {"mrc_least", "1.5"},
      {"mrc_probes", "0"},      {"mrc_probe_interval", "0"},  {"mrc_skip", "2h"},
      {"mrc_skip", "0"},        {"reps_thaw", "now"},         {"scheme", "random"}};
  for (const auto& [key, value] : bad) {
    EXPECT_NE(ErrorOf(key, value).find("entropy." + key), std::string::npos) << key << ' ' << value;
  }
}

TEST(EntropyOptions, EachIsDescribed) {
  EntropyOptions options;
  OptionSet set;
  options.Declare(&set);
  EXPECT_EQ(set.options().size(), 18U);
  for (const Option& option : set.options()) {
    EXPECT_EQ(PrefixOf(option.key), "entropy");
    EXPECT_NE(option.help, "") << option.key;
    EXPECT_NE(option.source, "") << option.key;
  }
  ASSERT_EQ(set.groups().size(), 1U);
  EXPECT_EQ(set.groups()[0].page, "docs/models/entropies.md");
}

}  // namespace
}  // namespace heddle::testing
