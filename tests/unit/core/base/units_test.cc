// SPDX-License-Identifier: GPL-2.0-only
#include "core/base/units.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

std::string RefusalOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Units, TimeIsExactInPicoseconds) {
  EXPECT_EQ(ParseTime("0.0005ms").ps, 500'000);
  EXPECT_EQ(ParseTime("0.000025ms").ps, 25'000);
  EXPECT_EQ(ParseTime("1e-06s").ps, 1'000'000);
  EXPECT_EQ(ParseTime("1E+3ns").ps, 1'000'000);
  EXPECT_EQ(ParseTime("25ns").ps, 25'000);
  EXPECT_EQ(ParseTime("7ps").ps, 7);
  EXPECT_EQ(ParseTime("7 ps").ps, 7);
  EXPECT_EQ(ParseTime(".5us").ps, 500'000);
  EXPECT_EQ(ParseTime("0s").ps, 0);
  EXPECT_EQ(ParseTime("0e9999s").ps, 0);
  EXPECT_EQ(ParseTime("9223372.036854775807s"), Time::Max());
}

TEST(Units, TimeIsRoundedToTheNearestPicosecond) {
  EXPECT_EQ(ParseTime("0.00040100000000000004s").ps, 401'000'000);
  EXPECT_EQ(ParseTime("0.0004ns").ps, 0);
  EXPECT_EQ(ParseTime("0.0005ns").ps, 1);
  EXPECT_EQ(ParseTime("1.4999999999999999999999999999999999ps").ps, 1);
  EXPECT_EQ(ParseTime("1e-9999s").ps, 0);
}

TEST(Units, BadTimesAreRefusedWithTextAndUnits) {
  for (const char* text : {"", "5", "ns", "-5ns", "nan", "inf", "infs", "1.2.3ns", "1e", "1ens",
                           "1e+-3s", "0x10ns", "5 ns ", "5NS", "5min", "9223373s", "1e300s",
                           "99999999999999999999999999999999999999999999s", "1e99999999999s"}) {
    const std::string message = RefusalOf([&] { ParseTime(text); });
    EXPECT_NE(message.find("'" + std::string(text) + "'"), std::string::npos) << message;
    EXPECT_NE(message.find("ps, ns, us, ms, s"), std::string::npos) << message;
  }
  EXPECT_NE(RefusalOf([] { ParseTime("-5ns"); }).find("negative"), std::string::npos);
  EXPECT_NE(RefusalOf([] { ParseTime("5"); }).find("no unit"), std::string::npos);
  EXPECT_NE(RefusalOf([] { ParseTime("1e300s"); }).find("out of range"), std::string::npos);
}

// Found by tests/fuzz.
TEST(Units, MessagesArePrintableAndShort) {
  EXPECT_EQ(RefusalOf([] {
              ParseTime("5\x1b[2Js");
            }).find("'5\\x1b[2Js' has the unknown unit '\\x1b[2Js'"),
            0u);
  EXPECT_LT(RefusalOf([] { ParseTime(std::string(5000, '9')); }).size(), 200u);
  EXPECT_LT(RefusalOf([] { ParseBitRate("0" + std::string(5000, ' ') + "bps"); }).size(), 250u);
}

TEST(Units, Rates) {
  EXPECT_EQ(ParseBitRate("400Gbps").bps, 400'000'000'000);
  EXPECT_EQ(ParseBitRate("2880Gb/s").bps, 2'880'000'000'000);
  EXPECT_EQ(ParseBitRate("2.88Tbps").bps, 2'880'000'000'000);
  EXPECT_EQ(ParseBitRate("100Mbps").bps, 100'000'000);
  EXPECT_EQ(ParseBitRate("50000bps").bps, 50'000);
  for (const char* text : {"0Gbps", "0.1bps", "-1Gbps", "100", "100GB/s", "fast", "1e30Gbps"}) {
    const std::string message = RefusalOf([&] { ParseBitRate(text); });
    EXPECT_NE(message.find("'" + std::string(text) + "'"), std::string::npos) << message;
    EXPECT_NE(message.find("Gbps"), std::string::npos) << message;
  }
}

TEST(Units, Sizes) {
  EXPECT_EQ(ParseBytes("16MiB").count, 16 << 20);
  EXPECT_EQ(ParseBytes("1MB").count, 1'000'000);
  EXPECT_EQ(ParseBytes("1.5KiB").count, 1536);
  EXPECT_EQ(ParseBytes("4kB").count, 4000);
  EXPECT_EQ(ParseBytes("4096").count, 4096);
  EXPECT_EQ(ParseBytes("4096B").count, 4096);
  for (const char* text : {"-1B", "MiB", "1mb", "9000000TiB"}) {
    EXPECT_NE(RefusalOf([&] { ParseBytes(text); }).find("KiB"), std::string::npos) << text;
  }
}

TEST(Units, TextsForPeople) {
  EXPECT_EQ(ToText(Time{850'300'000}), "850.3us");
  EXPECT_EQ(ToText(Time{25'000}), "25ns");
  EXPECT_EQ(ToText(Time{3}), "3ps");
  EXPECT_EQ(ToText(Time{0}), "0s");
  EXPECT_EQ(ToText(Time{-1'500}), "-1.5ns");
  EXPECT_EQ(ToText(BitRate{400'000'000'000}), "400Gbps");
  EXPECT_EQ(ToText(BitRate{2'880'000'000'000}), "2880Gbps");
  EXPECT_EQ(ToText(BitRate{1'000'000'000'000}), "1Tbps");
  EXPECT_EQ(ToText(BitRate{1'001}), "1001bps");
  EXPECT_EQ(ToText(Bytes{10'000'000}), "9.54 MiB");
  EXPECT_EQ(ToText(Bytes{512}), "512 B");
}

TEST(Units, TextsReadBackAsTheSameValue) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto n = static_cast<std::int64_t>(random() >> (1 + random() % 62));
    EXPECT_EQ(ParseTime(ToText(Time{n})).ps, n);
    if (n > 0) {
      EXPECT_EQ(ParseBitRate(ToText(BitRate{n})).bps, n);
    }
  }
}

}  // namespace
}  // namespace heddle
