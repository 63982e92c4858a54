// SPDX-License-Identifier: GPL-2.0-only
/// DCQCN of fluids: which ports are watched, queues by hand, cuts that come when they must, and
/// that neither numbers of flows nor a restart count.
#include "transport/model/fluid/fluid_control.h"

#include <gtest/gtest.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/vector.hpp>
#include <optional>
#include <sstream>
#include <tuple>

namespace heddle {
namespace {

constexpr std::int64_t kMarkedPacket = 9052;
constexpr BitRate kLine{400'000'000'000};
constexpr FluidRate kMarkedRate = FluidRateOf(kLine);
constexpr Time kTick = MicroSeconds(2);
constexpr Time kTrip = MicroSeconds(6);
constexpr std::int64_t kWindow = 300'000;

FluidControl::Options Options() {
  FluidControl::Options options;
  options.tick = kTick;
  options.packet = kMarkedPacket;
  return options;
}

/// `sources` cables, each to a switch, and one from there: links 2 i, and 2 `sources` to the sink.
class Incast {
 public:
  Incast(std::uint32_t sources, const EcnTable::Thresholds& marks)
      : sources_(sources), network_(Cables(sources + 1), kMarkedPacket, 60) {
    std::vector<EcnTable::Thresholds> ports(2 * (sources + 1));
    ports[2 * sources] = marks;
    control_.emplace(Options(), ports, &network_);
  }
  /// A flow from a source, whose name is its own number.
  std::uint32_t Add(std::uint32_t source, std::int64_t bytes, Time now = {}) {
    const FluidWindow window{FluidVolumeOf(kWindow + kMarkedPacket), kTrip};
    const std::uint32_t flow =
        network_.Add({{2 * source, kWholeWeight}, {2 * sources_, kWholeWeight}},
                     FluidVolumeOf(bytes), now, window);
    control_->Begin(flow, {NodeId(source), 0}, window, kLine, now);
    return flow;
  }
  void Remove(std::uint32_t flow) {
    control_->End(flow);
    network_.Remove(flow);
  }
  /// Runs until no flow is left, or `end`. Returns when the last one ended.
  Time RunTo(Time end) {
    Time last;
    network_.Solve(last);
    for (;;) {
      const Time now = std::min(network_.next_end(), control_->next());
      if (now > end || now == Time::Max() || network_.open() == 0) return last;
      while (network_.next_end() <= now) {
        last = now;
        Remove(network_.TakeNext());
      }
      if (control_->next() <= now) control_->Tick();
      network_.Solve(now);
      CheckLoads();
    }
  }
  FluidNetwork& network() { return network_; }
  FluidControl& control() { return *control_; }
  const FluidControl::Port& port() const { return control_->ports()[2 * sources_]; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& network_&* control_;
  }

 private:
  static std::vector<FluidNetwork::Direction> Cables(std::uint32_t count) {
    std::vector<FluidNetwork::Direction> directions;
    for (std::uint32_t i = 0; i < count; ++i) {
      directions.push_back({kMarkedRate, 2 * i + 1});
      directions.push_back({kMarkedRate, 2 * i});
    }
    return directions;
  }
  void CheckLoads() const {
    for (std::uint32_t link = 0; link < 2 * (sources_ + 1); ++link)
      ASSERT_LE(network_.LoadOf(link), network_.CapacityOf(link));
  }

  std::uint32_t sources_;
  FluidNetwork network_;
  std::optional<FluidControl> control_;
};

const EcnTable::Thresholds kUsual{800'000, 3'200'000, 0.2};

TEST(FluidControl, NothingIsWatchedWhereWindowsAreBelowKmin) {
  Incast incast(4, kUsual);
  // With 300 KB on the wire, three windows leave at most 600 KB in the queue.
  for (std::uint32_t i = 0; i < 3; ++i) incast.Add(i, 10'000'000);
  EXPECT_EQ(incast.control().next(), Time::Max());
  incast.Add(3, 10'000'000, MicroSeconds(3));
  EXPECT_EQ(incast.control().next(), MicroSeconds(4));
}

TEST(FluidControl, QueuesGrowByWhatSourcesHaveFree) {
  Incast watched(8, kUsual);
  for (std::uint32_t i = 0; i < 8; ++i) watched.Add(i, 10'000'000);
  watched.RunTo(kTick);
  // A source sends at 50 byte/ns and an eighth of that leaves.
  const double sent = 50.0 * 2000, left = sent / 8;
  EXPECT_NEAR(static_cast<double>(watched.control().flight(0)) / 1024, sent - left, 2);
  const double pipe = 50.0 / 8 * 6000;
  EXPECT_NEAR(static_cast<double>(watched.port().most) / 1024, 8 * (sent - left - pipe), 16);
  // At last all windows, and a packet each, are in flight.
  watched.RunTo(MicroSeconds(8));
  EXPECT_EQ(watched.control().flight(0), FluidVolumeOf(kWindow + kMarkedPacket));
}

TEST(FluidControl, ACutIsThatOfDcqcnAndComesAfterItsInterval) {
  Incast incast(8, {0, 1, 1});  // all packets of a queue are marked
  for (std::uint32_t i = 0; i < 8; ++i) incast.Add(i, 10'000'000);
  incast.RunTo(MicroSeconds(2));
  EXPECT_EQ(incast.control().cnps(), 8U);
  EXPECT_EQ(incast.control().pace(0), kLine);
  incast.RunTo(MicroSeconds(4));
  EXPECT_EQ(incast.control().pace(0), kLine);
  incast.RunTo(MicroSeconds(6));
  // Four ticks of alpha since the first CNP; the marks of the second and third tick count.
  Dcqcn dcqcn(Options().dcqcn, Options().rates);
  Dcqcn::State state;
  Pace pace;
  pace.line_rate = kLine;
  dcqcn.Start(&state, &pace, 1, {});
  AckSignals signals;
  signals.congestion = true;
  for (const std::int64_t at : {2, 4, 6}) {
    signals.now = MicroSeconds(at) - NanoSeconds(1);
    dcqcn.OnAck(&state, &pace, signals);
    dcqcn.OnTimer(&state, &pace, MicroSeconds(at));
  }
  EXPECT_LT(pace.rate, kLine);
  for (std::uint32_t flow = 0; flow < 8; ++flow) EXPECT_EQ(incast.control().pace(flow), pace.rate);
  // What is in flight above the smaller window leaves at the old rate first.
  EXPECT_EQ(incast.network().rate(0), kMarkedRate / 8);
}

TEST(FluidControl, CutsMakeAnIncastSlower) {
  const auto last = [](const EcnTable::Thresholds& marks) {
    Incast incast(32, marks);
    for (std::uint32_t i = 0; i < 32; ++i) incast.Add(i, 2'000'000);
    return incast.RunTo(Time::Max());
  };
  const Time full = last({});  // no port marks
  EXPECT_EQ(full, TimeOfVolume(FluidVolumeOf(2'000'000), kMarkedRate / 32));
  // With packets it takes 1.6 times as long (docs/models/flow.md).
  const double slower = static_cast<double>(last(kUsual).ps) / static_cast<double>(full.ps);
  EXPECT_GT(slower, 1.4);
  EXPECT_LT(slower, 1.9);
}

TEST(FluidControl, NumbersOfFlowsDoNotCount) {
  const auto run = [](bool reversed) {
    Incast incast(16, kUsual);
    for (std::uint32_t i = 0; i < 16; ++i) incast.Add(reversed ? 15 - i : i, 4'000'000);
    const Time last = incast.RunTo(Time::Max());
    return std::make_tuple(last, incast.control().cnps(), incast.control().marked(),
                           incast.port().most, incast.port().above);
  };
  EXPECT_EQ(run(false), run(true));
  EXPECT_GT(std::get<1>(run(false)), 10U);
}

TEST(FluidControl, GoesOnAfterARestart) {
  const auto start = [](Incast* incast) {
    for (std::uint32_t i = 0; i < 16; ++i) incast->Add(i, 3'000'000);
  };
  Incast whole(16, kUsual);
  start(&whole);
  const Time last = whole.RunTo(Time::Max());
  for (const std::int64_t cut : {1, 9, 40, 300}) {
    Incast before(16, kUsual), after(16, kUsual);
    start(&before);
    before.RunTo(MicroSeconds(cut));
    std::stringstream stream;
    boost::archive::binary_oarchive(stream) << before;
    boost::archive::binary_iarchive(stream) >> after;
    EXPECT_EQ(after.RunTo(Time::Max()), last) << cut;
    EXPECT_EQ(after.control().cnps(), whole.control().cnps());
    EXPECT_EQ(after.port().above, whole.port().above);
  }
}

TEST(FluidControl, ASenderKeepsItsRateOnAnotherPath) {
  Incast incast(8, {0, 1, 1});
  for (std::uint32_t i = 0; i < 8; ++i) incast.Add(i, 10'000'000);
  incast.RunTo(MicroSeconds(6));
  const FluidControl::Sender sender = incast.control().SenderOf(3);
  incast.Remove(3);
  const std::uint32_t again = incast.Add(3, 5'000'000, MicroSeconds(6));
  EXPECT_EQ(incast.control().pace(again), kLine);
  incast.control().SetSender(again, sender, MicroSeconds(6));
  EXPECT_EQ(incast.control().pace(again), sender.pace.rate);
}

}  // namespace
}  // namespace heddle
