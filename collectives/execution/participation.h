// SPDX-License-Identifier: GPL-2.0-only
/// One participant's progress in one collective: messages left to send and receive, and messages
/// that wait for several others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/job/placed_job.h"
#include "collectives/schedule/message_name.h"
#include "collectives/schedule/schedule.h"
#include "core/base/memory_account.h"
#include "core/base/units.h"
#include "core/containers/flat_map.h"
#include "core/containers/state_count.h"

namespace heddle {

struct Participation {
  std::uint32_t operation = 0;
  std::uint32_t group = 0;
  const PlannedCollective* collective = nullptr;
  Participant me = 0;
  bool begun = false;  ///< its own program has reached it; NVSwitches have no program
  bool told = false;   ///< its program was notified of its end, which comes once more; never saved
  Time issued;         ///< when its program reached it
  Time from;           ///< earliest time of sending: `issued`, or when the communicator became free
  Time last;           ///< last time it sent or received a message
  FlowCounts left;
  /// Messages handed on so far, by StreamOf with the source; sent so far, with the destination.
  FlatMap received, posted;
  std::vector<NumberedFlow> overtaking;  ///< messages that arrived before an earlier one
  std::vector<std::pair<NumberedFlow, Time>> early;  ///< messages that arrived before it began

  /// Returns the name of the connection with `peer` over which a message goes.
  static std::uint64_t StreamOf(const GroupFlow& flow, Participant peer) {
    return static_cast<std::uint64_t>(flow.channel) << 40 |
           static_cast<std::uint64_t>(flow.connection) << 32 | peer;
  }

  /// Returns the number of the next message to be sent over the connection of `flow`, and counts
  /// it.
  std::uint32_t NextTurn(const GroupFlow& flow) {
    return posted.FindOrInsert(StreamOf(flow, flow.destination), 0)++ & MessageName::kLastTurn;
  }

  /// Calls hand_on(flow) for `arrived` and the messages that waited for it; for none as long as an
  /// earlier message of the connection is missing.
  template <class HandOn>
  void TakeInOrder(const NumberedFlow& arrived, HandOn hand_on) {
    const std::uint64_t stream = StreamOf(arrived.flow, arrived.flow.source);
    std::uint32_t& count = received.FindOrInsert(stream, 0);
    const auto is_next = [&](const NumberedFlow& message) {
      return message.turn == (count & MessageName::kLastTurn);
    };
    if (!is_next(arrived)) {
      overtaking.push_back(arrived);
      return;
    }
    ++count;
    hand_on(arrived.flow);
    for (auto at = overtaking.begin(); at != overtaking.end();) {
      if (StreamOf(at->flow, at->flow.source) != stream || !is_next(*at)) {
        ++at;
        continue;
      }
      const GroupFlow flow = at->flow;
      overtaking.erase(at);
      ++count;
      hand_on(flow);
      at = overtaking.begin();
    }
  }

  /// Memory that it has allocated [byte].
  std::size_t memory() const {
    return received.memory() + posted.memory() + MemoryOf(overtaking) + MemoryOf(early) +
           waiting_.size() * (kHashNode + sizeof(Key) + sizeof(Waiting)) +
           waiting_.bucket_count() * sizeof(void*);
  }
  /// Counts of a collective carried as a whole: only its end is awaited.
  static constexpr FlowCounts kAsAWhole{0, 1};
  /// Whether it has begun and nothing is left to send or receive.
  bool done() const { return begun && left.sends == 0 && left.receives == 0; }
  /// Whether it has begun and no message of it was reported.
  bool fresh() const {
    const FlowCounts all = collective->schedule->CountsOf(me);
    return begun && left.sends == all.sends && left.receives == all.receives && overtaking.empty();
  }

  /// Counts the arrival at `time` of one of the several parents of `child`, or the posting of the
  /// message before it. Returns whether it was the last that it waits for; then sets `time` to that
  /// of the latest.
  bool CountWait(const Schedule& schedule, const GroupFlow& child, Time* time) {
    const auto [at, is_new] = waiting_.try_emplace(KeyOf(child));
    if (is_new) at->second.left = schedule.WaitCount(child);
    at->second.latest = *time = std::max(at->second.latest, *time);
    if (--at->second.left > 0) return false;
    waiting_.erase(at);
    return true;
  }

  /// Checks a loaded state: throws UserError "the saved state has ...". `as_a_whole`: the
  /// collective is carried so.
  void Check(PlacedJob* job, bool as_a_whole) const;
  /// Saves all but `collective`, which follows from `operation` and `group`. Of early messages only
  /// the names are saved, as nothing else is used; tables are in the order of their keys, so that
  /// equal states give equal bytes.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::map<std::uint64_t, std::uint32_t> counts = InOrder(received), turns = InOrder(posted);
    std::map<Key, Waiting> waiting(waiting_.begin(), waiting_.end());
    StateCount early_ones(early.size()), overtaking_ones(overtaking.size());
    archive& operation& group& me& begun& issued& from& last& left.sends& left
        .receives& counts& turns& waiting& overtaking_ones& early_ones;
    overtaking.resize(overtaking_ones);
    for (NumberedFlow& message : overtaking) archive& message;
    early.resize(early_ones);
    for (auto& [message, when] : early) archive& message& when;
    if constexpr (Archive::is_loading::value) {
      received = MapOf(counts);
      posted = MapOf(turns);
      waiting_ = {waiting.begin(), waiting.end()};
    }
  }

 private:
  /// Sorts the entries by key, for checkpoints.
  static std::map<std::uint64_t, std::uint32_t> InOrder(const FlatMap& map) {
    std::map<std::uint64_t, std::uint32_t> sorted;
    map.ForEach([&](std::uint64_t key, std::uint32_t value) { sorted[key] = value; });
    return sorted;
  }
  /// Inverts InOrder().
  static FlatMap MapOf(const std::map<std::uint64_t, std::uint32_t>& entries) {
    FlatMap map;
    for (const auto& [key, value] : entries) map.FindOrInsert(key, value) = value;
    return map;
  }

  struct Waiting {
    std::uint32_t left = 0;
    Time latest;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& left& latest;
    }
  };
  struct Key {
    std::uint64_t high = 0, low = 0;
    bool operator==(const Key& other) const { return high == other.high && low == other.low; }
    bool operator<(const Key& other) const {
      return high != other.high ? high < other.high : low < other.low;
    }

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& high& low;
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.high * 0x9E3779B97F4A7C15ULL) ^
                                      (key.low * 0xC2B2AE3D27D4EB4FULL));
    }
  };
  /// Packs a message's name; the source is always this participant.
  static Key KeyOf(const GroupFlow& f) {
    return {
        (static_cast<std::uint64_t>(f.destination) << 32) | f.chunk,
        (static_cast<std::uint64_t>(f.channel) << 8) | static_cast<std::uint64_t>(f.connection)};
  }

  /// Never iterated: its order would depend on history.
  std::unordered_map<Key, Waiting, Hash> waiting_;
};

}  // namespace heddle
