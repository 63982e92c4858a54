// SPDX-License-Identifier: GPL-2.0-only
/// The messages of one window of a domain by (time, order), as pointers to where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/events/message.h"

namespace heddle {

/// Sorts pointers: a bucket sort by time, then insertion, since messages of one link come in order.
/// Shared by the domains of a rank, of which one runs at a time.
class SortedMessages {
 public:
  SortedMessages();
  void Clear() { count_ = 0; }
  /// Returns where `more` further pointers can be written; EndWriting() takes the end of those that
  /// were.
  Message** BeginWriting(std::size_t more) {
    while (count_ + more >= taken_.size()) Grow();
    return taken_.data() + count_;
  }
  void EndWriting(Message* const* end) { count_ = static_cast<std::size_t>(end - taken_.data()); }
  /// Sorts what was written. Requires all times in [from, end).
  void Sort(Time from, Time end);
  /// After Sort(): size() messages in order, then one at Time::Max().
  Message* const* begin() const { return sorted_.data(); }
  std::size_t size() const { return count_; }
  /// Bytes allocated.
  std::size_t memory() const;

 private:
  [[gnu::noinline]] void Grow();
  /// Bucket sort of taken_ into sorted_ by equal steps of time: 64 for each of `kWords`.
  template <int kWords>
  void Distribute(Time from, Time end);
  void SortNearlySorted();

  std::vector<Message*> taken_, sorted_;
  std::vector<std::uint32_t> following_;  ///< chains of a bucket, by index into taken_
  std::vector<Message*> parted_;          ///< used where many messages have one time
  std::vector<std::uint32_t> parted_following_;
  std::size_t count_ = 0;
  Message last_;
};

}  // namespace heddle
