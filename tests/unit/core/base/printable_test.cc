// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/printable.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

using namespace std::string_view_literals;

TEST(Printable, NamesInAnyScriptStay) {
  for (const char* text : {"a b~", "C:\\temp", "M\u00fcnchen", "\u670d\u52a1\u5668", "\U0001f600"})
    EXPECT_EQ(Printable(text), text);
}

/// A title of the terminal, a cleared screen, a line that looks like ours.
TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(Printable("A\x1b]0;x\x07"sv), "A\\x1b]0;x\\x07");
  EXPECT_EQ(Printable("\0\t\n\r\x7f"sv), "\\x00\\t\\n\\r\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b\x32J"sv), "\\xc2\\x9b2J");  // C1: a terminal may take it for ESC [
}

TEST(Printable, WhatIsInvisibleOrNoUtf8IsEscaped) {
  EXPECT_EQ(Printable("\xef\xbb\xbftime"), "\\xef\\xbb\\xbftime");  // byte-order mark
  EXPECT_EQ(Printable("\u202etxt.h5"), "\\xe2\\x80\\xaetxt.h5");    // right to left
  EXPECT_EQ(Printable("\xff\xc0\x80\xe4\xb8"), "\\xff\\xc0\\x80\\xe4\\xb8");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, LongTextsEndBetweenCharacters) {
  EXPECT_EQ(Printable("12345", 5), "12345");
  EXPECT_EQ(Printable("123456", 5), "12345...");
  EXPECT_EQ(Printable("1234\u00fc", 5), "1234...");
  EXPECT_EQ(Printable("1234\n6", 5), "1234...") << "what is shown counts";
  EXPECT_EQ(Printable(std::string(5000, '\xff'), 60).size(), 63U);
}

TEST(Printable, LinesKeepTheirEndsAndTabs) {
  EXPECT_EQ(PrintableLines("a\tb\n\x1b[2J\r\n"), "a\tb\n\\x1b[2J\\r\n");
}

}  // namespace
}  // namespace heddle
