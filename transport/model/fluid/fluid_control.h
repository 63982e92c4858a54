// SPDX-License-Identifier: GPL-2.0-only
/// DCQCN for fluids: queues at ports of switches, the marks that they make, and the rates to which
/// senders cut.
///
/// Time goes in ticks T, half of DCQCN's decrease interval, so that all cuts of one tick are solved
/// together; only flows that cross a port which may mark take part. Symbols: flow f has r_f its
/// rate, d_f what it delivered in the last tick, R_f the round trip of an idle path, W_f its
/// window, s_f its pace over the line rate, x_f what it has in flight, l_f the port that is its
/// bottleneck, F a packet. At a tick
///
///   x_f = min(left, x_f - d_f + min(max(W_f s_f + F - x_f + d_f, 0), g_f T))
///         with g_f what its source has for it: its pace, or if that is less, an equal part of the
///         source's link, or r_f and an equal part of what the link has free
///   q_l = sum over flows with l_f = l of max(x_f - r_f R_f, 0)
///   flow f is marked with the probability 1 - (1 - p(q_l))^n, n its packets in the tick, p as
///         with packets (transport/model/switch/ecn.h)
///
/// and a mark is a CNP for the flow's Dcqcn. Then its pace bounds the flow, unless it has more in
/// flight than its window: that leaves at the share that it had. At a port with a queue flows share
/// in proportion to x_f / W_f, as first come are first served.
/// A port marks never if fewer than two flows meet there, or if their windows are below kmin and
/// what is on the wire; nothing is computed for it.
///
/// Random numbers are of a stream by (seed, flow). Numbers of double precision are added,
/// multiplied and divided only, so all machines compute the same bits.
/// Invariant: between ticks nothing changes; sums over flows are of integers.
/// Source: docs/models/dcqcn.md, docs/models/ecn.md.
/// Not modelled: marks at ports that are not a flow's bottleneck, the moment of a mark within a
/// tick, queues that grow by chance where sources and ports are equally busy, PFC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "transport/model/congestion/dcqcn.h"
#include "transport/model/fluid/fluid_network.h"
#include "transport/model/switch/ecn.h"

namespace heddle {

class FluidControl {
 public:
  struct Options {
    Dcqcn::Options dcqcn;
    RateOptions rates;
    Time tick;                  ///< T > 0
    bool scales_window = true;  ///< windows follow rates
    std::int64_t packet = 0;    ///< a full one with its headers [byte]
    std::uint64_t seed = 1;
  };
  /// What happened at a port.
  struct Port {
    EcnTable::Thresholds marks;  ///< kmax 0: it does not mark
    std::uint64_t cnps = 0;      ///< flows that were marked in a tick
    std::int64_t marked = 0;     ///< packets
    FluidVolume most = 0;        ///< longest queue
    Time above;                  ///< in ticks with more than kmin queued

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& cnps& marked& most& above;
    }
  };

  /// `marks`: by link. `network` must outlive it.
  FluidControl(const Options& options, const std::vector<EcnTable::Thresholds>& marks,
               FluidNetwork* network);

  /// A flow has begun now: its number in the network, its name, its line rate.
  void Begin(std::uint32_t flow, FlowId name, const FluidWindow& window, BitRate line, Time now);
  /// It leaves the network, which still has it.
  void End(std::uint32_t flow);
  /// A port marks otherwise from now on, as its rate has changed.
  void SetMarks(std::uint32_t link, const EcnTable::Thresholds& marks) {
    ports_[link].marks = marks;
  }
  /// What a sender has learnt: it keeps that if it takes another path.
  struct Sender {
    Pace pace;
    Dcqcn::State state;
  };
  Sender SenderOf(std::uint32_t flow) const { return {flows_[flow].pace, flows_[flow].state}; }
  void SetSender(std::uint32_t flow, const Sender& sender, Time now);
  /// The next tick; Time::Max() while nothing may be marked and no rate recovers.
  Time next() const { return next_; }
  /// What is due at next(), before FluidNetwork::Solve().
  void Tick();

  const std::vector<Port>& ports() const { return ports_; }  ///< by link
  std::uint64_t ticks() const { return ticks_; }
  std::uint64_t cnps() const { return cnps_; }
  std::int64_t marked() const { return marked_; }  ///< packets
  /// What a flow may send at most, and has in flight since the last tick.
  BitRate pace(std::uint32_t flow) const { return flows_[flow].pace.rate; }
  FluidVolume flight(std::uint32_t flow) const { return flows_[flow].flight; }
  std::size_t memory() const;

  /// Saves what a tick needs, after the network; the rest follows.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount flows(flows_.size()), queues(queued_.size());
    archive& next_& ticks_& cnps_& marked_& flows& queues;
    if constexpr (Archive::is_loading::value) {
      flows_.assign(flows, Flow());
      queued_.assign(queues, Queued());
    }
    for (Flow& flow : flows_) archive& flow;
    for (Queued& queued : queued_) archive& queued.link& queued.wait;
    for (Port& port : ports_) archive& port;
    for (Meeting& meeting : meetings_) archive& meeting.hot;
    if constexpr (Archive::is_loading::value) Rebuild();
  }

 private:
  static constexpr std::uint32_t kNone = FluidNetwork::kNone;

  struct Flow {
    FluidVolume window = 0;  ///< W_f; 0: none
    Time trip;               ///< R_f
    Pace pace;
    Dcqcn::State state;
    RandomStream random{0, 0, RandomPurpose::kEcnMarking};
    FluidVolume flight = 0;      ///< x_f
    FluidVolume left = 0;        ///< at `at`
    FluidVolume passed = 0;      ///< of a packet that is not whole
    Time at;                     ///< of the last tick, or its begin
    std::uint32_t held = kNone;  ///< l_f
    bool open = false, watched = false;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& window& trip& pace& state& random& flight& left& passed& at& held& open& watched;
    }
  };
  /// Of a port: what may come together there.
  struct Meeting {
    FluidVolume windows = 0;
    Time trips;  ///< sum
    std::uint32_t flows = 0;
    bool hot = false;        ///< it may mark: its flows are watched
    FluidVolume queue = 0;   ///< q_l
    std::uint64_t tick = 0;  ///< for which the queue was computed
  };
  struct Queued {
    std::uint32_t link = 0;
    Time wait;
  };

  /// Calls visit(link, weight) for each port of a flow that marks.
  template <class Visit>
  void ForEachPort(std::uint32_t flow, const Visit& visit) const;
  /// Adds a flow to what meets at its ports, or takes it away.
  void Count(std::uint32_t flow, bool comes);
  /// Whether the windows at a port let a queue grow beyond kmin.
  bool MayMark(std::uint32_t link) const;
  void Watch(std::uint32_t flow);
  bool IsHot(std::uint32_t flow) const;
  void Advance(std::uint32_t flow, Time now);
  void FillQueues();
  /// Whether a packet of the last tick was marked.
  bool Draw(Flow* flow, FluidVolume delivered);
  void Apply(std::uint32_t flow);
  FluidVolume WindowOf(const Flow& flow) const;
  Time FirstTickAfter(Time now) const { return options_.tick * (now.ps / options_.tick.ps + 1); }
  void Schedule(Time now);
  void Rebuild();

  Options options_;
  Dcqcn dcqcn_;
  FluidNetwork& network_;
  std::vector<Port> ports_;
  std::vector<Meeting> meetings_;
  std::vector<Flow> flows_;             ///< by number in the network
  std::vector<std::uint32_t> watched_;  ///< flows, ascending
  std::vector<Queued> queued_;          ///< links with a queue after the last tick
  Time next_ = Time::Max();
  std::uint64_t ticks_ = 0, cnps_ = 0;
  std::int64_t marked_ = 0;
  std::vector<FluidVolume> delivered_;  ///< of watched_, in the last tick
};

}  // namespace heddle
