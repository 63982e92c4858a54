// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/listed_pattern.h"

#include <utility>

namespace heddle {
namespace {

/// FNV-1a over the ranks; equal pairs have equal digests.
std::uint64_t DigestOf(const std::vector<RankPair>& pairs) {
  std::uint64_t digest = 0xCBF29CE484222325ULL;
  for (const RankPair& pair : pairs) {
    for (const std::uint32_t rank : {pair.source, pair.destination})
      digest = (digest ^ rank) * 0x100000001B3ULL;
  }
  return digest;
}

class ListedPattern : public LevelPattern {
 public:
  explicit ListedPattern(std::shared_ptr<const ListedLevels> levels) : levels_(std::move(levels)) {}
  void Level(std::uint64_t level, std::vector<RankPair>* pairs) override {
    pairs->clear();
    if (level < levels_->size()) *pairs = (*levels_)[level];
  }

 private:
  std::shared_ptr<const ListedLevels> levels_;
};

}  // namespace

void ListedLevels::Add(std::vector<RankPair> pairs) {
  if (pairs.empty()) return;
  const std::uint64_t digest = DigestOf(pairs);
  const auto [first, last] = by_digest_.equal_range(digest);
  for (auto known = first; known != last; ++known) {
    if (different_[known->second] != pairs) continue;
    order_.push_back(known->second);
    return;
  }
  order_.push_back(static_cast<std::uint32_t>(different_.size()));
  by_digest_.emplace(digest, order_.back());
  different_.push_back(std::move(pairs));
}

std::unique_ptr<LevelPattern> MakeListedPattern(std::shared_ptr<const ListedLevels> levels) {
  return std::make_unique<ListedPattern>(std::move(levels));
}

}  // namespace heddle
