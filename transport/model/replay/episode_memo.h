// SPDX-License-Identifier: GPL-2.0-only
/// The records of a rank, found by what an episode was given so far.
///
/// Every prefix of a record's inputs is an entry, so that an island that leaves one record may go
/// on with another. A record is known from its first input on: while it is being made, islands of
/// the same domain may follow it. Memory is bounded: the least recently used record is dropped
/// first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "transport/model/replay/episode_key.h"
#include "transport/model/replay/episode_record.h"
#include "transport/model/replay/episode_worth.h"
#include "transport/model/replay/whole_memo.h"

namespace heddle {

using EpisodePtr = std::shared_ptr<EpisodeRecord>;

class EpisodeMemo {
 public:
  /// Where an island is in a record.
  struct Place {
    EpisodePtr record;
    std::size_t item = 0;  ///< the first after the last input
  };

  /// Makes an empty memo. `most`: bytes that complete records may take. Records of whole
  /// collectives may take a third as much besides.
  explicit EpisodeMemo(std::size_t most) : most_(most), whole_(most / 3) {}

  /// Returns the records of whole collectives.
  WholeMemo& whole() { return whole_; }

  /// Makes a record without inputs for `owner`, which no key finds yet.
  static EpisodePtr Begin(const void* owner);
  /// Notes that the record's island has been given another flow, at `port` and [ps] after the
  /// episode's beginning. `key` names all inputs with this one.
  void AddInput(const EpisodePtr& record, const EpisodeKey& key, std::int64_t after,
                std::uint16_t port);
  /// Returns the places at which records have had just these inputs, if `owner` may use the record.
  /// Valid until the next change.
  std::vector<Place> Find(const EpisodeKey& key, const void* owner) const;
  /// Whether a record with these inputs is being made, by any domain of the rank.
  bool IsBeingMade(const EpisodeKey& key) const;
  /// Keeps a finished record: from now on every domain may use it, and it may be dropped for
  /// others.
  void Complete(const EpisodePtr& record);
  /// Drops a record that will not be finished, and marks it as dead.
  void Abandon(const EpisodePtr& record);
  /// Notes that a record was replayed: it is now the most recently used one.
  void Use(const EpisodePtr& record);
  /// Whether a record that is being made is so long that it should be given up: over a quarter of
  /// the memory.
  bool TooLong(const EpisodeRecord& record) const { return record.memory() > most_ / 4; }

  /// Returns the balance of all islands of this shape on the rank. The pointer stays valid.
  EpisodeWorth* WorthOf(const EpisodeKey& shape) { return &worths_[shape]; }

  std::size_t records() const { return kept_.size(); }  ///< complete records
  /// Returns the bytes of complete records, those of whole collectives included, and of the index.
  std::size_t memory() const;

 private:
  static constexpr std::size_t kMostPlaces = 8;  ///< of one key; the oldest go

  struct Weak {
    std::weak_ptr<EpisodeRecord> record;
    std::size_t item;
  };
  struct Kept {
    EpisodePtr record;
    std::size_t bytes;
  };

  /// Removes a record from all its places.
  void Forget(const EpisodePtr& record);

  std::size_t most_, bytes_ = 0;
  WholeMemo whole_;
  std::unordered_map<EpisodeKey, std::vector<Weak>> places_;
  std::unordered_map<EpisodeKey, EpisodeWorth> worths_;
  std::list<Kept> kept_;  ///< least recently used first
  std::unordered_map<const EpisodeRecord*, std::list<Kept>::iterator> at_;
};

}  // namespace heddle
