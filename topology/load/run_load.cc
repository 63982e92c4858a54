// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/run_load.h"

#include <algorithm>

namespace heddle {

RunLoad::RunLoad(const StaticPaths& paths, const LoadOptions& options)
    : paths_(paths),
      options_(options),
      delay_(options.rules->MakeDelay()),
      load_(paths.cable_count(), 0) {
  if (!options.cable_sums) return;
  totals_.cables.assign(paths.cable_count(), 0);
  totals_.peaks.resize(paths.cable_count());
}

LoadFigures RunLoad::Run(std::uint64_t run, LevelPattern* pattern,
                         const std::vector<std::uint32_t>& mapping) {
  LoadFigures figures;
  std::vector<RankPair> pairs;
  delay_->BeginRun();
  const bool one = options_.only_level >= 0;
  for (std::uint64_t level = one ? static_cast<std::uint64_t>(options_.only_level) : 0;; ++level) {
    pattern->Level(level, &pairs);
    if (pairs.empty()) break;
    ++figures.levels;
    WalkLevel(pairs, mapping, options_.rules->CountsBroken(), &figures);
    WeighLevel(&figures);
    if (options_.cable_sums) {
      SumCables();
      KeepPeaks(run, level);
    }
    ForgetLevel();
    if (one) break;
  }
  figures.delay = delay_->Latest();
  return figures;
}

void RunLoad::WalkLevel(const std::vector<RankPair>& pairs,
                        const std::vector<std::uint32_t>& mapping, bool counts_broken,
                        LoadFigures* figures) {
  messages_.clear();
  cables_.clear();
  for (const RankPair& pair : pairs) {
    const WalkEnd end = paths_.Walk(mapping[pair.source], mapping[pair.destination], &way_);
    if (end == WalkEnd::kNoRoute) ++figures->no_route;
    if (end == WalkEnd::kLoop) ++figures->loops;
    if (end != WalkEnd::kArrived && !counts_broken) continue;
    Message message;
    message.ranks = pair;
    message.first = static_cast<std::uint32_t>(cables_.size());
    cables_.insert(cables_.end(), way_.begin(), way_.end());
    message.end = static_cast<std::uint32_t>(cables_.size());
    if (!way_.empty() && !options_.unit_links)
      message.share = static_cast<double>(paths_.RateOf(way_.front()));
    messages_.push_back(message);
    for (const std::uint32_t cable : way_) {
      if (load_[cable]++ == 0) loaded_.push_back(cable);
    }
  }
  totals_.hops += cables_.size();
}

double RunLoad::WeightOf(const Message& message) const {
  double weight = 0;
  for (std::uint32_t i = message.first; i < message.end; ++i) {
    const std::uint32_t cable = cables_[i];
    double load = load_[cable];
    if (!options_.unit_links) {
      const auto rate = static_cast<double>(paths_.RateOf(cable));
      if (rate > 0 && message.share > 0) load = load * message.share / rate;
    }
    weight = std::max(weight, load);
  }
  // Its own first cable carries at least itself; a faster one after a slower host does not help.
  return weight;
}

void RunLoad::WeighLevel(LoadFigures* figures) {
  double largest = 0;
  for (Message& message : messages_) {
    message.weight = WeightOf(message);
    largest = std::max(largest, message.weight);
    ++totals_.weights[message.weight];
    ++figures->messages;
    if (message.weight > 0) figures->bandwidth += 1 / message.weight;
    const std::uint32_t most = options_.delay_ranks;
    if (most == 0 || (message.ranks.source < most && message.ranks.destination < most))
      delay_->Add(message.ranks, message.weight);
  }
  delay_->EndLevel();
  figures->congestion += largest;
}

std::vector<WeighedPair> RunLoad::Weigh(const std::vector<RankPair>& pairs,
                                        const std::vector<std::uint32_t>& mapping) {
  LoadFigures figures;
  WalkLevel(pairs, mapping, false, &figures);
  std::vector<WeighedPair> weighed;
  for (const Message& message : messages_) weighed.push_back({message.ranks, WeightOf(message)});
  ForgetLevel();
  return weighed;
}

void RunLoad::ForgetLevel() {
  for (const std::uint32_t cable : loaded_) load_[cable] = 0;
  loaded_.clear();
}

void RunLoad::SumCables() {
  for (std::size_t place = 0; place < messages_.size(); ++place) {
    const std::uint64_t times = options_.rules->TimesInSums(place, messages_.size());
    for (std::uint32_t i = messages_[place].first; i < messages_[place].end; ++i)
      totals_.cables[cables_[i]] += times;
  }
}

void RunLoad::KeepPeaks(std::uint64_t run, std::uint64_t level) {
  for (const std::uint32_t cable : loaded_) {
    const CablePeak peak{load_[cable], run, level};
    if (peak.Beats(totals_.peaks[cable])) totals_.peaks[cable] = peak;
  }
}

}  // namespace heddle
