// SPDX-License-Identifier: GPL-2.0-only
/// AllGather and ReduceScatter by PAT in packets, on one switch without contention, beside the
/// replay of collectives/stepwise/pat_replay.h.
///
/// Links and latencies are so long that a rank's acknowledgements leave while it sends no data:
/// they would delay it by 4.8 ns each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "collectives/algorithms/pat_schedule.h"
#include "collectives/stepwise/pat_replay.h"
#include "tests/support/simulate_jobs.h"
#include "tests/support/small_fabric.h"

namespace heddle::testing {
namespace {

constexpr std::int64_t kPayload = 1000;              ///< of a packet
constexpr std::int64_t kPacket = (1000 + 52) * kPs;  ///< time of a packet on a link [ps]
constexpr std::int64_t kDelay = 40 * kMicro;         ///< of a link [ps]
constexpr std::int64_t kSend = 90 * kMicro, kHandOver = 10'000;

/// What a run is made of.
struct PatRun {
  Operation operation = Operation::kAllGather;
  std::uint32_t ranks = 2;
  std::int64_t packets = 1;  ///< of a piece of a block
  std::int64_t blocks = 1;   ///< of a message, at most (F)
  std::int64_t slots = 8;
  std::int64_t pieces = 1;  ///< of a block; F is 1 then

  std::int64_t bytes() const { return ranks * packets * pieces * kPayload; }
  CollectiveOptions Options() const {
    CollectiveOptions options;
    options.allgather = options.reducescatter = "pat";
    options.chunk_bytes = blocks * packets * kPayload;
    options.pat_slots = slots;
    options.send_latency = PicoSeconds(kSend);
    return options;
  }
  PatPlan Plan() const {
    CollectiveSpec spec;
    spec.operation = operation;
    spec.bytes = bytes();
    return PatPlanOf(spec, ranks, Options());
  }
  std::string Describe() const {
    const PatPlan plan = Plan();
    return std::string(ToText(operation)) + " over " + std::to_string(ranks) + ", F " +
           std::to_string(plan.factors.blocks) + ", A " + std::to_string(plan.factors.trees) +
           ", " + std::to_string(packets) + " packets a block";
  }
};

/// Time of the collective in packets [ps].
std::int64_t InPackets(const PatRun& run) {
  const Graph graph = Star(std::vector<Cable>(run.ranks, {100, kDelay}));
  TransportOptions transport;
  transport.payload = kPayload;
  transport.congestion.mode = 0;
  transport.has_window = false;
  transport.completion = TransportOptions::Completion::kReceived;
  transport.reliability.ack_interval = 1 << 30;
  transport.buffer.buffer_mib = 1024;  // for what comes after a pause on long links
  Scenario scenario = transport;
  scenario.collectives = run.Options();
  const std::string workload =
      "1 " + std::string(ToText(run.operation)) + " " + std::to_string(run.bytes()) + " DP\n";
  const Observed outcome = SimulateJobs(graph, {MakeJob(graph, workload)}, scenario);
  EXPECT_TRUE(outcome.waiting.empty());
  const Table& collectives = outcome.jobs.at(2);
  EXPECT_EQ(GetColumn<std::string>(collectives, "algorithm").at(0), "PAT");
  EXPECT_EQ(Sum(GetColumn<std::int64_t>(outcome.flows, "size_bytes")),
            run.bytes() * (run.ranks - 1));
  return GetColumn<std::int64_t>(collectives, "end_ps").at(0) -
         GetColumn<std::int64_t>(collectives, "start_ps").at(0);
}

/// The replay's time [ps]: a message's last packet is stored in the switch and sent again.
std::int64_t ByReplay(const PatRun& run) {
  const PatRounds rounds(run.ranks, run.Plan().factors, run.operation == Operation::kReduceScatter);
  const auto block = static_cast<double>(run.packets * kPacket);  // of a piece
  const auto latency = static_cast<double>(kHandOver + kSend + kPacket + 2 * kDelay);
  return std::llround(PatSeconds(rounds, run.Plan().pieces, block, latency));
}

/// The replay of one rank whose NIC sends a packet of each message under way in turn, oldest first,
/// as heddle's NICs do; all other ranks do the same at the same time. A message that starts when a
/// packet ends is not served next, unless it is alone.
class ByTurns {
 public:
  explicit ByTurns(const PatRun& run)
      : rounds_(run.ranks, run.Plan().factors, run.operation == Operation::kReduceScatter),
        packets_(run.packets),
        arrival_(rounds_.messages(), kNever) {}

  std::int64_t Time() {
    std::int64_t now = 0, last = 0;
    for (Release(now); released_ < rounds_.messages() || !under_way_.empty(); Release(now)) {
      if (under_way_.empty()) {
        now = next_release_;
        continue;
      }
      now += kPacket;
      Message& served = *Pick();
      served_ = served.number;
      if (--served.left > 0) continue;
      last = arrival_[served.number] = now + kLatency;
      under_way_.erase(under_way_.begin() + (&served - under_way_.data()));
    }
    return last;
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kLatency = kHandOver + kSend + kPacket + 2 * kDelay;
  struct Message {
    std::uint32_t number = 0;
    std::int64_t left = 0;  ///< packets
  };

  /// When all parents of a message have arrived; kNever if one is not sent.
  std::int64_t ReadyAt(std::uint32_t message) const {
    std::int64_t when = 0;
    for (const std::uint32_t parent : rounds_.parents(message))
      when = std::max(when, arrival_[parent]);
    return when;
  }
  void Release(std::int64_t now) {
    for (; released_ < rounds_.messages(); ++released_) {
      next_release_ = ReadyAt(released_);
      if (next_release_ > now || (next_release_ == now && now > 0 && !under_way_.empty())) return;
      under_way_.push_back({released_, rounds_.offsets(released_).size() * packets_});
    }
  }
  /// The one after the one served last, or the first.
  std::vector<Message>::iterator Pick() {
    const auto at = std::find_if(under_way_.begin(), under_way_.end(),
                                 [&](const Message& m) { return m.number > served_; });
    return at == under_way_.end() ? under_way_.begin() : at;
  }

  PatRounds rounds_;
  std::int64_t packets_;
  std::vector<std::int64_t> arrival_;  ///< by message
  std::uint32_t released_ = 0;
  std::int64_t next_release_ = 0;
  std::vector<Message> under_way_;  ///< ascending
  std::uint32_t served_ = ~0U;
};

/// Visits both operations, up to 65 ranks, all sizes of messages and rounds.
template <class Visit>
void ForEachRun(std::int64_t packets, std::int64_t most_blocks, const Visit& visit) {
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
    for (std::uint32_t n = 2; n <= 65; ++n) {
      if (n > 20 && n % 11 != 0 && n < 63) continue;
      for (std::int64_t blocks = 1; blocks <= std::min<std::int64_t>(most_blocks, n); blocks *= 2) {
        for (const std::int64_t slots : {1, 2, 8})
          visit(PatRun{operation, n, packets, blocks, slots});
      }
    }
  }
}

TEST(Pat, OfOnePacketABlockToThePicosecond) {
  ForEachRun(1, 1,
             [](const PatRun& run) { EXPECT_EQ(InPackets(run), ByReplay(run)) << run.Describe(); });
}

/// F = A = n / 2: one message after the other, ceil(log2 n) latencies.
TEST(Pat, OfOneMessageAtATimeToThePicosecond) {
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
    for (std::uint32_t n = 2; n <= 64; n *= 2) {
      const PatRun run{operation, n, 5, n / 2, 1};
      EXPECT_EQ(InPackets(run), ByReplay(run)) << run.Describe();
    }
  }
}

/// Messages of several packets that are under way together leave by turns. That moves the end by
/// less than the time of their bytes: less than 0.6 % of the time here.
TEST(Pat, OfSeveralPacketsByTurnsToThePicosecond) {
  for (const std::int64_t packets : {1, 3}) {
    ForEachRun(packets, 32, [](const PatRun& run) {
      const std::int64_t time = InPackets(run);
      EXPECT_EQ(time, ByTurns(run).Time()) << run.Describe();
      EXPECT_NEAR(static_cast<double>(time), static_cast<double>(ByReplay(run)), 0.006 * time)
          << run.Describe();
    });
  }
}

/// Only the latency of the last message is not hidden behind the next piece.
TEST(Pat, OfPiecesToThePicosecond) {
  for (const Operation operation : {Operation::kAllGather, Operation::kReduceScatter}) {
    PatRun run{operation, 8, 1, 1, 8};
    const std::int64_t one = InPackets(run);
    run.pieces = 3;
    const std::int64_t latency = kHandOver + kSend + kPacket + 2 * kDelay;
    EXPECT_EQ(InPackets(run), 3 * (one - latency) + latency) << run.Describe();
    EXPECT_EQ(InPackets(run), ByReplay(run)) << run.Describe();
  }
}

}  // namespace
}  // namespace heddle::testing
