// SPDX-License-Identifier: GPL-2.0-only
/// Errors of traffic patterns, which name the wrong flag.
#include <cmath>
#include <limits>

#include "tests/support/traffic_options.h"

namespace heddle {
namespace {

TEST(TrafficPatterns, RefusalsNameTheFlag) {
  const auto refusal = [](ArrivalPattern pattern, const auto& change) {
    TrafficOptions options = OptionsOf(pattern, 10);
    change(options);
    return Refusal(options);
  };
  using O = TrafficOptions;
  const auto constant = [&](const auto& change) {
    return refusal(ArrivalPattern::kConstant, change);
  };
  EXPECT_EQ(constant([](O& o) { o.gpus_per_server = 0; }),
            "--gpus-per-server: found 0. Expected: a number from 1 to 1024");
  EXPECT_EQ(constant([](O& o) { o.gpus = 2'000'000; }),
            "found 2000000 GPUs. Expected: from 1 to 1048576 (--servers times --gpus-per-server)");
  EXPECT_EQ(constant([](O& o) { o.gpus = 8; }),
            "found 8 GPUs in one server. Expected: two servers, as flows of pattern constant leave "
            "theirs");
  EXPECT_EQ(constant([](O& o) { o.size = {0}; }),
            "--kv-size: found 0. Expected: a number from 1 to 1099511562240");
  EXPECT_EQ(constant([](O& o) { o.size = {kMaxFlowBytes + 1}; }),
            "--kv-size: found 1099511562241. Expected: a number from 1 to 1099511562240");
  EXPECT_EQ(constant([](O& o) { o.interval_ns = 0.5; }),
            "--interval-ns: found 0.5. Expected: a number from 1 to 8640000000000000");
  EXPECT_EQ(constant([](O& o) { o.interval_ns = std::nan(""); }),
            "--interval-ns: found nan. Expected: a number from 1 to 8640000000000000");
  EXPECT_EQ(constant([](O& o) { o.flows = 10'000'001; }),
            "--flows: found 10000001. Expected: a number from 1 to 10000000");
  EXPECT_EQ(constant([](O& o) { o.flows.reset(); }),
            "found no end of the trace. Expected: --flows or --duration");
  EXPECT_EQ(constant([](O& o) { o.duration = Time{}; }),
            "--duration: found 0s. Expected: a time above 0, at most 100 days");
  EXPECT_EQ(constant([](O& o) { o.interval_ns = 1e15; }),
            "flow 10 would start later than after 100 days, the longest trace. Expected: fewer "
            "flows, a shorter interval or a higher rate");
  EXPECT_EQ(constant([](O& o) {
              o.prefill_servers = {1, 16}, o.decode_servers = {2};
            }),
            "--prefill-servers: found server 16. Expected: a server from 0 to 15");
  EXPECT_EQ(constant([](O& o) {
              o.prefill_servers = {1, 3}, o.decode_servers = {2, 3};
            }),
            "--decode-servers: found server 3, which is in --prefill-servers. Expected: other "
            "servers");
  EXPECT_EQ(constant([](O& o) { o.prefill_servers = {1}; }),
            "no server is left that receives. Expected: servers that send (--prefill-servers) and "
            "servers that receive (--decode-servers)");
  EXPECT_EQ(refusal(ArrivalPattern::kBurst, [](O& o) { o.burst_size = 0; }),
            "--burst-size: found 0. Expected: a number from 1 to 10000000");
  EXPECT_EQ(refusal(ArrivalPattern::kBurst, [](O& o) { o.interval_ns = 0; }),
            "--burst-interval-ns: found 0. Expected: a number from 1 to 8640000000000000");
  EXPECT_EQ(refusal(ArrivalPattern::kHotspot, [](O& o) { o.hotspot_fraction = -0.1; }),
            "--hotspot-fraction: found -0.1. Expected: a number from 0 to 1");
  EXPECT_EQ(refusal(ArrivalPattern::kHotspot,
                    [](O& o) {
                      o.prefill_servers = {1, 3}, o.decode_servers = {2, 4};
                    }),
            "--src-server: found 0. Expected: one of --prefill-servers");
  EXPECT_EQ(refusal(ArrivalPattern::kServerPair, [](O& o) { o.destination_server = 16; }),
            "--dst-server: found server 16. Expected: a server from 0 to 15");
  EXPECT_EQ(refusal(ArrivalPattern::kServerPair, [](O& o) { o.destination_server = 0; }),
            "--dst-server: found 0, which is --src-server. Expected: another server");
  EXPECT_EQ(refusal(ArrivalPattern::kServerPair, [](O& o) { o.rounds = 1'250'001; }),
            "--rounds: found 1250001. Expected: a number from 1 to 1250000");
  EXPECT_EQ(refusal(ArrivalPattern::kServerPair, [](O& o) { o.interval_ns = -1; }),
            "--interval-ns: found -1. Expected: a number from 0 to 8640000000000000");
  EXPECT_EQ(refusal(ArrivalPattern::kOneToOne, [](O& o) { o.source_gpu = -1; }),
            "--src-gpu: found GPU -1. Expected: a GPU from 0 to 127");
  EXPECT_EQ(refusal(ArrivalPattern::kOneToOne, [](O& o) { o.source_gpu = 8; }),
            "--dst-gpu: found 8, which is --src-gpu. Expected: another GPU");
}

TEST(TrafficPatterns, ADurationIsRefusedForNoFlowAndForTooMany) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kPoisson, 0);
  options.flows.reset();
  options.duration = NanoSeconds(1);
  EXPECT_EQ(Refusal(options),
            "no flow starts within --duration 1ns. Expected: a longer time, a shorter interval or "
            "a higher rate");
  options.pattern = ArrivalPattern::kOneToOne;
  options.interval_ns = 0;
  EXPECT_EQ(Refusal(options),
            "more than 10000000 flows within --duration 1ns. Expected: a shorter time, a longer "
            "interval or a lower rate");
}

}  // namespace
}  // namespace heddle
