// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/paths/known_paths.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

/// Hashes all that distinguishes a path: the rate and the hops that count.
std::uint64_t HashOf(const KnownPath& path) {
  std::uint64_t hash = path.rate_index();
  for (const HopIndex* hop = path.begin(); hop != path.end_counted(); ++hop) {
    hash = (hash ^ *hop) * 0x9E3779B97F4A7C15ULL;  // 2^64 over the golden ratio, as in FlatMap
  }
  return hash >> 32;
}

bool SamePath(const KnownPath& a, const KnownPath& b) {
  return a.rate_index() == b.rate_index() && std::equal(a.begin(), a.end_counted(), b.begin());
}

/// Memory of a pair in the map and the list, besides KnownPaths itself; after doubling the map is
/// at most half full [byte].
constexpr std::size_t kBytesOfAPair = 4 * 16;

std::uint64_t KeyOf(NodeId source, NodeId destination, std::uint16_t destination_port) {
  constexpr int kNodeBits = 20, kPortBits = 16;
  static_assert(kMaxNodes <= 1U << kNodeBits);
  return (static_cast<std::uint64_t>(source.value) << (kNodeBits + kPortBits)) |
         (static_cast<std::uint64_t>(destination.value) << kPortBits) | destination_port;
}

}  // namespace

void PathSet::Begin(const KnownPaths& known) {
  size_ = 0;
  if (++search_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    search_ = 1;
  }
  // Known paths differ from each other, so no comparison is needed.
  for (std::uint32_t i = 0; i < known.count(); ++i) {
    if (std::size_t{2} * (size_ + 1) > slots_.size()) return Grow(known);
    std::size_t at = HashOf(known[i]) & (slots_.size() - 1);
    while (slots_[at].search == search_) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {search_, i};
    ++size_;
  }
}

bool PathSet::Insert(const KnownPaths& known, const KnownPath& path) {
  if (std::size_t{2} * (size_ + 1) > slots_.size()) Grow(known);
  std::size_t at = HashOf(path) & (slots_.size() - 1);
  for (; slots_[at].search == search_; at = (at + 1) & (slots_.size() - 1)) {
    if (SamePath(known[slots_[at].number], path)) return false;
  }
  slots_[at] = {search_, known.count()};
  ++size_;
  return true;
}

void PathSet::Grow(const KnownPaths& known) {
  slots_.assign(2 * slots_.size(), Slot{});
  search_ = 0;
  Begin(known);
}

KnownPaths* KnownPathsOfPairs::Find(NodeId source, NodeId destination,
                                    std::uint16_t destination_port) {
  const std::uint32_t number = number_of_.Find(KeyOf(source, destination, destination_port));
  return number == FlatMap::kNone ? nullptr : &pairs_[number];
}

KnownPaths& KnownPathsOfPairs::Add(NodeId source, NodeId destination,
                                   std::uint16_t destination_port, std::uint32_t hops) {
  number_of_.Insert(KeyOf(source, destination, destination_port),
                    static_cast<std::uint32_t>(pairs_.size()));
  pairs_.emplace_back(hops);
  bytes_ += kBytesOfAPair + pairs_.back().bytes();
  return pairs_.back();
}

void KnownPathsOfPairs::Forget() {
  number_of_ = FlatMap();
  pairs_.clear();
  bytes_ = 0;
}

}  // namespace heddle
