// SPDX-License-Identifier: GPL-2.0-only
/// The records of whole collectives of a rank, found by what they begin with.
///
/// A record is known while it is being made, to islands of the same domain. Memory is bounded: what
/// was not used for longest goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "transport/model/replay/whole_record.h"

namespace heddle {

/// Whether it is worth the trouble to take collectives whole on islands of one shape. After some
/// failures in a row, which cost what a collective costs, more and more of them are left to
/// themselves. Results do not depend on it.
class WholeWorth {
 public:
  /// Whether the next collective is to be left to itself.
  bool Skips() {
    if (skips_ == 0) return false;
    --skips_;
    return true;
  }
  void Failed() {
    if (++failures_ < kPatience) return;
    wait_ = wait_ == 0 ? kLeastSkips : wait_ >= kMostSkips ? kMostSkips : 2 * wait_;
    skips_ = wait_;
  }
  void Replayed() { failures_ = wait_ = 0; }

 private:
  static constexpr std::uint32_t kPatience = 4, kLeastSkips = 8, kMostSkips = 1024;

  std::uint32_t failures_ = 0, wait_ = 0, skips_ = 0;
};

class WholeMemo {
 public:
  /// `most`: bytes that complete records may take.
  explicit WholeMemo(std::size_t most) : most_(most) {}

  /// A record that `owner` will make.
  WholePtr Begin(const EpisodeKey& key, const void* owner);
  /// One that `owner` may follow; null: there is none. A complete one has all its episodes.
  WholePtr Find(const EpisodeKey& key, const void* owner);
  void Complete(const WholePtr& record);
  void Abandon(const WholePtr& record);
  /// Somebody has replayed it.
  void Use(const WholePtr& record);
  /// Whether a record that is being made should be given up.
  bool TooLong(const WholeRecord& record) const { return record.memory() > most_ / 4; }

  std::size_t records() const { return kept_.size(); }
  std::size_t memory() const { return bytes_; }

 private:
  struct Kept {
    WholePtr record;
    std::size_t bytes;
  };

  void Forget(const WholePtr& record);
  void Drop(std::list<Kept>::iterator at);

  std::size_t most_, bytes_ = 0;
  std::unordered_map<EpisodeKey, std::vector<WholePtr>> records_;  ///< complete, or being made
  std::list<Kept> kept_;  ///< the one used last is the last
  std::unordered_map<const WholeRecord*, std::list<Kept>::iterator> at_;
};

}  // namespace heddle
