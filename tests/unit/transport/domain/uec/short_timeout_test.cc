// SPDX-License-Identifier: GPL-2.0-only
/// Ultra Ethernet with a retransmission timeout below the round trip: every packet is sent several
/// times, and flows end all the same.
#include <gtest/gtest.h>

#include "core/options/options.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

/// GPUs 0 and 1 at switch 2. The receiver's link has an eighth of the sender's rate, so packets are
/// trimmed; a round trip takes 44 us.
Graph NarrowEnd() {
  Graph graph(2, 0, 1, 1, "X");
  graph.AddLink({NodeId(0), NodeId(2), BitRate{200 * kG}, PicoSeconds(20 * kMicro), 0});
  graph.AddLink({NodeId(1), NodeId(2), BitRate{25 * kG}, PicoSeconds(kMicro), 0});
  return graph;
}

/// A NACK may answer the first of two sends. If it were taken for the answer to the second, the
/// round trip would seem to be next to nothing, and probes would follow each other without end.
TEST(UecShortTimeout, OfAPacketSentTwiceANackTellsNoRoundTrip) {
  for (const char* sleek : {"uec.sleek=false", "uec.sleek=true"}) {
    for (const char* congestion : {"nscc", "rccc", "both", "none"}) {
      TransportOptions options;
      OptionSet keys;
      options.Declare(&keys);
      keys.SetAll({"transport.protocol=uec", "uec.min_rto=5us", sleek,
                   std::string("uec.congestion=") + congestion});
      const std::int64_t bytes = 333'333;
      const Observed run = Simulate(NarrowEnd(), {Flow(0, 1, bytes)}, options);
      EXPECT_TRUE(AllFinished(run)) << sleek << " " << congestion;
      EXPECT_GT(run.books.timeouts, 0) << "the timeout is shorter than the round trip";
      // A packet takes two links, as its answer does, and is sent some ten times in a round trip.
      EXPECT_LT(run.books.link_packets, 200 * bytes / 4086) << sleek << " " << congestion;
    }
  }
}

}  // namespace
}  // namespace heddle::testing
