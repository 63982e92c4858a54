// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/tuner/tuner_latency.h"
#include "tests/unit/collectives/tuner/tuner_groups.h"

namespace heddle {
namespace {

using testing::Servers;

constexpr std::int64_t kKib = 1024, kMib = kKib * 1024, kGib = kMib * 1024;

double Us(const TunerGroup& group, std::int64_t bytes, TunerAlgorithm algorithm, Protocol protocol,
          Operation operation = Operation::kAllReduce) {
  return Predict({operation, bytes, group}, algorithm, protocol).time;
}

/// AllReduce over 16 servers of eight H100: 12 rings or trees of 30 GB/s, N / (2(N-1)) = 0.50394.
///
///                  latency [us]                 rate of the buffer [GB/s]
///     tree LL      6.8 + 2 (4.2 + 20) = 55.2    20.4 / 2 x part by size
///     tree LL128   14 + 2 (8.75 + 34) = 99.5    331.2 x 15/16 / 2 = 155.25 x part
///     tree Simple  8.4 + 2 (28 + 56) = 176.4    331.2 / 2 = 165.6 x part
///     ring LL      6.6 + 224 + 30 x 2.7 = 311.6 20.4 x 0.50394
///     ring LL128   14 + 425.6 + 120 = 559.6     331.2 x 0.50394
///     ring Simple  8.4 + 761.6 + 420 = 1190     360 x 0.50394; 1.4 x latency from 192 KiB on
///     NVLS-Tree    25 + 8 x 20.9 = 192.2        364 x 0.50394
///
/// Parts by size: LL 0.7 (8 KiB), LL128 0.6 (4 MiB: 0.8), Simple 1 (1 GiB).
TEST(Predict, SixteenServersByHand) {
  const TunerGroup group = Servers(16, 8);
  EXPECT_NEAR(Us(group, 8 * kKib, TunerAlgorithm::kTree, Protocol::kLl), 55.2 + 1.147, 1e-3);
  EXPECT_NEAR(Us(group, 512 * kKib, TunerAlgorithm::kTree, Protocol::kLl128), 99.5 + 5.628, 1e-3);
  EXPECT_NEAR(Us(group, 4 * kMib, TunerAlgorithm::kTree, Protocol::kLl128), 99.5 + 33.771, 1e-3);
  EXPECT_NEAR(Us(group, kGib, TunerAlgorithm::kTree, Protocol::kSimple), 176.4 + 6483.948, 1e-3);
  EXPECT_NEAR(Us(group, 8 * kKib, TunerAlgorithm::kRing, Protocol::kLl), 311.6 + 0.797, 1e-3);
  EXPECT_NEAR(Us(group, 4 * kMib, TunerAlgorithm::kRing, Protocol::kLl128), 559.6 + 25.130, 1e-3);
  EXPECT_NEAR(Us(group, 128 * kKib, TunerAlgorithm::kRing, Protocol::kSimple), 1190 + 0.722, 1e-3);
  EXPECT_NEAR(Us(group, kGib, TunerAlgorithm::kRing, Protocol::kSimple), 1666 + 5918.629, 1e-3);
  EXPECT_NEAR(Us(group, kGib, TunerAlgorithm::kNvlsTree, Protocol::kSimple), 192.2 + 5853.589,
              1e-3);
}

/// One server of H100: NVLS 25 us and 272 GB/s, ring with LL 15 us and 141 x 8/14 GB/s. Two of
/// B200: NVLS-Tree 66.8 us and 409.6 GB/s, of 64 MiB 80 %; ring 1.4 x 131.6 us and 213.3 GB/s. 16
/// of A100: tree with LL128 99.5 us and 12 x 17.8 x 15/16 / 2 GB/s, of 1 MiB 60 %.
TEST(Predict, OtherMachinesByHand) {
  EXPECT_NEAR(Us(Servers(1, 8), kGib, TunerAlgorithm::kNvls, Protocol::kSimple), 25 + 3947.580,
              1e-3);
  EXPECT_NEAR(Us(Servers(1, 8), 64 * kKib, TunerAlgorithm::kRing, Protocol::kLl), 15 + 0.813, 1e-3);
  EXPECT_NEAR(Us(Servers(2, 8, "B200"), 64 * kMib, TunerAlgorithm::kNvlsTree, Protocol::kSimple),
              66.8 + 204.8, 1e-3);
  EXPECT_NEAR(Us(Servers(2, 8, "B200"), 64 * kMib, TunerAlgorithm::kRing, Protocol::kSimple),
              184.24 + 314.573, 1e-3);
  EXPECT_NEAR(Us(Servers(16, 8, "A100"), kMib, TunerAlgorithm::kTree, Protocol::kLl128),
              99.5 + 17.454, 1e-3);
}

/// 64 servers of one H100, 1 MiB: PAT 211.2 us and 37.5 GB/s, ring with LL 321.6 us and 20.72 GB/s.
TEST(Predict, GathersByHand) {
  const auto us = [](TunerAlgorithm algorithm, Protocol protocol) {
    return Us(Servers(64, 1), kMib, algorithm, protocol, Operation::kAllGather);
  };
  EXPECT_NEAR(us(TunerAlgorithm::kPat, Protocol::kSimple), 211.2 + 27.962, 1e-3);
  EXPECT_NEAR(us(TunerAlgorithm::kRing, Protocol::kLl), 321.6 + 50.598, 1e-3);
}

constexpr Operation kTunedOperations[] = {Operation::kAllReduce, Operation::kAllGather,
                                          Operation::kReduceScatter, Operation::kBroadcast,
                                          Operation::kReduce};

TunerRules Everything() {
  TunerRules rules;
  rules.collnet = true;
  rules.pat_forced = true;
  return rules;
}

/// Calls `visit` for all that the tuner may choose, on three GPUs, one to 65 servers of 1 to 8.
template <class Visit>
void ForAll(const Visit& visit) {
  for (const char* gpu_type : {"A100", "H100", "B200"}) {
    for (const std::uint32_t gpus : {1U, 2U, 3U, 8U}) {
      for (const std::uint32_t servers : {1U, 2U, 3U, 4U, 17U, 65U}) {
        if (servers * gpus < 2) continue;
        const TunerGroup group = Servers(servers, gpus, gpu_type);
        for (const Operation operation : kTunedOperations) {
          for (const TunerEntry& entry : Tune({operation, kMib, group}, Everything())) {
            if (!entry.why_off.empty()) continue;
            SCOPED_TRACE(std::string(ToText(operation)) + " " + RowOf(entry.algorithm).name + " " +
                         ToText(entry.protocol) + " of " + std::to_string(servers) + " x " +
                         std::to_string(gpus) + " " + gpu_type);
            visit(operation, entry, group);
          }
        }
      }
    }
  }
}

/// More bytes take longer, except by trees, whose part by size may grow faster than the size.
TEST(Predict, TimesGrowWithBytes) {
  int visited = 0;
  ForAll([&](Operation operation, const TunerEntry& entry, const TunerGroup& group) {
    ++visited;
    const bool corrected =
        entry.algorithm == TunerAlgorithm::kTree || entry.algorithm == TunerAlgorithm::kNvlsTree;
    double last = 0;
    for (std::int64_t bytes = 1; bytes <= 64 * kGib; bytes *= 2) {
      const TunerPrediction now =
          Predict({operation, bytes, group}, entry.algorithm, entry.protocol);
      EXPECT_GT(now.time, now.latency) << bytes;
      EXPECT_GT(now.bandwidth, 0) << bytes;
      EXPECT_NEAR(now.time, now.latency + 1e-3 * static_cast<double>(bytes) / now.bandwidth,
                  1e-9 * now.time);
      if (!corrected) {
        EXPECT_GT(now.time, last) << bytes;
      }
      last = now.time;
    }
  });
  EXPECT_GT(visited, 500);
}

/// More servers of the same size never take less time, unless the messages of a ring with Simple
/// become so small that their latency is no longer multiplied.
TEST(Predict, TimesGrowWithServers) {
  ForAll([&](Operation operation, const TunerEntry& entry, const TunerGroup& group) {
    if (group.one_server()) return;
    const TunerGroup more = Servers(group.servers + 1, group.ranks / group.servers, group.gpu_type);
    for (const std::int64_t bytes : {kKib, kMib, kGib}) {
      const auto factor = [&, algorithm = entry.algorithm,
                           protocol = entry.protocol](const TunerGroup& of) {
        return TunerLatencyFactor(operation, algorithm, protocol, bytes, of);
      };
      if (factor(more) < factor(group)) continue;
      EXPECT_GE(Us(more, bytes, entry.algorithm, entry.protocol, operation),
                Us(group, bytes, entry.algorithm, entry.protocol, operation) * (1 - 1e-12))
          << bytes;
    }
  });
}

/// As the size grows, a ring is first LL, then LL128, then Simple, in this order only.
TEST(Tune, ProtocolsOfARingFollowTheSize) {
  TunerRules rules;
  rules.algorithms = 1U << static_cast<unsigned>(TunerAlgorithm::kRing);
  for (const TunerGroup& group : {Servers(1, 8), Servers(2, 8), Servers(16, 8), Servers(64, 1)}) {
    for (const Operation operation : kTunedOperations) {
      Protocol last = Protocol::kLl;
      for (std::int64_t bytes = 8; bytes <= 64 * kGib; bytes *= 2) {
        const std::vector<TunerEntry> entries = Tune({operation, bytes, group}, rules);
        const Protocol now = entries[ShortestOf(entries, false).value()].protocol;
        EXPECT_GE(now, last) << ToText(operation) << " of " << bytes;
        last = now;
      }
      EXPECT_EQ(last, Protocol::kSimple) << ToText(operation);
    }
  }
}

TEST(Tune, ListsWhatAnOperationHasWithReasons) {
  const std::vector<TunerEntry> entries = Tune({Operation::kAllReduce, kMib, Servers(2, 8)}, {});
  ASSERT_EQ(entries.size(), 10U) << "tree and ring three times, four others";
  for (const TunerEntry& entry : entries) {
    const bool off = entry.algorithm == TunerAlgorithm::kCollNetDirect ||
                     entry.algorithm == TunerAlgorithm::kCollNetChain ||
                     entry.algorithm == TunerAlgorithm::kNvls;
    EXPECT_EQ(entry.why_off.empty(), !off) << RowOf(entry.algorithm).name;
    EXPECT_TRUE(entry.simulated) << RowOf(entry.algorithm).name;
    EXPECT_EQ(entry.prediction.time > 0, !off);
  }
  for (const TunerEntry& entry : Tune({Operation::kAllGather, kMib, Servers(2, 8)}, {}))
    EXPECT_EQ(entry.simulated, entry.algorithm != TunerAlgorithm::kNvls);
  EXPECT_EQ(Tune({Operation::kAllGather, kMib, Servers(2, 8)}, {}).size(), 6U);
  EXPECT_EQ(Tune({Operation::kReduce, kMib, Servers(2, 8)}, {}).size(), 3U);
}

TEST(Tune, TheShortestOfAll) {
  ForAll([](Operation operation, const TunerEntry& entry, const TunerGroup& group) {
    const std::vector<TunerEntry> entries = Tune({operation, kMib, group}, Everything());
    const TunerEntry& any = entries[ShortestOf(entries, false).value()];
    EXPECT_LE(any.prediction.time, entry.prediction.time);
    const TunerEntry& simulated = entries[ShortestOf(entries, true).value()];
    EXPECT_TRUE(simulated.simulated);
    EXPECT_LE(any.prediction.time, simulated.prediction.time);
    if (entry.simulated) {
      EXPECT_LE(simulated.prediction.time, entry.prediction.time);
    }
  });
}

TEST(Tune, OfEqualOnesTheFirstAndNoneOfNone) {
  std::vector<TunerEntry> entries(3);
  for (TunerEntry& entry : entries) entry.prediction.time = 1;
  entries[1].simulated = entries[2].simulated = true;
  EXPECT_EQ(ShortestOf(entries, false), 0U);
  EXPECT_EQ(ShortestOf(entries, true), 1U);
  for (TunerEntry& entry : entries) entry.why_off = "off";
  EXPECT_FALSE(ShortestOf(entries, false));
  EXPECT_FALSE(ShortestOf({}, false));
}

/// 16 servers of H100: a tree while latency counts, NVLS-Tree after; CollNet is ahead of both.
TEST(Tune, ChoosesByTable) {
  const auto chosen = [](std::int64_t bytes, const TunerRules& rules, bool simulated) {
    const std::vector<TunerEntry> entries =
        Tune({Operation::kAllReduce, bytes, Servers(16, 8)}, rules);
    return entries[ShortestOf(entries, simulated).value()].algorithm;
  };
  EXPECT_EQ(chosen(8 * kKib, {}, true), TunerAlgorithm::kTree);
  EXPECT_EQ(chosen(kGib, {}, true), TunerAlgorithm::kNvlsTree);
  EXPECT_EQ(chosen(8 * kKib, Everything(), false), TunerAlgorithm::kNvls) << "43 us";
  EXPECT_EQ(chosen(8 * kKib, Everything(), true), TunerAlgorithm::kNvls);
  TunerRules no_nvls = Everything();
  no_nvls.nvls = false;
  EXPECT_EQ(chosen(8 * kKib, no_nvls, true), TunerAlgorithm::kCollNetDirect) << "44 us";
}

}  // namespace
}  // namespace heddle
