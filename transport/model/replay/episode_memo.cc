// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/replay/episode_memo.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {

EpisodePtr EpisodeMemo::Begin(const void* owner) {
  EpisodePtr record = std::make_shared<EpisodeRecord>();
  record->owner = owner;
  return record;
}

void EpisodeMemo::AddInput(const EpisodePtr& record, const EpisodeKey& key, std::int64_t after,
                           std::uint16_t port) {
  EpisodeItem item;
  item.after = after;
  item.flow = static_cast<std::uint32_t>(record->keys.size());
  item.port = port;
  record->items.push_back(item);
  record->keys.push_back(key);
  std::vector<Weak>& places = places_[key];
  if (places.size() == kMostPlaces) places.erase(places.begin());
  places.push_back({record, record->items.size()});
}

std::vector<EpisodeMemo::Place> EpisodeMemo::Find(const EpisodeKey& key, const void* owner) const {
  std::vector<Place> found;
  const auto at = places_.find(key);
  if (at == places_.end()) return found;
  for (const Weak& place : at->second) {
    EpisodePtr record = place.record.lock();
    if (record == nullptr || record->dead || (!record->complete && record->owner != owner))
      continue;
    found.push_back({std::move(record), place.item});
  }
  return found;
}

bool EpisodeMemo::IsBeingMade(const EpisodeKey& key) const {
  const auto at = places_.find(key);
  if (at == places_.end()) return false;
  return std::any_of(at->second.begin(), at->second.end(), [](const Weak& place) {
    const EpisodePtr record = place.record.lock();
    return record != nullptr && !record->dead && !record->complete;
  });
}

void EpisodeMemo::Complete(const EpisodePtr& record) {
  HEDDLE_EXPECT(!record->dead && !record->complete);
  record->complete = true;
  record->followers.clear();
  record->items.shrink_to_fit();
  for (LoadCurve& curve : record->load) curve.Close();
  kept_.push_back({record, record->memory()});
  at_[record.get()] = std::prev(kept_.end());
  bytes_ += kept_.back().bytes;
  while (bytes_ > most_ && !kept_.empty()) {
    const EpisodePtr oldest = kept_.front().record;
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
    at_.erase(oldest.get());
    Forget(oldest);
  }
}

void EpisodeMemo::Abandon(const EpisodePtr& record) {
  HEDDLE_EXPECT(!record->complete);
  record->dead = true;
  Forget(record);
}

void EpisodeMemo::Use(const EpisodePtr& record) {
  const auto at = at_.find(record.get());
  if (at != at_.end()) kept_.splice(kept_.end(), kept_, at->second);
}

void EpisodeMemo::Forget(const EpisodePtr& record) {
  for (const EpisodeKey& key : record->keys) {
    const auto at = places_.find(key);
    if (at == places_.end()) continue;
    std::vector<Weak>& places = at->second;
    places.erase(std::remove_if(places.begin(), places.end(),
                                [&](const Weak& place) {
                                  const EpisodePtr other = place.record.lock();
                                  return other == nullptr || other == record;
                                }),
                 places.end());
    if (places.empty()) places_.erase(at);
  }
}

std::size_t EpisodeMemo::memory() const {
  constexpr std::size_t kEntry = sizeof(EpisodeKey) + sizeof(std::vector<Weak>) + 2 * sizeof(void*);
  return bytes_ + whole_.memory() + places_.size() * (kEntry + sizeof(Weak));
}

}  // namespace heddle
