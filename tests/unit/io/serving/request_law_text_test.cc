// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/request_law_text.h"

#include <gtest/gtest.h>

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

TEST(RequestLawText, Values) {
  const RequestLaw law =
      ParseRequestLaw("gamma,rate=8,shape=0.5,count=100,input=exponential:2000,output=uniform:3-9");
  EXPECT_EQ(law.arrivals, ArrivalLaw::kGamma);
  EXPECT_EQ(law.gap, MicroSeconds(125'000));
  EXPECT_DOUBLE_EQ(law.shape, 0.5);
  EXPECT_EQ(law.count, 100);
  EXPECT_EQ(law.input.kind, LengthLaw::Kind::kExponential);
  EXPECT_EQ(law.input.low, 2000);
  EXPECT_EQ(law.output.low, 3);
  EXPECT_EQ(law.output.high, 9);
  EXPECT_EQ(ParseRequestLaw("constant,rate=1,count=1,input=7,output=1").input.low, 7);
}

TEST(RequestLawText, LawsAndFiles) {
  EXPECT_TRUE(IsRequestLaw("poisson,rate=1"));
  EXPECT_TRUE(IsRequestLaw("gamma"));
  EXPECT_FALSE(IsRequestLaw("poisson.csv"));
  EXPECT_FALSE(IsRequestLaw("a/poisson,1"));
}

TEST(RequestLawText, Mistakes) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"poisson", "no rate in 'poisson'"},
      {"poisson,rate=0,count=1,input=1,output=1", "rate=0. Expected: a number from"},
      {"poisson,rate=1,rate=2", "rate a second time"},
      {"poisson,speed=1", "unknown key 'speed'"},
      {"poisson,rate", "'rate'. Expected: KEY=VALUE"},
      {"poisson,rate=1,count=1,input=-3,output=1", "input=-3"},
      {"poisson,rate=1,count=1,input=uniform:9-3,output=1", "input=uniform:9-3"},
      {"poisson,rate=1,count=1,input=normal:9,output=1", "input=normal:9. Expected: N, uniform"},
      {"poisson,rate=1,count=1,input=1,output=1,shape=2", "shape without gamma"}};
  for (const auto& [text, message] : mistakes) {
    const std::string found = MessageOf([text = text] { ParseRequestLaw(text); });
    const std::string expected = std::string("--requests: ") + message;
    EXPECT_EQ(found.substr(0, expected.size()), expected) << text;
  }
}

TEST(RequestLawText, AnotherRate) {
  EXPECT_EQ(WithRate("poisson,rate=8,count=3,input=1,output=1", 2.5),
            "poisson,rate=2.5,count=3,input=1,output=1");
  EXPECT_EQ(WithRate("poisson,count=3,input=1,output=1,rate=8", 16),
            "poisson,count=3,input=1,output=1,rate=16");
  EXPECT_EQ(WithRate("poisson,count=3", 1), "poisson,count=3,rate=1");
}

}  // namespace
}  // namespace heddle
