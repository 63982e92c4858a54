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
  FlagSet flags;
  DeclareServers(&options, &flags, kGpusPerServerFlag, 1024);
  for (const auto& [name, text] : given) flags.Set(name, text);
  const std::string note = SetNvLinksByGpuType(&flags);
  return {options.nvlink_bandwidth, note};
}

TEST(ServerOptions, BlackwellHasEighteenNvLinksOf400Gbps) {
  EXPECT_EQ(RateOf({{"gt", "B200"}}).rate, "7200Gbps");
  EXPECT_EQ(RateOf({{"gt", "GB200"}, {"nsps", "9"}}).rate, "800Gbps");
  EXPECT_EQ(RateOf({{"gt", "GB200"}, {"nsps", "18"}}).rate, "400Gbps");
  EXPECT_EQ(RateOf({{"gt", "B200"}, {"nsps", "7"}}).rate, "1028.571Gbps");  // whole Mbps
  EXPECT_EQ(RateOf({{"gt", "B200"}}).note,
            "NVLinks: a B200 has 7200 Gbps, here 1 x 7200Gbps; -nvbw sets another rate");
}

TEST(ServerOptions, OtherTypesAndGivenRatesStay) {
  for (const char* type : {"A100", "A800", "H100", "H800", "H20", "unknown"}) {
    const Rated rated = RateOf({{"gt", type}, {"nsps", "2"}});
    EXPECT_EQ(rated.rate, "2880Gbps") << type;
    EXPECT_EQ(rated.note, "") << type;
  }
  EXPECT_EQ(RateOf({{"gt", "B200"}, {"nvbw", "2880Gbps"}}).rate, "2880Gbps");
  EXPECT_EQ(RateOf({{"gt", "B200"}, {"nvbw", "2880Gbps"}}).note, "");
  EXPECT_EQ(RateOf({{"gt", "B200"}, {"nsps", "0"}}).note, "");
}

}  // namespace
}  // namespace heddle
