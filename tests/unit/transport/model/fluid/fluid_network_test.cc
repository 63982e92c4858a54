// SPDX-License-Identifier: GPL-2.0-only
/// Max-min fair shares: closed forms, random networks against fractions, changes against a solve
/// from nothing, and that no numbering counts.
#include "transport/model/fluid/fluid_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/random.h"
#include "tests/unit/transport/model/fluid/reference_shares.h"

namespace heddle {
namespace {

constexpr std::int64_t kPacket = 9052, kAck = 60;
constexpr FluidRate kRate = FluidRateOf(BitRate{400'000'000'000});
constexpr FluidVolume kVolume = FluidVolumeOf(1'000'000);

/// Cables of these rates: link 2 i is one direction of cable i, 2 i + 1 the other.
FluidNetwork NetworkOf(const std::vector<FluidRate>& cables) {
  std::vector<FluidNetwork::Direction> directions;
  for (const FluidRate rate : cables) {
    const auto at = static_cast<std::uint32_t>(directions.size());
    directions.push_back({rate, at + 1});
    directions.push_back({rate, at});
  }
  return {directions, kPacket, kAck};
}

std::vector<FluidHop> PathOf(const std::vector<std::uint32_t>& links) {
  std::vector<FluidHop> hops;
  for (const std::uint32_t link : links) hops.push_back({link, kWholeWeight});
  return hops;
}

TEST(FluidUnits, RoundsRatesDownAndTimesUp) {
  EXPECT_EQ(FluidRateOf(BitRate{8'000'000'000'000}), std::int64_t{1} << kRateBits);
  EXPECT_EQ(kRate, (std::int64_t{1} << kRateBits) / 20);
  EXPECT_EQ(TimeOfVolume(FluidVolumeOf(1), FluidRateOf(BitRate{8'000'000'000'000})).ps, 1);
  EXPECT_EQ(TimeOfVolume(kVolume, kRate).ps, 20'000'001);  // the rate is less than 1 / 20
  EXPECT_LT(FlowsIn(kRate, Time{20'000'000}), kVolume);
  EXPECT_GE(FlowsIn(kRate, Time{20'000'001}), kVolume);
  EXPECT_EQ(TimeOfVolume(FluidVolumeOf(std::int64_t{1} << 50), 1), Time::Max());
  EXPECT_EQ(LevelOf(10, 3 * std::uint64_t{kWholeWeight}), 3);
  EXPECT_EQ(LevelOf(std::int64_t{1} << 51, kWholeWeight), std::int64_t{1} << 51);
  EXPECT_EQ(PartOf(7, kWholeWeight / 2), 4);
}

TEST(FluidNetwork, OneFlowHasTheNarrowestLink) {
  FluidNetwork network = NetworkOf({kRate, kRate / 4, kRate});
  const std::uint32_t flow = network.Add(PathOf({0, 2, 4}), kVolume, Time{5});
  network.Solve(Time{5});
  EXPECT_EQ(network.rate(flow), kRate / 4);
  EXPECT_EQ(network.bottleneck(flow), 1U);
  EXPECT_EQ(network.next_end(), Time{5} + TimeOfVolume(kVolume, kRate / 4));
}

TEST(FluidNetwork, EqualFlowsShareALinkEqually) {
  FluidNetwork network = NetworkOf({kRate});
  for (int i = 0; i < 7; ++i) network.Add(PathOf({0}), kVolume, Time{0});
  network.Solve(Time{0});
  for (std::uint32_t flow = 0; flow < 7; ++flow) EXPECT_EQ(network.rate(flow), kRate / 7);
}

/// A long flow over n links, and one short flow on each: the long one has what one of n + 1 has
/// that meet k short ones where most do.
TEST(FluidNetwork, ParkingLot) {
  FluidNetwork network = NetworkOf({kRate, kRate, kRate});
  const std::uint32_t through = network.Add(PathOf({0, 2, 4}), kVolume, Time{0});
  std::vector<std::uint32_t> others;
  for (const std::uint32_t link : {0U, 2U, 2U, 4U, 4U, 4U})
    others.push_back(network.Add(PathOf({link}), kVolume, Time{0}));
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(through), kRate / 4);
  EXPECT_EQ(network.bottleneck(through), 2U);
  EXPECT_EQ(network.rate(others[0]), kRate - kRate / 4);
  EXPECT_EQ(network.rate(others[1]), (kRate - kRate / 4) / 2);
  EXPECT_EQ(network.rate(others[3]), kRate / 4);
}

/// Each flow of a ring sends over a cable of its own, and ACKs of the one before come back on it.
TEST(FluidNetwork, RingSendsAtFullRate) {
  FluidNetwork network = NetworkOf({kRate, kRate, kRate, kRate});
  for (std::uint32_t i = 0; i < 4; ++i)
    network.Add(PathOf({2 * i, 2 * ((i + 1) % 4) + 1}), kVolume, Time{0});
  network.Solve(Time{0});
  const auto both_ways =
      static_cast<FluidRate>(static_cast<WideUnsigned>(kRate) * kPacket / (kPacket + kAck));
  for (std::uint32_t flow = 0; flow < 4; ++flow) EXPECT_EQ(network.rate(flow), both_ways);
}

TEST(FluidNetwork, DataBothWaysLeaveRoomForAcks) {
  FluidNetwork network = NetworkOf({kRate});
  const std::uint32_t there = network.Add(PathOf({0}), kVolume, Time{0});
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(there), kRate);
  const std::uint32_t back = network.Add(PathOf({1}), kVolume, Time{0});
  network.Solve(Time{0});
  EXPECT_LT(network.rate(there), kRate);
  EXPECT_EQ(network.rate(back), network.rate(there));
  EXPECT_NEAR(static_cast<double>(network.rate(there)) / kRate, 9052.0 / 9112, 1e-9);
  network.Remove(back);
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(there), kRate);
}

TEST(FluidNetwork, LimitLeavesTheRestToOthers) {
  FluidNetwork network = NetworkOf({kRate});
  const std::uint32_t limited = network.Add(PathOf({0}), kVolume, Time{0});
  const std::uint32_t other = network.Add(PathOf({0}), kVolume, Time{0});
  network.Limit(limited, kRate / 8);
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(limited), kRate / 8);
  EXPECT_EQ(network.bottleneck(limited), FluidNetwork::kNone);
  EXPECT_EQ(network.rate(other), kRate - kRate / 8);
  network.Limit(limited, kRate);
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(limited), kRate / 2);
}

/// Half of each packet's load on either of two links: four such flows fill both.
TEST(FluidNetwork, SprayedFlowsTakePartsOfLinks) {
  FluidNetwork network = NetworkOf({2 * kRate, kRate, kRate});
  const std::vector<FluidHop> hops{{0, kWholeWeight}, {2, kWholeWeight / 2}, {4, kWholeWeight / 2}};
  const std::uint32_t alone = network.Add(hops, kVolume, Time{0});
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(alone), 2 * kRate);
  const std::uint32_t beside = network.Add(PathOf({2}), kVolume, Time{0});
  network.Solve(Time{0});
  // r / 2 + r = C at link 2.
  EXPECT_NEAR(static_cast<double>(network.rate(alone)), 2.0 / 3 * kRate, 2);
  EXPECT_EQ(network.rate(beside), network.rate(alone));
}

TEST(FluidNetwork, RemainsOfAVolumeFlowAtTheNewRate) {
  FluidNetwork network = NetworkOf({kRate});
  const std::uint32_t first = network.Add(PathOf({0}), kVolume, Time{0});
  network.Solve(Time{0});
  const Time alone = network.next_end();
  const Time middle{alone.ps / 2};
  network.Add(PathOf({0}), 4 * kVolume, middle);
  network.Solve(middle);
  EXPECT_EQ(network.next_flow(), first);
  EXPECT_NEAR(static_cast<double>(network.next_end().ps), 1.5 * static_cast<double>(alone.ps), 2);
}

TEST(FluidNetwork, ALinkChangesItsRateUnderWay) {
  FluidNetwork network = NetworkOf({kRate, kRate});
  const std::uint32_t through = network.Add(PathOf({0, 2}), kVolume, Time{0});
  const std::uint32_t beside = network.Add(PathOf({0}), 10 * kVolume, Time{0});
  network.Solve(Time{0});
  const Time middle{network.next_end().ps / 2};
  network.SetLinkRate(2, kRate / 8);
  network.Solve(middle);
  EXPECT_EQ(network.rate(through), kRate / 8);
  EXPECT_EQ(network.bottleneck(through), 1U);
  EXPECT_EQ(network.rate(beside), kRate - kRate / 8);
  EXPECT_NEAR(static_cast<double>(network.LeftOf(through, middle)), kVolume / 2.0, 2);
  // Half of it at an eighth instead of a half: four times as long.
  EXPECT_NEAR(static_cast<double>((network.next_end() - middle).ps),
              static_cast<double>(4 * middle.ps), 8);
  network.SetLinkRate(2, kRate);
  network.Solve(middle);
  EXPECT_EQ(network.rate(through), kRate / 2);
}

TEST(FluidNetwork, AWindowIsSentOnceARoundTrip) {
  FluidNetwork network = NetworkOf({kRate, kRate});
  const FluidWindow window{FluidVolumeOf(100'000), MicroSeconds(8)};
  const std::uint32_t flow = network.Add(PathOf({0, 2}), kVolume, Time{0}, window);
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(flow), RateOfVolume(window.volume, window.round_trip));
  EXPECT_EQ(network.bottleneck(flow), FluidNetwork::kNone);
  network.SetWindow(flow, {window.volume / 2, window.round_trip});
  network.Solve(Time{0});
  EXPECT_EQ(network.rate(flow), RateOfVolume(window.volume / 2, window.round_trip));
}

/// ACKs of a flow pass both links against a load: at the first of half the rate, at the second of
/// all of it.
TEST(FluidNetwork, AcksThatWaitBehindDataMakeTheRoundTripLonger) {
  FluidNetwork network = NetworkOf({kRate, kRate});
  const std::uint32_t loads_both = network.Add(PathOf({3, 1}), kVolume, Time{0});
  network.Add(PathOf({3}), kVolume, Time{0});
  network.Solve(Time{0});
  const FluidWindow window{FluidVolumeOf(100'000), MicroSeconds(8)};
  const std::uint32_t flow = network.Add(PathOf({0, 2}), kVolume, Time{0}, window);
  network.Solve(Time{0});
  const Time half = Time{TimeOfVolume(FluidVolumeOf(kPacket), kRate).ps / 2};
  const auto near = [](Time time, Time expected) {
    EXPECT_NEAR(static_cast<double>(time.ps), static_cast<double>(expected.ps), 2);
  };
  near(network.WaitAt(0, network.rate(flow)), Time{0});
  // Since then the loads have room for ACKs.
  near(network.WaitAt(3, 0), Time{half.ps * kPacket / (kPacket + kAck)});
  near(network.WaitAt(3, network.rate(loads_both)), Time{half.ps * kPacket / (kPacket + kAck) / 2});
  const FluidRate expected =
      RateOfVolume(window.volume, window.round_trip + half + Time{half.ps / 2});
  EXPECT_NEAR(static_cast<double>(network.rate(flow)), static_cast<double>(expected),
              1e-6 * static_cast<double>(expected));
}

/// A random network of up to 8 cables, and what happens to it.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed) : random_(seed, 0, RandomPurpose::kPartition) {
    const std::size_t cables = 1 + random_.Below(8);
    for (std::size_t i = 0; i < cables; ++i)
      cables_.push_back(static_cast<FluidRate>(1000 + random_.Below(1'000'000'000)));
  }
  const std::vector<FluidRate>& cables() const { return cables_; }
  std::uint64_t Below(std::uint64_t bound) { return random_.Below(bound); }
  ReferenceFlow DrawFlow() {
    std::vector<std::uint32_t> cables(cables_.size());
    std::iota(cables.begin(), cables.end(), 0U);
    ReferenceFlow flow;
    const std::size_t length = 1 + random_.Below(std::min<std::size_t>(cables.size(), 5));
    for (std::size_t i = 0; i < length; ++i) {
      std::swap(cables[i], cables[i + random_.Below(cables.size() - i)]);
      flow.links.push_back(2 * cables[i] + static_cast<std::uint32_t>(random_.Below(2)));
    }
    return flow;
  }
  FluidRate DrawLimit() { return static_cast<FluidRate>(1 + random_.Below(300'000'000)); }

 private:
  RandomStream random_;
  std::vector<FluidRate> cables_;
};

/// Holds the rates of flows under way against fractions, and checks what any solution promises.
void CheckRates(const FluidNetwork& network, std::size_t links,
                const std::map<std::uint32_t, ReferenceFlow>& open) {
  std::vector<FluidRate> capacities;
  for (std::uint32_t link = 0; link < links; ++link) capacities.push_back(network.CapacityOf(link));
  std::vector<ReferenceFlow> flows;
  std::vector<FluidRate> loads(links, 0);
  for (const auto& [id, flow] : open) {
    flows.push_back(flow);
    for (const std::uint32_t link : flow.links) loads[link] += network.rate(id);
  }
  for (std::uint32_t link = 0; link < links; ++link) ASSERT_LE(loads[link], capacities[link]);
  const std::vector<Fraction> exact = ReferenceShares(capacities, flows);
  std::size_t i = 0;
  for (const auto& [id, flow] : open) {
    // Each flow that was fixed before may have lost a unit.
    ASSERT_NEAR(static_cast<double>(network.rate(id)), exact[i].value(), 40);
    ASSERT_LE(network.rate(id), flow.limit);
    ++i;
    const std::uint32_t at = network.bottleneck(id);
    if (at == FluidNetwork::kNone) {
      ASSERT_EQ(network.rate(id), flow.limit);
      continue;
    }
    const std::uint32_t link = flow.links[at];
    ASSERT_LT(capacities[link] - loads[link], 40);
    for (const auto& [other, its] : open) {
      if (std::find(its.links.begin(), its.links.end(), link) != its.links.end()) {
        ASSERT_LE(network.rate(other), network.rate(id) + 40);
      }
    }
  }
}

/// Rates of the same flows, in this order, if they all began now.
std::vector<FluidRate> RatesFromNothing(const std::vector<FluidRate>& cables,
                                        const std::vector<ReferenceFlow>& flows) {
  FluidNetwork network = NetworkOf(cables);
  for (const ReferenceFlow& flow : flows) {
    const std::uint32_t id = network.Add(PathOf(flow.links), kVolume, Time{0});
    if (flow.limit != kNoLimit) network.Limit(id, flow.limit);
  }
  network.Solve(Time{0});
  std::vector<FluidRate> rates;
  for (std::uint32_t id = 0; id < flows.size(); ++id) rates.push_back(network.rate(id));
  return rates;
}

TEST(FluidNetwork, RandomNetworksAreAsFractionsSay) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    RandomNetwork random(seed);
    FluidNetwork network = NetworkOf(random.cables());
    std::map<std::uint32_t, ReferenceFlow> open;
    for (std::uint64_t flows = 1 + random.Below(12); flows > 0; --flows) {
      ReferenceFlow flow = random.DrawFlow();
      const std::uint32_t id = network.Add(PathOf(flow.links), kVolume, Time{0});
      if (random.Below(4) == 0) network.Limit(id, flow.limit = random.DrawLimit());
      open[id] = flow;
    }
    network.Solve(Time{0});
    CheckRates(network, 2 * random.cables().size(), open);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(FluidNetwork, ChangesGiveWhatASolveFromNothingGives) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    RandomNetwork random(seed);
    std::vector<FluidRate> cables = random.cables();
    FluidNetwork network = NetworkOf(cables);
    std::map<std::uint32_t, ReferenceFlow> open;
    for (int step = 0; step < 40; ++step) {
      const Time now{step * 100};
      for (std::uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
        const auto some = std::next(open.begin(), open.empty() ? 0 : random.Below(open.size()));
        const std::uint64_t what = random.Below(6);
        if (what == 5) {
          const auto cable = static_cast<std::uint32_t>(random.Below(cables.size()));
          cables[cable] = static_cast<FluidRate>(1000 + random.Below(1'000'000'000));
          network.SetLinkRate(2 * cable, cables[cable]);
          network.SetLinkRate(2 * cable + 1, cables[cable]);
        } else if (open.empty() || (what < 2 && open.size() < 12)) {
          const ReferenceFlow flow = random.DrawFlow();
          open[network.Add(PathOf(flow.links), kVolume, now)] = flow;
        } else if (what < 4) {
          network.Remove(some->first);
          open.erase(some);
        } else {
          network.Limit(some->first, some->second.limit = random.DrawLimit());
        }
      }
      network.Solve(now);
      std::vector<ReferenceFlow> flows;
      for (const auto& [id, flow] : open) flows.push_back(flow);
      const std::vector<FluidRate> rates = RatesFromNothing(cables, flows);
      std::size_t i = 0;
      for (const auto& [id, flow] : open)
        ASSERT_EQ(network.rate(id), rates[i++]) << "seed " << seed << ", step " << step;
    }
  }
}

TEST(FluidNetwork, NumbersOfFlowsAndLinksDoNotCount) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomNetwork random(seed);
    const auto cables = static_cast<std::uint32_t>(random.cables().size());
    std::vector<ReferenceFlow> flows;
    for (std::uint64_t left = 1 + random.Below(12); left > 0; --left) {
      flows.push_back(random.DrawFlow());
      if (random.Below(4) == 0) flows.back().limit = random.DrawLimit();
    }
    const std::vector<FluidRate> rates = RatesFromNothing(random.cables(), flows);
    std::vector<FluidRate> turned(random.cables().rbegin(), random.cables().rend());
    std::vector<ReferenceFlow> renamed(flows.rbegin(), flows.rend());
    for (ReferenceFlow& flow : renamed) {
      for (std::uint32_t& link : flow.links) link = 2 * (cables - 1 - link / 2) + link % 2;
    }
    std::vector<FluidRate> again = RatesFromNothing(turned, renamed);
    std::reverse(again.begin(), again.end());
    ASSERT_EQ(rates, again) << "seed " << seed;
  }
}

TEST(EndQueue, GivesTheFirstEndThroughAllChanges) {
  RandomStream random(3, 0, RandomPurpose::kPartition);
  EndQueue queue;
  std::map<std::uint32_t, std::int64_t> ends;
  for (int step = 0; step < 20'000; ++step) {
    const auto flow = static_cast<std::uint32_t>(random.Below(50));
    if (random.Below(3) == 0) {
      queue.Remove(flow);
      ends.erase(flow);
    } else {
      ends[flow] = static_cast<std::int64_t>(random.Below(100));
      queue.Set(flow, Time{ends[flow]});
    }
    ASSERT_EQ(queue.size(), ends.size());
    const auto first = std::min_element(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second < b.second : a.first < b.first;
    });
    ASSERT_EQ(queue.first(), ends.empty() ? Time::Max() : Time{first->second});
    if (!ends.empty()) {
      ASSERT_EQ(queue.first_flow(), first->first);
    }
  }
}

}  // namespace
}  // namespace heddle
