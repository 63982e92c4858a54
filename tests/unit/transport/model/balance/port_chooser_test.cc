// SPDX-License-Identifier: GPL-2.0-only
/// A switch's choice among ports 10, 11, ... whose loads the tests set.
#include "transport/model/balance/port_chooser.h"

#include <gtest/gtest.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <vector>

#include "core/base/check.h"
#include "core/options/options.h"

namespace heddle {
namespace {

constexpr std::int64_t kFull = 1000;

using Scheme = PortOptions::Scheme;

PortOptions Options(Scheme scheme) {
  PortOptions options;
  options.scheme = scheme;
  return options;
}

class Ports {
 public:
  explicit Ports(const PortOptions& options, std::uint32_t count = 4, std::uint64_t node = 7)
      : loads(count, CandidatePort{0, BitRate{400}, false, BitRate{400}}),
        chooser(options, kFull, 1, node) {
    numbers_.resize(count);
    std::iota(numbers_.begin(), numbers_.end(), 10U);
  }
  /// Index of the port that a packet of this flow gets.
  std::uint32_t Choose(std::uint32_t hash = 0, Time now = Time{0}) {
    const auto load_of = [this](std::uint32_t port) { return loads[port - 10]; };
    return chooser.Choose(numbers_.data(), static_cast<std::uint32_t>(numbers_.size()), hash, now,
                          load_of) -
           10;
  }
  std::vector<int> Counts(int packets) {
    std::vector<int> counts(loads.size());
    for (int i = 0; i < packets; ++i) ++counts[Choose()];
    return counts;
  }

  std::vector<CandidatePort> loads;
  PortChooser chooser;

 private:
  std::vector<std::uint32_t> numbers_;
};

TEST(PortChooser, HashIsTheFlowsAlone) {
  Ports ports(Options(Scheme::kHash));
  for (std::uint32_t hash = 0; hash < 20; ++hash) EXPECT_EQ(ports.Choose(hash), hash % 4);
}

TEST(PortChooser, WeightsAreWhatPortsCarryOn) {
  PortOptions options = Options(Scheme::kHash);
  options.weighted = true;
  Ports ports(options);
  ports.loads[1].onward = BitRate{200};  // shares 2 : 1 : 2 : 2 of the range of hashes
  std::map<std::uint32_t, int> counts;
  for (std::uint64_t i = 0; i < 7000; ++i)
    ++counts[ports.Choose(static_cast<std::uint32_t>((i << 32) / 7000))];
  for (const auto& [port, count] : counts) EXPECT_NEAR(count, port == 1 ? 1000 : 2000, 2) << port;
  options.scheme = Scheme::kRandom;
  Ports drawn(options);
  drawn.loads[1].onward = BitRate{200};
  // 4 standard deviations of a binomial draw of one seventh: 4 sqrt(70,000 x 6/49) = 370.
  EXPECT_NEAR(drawn.Counts(70'000)[1], 10'000, 370);
}

TEST(PortChooser, RandomIsEven) {
  Ports ports(Options(Scheme::kRandom));
  for (const int count : ports.Counts(40'000)) EXPECT_NEAR(count, 10'000, 350);
}

TEST(PortChooser, RoundRobinUsesEachPortOnceARound) {
  for (const std::uint32_t size : {2U, 3U, 4U, 12U, 16U}) {
    Ports ports(Options(Scheme::kRoundRobin), size);
    std::set<std::vector<std::uint32_t>> orders;
    for (int round = 0; round < 40; ++round) {
      std::vector<std::uint32_t> order(size);
      for (std::uint32_t& port : order) port = ports.Choose();
      EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), size);
      orders.insert(order);
    }
    EXPECT_GT(orders.size(), size > 2 ? 3U : 1U) << "the order changes from round to round";
  }
}

TEST(PortChooser, AFlowletKeepsItsPortUntilTheGap) {
  PortOptions options = Options(Scheme::kFlowlet);
  options.gap = MicroSeconds(10);
  Ports ports(options, 16);
  Time now{0};
  std::set<std::uint32_t> seen;
  for (int flowlet = 0; flowlet < 20; ++flowlet) {
    const std::uint32_t port = ports.Choose(5, now);
    seen.insert(port);
    for (int packet = 0; packet < 5; ++packet) {
      now += MicroSeconds(10);  // not longer than the gap
      EXPECT_EQ(ports.Choose(5, now), port);
    }
    now += MicroSeconds(10) + PicoSeconds(1);
  }
  EXPECT_GT(seen.size(), 8U);  // 16 (1 - (15/16)^20) = 11.6 expected
}

TEST(PortChooser, FlowletsOfOneEntryShareIt) {
  PortOptions options = Options(Scheme::kFlowlet);
  options.flowlets = 8;
  Ports ports(options, 16);
  EXPECT_EQ(ports.Choose(3), ports.Choose(11));
}

TEST(PortChooser, AdaptiveTakesTheLowestGrade) {
  // Grades of 1000 bytes: below 50, 100, 200, and above.
  Ports ports(Options(Scheme::kAdaptive));
  ports.loads[0].queued = 50;
  ports.loads[1].queued = 49;
  ports.loads[2].queued = 0;
  ports.loads[3].queued = 1000;
  const std::vector<int> counts = ports.Counts(10'000);
  EXPECT_EQ(counts[0] + counts[3], 0);
  EXPECT_NEAR(counts[1], 5000, 200);  // grades, not bytes
  ports.loads[1].queued = 199;
  ports.loads[2].blocked = true;
  ports.loads[0].queued = 100;
  EXPECT_EQ(ports.Counts(1000)[3], 0);
  EXPECT_EQ(ports.Counts(1000)[2], 0);
  for (CandidatePort& load : ports.loads) load.blocked = true;
  EXPECT_GT(ports.Counts(1000)[3], 150);  // all are equally bad
}

TEST(PortChooser, ASlowPortsQueueCountsForTheTimeItTakes) {
  Ports ports(Options(Scheme::kAdaptive));
  ports.loads[1].rate = BitRate{200};
  EXPECT_GT(ports.Counts(1000)[1], 200) << "all are empty";
  for (CandidatePort& load : ports.loads) load.queued = 49;  // below 5 %, but at half the rate
  EXPECT_EQ(ports.Counts(1000)[1], 0);
  ports.loads[1].queued = 24;
  EXPECT_GT(ports.Counts(1000)[1], 200);
}

TEST(PortChooser, AdaptiveFlowletsMoveToALowerGradeOnly) {
  PortOptions options = Options(Scheme::kAdaptiveFlowlet);
  options.gap = MicroSeconds(10);
  Ports ports(options);
  const std::uint32_t held = ports.Choose(1, Time{0});
  EXPECT_EQ(ports.Choose(1, MicroSeconds(100)), held);  // over, but none is better
  ports.loads[held].queued = 60;
  EXPECT_EQ(ports.Choose(1, MicroSeconds(105)), held);  // better ones, but not over
  const std::uint32_t moved = ports.Choose(1, MicroSeconds(200));
  EXPECT_NE(moved, held);
  ports.loads[held].queued = 0;
  EXPECT_EQ(ports.Choose(1, MicroSeconds(300)), moved);
}

TEST(PortChooser, APortThatIsNoLongerGoodIsLeft) {
  Ports ports(Options(Scheme::kFlowlet), 2);
  const std::uint32_t other = 99;
  const std::uint32_t only[] = {other, other};
  const auto load_of = [](std::uint32_t) {
    return CandidatePort{0, BitRate{1}, false, BitRate{1}};
  };
  ports.Choose(4);
  EXPECT_EQ(ports.chooser.Choose(only, 2, 4, Time{0}, load_of), other);
}

TEST(PortChooser, StreamsAreTheSwitchs) {
  const auto draws = [](std::uint64_t node) {
    Ports ports(Options(Scheme::kRandom), 16, node);
    std::vector<std::uint32_t> chosen(20);
    for (std::uint32_t& port : chosen) port = ports.Choose();
    return chosen;
  };
  EXPECT_EQ(draws(7), draws(7));
  EXPECT_NE(draws(7), draws(8));
}

std::string Saved(PortChooser& chooser) {
  std::ostringstream text;
  boost::archive::binary_oarchive archive(text);
  archive& chooser;
  return text.str();
}
void Load(const std::string& saved, PortChooser* chooser) {
  std::istringstream text(saved);
  boost::archive::binary_iarchive archive(text);
  archive&* chooser;
}

TEST(PortChooser, GoesOnAfterARestart) {
  for (const Scheme scheme : {Scheme::kRandom, Scheme::kRoundRobin, Scheme::kFlowlet,
                              Scheme::kAdaptive, Scheme::kAdaptiveFlowlet}) {
    Ports first(Options(scheme), 7), second(Options(scheme), 7);
    for (std::uint32_t i = 0; i < 10; ++i) first.Choose(i);
    Load(Saved(first.chooser), &second.chooser);
    for (std::uint32_t i = 0; i < 30; ++i)
      EXPECT_EQ(first.Choose(i), second.Choose(i)) << ToText(scheme);
  }
}

TEST(PortChooser, ATableOfAnotherSizeIsRefused) {
  PortOptions options = Options(Scheme::kFlowlet);
  Ports first(options);
  first.Choose();
  options.flowlets = 100;
  Ports second(options);
  EXPECT_THROW(Load(Saved(first.chooser), &second.chooser), UserError);
}

TEST(PortOptions, AreReadAndRefused) {
  PortOptions options;
  OptionSet set;
  options.Declare(&set);
  EXPECT_FALSE(options.any());
  set.Set("balance.ports", "adaptive");
  EXPECT_TRUE(options.any());
  EXPECT_EQ(options.scheme, Scheme::kAdaptive);
  EXPECT_TRUE(options.AppliesTo(1));
  set.Set("balance.levels", "1 3");
  EXPECT_TRUE(options.AppliesTo(3));
  EXPECT_FALSE(options.AppliesTo(2));
  set.Set("balance.grades", "1 2 3");
  EXPECT_EQ(options.grades[2], 3);
  for (const char* bad : {"", "0", "leaf", "1 x"})
    EXPECT_THROW(set.Set("balance.levels", bad), UserError);
  for (const char* bad : {"", "1 2", "3 2 1", "1 2 101", "1 2 3 4"})
    EXPECT_THROW(set.Set("balance.grades", bad), UserError);
}

}  // namespace
}  // namespace heddle
