// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/server_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

struct Rated {
  std::string rate, note;
};

/// The rate of an NVLink cable after these flags were given, and the note about it.
Rated RateOf(const Given& given) {
  ServerOptions options;
  std::string ratio;
  FlagSet flags;
  DeclareServers(&options, &flags, kGpusPerServerFlag, 1024);
  flags.AddRatio({"ov", "oversubscription", "ratio", "oversubscription"}, &ratio);
  for (const auto& [name, text] : given) flags.Set(name, text);
  const std::string note = SetNvLinksByGpuType(&flags);
  return {options.nvlink_bandwidth, note};
}

TEST(ServerOptions, BlackwellHasTheRateThatItsKernelsReach) {
  EXPECT_EQ(RateOf({{"gt", "B200"}}).rate, "5508Gbps");
  EXPECT_EQ(RateOf({{"gt", "GB200"}, {"nsps", "9"}}).rate, "612Gbps");
  EXPECT_EQ(RateOf({{"gt", "GB300"}, {"nsps", "7"}}).rate, "786.857Gbps");  // whole Mbps
  EXPECT_EQ(RateOf({{"gt", "B200"}}).note,
            "NVLinks: kernels of B200 reach 5508 Gbps, here 1 x 5508Gbps; -nvbw sets another rate");
}

TEST(ServerOptions, TypesOfSimaiHaveItIfSizesAreNotGivenAsSimaiHasThem) {
  const std::pair<const char*, const char*> rates[] = {
      {"A100", "1900Gbps"}, {"A800", "1270Gbps"}, {"H800", "1280Gbps"}};
  for (const auto& [type, rate] : rates) {
    EXPECT_EQ(RateOf({{"gt", type}, {"ov", "1"}}).rate, rate);
    EXPECT_EQ(RateOf({{"gt", type}}).rate, "2880Gbps") << type;
  }
  EXPECT_EQ(RateOf({{"gt", "A100"}}).note,
            "NVLinks: 2880Gbps, as SimAI's generator has them; kernels of A100 reach 1900Gbps "
            "(-nvbw 1900Gbps)");
}

TEST(ServerOptions, OtherTypesAndGivenRatesStay) {
  for (const char* type : {"H100", "H200", "H20", "unknown"}) {
    const Rated rated = RateOf({{"gt", type}, {"nsps", "2"}, {"ov", "1"}});
    EXPECT_EQ(rated.rate, "2880Gbps") << type;
    EXPECT_EQ(rated.note, "") << type;
  }
  EXPECT_EQ(RateOf({{"gt", "B200"}, {"nvbw", "2880Gbps"}}).rate, "2880Gbps");
  EXPECT_EQ(RateOf({{"gt", "B200"}, {"nvbw", "2880Gbps"}}).note, "");
  EXPECT_EQ(RateOf({{"gt", "B200"}, {"nsps", "0"}}).note, "");
}

}  // namespace
}  // namespace heddle
