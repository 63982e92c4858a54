// SPDX-License-Identifier: GPL-2.0-only
/// RCCC at the receiver: the pacer of one NIC gives credit to the flows that arrive there, one pull
/// after another.
///
/// Source: as transport/model/uec/receiver_credit.h. A sink is one arriving flow. Its demand is
/// what its largest pull target exceeds its pull number by. There is a row of active sinks and one
/// of idle ones.
///   a larger target, or Request():  the sink joins the active row, if it is not there, also
///           without demand
///   active: the first gets a pull of min(64 quanta, demand), and goes to the end of the row; or,
///           without demand left, to the end of the idle row, where it may stand several times
///   no active sink: the first idle one gets a slow pull of 64 quanta, ahead of its demand, and
///           goes to the end of the row while it is less than 1.5 BDP ahead
///   the next pull follows after credit / (.99 C r), with r of OversubscriptionControl; a pull
///           without credit counts as 1024 bytes
/// A receiver does not know that nothing follows a flow: a complete one keeps its places and takes
/// pulls, which have no effect, as long as others are not complete. Here a sink has at most as
/// many idle places as there are pulls in 1.5 BDP, which bounds the row; uet-htsim knows no bound.
/// Invariant: credit of all pulls until t <= .99 C t + one pull.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/containers/ring_queue.h"
#include "core/containers/state_count.h"
#include "transport/model/uec/uec_options.h"
#include "transport/model/uec/uec_scale.h"

namespace heddle {

/// What all pacers of NICs with one rate share.
struct PullRules {
  /// Derives the fields from uec.pull, pull_rate and slow_pulls, and from the network's scale.
  PullRules(const UecOptions& options, const UecScale& scale);

  std::int64_t pull = 0;   ///< [quantum]
  std::int64_t ahead = 0;  ///< the most that slow pulls give beyond demand [quantum]; 0: none
  double quantum_ps = 0;   ///< time of a quantum at r = 1 [ps]
  std::uint32_t idle_places = 0;  ///< of a sink
};

class PullPacer {
 public:
  struct Pull {
    std::uint32_t sink = 0;
    std::int64_t number = 0;  ///< all credit of the sink so far [quantum]
    bool slow = false;
  };

  /// Adds a sink that is in no row, and returns its number. Numbers of sinks that are gone are used
  /// again.
  std::uint32_t Add();
  /// Ends a sink whose flow is complete; the caller must not name it any more. Requires Has(sink).
  void Complete(std::uint32_t sink);
  /// Raises the target of a sink to what a packet brought [quantum]; an outdated target changes
  /// nothing.
  void SetTarget(std::uint32_t sink, std::int64_t target);
  /// Makes a sink active, also without new demand: a trimmed packet or a request to send came.
  void Request(std::uint32_t sink);

  /// Whether a pull is waiting to be sent, at next() or later.
  bool waiting() const { return !active_.empty() || !idle_.empty(); }
  /// Returns the earliest time of the next pull.
  Time next() const { return next_; }
  /// Takes the pull that is due at `now`, at or after next(). Requires waiting(). `rate` is r, in
  /// (0, 1].
  Pull Take(Time now, const PullRules& rules, double rate);

  /// Returns the demand of a sink [quantum], at least 0.
  std::int64_t demand(std::uint32_t sink) const;
  /// Whether the sink exists and its flow is not complete.
  bool Has(std::uint32_t sink) const {
    return sink < sinks_.size() && sinks_[sink].life == Life::kOpen;
  }
  /// Returns a bound: numbers of sinks are below it, whether they exist or not.
  std::size_t places() const { return sinks_.size(); }
  /// Returns the number of sinks whose flows are not complete.
  std::size_t size() const { return open_; }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& sinks_& free_& active_& idle_& next_;
    if constexpr (Archive::is_loading::value) CheckLoaded();
  }

 private:
  enum class Life : std::uint8_t { kFree, kOpen, kComplete };
  struct Sink {
    std::int64_t target = 0;        ///< largest [quantum]
    std::int64_t pull = 0;          ///< given [quantum]
    std::uint32_t idle_places = 0;  ///< in the idle row
    Life life = Life::kOpen;
    std::uint8_t active = 0;  ///< 1: in the active row

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& target& pull& idle_places& life& active;
    }
  };

  /// Puts a sink at the end of the idle row, unless it has all its places there.
  void Rest(std::uint32_t sink, const PullRules& rules);
  /// Frees a sink whose flow is complete and that is in no row.
  void FreeIfGone(std::uint32_t sink);
  /// Checks that loaded sinks and rows agree, and counts the open ones. Throws UserError.
  void CheckLoaded();

  std::vector<Sink> sinks_;
  std::vector<std::uint32_t> free_;
  RingQueue<std::uint32_t> active_;
  RingQueue<std::uint32_t> idle_;
  Time next_;
  std::size_t open_ = 0;
};

}  // namespace heddle
