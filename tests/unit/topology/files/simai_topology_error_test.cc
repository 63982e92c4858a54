// SPDX-License-Identifier: GPL-2.0-only
/// Every mistake in a topology file gives one message with its place.
#include <gtest/gtest.h>

#include <random>

#include "core/base/check.h"
#include "tests/support/test_data.h"
#include "topology/files/simai_topology.h"

namespace heddle {
namespace {

struct Mistake {
  const char* name;
  const char* text;
  const char* place;   ///< how the message starts
  const char* phrase;  ///< what it must contain
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class BadTopology : public ::testing::TestWithParam<Mistake> {};

TEST_P(BadTopology, IsRefusedWithPlaceAndReason) {
  try {
    ParseSimaiText(GetParam().text, "t.txt");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind(GetParam().place, 0), 0u) << what;
    EXPECT_NE(what.find(GetParam().phrase), std::string::npos) << what;
    EXPECT_NE(what.find("Expected:"), std::string::npos) << what;
  }
}

const Mistake kMistakes[] = {
    {"Empty", "", "t.txt: ", "empty"},
    {"Blank", " \n\n ", "t.txt: ", "empty"},
    {"NotANumber", "x 1 0 1 2 N\n", "t.txt:1: ", "\"x\""},
    {"NumberWithTail", "3x 1 0 1 2 N\n", "t.txt:1: ", "\"3x\""},
    {"NegativeNodes", "-3 1 0 1 2 N\n", "t.txt:1: ", "\"-3\""},
    {"TooManyNodes", "1048577 1 0 1 2 N\n", "t.txt:1: ", "1048576"},
    {"HugeNodes", "99999999999999999999999 1 0 1 2 N\n", "t.txt:1: ", "number of nodes"},
    {"MoreGpusPerServerThanGpus", "3 3 0 1 2 N\n", "t.txt:1: ", "3 GPUs per server"},
    {"NoGpusPerServer", "3 0 0 1 2 N\n", "t.txt:1: ", "GPUs per server"},
    {"TooManyLinks", "3 1 0 1 16000001 N\n2\n", "t.txt:1: ", "16000000"},
    {"NoGpuLeft", "3 1 1 2 2 N\n", "t.txt:1: ", "no GPU is left"},
    {"HeaderCut", "3 1 0 1 2", "t.txt:1: ", "ends"},
    {"IdsMissing", "3 1 0 1 2 N\n", "t.txt:1: ", "ends"},
    {"IdOutOfRange", "3 1 0 1 2 N\n3\n", "t.txt:2: ", "\"3\""},
    {"IdIsAGpu", "3 1 0 1 2 N\n1\n", "t.txt:2: ", "GPU"},
    {"IdTwice", "4 1 0 2 2 N\n3 3\n", "t.txt:2: ", "twice"},
    {"NvSwitchAfterSwitch", "4 1 1 1 2 N\n3 2\n", "t.txt:2: ", "NVSwitch"},
    {"LinksCut", "3 1 0 1 2 N\n2\n0 2 1Gbps 1us 0\n", "t.txt:3: ", "ends"},
    {"LinkCutInside", "3 1 0 1 2 N\n2\n0 2 1Gbps 1us 0\n1 2 1Gbps\n", "t.txt:4: ", "ends"},
    {"AnnouncesFarTooMany", "3 1 0 1 15000000 N\n2\n0 2 1Gbps 1us 0\n", "t.txt:2: ", "too short"},
    {"Garbage", "2 1 0 0 1 N\n\n0 1 1Gbps 1us 0\n7\n", "t.txt:4: ", "after the last link"},
    {"LinkIdOutOfRange", "3 1 0 1 2 N\n2\n0 3 1Gbps 1us 0\n1 2 1Gbps 1us 0\n",
     "t.txt:3: ", "\"3\""},
    {"SelfLoop", "2 1 0 0 1 N\n\n1 1 1Gbps 1us 0\n", "t.txt:3: ", "itself"},
    {"ZeroRate", "2 1 0 0 1 N\n\n0 1 0Gbps 1us 0\n", "t.txt:3: ", "rate"},
    {"NegativeRate", "2 1 0 0 1 N\n\n0 1 -1Gbps 1us 0\n", "t.txt:3: ", "rate"},
    {"RateWithoutUnit", "2 1 0 0 1 N\n\n0 1 100 1us 0\n", "t.txt:3: ", "rate"},
    {"SlowestRate", "2 1 0 0 1 N\n\n0 1 1bps 1us 0\n", "t.txt:3: ", "rate"},
    {"AbsurdRate", "2 1 0 0 1 N\n\n0 1 2000000Gbps 1us 0\n", "t.txt:3: ", "rate"},
    {"NegativeDelay", "2 1 0 0 1 N\n\n0 1 1Gbps -1us 0\n", "t.txt:3: ", "delay"},
    {"DelayWithoutUnit", "2 1 0 0 1 N\n\n0 1 1Gbps 5 0\n", "t.txt:3: ", "delay"},
    {"AbsurdDelay", "2 1 0 0 1 N\n\n0 1 1Gbps 2s 0\n", "t.txt:3: ", "delay"},
    {"ErrorRateOne", "2 1 0 0 1 N\n\n0 1 1Gbps 1us 1\n", "t.txt:3: ", "error rate"},
    {"ErrorRateNegative", "2 1 0 0 1 N\n\n0 1 1Gbps 1us -0.1\n", "t.txt:3: ", "error rate"},
    {"ErrorRateNan", "2 1 0 0 1 N\n\n0 1 1Gbps 1us nan\n", "t.txt:3: ", "error rate"},
    {"ErrorRateText", "2 1 0 0 1 N\n\n0 1 1Gbps 1us x\n", "t.txt:3: ", "error rate"},
    {"LonelyGpu", "3 1 0 0 1 N\n\n0 1 1Gbps 1us 0\n", "t.txt: ", "GPU 2 has no link"},
};

INSTANTIATE_TEST_SUITE_P(All, BadTopology, ::testing::ValuesIn(kMistakes),
                         [](const auto& mistake) { return std::string(mistake.param.name); });

TEST(BadTopologies, ASwitchWithoutLinksIsAllowed) {
  EXPECT_NO_THROW(ParseSimaiText("3 1 0 1 1 N\n2\n0 1 1Gbps 1us 0\n", "t"));
}

TEST(BadTopologies, RandomDamageIsAcceptedOrRefusedButNeverWorse) {
  const std::string good = ReadText(CasePath("f_single_cc1", "topo.txt"));
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int i = 0; i < 3; ++i) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    text.resize(random() % 4 == 0 ? random() % text.size() : text.size());
    try {
      ParseSimaiText(text, "t");
    } catch (const UserError&) {
    }
  }
}

}  // namespace
}  // namespace heddle
