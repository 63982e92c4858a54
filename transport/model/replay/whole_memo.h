// SPDX-License-Identifier: GPL-2.0-only
/// The records of whole collectives of a rank, found by what they begin with.
///
/// A record is known while it is being made, to islands of the same domain. Memory is bounded: the
/// least recently used record is dropped first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "transport/model/replay/whole_record.h"

namespace heddle {

/// Whether it is worth the trouble to replay collectives whole on islands of one shape. A failure
/// costs what a collective costs. After some in a row, more and more collectives are not tried.
/// Results do not depend on it.
class WholeWorth {
 public:
  /// Whether the next collective is not to be tried. Counts it as skipped.
  bool Skips() {
    if (skips_ == 0) return false;
    --skips_;
    return true;
  }
  /// Notes a failure. After kPatience in a row, the next 8, 16, .. up to 1024 collectives are
  /// skipped.
  void Failed() {
    if (++failures_ < kPatience) return;
    wait_ = wait_ == 0 ? kLeastSkips : wait_ >= kMostSkips ? kMostSkips : 2 * wait_;
    skips_ = wait_;
  }
  void Replayed() { failures_ = wait_ = 0; }  ///< ends the row of failures

 private:
  static constexpr std::uint32_t kPatience = 4, kLeastSkips = 8, kMostSkips = 1024;

  std::uint32_t failures_ = 0, wait_ = 0, skips_ = 0;
};

class WholeMemo {
 public:
  /// Makes an empty memo. `most`: bytes that complete records may take.
  explicit WholeMemo(std::size_t most) : most_(most) {}

  /// Makes a record for `owner`, which Find() finds at once for the same owner.
  WholePtr Begin(const EpisodeKey& key, const void* owner);
  /// Returns a record that `owner` may follow, a complete one first; null if there is none. A
  /// complete one has all its episodes; one that has lost some is dropped.
  WholePtr Find(const EpisodeKey& key, const void* owner);
  /// Keeps a finished record, unless another complete one has the same key. May drop others for it.
  void Complete(const WholePtr& record);
  /// Drops a record that will not be finished, and marks it as dead.
  void Abandon(const WholePtr& record);
  /// Notes that a record was replayed: it is now the most recently used one.
  void Use(const WholePtr& record);
  /// Whether a record that is being made should be given up: it takes over a quarter of the memory.
  bool TooLong(const WholeRecord& record) const { return record.memory() > most_ / 4; }

  std::size_t records() const { return kept_.size(); }  ///< complete records
  std::size_t memory() const { return bytes_; }         ///< bytes of complete records

 private:
  struct Kept {
    WholePtr record;
    std::size_t bytes;
  };

  /// Removes a record from the index.
  void Forget(const WholePtr& record);
  /// Drops a complete record, with its bytes.
  void Drop(std::list<Kept>::iterator at);

  std::size_t most_, bytes_ = 0;
  std::unordered_map<EpisodeKey, std::vector<WholePtr>> records_;  ///< complete, or being made
  std::list<Kept> kept_;                                           ///< least recently used first
  std::unordered_map<const WholeRecord*, std::list<Kept>::iterator> at_;
};

}  // namespace heddle
