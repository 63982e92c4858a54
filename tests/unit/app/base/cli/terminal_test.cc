// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/terminal.h"

#include <gtest/gtest.h>

#include "core/app/base/cli/command_table.h"
#include "core/app/base/completion/completion.h"

namespace heddle {
namespace {

TEST(Terminal, HeadsAreBoldAndNothingElse) {
  const std::string help = "Usage: heddle run\n\nInputs:\n  -n FILE: a file:\nlast:";
  EXPECT_EQ(WithBoldHeads(help, false), help);
  EXPECT_EQ(WithBoldHeads(help, true),
            "Usage: heddle run\n\n\033[1mInputs:\033[0m\n  -n FILE: a file:\n\033[1mlast:\033[0m");
}

TEST(CommandTable, EveryCommandDescribesItself) {
  for (const Command& command : Commands()) {
    for (const CommandDescription& description : Describe(command)) {
      const bool has_subjects_only = description.name == "analyze" || description.name == "plan";
      EXPECT_EQ(description.flags.empty(), has_subjects_only) << description.name;
      EXPECT_FALSE(description.help.empty()) << description.name;
    }
  }
}

TEST(Completion, QuotesAreHarmless) {
  EXPECT_EQ(Quoted("a b"), "'a b'");
  EXPECT_EQ(Quoted("SimAI's").find('\'', 1), Quoted("SimAI's").size() - 1);
  EXPECT_EQ(ChoicesOf("a|b|c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(ChoicesOf("FILE").empty());
}

}  // namespace
}  // namespace heddle
