// SPDX-License-Identifier: GPL-2.0-only
/// What the domains of a run of whole collectives tell each other: a rank has begun, or may go on;
/// a collective is to share links with others, or has.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <type_traits>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/events/event.h"
#include "core/events/message.h"
#include "core/traffic/collective_carrier.h"

namespace heddle {

/// Cargo. Contains the times that count: when it arrives does not.
struct CollectiveReport {
  /// Kinds of events, in the order of one time and node. kPosted: a begin before the first event,
  /// which has not been sent. kWoken: the agent asked for it; its report has no content.
  enum Kind : std::uint32_t {
    kBegun,  ///< at the home of a collective: a rank has begun
    kEnded,  ///< at a rank: it may go on
    kPosted,
    kWoken,
    kStream,    ///< at the streams: all ranks have begun
    kStreamed,  ///< at the home: the collective ends
    kTurn       ///< at the streams: something ends or starts; it has no report
  };
  enum class Role : std::uint8_t { kMember, kSender, kReceiver };

  CollectiveName name;
  std::uint32_t parts = 0;  ///< ranks that must begin
  NodeId node;              ///< of the rank
  NodeId home;              ///< the first rank's
  Time when;                ///< of the begin or the end
  Time price;               ///< in the report of the first rank, or of the sender; else 0
  Role role = Role::kMember;

  /// Its place among the events of its home at one time, between home and streams.
  EventOrder OrderAs(Kind kind) const {
    const std::uint32_t words[] = {name.job, name.operation, name.group};
    return {home, PortId(0), kind, EventOrder::NumberOf(XXH3_64bits(words, sizeof words))};
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& name.operation& name.group& name.job& parts& node& home& when& price& role;
  }
};
static_assert(sizeof(CollectiveReport) <= sizeof(Cargo) &&
              std::is_trivially_copyable_v<CollectiveReport>);

}  // namespace heddle
