// SPDX-License-Identifier: GPL-2.0-only
/// The records of a flow's end: its row at the sender, its arrival at the receiver, the states, the
/// reasons of losses, and the digest over all of them.
///
/// All backends write these records, and all readers of a result use them.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/future.h"
#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// The state of a flow at the end of the run. The values are part of the result format
/// (/flows/state).
enum class FlowState : std::uint8_t {
  kFinished = 0,
  kNotStarted = 1,
  kNoRoute = 2,     ///< without a route to its destination when the run ended
  kRetryLimit = 3,  ///< too many timeouts without progress: the queue pair gave up
  kPaused = 4,      ///< its port was paused by PFC when the run ended
  kUnderWay = 5,
};
constexpr FlowState kLastFlowState = FlowState::kUnderWay;
/// Returns "finished", "not started", "no route", "retry limit exceeded", "paused", "under way".
const char* ToText(FlowState state);
/// Returns all values with their texts, for the description of a column: "0 finished, 1 not
/// started, ...".
std::string FlowStateValues();

/// The reason of a packet loss.
enum class DropReason : std::uint8_t { kBufferFull, kWireError, kLinkDown, kNoRoute };
/// Returns "buffer full", "wire error", "link down", "no route".
const char* ToText(DropReason reason);

/// What a flow lost and how it recovered, counted at its sender.
struct FlowRecovery {
  /// Time without progress before its timeouts, in all.
  Time waited;
  std::int64_t resent_bytes = 0;  ///< payload sent again
  std::uint32_t nacks = 0;        ///< received
  std::uint16_t timeouts = 0;     ///< in all, or 65535
  std::uint16_t moves = 0;        ///< changes of its source port by the controller, or 65535

  /// Whether anything was lost or seemed to be.
  bool any() const { return timeouts != 0 || nacks != 0 || resent_bytes != 0; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& waited& resent_bytes& nacks& timeouts& moves;
  }
  /// Says what each member is to a replay (core/base/future.h), which requires that nothing was
  /// lost.
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.MustBe(self.waited, Time{0});
    visit.MustBe(self.resent_bytes, std::int64_t{0});
    visit.MustBe(self.nacks, 0U);
    visit.MustBe(self.timeouts, std::uint16_t{0});
    visit.MustBe(self.moves, std::uint16_t{0});
  }
};
static_assert(SpeaksForAllMembers<FlowRecovery>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

/// The record of a flow at its sender, at the flow's end.
struct FlowRecord {
  FlowId flow;
  NodeId destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t priority = 0;
  FlowState state = FlowState::kFinished;
  std::uint32_t message = 0;
  std::int64_t size = 0;
  Time start;
  Time completion{-1};  ///< from the start to the last ACK; negative: unfinished
  Time ideal;           ///< of the flow alone in the healthy fabric; 0: unknown
  FlowRecovery recovery;
  FlowOrigin origin;                   ///< the collective to which the flow belongs
  std::uint32_t request = kNoRequest;  ///< number of its request to the controller, at its source

  static constexpr std::uint32_t kNoRequest = ~0U;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& destination& source_port& destination_port& priority& state& message& size&
        start& completion& ideal& recovery& origin& request;
  }
};

/// The arrival of a flow's last byte at the receiver.
struct FlowArrival {
  FlowId flow;
  Time time;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flow& time;
  }
};

/// Returns a digest of a record. Sums of digests are independent of the order, so they are equal on
/// any number of ranks.
std::uint64_t DigestOf(const FlowRecord& record);
/// Returns a digest of an arrival, likewise.
std::uint64_t DigestOf(const FlowArrival& arrival);

}  // namespace heddle
