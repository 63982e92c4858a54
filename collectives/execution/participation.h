// SPDX-License-Identifier: GPL-2.0-only
/// One participant's progress in one collective under way: messages left to send and receive, and
/// messages that wait for several others.
#ifndef HEDDLE_COLLECTIVES_EXECUTION_PARTICIPATION_H_
#define HEDDLE_COLLECTIVES_EXECUTION_PARTICIPATION_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/job/placed_job.h"
#include "collectives/schedule/schedule.h"
#include "core/base/memory_account.h"
#include "core/base/state_count.h"
#include "core/base/units.h"

namespace heddle {

/// Identity of a message, as its cookie carries it between domains.
struct MessageName {
  std::uint32_t node = 0;       ///< node of the destination
  std::uint32_t operation = 0;  ///< operation of the job
  std::uint32_t group = 0;      ///< group of the operation's type
  Participant source = 0, destination = 0;
  std::uint32_t chunk = 0;
  std::uint16_t channel = 0;
  std::uint16_t job = 0;
  Connection connection = Connection::kRing;
  std::uint8_t padding[3] = {};

  GroupFlow flow() const {
    GroupFlow flow;
    flow.source = source;
    flow.destination = destination;
    flow.chunk = chunk;
    flow.channel = channel;
    flow.connection = connection;
    return flow;
  }
};
static_assert(sizeof(MessageName) == 32);

struct Participation {
  std::uint32_t operation = 0;
  std::uint32_t group = 0;
  const PlannedCollective* collective = nullptr;
  Participant me = 0;
  bool begun = false;  ///< its own program has reached it; NVSwitches have no program
  Time issued;         ///< when its program reached it
  Time from;           ///< earliest time of sending: `issued`, or when the communicator became free
  Time last;           ///< last time it sent or received a message
  FlowCounts left;
  std::unordered_map<std::uint64_t, std::uint32_t> received;  ///< messages so far, by StreamOf
  std::vector<std::pair<GroupFlow, Time>> early;  ///< messages that arrived before it began

  /// Messages of one source, channel and connection arrive in order.
  static std::uint64_t StreamOf(const GroupFlow& flow) {
    return static_cast<std::uint64_t>(flow.channel) << 40 |
           static_cast<std::uint64_t>(flow.connection) << 32 | flow.source;
  }

  /// Bytes that it has allocated.
  std::size_t memory() const {
    return MemoryOfHash(received) + MemoryOf(early) +
           waiting_.size() * (kHashNode + sizeof(Key) + sizeof(Waiting)) +
           waiting_.bucket_count() * sizeof(void*);
  }
  /// Counts of a collective carried as a whole: only its end is awaited.
  static constexpr FlowCounts kAsAWhole{0, 1};
  bool done() const { return begun && left.sends == 0 && left.receives == 0; }

  /// Counts the arrival at `time` of one of the several parents of `child`. Returns whether it was
  /// the last; then sets `time` to that of the latest.
  bool CountParent(const Schedule& schedule, const GroupFlow& child, Time* time) {
    const auto [at, is_new] = waiting_.try_emplace(KeyOf(child));
    if (is_new) at->second.left = schedule.ParentCount(child);
    at->second.latest = *time = std::max(at->second.latest, *time);
    if (--at->second.left > 0) return false;
    waiting_.erase(at);
    return true;
  }

  /// Saves all but `collective`, which follows from `operation` and `group`. Of early messages only
  /// the names are saved, as nothing else is used; tables are in the order of their keys, so that
  /// equal states give equal bytes.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    std::map<std::uint64_t, std::uint32_t> counts(received.begin(), received.end());
    std::map<Key, Waiting> waiting(waiting_.begin(), waiting_.end());
    StateCount early_ones(early.size());
    archive& operation& group& me& begun& issued& from& last& left.sends& left
        .receives& counts& waiting& early_ones;
    early.resize(early_ones);
    for (auto& [flow, when] : early) {
      archive& flow.source& flow.destination& flow.chunk& flow.channel& flow.connection& when;
    }
    if constexpr (Archive::is_loading::value) {
      received = {counts.begin(), counts.end()};
      waiting_ = {waiting.begin(), waiting.end()};
    }
  }

 private:
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
  static Key KeyOf(const GroupFlow& f) {
    return {
        (static_cast<std::uint64_t>(f.destination) << 32) | f.chunk,
        (static_cast<std::uint64_t>(f.channel) << 8) | static_cast<std::uint64_t>(f.connection)};
  }

  /// Never iterated: its order would depend on history.
  std::unordered_map<Key, Waiting, Hash> waiting_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_EXECUTION_PARTICIPATION_H_
