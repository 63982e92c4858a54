// SPDX-License-Identifier: GPL-2.0-only
/// The records of a rank, found by what an episode was given so far.
///
/// Every prefix of a record's inputs is an entry, so that an island that leaves one record may go
/// on with another. A record is known from its first input on: while it is being made, islands of
/// the same domain may follow it. Memory is bounded: what was not used for longest goes first.
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

  /// `most`: bytes that complete records may take. Those of whole collectives may take a third as
  /// much besides.
  explicit EpisodeMemo(std::size_t most) : most_(most), whole_(most / 3) {}

  /// Those of whole collectives.
  WholeMemo& whole() { return whole_; }

  /// A record without inputs, made by `owner`.
  static EpisodePtr Begin(const void* owner);
  /// The island of the record has been given another flow, at `port`. `key`: with it.
  void AddInput(const EpisodePtr& record, const EpisodeKey& key, std::int64_t after,
                std::uint16_t port);
  /// The places at which records have had just these inputs, of which `owner` may use the record.
  /// Good until the next change.
  std::vector<Place> Find(const EpisodeKey& key, const void* owner) const;
  /// Whether a record with these inputs is being made, by anybody on the rank.
  bool IsBeingMade(const EpisodeKey& key) const;
  /// The record may be kept from now on; others may go for it.
  void Complete(const EpisodePtr& record);
  /// The record will not be finished.
  void Abandon(const EpisodePtr& record);
  /// Somebody has replayed it.
  void Use(const EpisodePtr& record);
  /// Whether a record that is being made has become so long that it should be given up.
  bool TooLong(const EpisodeRecord& record) const { return record.memory() > most_ / 4; }

  /// Of all islands of this shape on the rank. It stays where it is.
  EpisodeWorth* WorthOf(const EpisodeKey& shape) { return &worths_[shape]; }

  std::size_t records() const { return kept_.size(); }
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

  void Forget(const EpisodePtr& record);

  std::size_t most_, bytes_ = 0;
  WholeMemo whole_;
  std::unordered_map<EpisodeKey, std::vector<Weak>> places_;
  std::unordered_map<EpisodeKey, EpisodeWorth> worths_;
  std::list<Kept> kept_;  ///< the one used last is the last
  std::unordered_map<const EpisodeRecord*, std::list<Kept>::iterator> at_;
};

}  // namespace heddle
