// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/dot_tokens.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

/// The message, or nothing if the text is accepted.
std::string Refusal(const std::string& text) {
  try {
    CheckDotTokens(text, "net.dot");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

const std::string kLong(kMostDotToken, 'x');

TEST(DotTokens, ALongTextIsRefusedWithItsLine) {
  EXPECT_EQ(Refusal("digraph {\nH1 -> S1 [comment=\"" + kLong + "\"];\n}"),
            "net.dot:2: a text or name of 2097154 bytes. Expected: at most 2097152");
  EXPECT_NE(Refusal("digraph { x" + kLong + " -> b }").find("net.dot:1: "), std::string::npos);
  EXPECT_NE(Refusal("digraph { a [label=<<b>" + kLong + "</b>>] }"), "");
}

TEST(DotTokens, AQuoteBehindABackslashEndsNoText) {
  EXPECT_NE(Refusal("\"\\\"" + kLong + "\""), "");
}

TEST(DotTokens, ManyShortOnesAreAccepted) {
  std::string text = "digraph {";
  while (text.size() < 2 * kMostDotToken) text += "\"H1\" -> \"S1\" [comment=\"H2, H3\"];";
  EXPECT_EQ(Refusal(text + "}"), "");
  EXPECT_EQ(Refusal("digraph { \"" + kLong.substr(2) + "\" }"), "");
}

TEST(DotTokens, UnfinishedTextsAreNoTrouble) {
  for (const char* text : {"", "\"", "<", "\"\\", "a", "<<>"}) EXPECT_EQ(Refusal(text), "") << text;
}

}  // namespace
}  // namespace heddle
