// SPDX-License-Identifier: GPL-2.0-only
/// Collectives over lasting connections (collective.connections=lasting) in whole runs: source
/// ports, turns, failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/options/enum_words.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"
#include "topology/shapes/generator.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kLatency = 6 * kMicro + 10'000;  ///< flow.send_latency and 10 ns

Scenario With(const char* connections, const TransportOptions& options) {
  Scenario scenario = options;
  scenario.collectives.connections = *FindWord<CollectiveOptions::Connections>(connections);
  return scenario;
}

/// Four pieces of ten packets from GPU 0 to GPU 1, all ready at once.
Observed FourPieces(const char* connections, const TransportOptions& options = Unlimited(),
                    std::vector<LinkEvent> failures = {}) {
  const Graph graph = Row({{100}, {100}});
  Scenario scenario = With(connections, options);
  scenario.failures = std::move(failures);
  scenario.collectives.chunk_bytes = 90'000;
  scenario.collectives.chunks_in_flight = 4;
  return SimulateJobs(graph, {MakeJob(graph, "1 BROADCAST 360000 DP\n")}, scenario);
}

TEST(LastingConnections, PiecesThatAreReadyTogetherSendOneAfterTheOther) {
  const Observed outcome = FourPieces("lasting");
  ASSERT_EQ(RowCount(outcome.flows), 4u);
  for (std::int64_t piece = 0; piece < 4; ++piece) {
    const auto row = static_cast<std::size_t>(piece);
    EXPECT_EQ(GetColumn<std::uint16_t>(outcome.flows, "source_port")[row], 10000);
    EXPECT_EQ(GetColumn<std::int64_t>(outcome.flows, "start_ps")[row], kLatency + piece * 10 * kTx);
    EXPECT_EQ(Received(outcome, row), 10 * kTx + kTx + 2 * kMicro);
  }
}

TEST(LastingConnections, PiecesWithConnectionsOfTheirOwnShareTheNic) {
  const Observed outcome = FourPieces("message");
  ASSERT_EQ(RowCount(outcome.flows), 4u);
  for (std::int64_t piece = 0; piece < 4; ++piece) {
    const auto row = static_cast<std::size_t>(piece);
    EXPECT_EQ(GetColumn<std::uint16_t>(outcome.flows, "source_port")[row], 10000 + piece);
    EXPECT_EQ(GetColumn<std::int64_t>(outcome.flows, "start_ps")[row], kLatency);
    EXPECT_EQ(Received(outcome, row), (37 + piece) * kTx + kTx + 2 * kMicro);
  }
}

/// The only way is down from the fifth packet of the first piece on, whose window, 68 kB, is less
/// than the piece: its last byte never leaves.
TEST(LastingConnections, WhatIsBehindAMessageThatGaveUpDoesNotStart) {
  TransportOptions options;
  options.congestion.mode = 0;
  options.convergence = MicroSeconds(1'000'000);
  options.reliability.retry_limit = 1;
  const auto states = [&](const char* connections) {
    const Observed outcome =
        FourPieces(connections, options,
                   {{PicoSeconds(kLatency + 5 * kTx), LinkId(1), LinkEvent::Kind::kDown, {}}});
    EXPECT_FALSE(outcome.waiting.empty());
    if (outcome.waiting.empty()) return std::vector<int>{};
    EXPECT_NE(outcome.waiting.back().find("next is channel 0 step 0 from GPU 0"), std::string::npos)
        << outcome.waiting.back();
    std::vector<int> all;
    for (std::size_t row = 0; row < RowCount(outcome.flows); ++row)
      all.push_back(State(outcome, row));
    std::sort(all.begin(), all.end());
    return all;
  };
  constexpr int kUnstarted = static_cast<int>(FlowState::kNotStarted);
  constexpr int kGaveUp = static_cast<int>(FlowState::kRetryLimit);
  EXPECT_EQ(states("lasting"), (std::vector<int>{kUnstarted, kUnstarted, kUnstarted, kGaveUp}));
  EXPECT_EQ(states("message"), (std::vector<int>{kGaveUp, kGaveUp, kGaveUp, kGaveUp}));
}

/// Rings of 32 GPUs in four servers, one layer in two passes; two queue pairs.
Observed Rings(const char* connections) {
  LeafSpineOptions shape = FindTemplate("DCN-SingleToR").defaults;
  shape.gpus = 32;
  shape.nics_per_leaf = 8;
  shape.spine_switches = 2;  // rings meet there
  const Graph graph = Generate("DCN-SingleToR", shape);
  TransportOptions options;
  options.nic.qps_per_connection = 2;
  return SimulateJobs(
      graph,
      {MakeJob(graph, "MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 16000000 1\n", {}, Time{0}, 2)},
      With(connections, options));
}

/// (source, destination, channel)
using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>;

std::map<Key, std::set<std::uint16_t>> PortsByConnection(const Table& flows) {
  std::map<Key, std::set<std::uint16_t>> ports;
  for (std::size_t row = 0; row < RowCount(flows); ++row) {
    ports[{GetColumn<std::uint32_t>(flows, "src")[row], GetColumn<std::uint32_t>(flows, "dst")[row],
           GetColumn<std::uint16_t>(flows, "channel")[row]}]
        .insert(GetColumn<std::uint16_t>(flows, "source_port")[row]);
  }
  return ports;
}

TEST(LastingConnections, AConnectionKeepsItsPortsOverAllMessagesAndPasses) {
  const Observed outcome = Rings("lasting");
  EXPECT_TRUE(AllFinished(outcome));
  const auto ports = PortsByConnection(outcome.flows);
  EXPECT_GT(RowCount(outcome.flows), 50 * ports.size());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint16_t>> by_pair;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> channels;
  for (const auto& [key, of_key] : ports) {
    EXPECT_EQ(of_key.size(), 2u);
    const auto pair = std::pair(std::get<0>(key), std::get<1>(key));
    by_pair[pair].insert(of_key.begin(), of_key.end());
    ++channels[pair];
  }
  for (const auto& [pair, of_pair] : by_pair) EXPECT_EQ(of_pair.size(), 2 * channels[pair]);
  for (const auto& [key, of_key] : PortsByConnection(Rings("message").flows))
    EXPECT_GT(of_key.size(), 2u);
}

/// A message between servers takes at least the time of its bytes on the NIC.
TEST(LastingConnections, MessagesOfAConnectionDoNotOverlap) {
  const auto overlaps = [](const Table& flows) {
    struct Message {
      std::int64_t start = 0, bytes = 0;
    };
    std::map<Key, std::map<std::uint32_t, Message>> messages;
    for (std::size_t row = 0; row < RowCount(flows); ++row) {
      const Key key = {GetColumn<std::uint32_t>(flows, "src")[row],
                       GetColumn<std::uint32_t>(flows, "dst")[row],
                       GetColumn<std::uint16_t>(flows, "channel")[row]};
      if (std::get<0>(key) / 8 == std::get<1>(key) / 8) continue;
      Message& message = messages[key][GetColumn<std::uint32_t>(flows, "message")[row]];
      message.start = GetColumn<std::int64_t>(flows, "start_ps")[row];
      message.bytes += GetColumn<std::int64_t>(flows, "size_bytes")[row];
    }
    constexpr std::int64_t kNicPsPerByte = 20;  // 400 Gbps
    int count = 0;
    for (const auto& [key, of_key] : messages) {
      const Message* before = nullptr;
      for (const auto& [number, message] : of_key) {
        if (before != nullptr && message.start < before->start + before->bytes * kNicPsPerByte)
          ++count;
        before = &message;
      }
    }
    return count;
  };
  EXPECT_EQ(overlaps(Rings("lasting").flows), 0);
  EXPECT_GT(overlaps(Rings("message").flows), 0);
}

/// On one way for all, with one message at a time, a connection is no news.
TEST(LastingConnections, WithoutAChoiceOfPathsAndOverlapsNothingChanges) {
  const Graph graph = Row({{100}, {100}});
  const auto starts = [&](const char* connections) {
    const Observed outcome = SimulateJobs(graph, {MakeJob(graph, "1 ALLREDUCE 1000003 DP\n")},
                                          With(connections, TransportOptions()));
    return GetColumn<std::int64_t>(outcome.flows, "start_ps");
  };
  EXPECT_EQ(starts("message").size(), 4u);
  EXPECT_EQ(starts("lasting"), starts("message"));
}

}  // namespace
}  // namespace heddle::testing
