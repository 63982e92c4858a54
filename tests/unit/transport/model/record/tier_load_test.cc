// SPDX-License-Identifier: GPL-2.0-only
/// Bytes by tier over time: bins that double compared with bins computed at the end, for any
/// division over domains.
#include "transport/model/record/tier_load.h"

#include <gtest/gtest.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <sstream>

#include "core/base/random.h"
#include "transport/model/record/flow_sample.h"

namespace heddle {
namespace {

struct Send {
  Time time;
  std::uint8_t tier;
  std::int64_t bytes;
};

/// Sends by time, with idle times, the last at about `end`.
std::vector<Send> RandomSends(int count, std::int64_t end) {
  RandomStream random(7, static_cast<std::uint64_t>(end), RandomPurpose::kPermutation);
  std::vector<Send> sends;
  std::int64_t time = 0;
  for (int i = 0; i < count; ++i) {
    if (random.Below(10) == 0)
      time += static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(20 * end / count)));
    sends.push_back({PicoSeconds(time), static_cast<std::uint8_t>(2 * random.Below(3)),
                     static_cast<std::int64_t>(1 + random.Below(9000))});
  }
  return sends;
}

void Count(const Send& send, TierLoad* load) {
  if (send.time >= load->edge()) load->Turn(send.time);
  load->Add(load->SlotOf(send.tier), send.bytes);
}

TEST(TierLoad, BinsAreTheSameHoweverItWasCut) {
  for (std::int64_t end : {std::int64_t{1'000'000}, std::int64_t{300'000'000},
                           std::int64_t{7'000'000'000}, std::int64_t{4'000'000'000'000}}) {
    const std::vector<Send> sends = RandomSends(4000, end);
    const Time width = TierLoad::WidthFor(sends.back().time);
    const auto bins = static_cast<std::size_t>(sends.back().time.ps / width.ps + 1);
    EXPECT_LE(bins, 256U);
    if (width > TierLoad::kFirstWidth) {
      EXPECT_GE(bins, 128U);
    }
    std::vector<std::int64_t> expected(5 * bins);
    for (const Send& send : sends)
      expected[send.tier * bins + static_cast<std::size_t>(send.time.ps / width.ps)] += send.bytes;
    RandomStream random(1, 1, RandomPurpose::kPermutation);
    for (std::uint64_t domains = 1; domains < 5; ++domains) {
      std::vector<TierLoad> loads(domains);
      for (std::uint64_t i = 0; i < domains; ++i) {  // each in an order of its own
        for (std::uint64_t tier = 0; tier < 3; ++tier)
          loads[i].SlotOf(static_cast<std::uint8_t>(2 * ((tier + i) % 3)));
      }
      for (const Send& send : sends) Count(send, &loads[random.Below(domains)]);
      loads[0].Turn(sends.back().time * 5);  // an event long after sends nothing
      std::vector<std::int64_t> sums(5 * bins);
      for (const TierLoad& load : loads) load.AddTo(width, bins, &sums);
      EXPECT_EQ(sums, expected) << end << " in " << domains;
    }
  }
}

/// The bytes of a transmission that are sent before a time, rounded down.
std::int64_t SentBy(const Send& send, Time duration, std::int64_t at) {
  if (at <= send.time.ps) return 0;
  if (at >= (send.time + duration).ps) return send.bytes;
  return static_cast<std::int64_t>(static_cast<__int128>(send.bytes) * (at - send.time.ps) /
                                   duration.ps);
}

TEST(TierLoad, AWholeMessageCountsInAllBinsInWhichItIsSent) {
  for (std::int64_t end :
       {std::int64_t{3'000'000}, std::int64_t{300'000'000}, std::int64_t{7'000'000'000}}) {
    const std::vector<Send> sends = RandomSends(400, end);
    RandomStream lengths(3, 1, RandomPurpose::kPermutation);
    std::vector<Time> durations;
    Time last;
    for (const Send& send : sends) {
      durations.push_back(
          PicoSeconds(static_cast<std::int64_t>(lengths.Below(static_cast<std::uint64_t>(end)))));
      last = std::max(last, send.time + durations.back());
    }
    const Time width = TierLoad::WidthFor(last);
    const auto bins = static_cast<std::size_t>(last.ps / width.ps + 1);
    std::vector<std::int64_t> expected(5 * bins);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      for (std::size_t bin = 0; bin < bins; ++bin) {
        const auto from = static_cast<std::int64_t>(bin) * width.ps;
        // Without a length it is sent at its time.
        const bool at_once = durations[i] == Time();
        const bool here = sends[i].time.ps / width.ps == static_cast<std::int64_t>(bin);
        expected[sends[i].tier * bins + bin] +=
            at_once ? (here ? sends[i].bytes : 0)
                    : SentBy(sends[i], durations[i], from + width.ps) -
                          SentBy(sends[i], durations[i], from);
      }
    }
    RandomStream random(1, 1, RandomPurpose::kPermutation);
    for (std::uint64_t domains = 1; domains < 4; ++domains) {
      std::vector<TierLoad> loads(domains);
      for (TierLoad& load : loads) {
        for (std::uint8_t tier : {0, 2, 4}) load.SlotOf(tier);
      }
      for (std::size_t i = 0; i < sends.size(); ++i) {
        TierLoad& load = loads[random.Below(domains)];
        if (sends[i].time >= load.edge()) load.Turn(sends[i].time);
        load.AddOver(load.SlotOf(sends[i].tier), sends[i].bytes, sends[i].time, durations[i]);
      }
      std::vector<std::int64_t> sums(5 * bins);
      for (const TierLoad& load : loads) load.AddTo(width, bins, &sums);
      EXPECT_EQ(sums, expected) << end << " in " << domains;
    }
  }
}

TEST(TierLoad, GoesOnFromASavedState) {
  const std::vector<Send> sends = RandomSends(2000, 900'000'000);
  const Time width = TierLoad::WidthFor(sends.back().time);
  for (std::size_t half : {std::size_t{0}, std::size_t{5}, std::size_t{1000}, std::size_t{1999}}) {
    TierLoad whole, first, second;
    for (std::uint8_t tier : {0, 2, 4}) whole.SlotOf(tier), first.SlotOf(tier), second.SlotOf(tier);
    for (const Send& send : sends) Count(send, &whole);
    for (std::size_t i = 0; i < half; ++i) Count(sends[i], &first);
    std::stringstream text;
    boost::archive::text_oarchive(text) << static_cast<const TierLoad&>(first);
    boost::archive::text_iarchive(text) >> second;
    for (std::size_t i = half; i < sends.size(); ++i) Count(sends[i], &second);
    std::vector<std::int64_t> expected(5 * 256), sums(5 * 256);
    whole.AddTo(width, 256, &expected);
    second.AddTo(width, 256, &sums);
    EXPECT_EQ(sums, expected) << half;
  }
}

TEST(FlowSample, KeepsOneInNAndSmallerSamplesWithinLarger) {
  std::vector<std::int64_t> kept(5);
  const std::uint64_t every[] = {1, 2, 10, 1000, FlowSample::kMostEvery};
  for (std::uint32_t source = 0; source < 200; ++source) {
    for (std::uint32_t number = 0; number < 1000; ++number) {
      bool larger = true;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const bool keeps = FlowSample{every[i]}.Keeps({NodeId(source), number});
        kept[i] += keeps ? 1 : 0;
        EXPECT_TRUE(larger || !keeps);
        larger = keeps;
      }
      EXPECT_FALSE(FlowSample{0}.Keeps({NodeId(source), number}));
    }
  }
  EXPECT_EQ(kept[0], 200'000);
  // Five standard deviations.
  EXPECT_NEAR(static_cast<double>(kept[1]), 100'000, 1200);
  EXPECT_NEAR(static_cast<double>(kept[2]), 20'000, 700);
  EXPECT_NEAR(static_cast<double>(kept[3]), 200, 75);
  EXPECT_LE(kept[4], 1);
  EXPECT_EQ(FlowSample{1}.text(), "all");
  EXPECT_EQ(FlowSample{0}.text(), "none");
  EXPECT_EQ(FlowSample{1000}.text(), "sample:1000");
}

}  // namespace
}  // namespace heddle
