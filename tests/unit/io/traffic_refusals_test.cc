// SPDX-License-Identifier: GPL-2.0-only
/// What traffic patterns refuse, with the flag that is wrong; and that all else is a trace which
/// the reader gives back.
#include <array>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "io/input/trace_csv.h"
#include "io_test_util.h"
#include "traffic_options.h"

namespace heddle {
namespace {

Graph GraphOf(const TrafficOptions& options) {
  return Graph(static_cast<std::uint32_t>(options.gpus), 0, 0,
               static_cast<std::uint32_t>(options.gpus_per_server), "H100");
}

void ExpectRoundTrip(const TrafficOptions& options) {
  const auto flows = GenerateTraffic(options);
  const auto read = ParseTraceCsv(WriteTraceCsv(flows, "a, comment"), "t", GraphOf(options), {});
  ASSERT_EQ(read.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ASSERT_EQ(read[i].start, flows[i].start);
    ASSERT_EQ(read[i].source, flows[i].source);
    ASSERT_EQ(read[i].destination, flows[i].destination);
    ASSERT_EQ(read[i].size, flows[i].size);
    ASSERT_EQ(read[i].priority, flows[i].priority);
    ASSERT_EQ(read[i].destination_port, flows[i].destination_port);
  }
}

TEST(TrafficPatterns, TheReaderGivesTheFlowsBack) {
  for (const ArrivalPattern pattern : AllArrivalPatterns())
    ExpectRoundTrip(OptionsOf(pattern, 1000));
}

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

/// Options of any kind: either an error or a trace that the reader takes.
TEST(TrafficPatterns, AnyOptionsGiveATraceOrAnError) {
  RandomStream random(1, 0, RandomPurpose::kTrace);
  const auto among = [&](const auto&... values) {
    const std::array<double, sizeof...(values)> all = {static_cast<double>(values)...};
    return all[random.Below(all.size())];
  };
  const auto count = [&] { return static_cast<std::int64_t>(among(-1, 0, 1, 2, 3, 4, 7, 1e9)); };
  int traces = 0;
  for (int round = 0; round < 100'000; ++round) {
    TrafficOptions options;
    options.pattern = AllArrivalPatterns()[random.Below(6)];
    options.gpus = static_cast<std::int64_t>(among(-5, 0, 1, 8, 13, 16, 64, 128));
    options.gpus_per_server = static_cast<std::int64_t>(among(-1, 0, 1, 2, 8, 8, 8, 1024, 5e9));
    options.size = {static_cast<std::int64_t>(among(0, 1, 4096, 4096, kMaxFlowBytes, 2e12))};
    options.seed = random.Next();
    options.interval_ns = among(-1, 0, 0.3, 1, 2.5, 1000, 1e5, 1e12, 8.64e15, 1e300, std::nan(""),
                                std::numeric_limits<double>::infinity());
    if (random.Below(4) != 0) options.flows = static_cast<std::int64_t>(among(-1, 0, 1, 20, 300));
    if (!options.flows || random.Below(4) == 0) {
      options.duration = PicoSeconds(static_cast<std::int64_t>(among(-1, 0, 1, 1e3, 2e6, 9e18)));
      if (*options.duration > MicroSeconds(2)) options.flows = 50;  // in time for a unit test
    }
    options.burst_size = count();
    options.hotspot_fraction = among(-0.5, 0, 0.3, 1, 2, std::nan(""));
    options.source_server = count();
    options.destination_server = count();
    options.rounds = count();
    options.source_gpu = count();
    options.destination_gpu = count();
    for (std::uint64_t i = random.Below(3); i > 0; --i) options.prefill_servers.push_back(count());
    for (std::uint64_t i = random.Below(3); i > 0; --i) options.decode_servers.push_back(count());
    if (options.pattern == ArrivalPattern::kOneToOne && !options.flows) continue;  // 10^7 flows
    try {
      ASSERT_NO_FATAL_FAILURE(ExpectRoundTrip(options)) << "round " << round;
      ++traces;
    } catch (const UserError&) {
    }
  }
  EXPECT_GT(traces, 1000);
}

}  // namespace
}  // namespace heddle
