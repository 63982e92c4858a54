// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/csv_field.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(CsvField, PlainTextsStay) {
  for (const char* text : {"", "rail.txt", "embedding layer", "a=b", "x-y", "50%"})
    EXPECT_EQ(CsvField(text), text);
}

TEST(CsvField, SeparatorsAndQuotesAreQuoted) {
  EXPECT_EQ(CsvField("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(CsvField("a;b"), "\"a;b\"");
  EXPECT_EQ(CsvField("a\nb"), "\"a\nb\"");
}

/// A spreadsheet would compute these.
TEST(CsvField, NoTextIsAFormula) {
  EXPECT_EQ(CsvField("=1+1"), "'=1+1");
  EXPECT_EQ(CsvField("=1+1,x"), "\"'=1+1,x\"");
  EXPECT_EQ(CsvField("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(CsvField("+cmd|x"), "'+cmd|x");
  EXPECT_EQ(CsvField("-2+3"), "'-2+3");
  EXPECT_EQ(CsvField("\t=1"), "\"'\t=1\"");
}

TEST(CsvField, NumbersStay) {
  for (const char* text : {"-5", "+3", "-1.5e9", "-"})
    EXPECT_EQ(CsvField(text), text[1] == '\0' ? "'-" : text);
}

}  // namespace
}  // namespace heddle
