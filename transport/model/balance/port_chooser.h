// SPDX-License-Identifier: GPL-2.0-only
/// A switch's choice among equally good ports for a data packet, beyond the hash of its flow.
///
/// Schemes (balance.ports):
///   hash              the flow's hash; weighted: in proportion to what ports carry on (WCMP)
///   random            one draw a packet
///   round-robin       all in turn, in a new order each round, so that flows of one rhythm do not
///                     meet again; ports of sets of equal size share their turn
///   flowlet           LetFlow (flowlet_table.h): a new random port after a gap
///   adaptive          a port of the lowest grade of load, drawn among equals
///   adaptive-flowlet  keeps the flow's port, and after a gap moves to a port of a lower grade
/// The load of a port is the bytes in its queues. For a port slower than the fastest of the set, as
/// after a degraded link, it is as many more as the fastest would send in the same time. Grades:
/// below 5, 10, 20 % of a full queue, and above (uet-htsim's; NVIDIA's adaptive routing and
/// Broadcom's DLB work alike with grades of their own). A port that is down or paused for the
/// packet's priority is in a grade after all others.
/// Not modelled: load on links further away (CONGA, GLB), the age of readings, port utilisation.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/random.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "transport/model/balance/flowlet_table.h"
#include "transport/model/balance/port_options.h"
#include "transport/model/balance/weighted_pick.h"

namespace heddle {

/// Load of one port, as a choice reads it.
struct CandidatePort {
  std::int64_t queued = 0;  ///< [byte]
  BitRate rate;             ///< of its link
  bool blocked = false;     ///< down, or paused for the packet
  BitRate onward;           ///< weighted: what it and the switches after it carry on, > 0
};

/// The choices of one switch.
class PortChooser {
 public:
  /// Draws from a stream keyed by (`seed`, `node`), the switch's number. `full` > 0: bytes in queue
  /// that count as 100 percent.
  PortChooser(const PortOptions& options, std::int64_t full, std::uint64_t seed,
              std::uint64_t node);

  /// Returns one of `count` >= 2 ports for a packet whose flow has this hash. `load_of(port)`
  /// returns the port's CandidatePort; `now` ages flowlets.
  template <class LoadOf>
  std::uint32_t Choose(const std::uint32_t* ports, std::uint32_t count, std::uint32_t hash,
                       Time now, const LoadOf& load_of) {
    switch (scheme_) {
      case Scheme::kHash:
        return ports[weighted_ ? AtWeight(ports, count, hash, load_of) : hash % count];
      case Scheme::kRandom:
        return ports[Draw(ports, count, load_of)];
      case Scheme::kRoundRobin:
        return ports[NextInTurn(count)];
      case Scheme::kAdaptive:
        return ports[LeastLoaded(ports, count, load_of)];
      case Scheme::kFlowlet:
      case Scheme::kAdaptiveFlowlet:
        break;
    }
    FlowletTable::Entry& flowlet = flowlets_.At(hash);
    const bool over = flowlet.port == FlowletTable::kNone || now - flowlet.last > gap_;
    flowlet.last = now;
    const std::uint32_t held = IndexOf(ports, count, flowlet.port);
    if (held == count || over) {
      const std::uint32_t chosen = scheme_ == Scheme::kFlowlet
                                       ? Draw(ports, count, load_of)
                                       : BetterThan(held, ports, count, load_of);
      flowlet.port = ports[chosen];
    }
    return flowlet.port;
  }

  /// Returns the bytes allocated for flowlets and rounds.
  std::size_t memory() const { return flowlets_.memory() + rounds_.capacity() * sizeof(Round); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& random_& flowlets_& rounds_;
    if constexpr (Archive::is_loading::value) {
      for (const Round& round : rounds_)
        ExpectState(round.IsSound(), "a round of ports that is none");
    }
  }

 private:
  using Scheme = PortOptions::Scheme;

  /// A round over `count` ports: `next` is the next one, each `step` further, and `left` are still
  /// to come.
  struct Round {
    std::uint32_t count = 0, next = 0, step = 1, left = 0;

    /// Whether loaded numbers form a round.
    bool IsSound() const {
      return count > 0 && next < count && step < count && step > 0 && left <= count;
    }
    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& count& next& step& left;
    }
  };

  /// Returns the index of `port` in the set; `count` if it is not there.
  static std::uint32_t IndexOf(const std::uint32_t* ports, std::uint32_t count,
                               std::uint32_t port) {
    std::uint32_t at = 0;
    while (at < count && ports[at] != port) ++at;
    return at;
  }
  /// Returns the index that is next in the round of sets of this size. A new round draws its start,
  /// and a step without a common divisor with `count`.
  std::uint32_t NextInTurn(std::uint32_t count);
  /// Returns the grade of a port's load, 0 the lowest; the last one is for ports that are blocked.
  /// `fastest`: the largest rate of the set.
  int GradeOf(const CandidatePort& load, BitRate fastest) const {
    if (load.blocked) return static_cast<int>(bounds_.size()) + 1;
    std::int64_t queued = load.queued;
    if (load.rate < fastest) {
      queued =
          static_cast<std::int64_t>(static_cast<double>(queued) * static_cast<double>(fastest.bps) /
                                    static_cast<double>(load.rate.bps));
    }
    int grade = 0;
    for (const std::int64_t bound : bounds_) grade += queued >= bound ? 1 : 0;
    return grade;
  }
  /// Returns the largest link rate of the set.
  template <class LoadOf>
  static BitRate Fastest(const std::uint32_t* ports, std::uint32_t count, const LoadOf& load_of) {
    BitRate fastest;
    for (std::uint32_t at = 0; at < count; ++at)
      fastest = std::max(fastest, load_of(ports[at]).rate);
    return fastest;
  }
  /// Returns the index of a random port; weighted, in proportion to what the ports carry on.
  template <class LoadOf>
  std::uint32_t Draw(const std::uint32_t* ports, std::uint32_t count, const LoadOf& load_of) {
    if (!weighted_) return static_cast<std::uint32_t>(random_.Below(count));
    return AtWeight(ports, count, static_cast<std::uint32_t>(random_.Next() >> 32), load_of);
  }
  /// Returns the index of the port at `point` / 2^32 of the sum of weights.
  template <class LoadOf>
  static std::uint32_t AtWeight(const std::uint32_t* ports, std::uint32_t count,
                                std::uint32_t point, const LoadOf& load_of) {
    return PickByWeight(count, point,
                        [&](std::uint32_t at) { return load_of(ports[at]).onward.bps; });
  }
  /// Returns the index of a port of the lowest grade, drawn among equals.
  template <class LoadOf>
  std::uint32_t LeastLoaded(const std::uint32_t* ports, std::uint32_t count,
                            const LoadOf& load_of) {
    return BetterThan(count, ports, count, load_of);
  }
  /// Returns `held` unless a port has a lower grade than it; then a port of the lowest grade, each
  /// equally likely. `held` = count: none is held.
  template <class LoadOf>
  std::uint32_t BetterThan(std::uint32_t held, const std::uint32_t* ports, std::uint32_t count,
                           const LoadOf& load_of) {
    const BitRate fastest = Fastest(ports, count, load_of);
    int lowest = static_cast<int>(bounds_.size()) + 2;
    std::uint32_t equals = 0;
    for (std::uint32_t at = 0; at < count; ++at) {
      const int grade = GradeOf(load_of(ports[at]), fastest);
      equals = grade < lowest ? 1 : equals + (grade == lowest ? 1 : 0);
      lowest = std::min(lowest, grade);
    }
    if (held < count && GradeOf(load_of(ports[held]), fastest) == lowest) return held;
    auto skip = static_cast<std::uint32_t>(random_.Below(equals));
    std::uint32_t at = 0;
    while (GradeOf(load_of(ports[at]), fastest) != lowest || skip-- > 0) ++at;
    return at;
  }

  Scheme scheme_;
  bool weighted_;
  Time gap_;
  std::array<std::int64_t, 3> bounds_;  ///< first bytes of the grades after the lowest
  RandomStream random_;
  FlowletTable flowlets_;
  std::vector<Round> rounds_;  ///< one for each size of a set of ports
};

}  // namespace heddle
