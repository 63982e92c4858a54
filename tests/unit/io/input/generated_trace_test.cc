// SPDX-License-Identifier: GPL-2.0-only
/// Every generated trace must be read back unchanged.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/base/check.h"
#include "core/base/random.h"
#include "io/input/trace_csv.h"
#include "tests/support/traffic_options.h"
#include "topology/graph/graph.h"

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

TEST(GeneratedTrace, TheReaderGivesTheFlowsBack) {
  for (const ArrivalPattern pattern : AllArrivalPatterns())
    ExpectRoundTrip(OptionsOf(pattern, 1000));
}

/// Any options give either an error or a trace that the reader accepts.
TEST(GeneratedTrace, AnyOptionsGiveATraceOrAnError) {
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
      if (*options.duration > MicroSeconds(2)) options.flows = 50;  // limits the time of this test
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

TEST(GeneratedTrace, PrintsTheTimeOfAMillionFlows) {
  const auto begin = std::chrono::steady_clock::now();
  const auto flows = GenerateTraffic(OptionsOf(ArrivalPattern::kPoisson, 1'000'000));
  const std::size_t bytes = WriteTraceCsv(flows, "").size();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(bytes, 20'000'000U);
  std::printf("expected below 0.5 s, took %.3f s\n", elapsed.count());
}

}  // namespace
}  // namespace heddle
