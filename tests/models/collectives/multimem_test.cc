// SPDX-License-Identifier: GPL-2.0-only
/// NVLS with multimem in packets, on one NVSwitch with links of 100 Gbps that are so long that what
/// comes back meets nothing that goes.
///
/// t: time of a packet, r: of a request, a: of an ACK, d: delay of a link, h: hand-over, A:
/// software and hand-over. An ACK of the NVSwitch or of a GPU goes before data that waits for the
/// same port.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/options/enum_words.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing::multimem {
namespace {

constexpr std::int64_t kPayload = 1000;
constexpr std::int64_t t = (kPayload + 52) * kPs, r = (1 + 52) * kPs, a = kAckTx;
constexpr std::int64_t d = 400 * kMicro, h = 10'000, A = h + 90 * kMicro;

Graph Server(std::uint32_t gpus) {
  Graph graph(gpus, 1, 0, gpus, "X");
  for (std::uint32_t i = 0; i < gpus; ++i)
    graph.AddLink({NodeId(i), NodeId(gpus), BitRate{100 * kG}, PicoSeconds(d), 0});
  return graph;
}

/// Of slices of `packets`, each of which is a piece.
Observed Play(const char* operation, std::uint32_t gpus, std::int64_t packets,
              const char* completion = "acked") {
  TransportOptions transport = Unlimited();
  transport.payload = kPayload;
  transport.buffer.buffer_mib = 4095;  // for what comes after a pause on long links
  transport.completion = *FindWord<TransportOptions::Completion>(completion);
  Scenario scenario = transport;
  scenario.collectives.allreduce = scenario.collectives.allgather =
      scenario.collectives.reducescatter = "nvls";
  scenario.collectives.nvls_form = CollectiveOptions::NvlsForm::kMultimem;
  scenario.collectives.multimem_bytes = kPayload;
  scenario.collectives.multimem_channels = 100;
  scenario.collectives.send_latency = PicoSeconds(A - h);
  const Graph graph = Server(gpus);
  const std::string workload =
      "1 " + std::string(operation) + " " + std::to_string(gpus * packets * kPayload) + " TP\n";
  Observed outcome = SimulateJobs(graph, {MakeJob(graph, workload)}, scenario);
  EXPECT_TRUE(outcome.waiting.empty());
  return outcome;
}

std::int64_t TimeOf(const Observed& outcome) {
  const Table& collectives = outcome.jobs.at(2);
  EXPECT_EQ(GetColumn<std::string>(collectives, "algorithm").at(0), "NVLS_MULTIMEM");
  return GetColumn<std::int64_t>(collectives, "end_ps").at(0) -
         GetColumn<std::int64_t>(collectives, "start_ps").at(0);
}

/// Every GPU's slice goes to the NVSwitch, and g slices from it to every GPU, behind the NVSwitch's
/// ACKs of all packets but the first.
TEST(Multimem, AllGatherToThePicosecond) {
  for (std::uint32_t g = 2; g <= 16; ++g) {
    for (const std::int64_t k : {1, 2, 7}) {
      EXPECT_EQ(TimeOf(Play("ALLGATHER", g, k)), A + t + d + h + g * k * t + (k - 1) * a + d)
          << g << " GPUs, " << k << " packets";
    }
  }
}

/// g requests come to every GPU at once, which acknowledges them and sends its g packets; the
/// NVSwitch has all of the last slice a packet after those of the one before.
std::int64_t EndOfFetch(std::uint32_t g) {
  const std::int64_t asked = A + r + d + h + r + d;  // the first request is at every GPU
  const std::int64_t acks = g > 2 ? g * a : h;       // two are sent while the data is handed over
  return asked + acks + g * t + d + h + t + d;
}

TEST(Multimem, ReduceScatterToThePicosecond) {
  for (std::uint32_t g = 2; g <= 16; ++g)
    EXPECT_EQ(TimeOf(Play("REDUCESCATTER", g, 1)), EndOfFetch(g)) << g << " GPUs";
}

/// Heads have their sums one packet after the other, so their stores follow each other as well. The
/// last one's copy back to its head is behind its ACK.
TEST(Multimem, AllReduceToThePicosecond) {
  for (std::uint32_t g = 2; g <= 16; ++g) {
    for (const char* completion : {"acked", "received"}) {
      EXPECT_EQ(TimeOf(Play("ALLREDUCE", g, 1, completion)),
                EndOfFetch(g) + A + t + d + h + a + t + d)
          << g << " GPUs, " << completion;
    }
  }
}

TEST(Multimem, LinksCarryNcclsVolumesToTheByte) {
  constexpr std::int64_t kAll = 8, kPackets = 3, kSlice = kPackets * kPayload;
  const Observed outcome = Play("ALLREDUCE", kAll, kPackets);
  std::map<std::uint32_t, std::int64_t> out, in;
  const auto& sources = GetColumn<std::uint32_t>(outcome.flows, "src");
  const auto& destinations = GetColumn<std::uint32_t>(outcome.flows, "dst");
  const auto& sizes = GetColumn<std::int64_t>(outcome.flows, "size_bytes");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out[sources[i]] += sizes[i];
    in[destinations[i]] += sizes[i];
  }
  for (std::uint32_t gpu = 0; gpu < kAll; ++gpu) {
    // Requests are a byte each: its own out, those of all in.
    EXPECT_EQ(out[gpu], (kAll + 1) * kSlice + kPackets);
    EXPECT_EQ(in[gpu], (kAll + 1) * kSlice + kAll * kPackets);
  }
}

}  // namespace
}  // namespace heddle::testing::multimem
