// SPDX-License-Identifier: GPL-2.0-only
#include "core/events/sorted_messages.h"

#include <algorithm>
#include <cstring>

namespace heddle {
namespace {

constexpr std::uint32_t kEnd = ~0U;
constexpr std::size_t kFew = 128;  // messages, up to which 64 bins do
constexpr std::size_t kMany = 12;  // in one bin, above which they are parted by their nodes

bool Before(const Message* a, const Message* b) {
  return a->time != b->time ? a->time < b->time : a->order < b->order;
}

/// Bucket sort by node of many messages that have mostly one time. The order within a node stays:
/// it is nearly that of the ports.
void PartByNode(Message** messages, std::uint32_t* following, Message** copy, std::size_t count) {
  const auto node_of = [](const Message* message) { return message->order >> 44; };
  std::uint64_t least = node_of(messages[0]), most = least;
  for (std::size_t i = 0; i < count; ++i) {
    copy[i] = messages[i];
    least = std::min(least, node_of(messages[i]));
    most = std::max(most, node_of(messages[i]));
  }
  const int width = std::max(0, 64 - __builtin_clzll((most - least) | 1) - 6);
  std::uint32_t heads[64];
  std::memset(heads, 0xff, sizeof heads);
  std::uint64_t used = 0;
  for (std::size_t i = count; i-- > 0;) {
    const auto bin = static_cast<std::size_t>((node_of(copy[i]) - least) >> width);
    following[i] = heads[bin];
    heads[bin] = static_cast<std::uint32_t>(i);
    used |= std::uint64_t{1} << bin;
  }
  for (; used != 0; used &= used - 1) {
    for (std::uint32_t i = heads[__builtin_ctzll(used)]; i != kEnd; i = following[i])
      *messages++ = copy[i];
  }
}

}  // namespace

SortedMessages::SortedMessages() : taken_(64), sorted_(64), following_(64) {
  last_.time = Time::Max();
  last_.order = ~std::uint64_t{0};
}

std::size_t SortedMessages::memory() const {
  return (taken_.capacity() + sorted_.capacity() + parted_.capacity()) * sizeof(Message*) +
         (following_.capacity() + parted_following_.capacity()) * sizeof(std::uint32_t);
}

void SortedMessages::Grow() {
  taken_.resize(2 * taken_.size());
  sorted_.resize(taken_.size());
  following_.resize(taken_.size());
}

void SortedMessages::Sort(Time from, Time end) {
  if (count_ > kFew) {
    Distribute<4>(from, end);
  } else if (count_ > 4) {
    Distribute<1>(from, end);
  } else {
    std::copy(taken_.begin(), taken_.begin() + static_cast<std::ptrdiff_t>(count_),
              sorted_.begin());
  }
  SortNearlySorted();
  sorted_[count_] = &last_;
}

template <int kWords>
void SortedMessages::Distribute(Time from, Time end) {
  constexpr int kBits = kWords == 1 ? 6 : 8;
  const int bits = 64 - __builtin_clzll(static_cast<std::uint64_t>(end.ps - from.ps) | 1);
  const int width = std::max(0, bits - kBits);
  // A chain of messages for each bin, in the order in which they were written.
  std::uint32_t heads[64 * kWords];
  std::memset(heads, 0xff, sizeof heads);
  std::uint64_t used[kWords] = {};
  Message* const* const taken = taken_.data();
  std::uint32_t* const following = following_.data();
  for (std::size_t i = count_; i-- > 0;) {
    const auto bin = static_cast<std::size_t>((taken[i]->time.ps - from.ps) >> width);
    following[i] = heads[bin];
    heads[bin] = static_cast<std::uint32_t>(i);
    used[kWords == 1 ? 0 : bin >> 6] |= std::uint64_t{1} << (bin & 63);
  }
  Message** to = sorted_.data();
  for (int word = 0; word < kWords; ++word) {
    for (std::uint64_t left = used[word]; left != 0; left &= left - 1) {
      Message** const begin = to;
      std::uint32_t i = heads[64 * word + __builtin_ctzll(left)];
      do {
        *to++ = taken[i];
        i = following[i];
      } while (i != kEnd);
      const auto count = static_cast<std::size_t>(to - begin);
      if (count > kMany) {
        parted_.resize(std::max(parted_.size(), count));
        parted_following_.resize(parted_.size());
        PartByNode(begin, parted_following_.data(), parted_.data(), count);
      }
    }
  }
}

/// By insertion; by std::sort where that moves too many.
void SortedMessages::SortNearlySorted() {
  Message** const all = sorted_.data();
  std::size_t moves = 0;
  for (std::size_t i = 1; i < count_; ++i) {
    Message* const message = all[i];
    if (!Before(message, all[i - 1])) continue;
    std::size_t place = i;
    for (; place > 0 && Before(message, all[place - 1]); --place, ++moves)
      all[place] = all[place - 1];
    all[place] = message;
    if (moves > 8 * count_) {
      std::sort(all, all + count_, Before);
      return;
    }
  }
}

}  // namespace heddle
