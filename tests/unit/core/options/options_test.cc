// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace heddle {
namespace {

template <class Failure = UserError>
std::string MessageOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& error) {
    return error.what();
  }
  return "no error";
}

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() {
    options_.Add({"transport.window", "HAS_WIN", "limit the window", "", "HPCC"}, &window_);
    options_.Add({"switch.buffer", "BUFFER_SIZE", "buffer", "MiB", "SimAI"}, &buffer_, 1, 4096);
    options_.Add({"dcqcn.gain", "EWMA_GAIN", "gain", "1", "DCQCN"}, &gain_, 0.0, 1.0);
    options_.Add({"dcqcn.timer", "RP_TIMER", "timer", "us", "DCQCN"}, &timer_, Time{0},
                 MicroSeconds(65'535), "us");
    options_.Add({"run.latency", "", "latency", "us", "heddle"}, &latency_, Time{0},
                 MicroSeconds(100), "");
    options_.Add({"run.engine", "", "engine", "", "heddle"}, &engine_, {"plain", "ns3"});
    options_.AddUnused({"TRACE_FILE", "no packet trace"});
  }

  bool window_ = true;
  std::int64_t buffer_ = 32;
  double gain_ = 0.00390625;
  Time timer_ = MicroSeconds(900);
  Time latency_ = MicroSeconds(6);
  std::string engine_ = "plain";
  OptionSet options_;
};

TEST_F(OptionsTest, DefaultsAreTheBoundValues) {
  ASSERT_EQ(options_.options().size(), 6u);
  EXPECT_EQ(options_.options()[0].default_text, "true");
  EXPECT_EQ(options_.options()[1].default_text, "32");
  EXPECT_EQ(options_.options()[1].range, "1..4096");
  EXPECT_EQ(options_.options()[2].default_text, "0.00390625");
  EXPECT_EQ(options_.options()[3].default_text, "900us");
  EXPECT_EQ(options_.options()[5].range, "plain, ns3");
}

TEST_F(OptionsTest, SetsByEitherName) {
  options_.Set("HAS_WIN", "0");
  options_.Set("switch.buffer", "16");
  options_.Set("EWMA_GAIN", "0.5");
  options_.Set("RP_TIMER", "55");
  options_.Set("run.latency", "7200ns");
  options_.Set("run.engine", "ns3");
  EXPECT_FALSE(window_);
  EXPECT_EQ(buffer_, 16);
  EXPECT_EQ(gain_, 0.5);
  EXPECT_EQ(timer_, MicroSeconds(55));
  EXPECT_EQ(latency_, NanoSeconds(7200));
  EXPECT_EQ(engine_, "ns3");
  EXPECT_TRUE(options_.options()[0].set_by_user);
  EXPECT_EQ(options_.options()[0].get(), "false");
  EXPECT_EQ(options_.options()[0].default_text, "true");
}

TEST_F(OptionsTest, WhatIsKeptTwiceFollows) {
  Time copy = latency_;
  options_.WhenSet("run.latency", [&] { copy = latency_; });
  options_.Set("run.latency", "7200ns");
  EXPECT_EQ(copy, NanoSeconds(7200));
  EXPECT_THROW(options_.Set("run.latency", "5"), UserError);
  EXPECT_EQ(copy, NanoSeconds(7200)) << "a refused value changes nothing";
  EXPECT_THROW(options_.WhenSet("run.latensy", [] {}), InvariantError);
}

TEST_F(OptionsTest, APresetGivesWayToTheUser) {
  Time copy = latency_;
  options_.WhenSet("run.latency", [&] { copy = latency_; });
  EXPECT_TRUE(options_.Preset("run.latency", "7200ns"));
  EXPECT_EQ(latency_, NanoSeconds(7200));
  EXPECT_EQ(copy, latency_);
  EXPECT_FALSE(options_.FindByName("run.latency")[0]->set_by_user);
  options_.Set("run.latency", "5us");
  EXPECT_FALSE(options_.Preset("run.latency", "7200ns"));
  EXPECT_EQ(latency_, MicroSeconds(5));
  EXPECT_THROW(options_.Preset("run.latensy", "5us"), InvariantError);
}

/// In the option's unit, or with any unit of data if that is a whole number of its own.
TEST_F(OptionsTest, SizesMayHaveAUnit) {
  options_.Set("BUFFER_SIZE", "32MiB");
  EXPECT_EQ(buffer_, 32);
  options_.Set("BUFFER_SIZE", "2GiB");
  EXPECT_EQ(buffer_, 2048);
  options_.Set("BUFFER_SIZE", "1024KiB");
  EXPECT_EQ(buffer_, 1);
  for (const char* wrong : {"32MB", "1.5MiB", "5000MiB", "16Gbps", "-1MiB"})
    EXPECT_THROW(options_.Set("BUFFER_SIZE", wrong), UserError) << wrong;
  EXPECT_EQ(buffer_, 1);
}

TEST_F(OptionsTest, BoolsTakeNumbersAndWords) {
  for (const char* yes : {"1", "true"}) {
    window_ = false;
    options_.Set("HAS_WIN", yes);
    EXPECT_TRUE(window_);
  }
  for (const char* no : {"0", "false"}) {
    window_ = true;
    options_.Set("HAS_WIN", no);
    EXPECT_FALSE(window_);
  }
}

TEST_F(OptionsTest, BadValuesSayWhatIsExpectedAndChangeNothing) {
  const auto message = [&](const char* key, const char* value) {
    return MessageOf([&] { options_.Set(key, value); });
  };
  EXPECT_EQ(message("BUFFER_SIZE", "x"),
            "option switch.buffer (BUFFER_SIZE): found 'x'. Expected: an integer from 1 to 4096 "
            "(MiB), or a size with its unit, such as 32MiB");
  EXPECT_EQ(message("switch.buffer", "0"), message("BUFFER_SIZE", "0"));
  EXPECT_EQ(message("HAS_WIN", "yes"),
            "option transport.window (HAS_WIN): found 'yes'. Expected: true or false (or 1 or 0)");
  EXPECT_EQ(message("dcqcn.gain", "nan"),
            "option dcqcn.gain (EWMA_GAIN): found 'nan'. Expected: a number from 0 to 1");
  EXPECT_EQ(
      message("RP_TIMER", "1s"),
      "option dcqcn.timer (RP_TIMER): found '1s'. Expected: a time from 0s to 65.535ms, in us "
      "unless it has a unit");
  EXPECT_EQ(message("run.latency", "5"),
            "option run.latency: found '5'. Expected: a time from 0s to 100us, with a unit such as "
            "us");
  EXPECT_EQ(message("run.engine", "fast"),
            "option run.engine: found 'fast'. Expected: one of plain, ns3");
  for (const char* text : {"", " 5", "5 ", "5x", "+5", "99999999999999999999"}) {
    EXPECT_NE(message("BUFFER_SIZE", text), "no error") << text;
  }
  EXPECT_EQ(buffer_, 32);
  EXPECT_TRUE(window_);
  EXPECT_FALSE(options_.options()[1].set_by_user);
}

TEST_F(OptionsTest, RatesNeedAUnitAndStayInRange) {
  BitRate rate{100'000'000};
  options_.Add({"rate.minimum", "MIN_RATE", "lowest rate", "bit/s", "SimAI"}, &rate, BitRate{1'000},
               BitRate{400'000'000'000});
  EXPECT_EQ(options_.options().back().default_text, "100Mbps");
  EXPECT_EQ(options_.options().back().range, "1kbps..400Gbps");
  options_.Set("MIN_RATE", "50Mb/s");
  EXPECT_EQ(rate, BitRate{50'000'000});
  options_.Set("rate.minimum", "400Gbps");
  EXPECT_EQ(options_.options().back().get(), "400Gbps");
  for (const char* text : {"0bps", "999bps", "401Gbps", "50", "fast", ""}) {
    EXPECT_EQ(MessageOf([&] { options_.Set("MIN_RATE", text); }),
              std::string("option rate.minimum (MIN_RATE): found '") + text +
                  "'. Expected: a rate from 1kbps to 400Gbps, with a unit such as Mb/s or Gbps");
  }
  EXPECT_EQ(rate, BitRate{400'000'000'000});
}

// Found by tests/fuzz: the message contained all bytes of the input.
TEST_F(OptionsTest, MessagesArePrintableAndShort) {
  const std::string bytes = "3\x1b[2J\xff";
  EXPECT_EQ(
      MessageOf([&] { options_.Set("BUFFER_SIZE", "3\xff"); }),
      "option switch.buffer (BUFFER_SIZE): found '3\\xff'. Expected: an integer from 1 to 4096 "
      "(MiB), or a size with its unit, such as 32MiB");
  EXPECT_NE(MessageOf([&] { options_.Set(bytes, "1"); }).find("unknown option '3\\x1b[2J\\xff'"),
            std::string::npos);
  for (const char* key : {"BUFFER_SIZE", "RP_TIMER", "run.engine", "none"}) {
    const std::string message = MessageOf([&] { options_.Set(key, std::string(5000, '9')); });
    EXPECT_LT(message.size(), 300u) << message;
  }
  EXPECT_LT(MessageOf([&] { options_.Set(std::string(5000, 'k'), "1"); }).size(), 300u);
  Option own;
  own.key = "own";
  own.set = [](std::string_view text) { ParseTime(text); };
  options_.Add(own);
  EXPECT_EQ(
      MessageOf([&] { options_.Set("own", "5\xc2\xb5s"); }),
      "option own: found '5\xc2\xb5s'. Expected: '5\xc2\xb5s' has the unknown unit '\xc2\xb5s'. "
      "Expected: a number "
      "and one of ps, ns, us, ms, s, such as 500ns or 0.0005ms");
}

// Found by tests/fuzz: a text with a zero byte cannot be stored in the result.
TEST_F(OptionsTest, ControlCharactersAreRefused) {
  std::string text = "before";
  options_.Add({"run.name", "", "name", "", "heddle"}, &text, {});
  for (const std::string& bad :
       {std::string("a\0b", 3), std::string("\x1b[2J"), std::string("a\nb")}) {
    EXPECT_NE(
        MessageOf([&] { options_.Set("run.name", bad); }).find("Expected: text without control"),
        std::string::npos);
  }
  EXPECT_EQ(text, "before");
  options_.Set("run.name",
               "Gr\xc3\xb6\xc3\x9f"
               "e\t1");
  EXPECT_EQ(text,
            "Gr\xc3\xb6\xc3\x9f"
            "e\t1");
}

TEST_F(OptionsTest, PlaceComesFirst) {
  EXPECT_EQ(
      MessageOf([&] {
        options_.Set("BUFFER_SIZE", "x", {"SimAI.conf", 7});
      }),
      "SimAI.conf:7: option switch.buffer (BUFFER_SIZE): found 'x'. Expected: an integer from "
      "1 to 4096 (MiB), or a size with its unit, such as 32MiB");
}

TEST_F(OptionsTest, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(MessageOf([&] { options_.Set("transport.windw", "1"); }),
            "unknown option 'transport.windw'. Expected: a known option; the nearest is "
            "transport.window");
  EXPECT_NE(MessageOf([&] { options_.Set("has_wim", "1"); }).find("HAS_WIN"), std::string::npos);
  EXPECT_NE(MessageOf([&] { OptionSet().Set("x", "1"); }).find("'x'"), std::string::npos);
}

TEST_F(OptionsTest, UnusedKeysAreRemembered) {
  options_.Set("TRACE_FILE", "a");
  options_.Set("TRACE_FILE", "b");
  ASSERT_EQ(options_.given_but_unused().size(), 1u);
  EXPECT_EQ(options_.given_but_unused()[0], "TRACE_FILE");
  EXPECT_TRUE(options_.Knows("TRACE_FILE"));
  EXPECT_FALSE(options_.Knows(""));
}

TEST_F(OptionsTest, DeclaringTwiceIsOurMistake) {
  EXPECT_NE(MessageOf<InvariantError>([&] {
              options_.Add({"run.other", "HAS_WIN", "", "", ""}, &window_);
            }).find("HAS_WIN"),
            std::string::npos);
  EXPECT_NE(MessageOf<InvariantError>([&] {
              options_.AddUnused({"TRACE_FILE", ""});
            }).find("TRACE_FILE"),
            std::string::npos);
}

TEST(OptionSet, FoundByAnyOfItsNames) {
  OptionSet options;
  bool first = false, second = true;
  options.Add({"a.first", "FIRST", "", "", "", {"VARIABLE"}}, &first);
  options.Add({"a.second", "", "", "", "", {"OTHER", "VARIABLE"}}, &second);
  EXPECT_EQ(options.FindByName("a.first").size(), 1u);
  EXPECT_EQ(options.FindByName("FIRST").size(), 1u);
  EXPECT_EQ(options.FindByName("VARIABLE").size(), 2u);
  EXPECT_EQ(options.FindByName("variable").size(), 2u);
  EXPECT_TRUE(options.FindByName("").empty());
  EXPECT_TRUE(options.FindByName("VARIABL").empty());
  EXPECT_EQ(options.options()[0].choices, (std::vector<std::string>{"true", "false"}));
}

TEST(OptionSet, AGroupIsDeclaredOnce) {
  OptionSet options;
  options.AddGroup({"a", "", ""});
  EXPECT_THROW(options.AddGroup({"a", "other", ""}), InvariantError);
  EXPECT_EQ(PrefixOf("a.first"), "a");
}

}  // namespace
}  // namespace heddle
