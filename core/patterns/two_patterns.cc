// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/two_patterns.h"

#include <utility>
#include <vector>

namespace heddle {
namespace {

class TwoPatterns : public LevelPattern {
 public:
  TwoPatterns(std::unique_ptr<LevelPattern> first, std::uint32_t first_ranks,
              std::unique_ptr<LevelPattern> second, BetweenRuns between)
      : first_(std::move(first)),
        second_(std::move(second)),
        first_ranks_(first_ranks),
        between_(between) {}

  void BeginRun(RandomStream* random) override {
    first_->BeginRun(random);
    second_->BeginRun(random);
    if (between_ == BetweenRuns::kStartAgain) next_ = 0;
  }
  /// Levels must be asked for in order, from any on.
  void Level(std::uint64_t level, std::vector<RankPair>* pairs) override {
    first_->Level(level, pairs);
    const bool goes_on = !pairs->empty();
    second_->Level(next_, &seconds_);
    if (seconds_.empty() && goes_on) {
      next_ = 0;
      second_->Level(next_, &seconds_);
    }
    ++next_;
    for (const RankPair& pair : seconds_)
      pairs->push_back({pair.source + first_ranks_, pair.destination + first_ranks_});
  }
  bool GoesOnAcrossRuns() const override { return between_ == BetweenRuns::kGoOn; }

 private:
  std::unique_ptr<LevelPattern> first_, second_;
  std::uint32_t first_ranks_;
  BetweenRuns between_;
  std::uint64_t next_ = 0;  ///< level of the second pattern
  std::vector<RankPair> seconds_;
};

}  // namespace

std::unique_ptr<LevelPattern> MakeTwoPatterns(std::unique_ptr<LevelPattern> first,
                                              std::uint32_t first_ranks,
                                              std::unique_ptr<LevelPattern> second,
                                              BetweenRuns between) {
  return std::make_unique<TwoPatterns>(std::move(first), first_ranks, std::move(second), between);
}

}  // namespace heddle
