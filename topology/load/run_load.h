// SPDX-License-Identifier: GPL-2.0-only
/// Static congestion: how many messages of a level share each cable, and what that leaves for each.
///
/// Model (Hoefler, Schneider, Lumsdaine, "Multistage Switches are not Crossbars", Cluster 2008):
/// c(e) messages of a level cross cable e; the weight of a message is the largest c(e) on its path,
/// host cables included, and its bandwidth 1/weight of its host's. Here c(e) counts in shares of
/// the source's own rate, so that slower cables weigh more; with equal rates it is a number.
/// Invariants: loads of a level sum to the hops of its paths; a weight is at least 1. Not modelled:
/// sizes, time, queues, and bandwidth that a message cannot use because it waits elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/patterns/level_pattern.h"
#include "topology/load/load_rules.h"
#include "topology/load/message_delay.h"
#include "topology/load/static_paths.h"

namespace heddle {

struct LoadOptions {
  bool unit_links = false;       ///< all cables as fast as the source's
  std::int64_t only_level = -1;  ///< -1: all
  /// Ranks whose messages count for the delay: the first so many; 0: all.
  std::uint32_t delay_ranks = 0;
  bool cable_sums = false;  ///< keep the loads of cables
  /// Never null.
  std::shared_ptr<const LoadRules> rules = std::make_shared<LoadRules>();
};

/// What one run of a pattern gave.
struct LoadFigures {
  std::uint64_t messages = 0;  ///< that arrive, or count by LoadRules::CountsBroken()
  std::uint64_t no_route = 0, loops = 0;
  std::uint64_t levels = 0;  ///< with messages
  double bandwidth = 0;      ///< sum of 1/weight over messages
  double congestion = 0;     ///< sum over levels of the largest weight
  double delay = 0;          ///< latest end of a message, in transfers without congestion

  /// Returns the mean over messages; 0 without any.
  double mean_bandwidth() const {
    return messages == 0 ? 0 : bandwidth / static_cast<double>(messages);
  }
};

/// The most messages that crossed a cable at once, and when for the first time.
struct CablePeak {
  std::uint32_t messages = 0;
  std::uint64_t run = 0, level = 0;

  /// Whether this one counts, not `other` of the same cable: more messages, or as many earlier.
  bool Beats(const CablePeak& other) const {
    if (messages != other.messages) return messages > other.messages;
    return run != other.run ? run < other.run : level < other.level;
  }
};

/// Sums over runs. Integers and maps only, so that they do not depend on the order of runs.
struct LoadTotals {
  std::map<double, std::uint64_t> weights;  ///< messages by weight
  std::vector<std::uint64_t> cables;        ///< messages by cable, if LoadOptions::cable_sums
  std::vector<CablePeak> peaks;             ///< by cable, likewise
  std::uint64_t hops = 0;
};

/// A message of a level with its weight.
struct WeighedPair {
  RankPair ranks;
  double weight = 0;
};

class RunLoad {
 public:
  /// `paths` outlives it.
  RunLoad(const StaticPaths& paths, const LoadOptions& options);

  /// Runs all levels of the pattern as run number `run`: rank r of the pattern is host
  /// `mapping[r]`. Unreachable pairs are counted apart. They load nothing, unless
  /// LoadRules::CountsBroken().
  LoadFigures Run(std::uint64_t run, LevelPattern* pattern,
                  const std::vector<std::uint32_t>& mapping);

  /// Returns the messages of a level that have a path, in the order given, with their weights. Adds
  /// their hops to the totals, and nothing else.
  std::vector<WeighedPair> Weigh(const std::vector<RankPair>& pairs,
                                 const std::vector<std::uint32_t>& mapping);

  /// Returns the sums over all runs so far; sums and peaks of cables only with
  /// LoadOptions::cable_sums.
  const LoadTotals& totals() const { return totals_; }

 private:
  /// A message of the level.
  struct Message {
    RankPair ranks;
    std::uint32_t first = 0, end = 0;  ///< of cables_
    double share = 1;                  ///< rate of its first cable [bit/s]
    double weight = 0;
  };

  /// Fills messages_ and the loads of cables with a level's pairs. Adds unreachable pairs to
  /// `figures`; they load cables only if `counts_broken`.
  void WalkLevel(const std::vector<RankPair>& pairs, const std::vector<std::uint32_t>& mapping,
                 bool counts_broken, LoadFigures* figures);
  /// Weighs messages_ and ends the level for the delay. Requires WalkLevel() of the same level.
  void WeighLevel(LoadFigures* figures);
  /// Sets the loads of the cables of the level back to 0.
  void ForgetLevel();
  /// Adds the level's messages to the sums of cables, by LoadRules::TimesInSums().
  void SumCables();
  /// Replaces the peaks of cables that the level exceeds; ties go to the earliest run and level.
  void KeepPeaks(std::uint64_t run, std::uint64_t level);
  /// Returns the largest load on the message's path, in transfers at its first cable's rate; 0
  /// without a cable.
  double WeightOf(const Message& message) const;

  const StaticPaths& paths_;
  LoadOptions options_;
  LoadTotals totals_;
  std::unique_ptr<MessageDelay> delay_;
  std::vector<std::uint32_t> load_;    ///< of the level, by cable
  std::vector<std::uint32_t> loaded_;  ///< cables with a load
  std::vector<Message> messages_;
  std::vector<std::uint32_t> cables_, way_;
};

}  // namespace heddle
