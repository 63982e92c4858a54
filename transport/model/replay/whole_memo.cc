// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/replay/whole_memo.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Whether the memo of episodes still has all episodes of the record.
bool HasParts(const WholeRecord& record) {
  return std::none_of(record.parts.begin(), record.parts.end(),
                      [](const WholeRecord::Part& part) { return part.episode.expired(); });
}

}  // namespace

WholePtr WholeMemo::Begin(const EpisodeKey& key, const void* owner) {
  WholePtr record = std::make_shared<WholeRecord>();
  record->key = key;
  record->owner = owner;
  records_[key].push_back(record);
  return record;
}

WholePtr WholeMemo::Find(const EpisodeKey& key, const void* owner) {
  const auto at = records_.find(key);
  if (at == records_.end()) return nullptr;
  WholePtr found;
  for (const WholePtr& record : at->second) {
    if (record->complete || record->owner == owner) found = record;
    if (record->complete) break;
  }
  if (found == nullptr || !found->complete || HasParts(*found)) return found;
  Drop(at_.at(found.get()));
  return nullptr;
}

void WholeMemo::Complete(const WholePtr& record) {
  HEDDLE_EXPECT(!record->dead && !record->complete);
  record->complete = true;
  record->followers.clear();
  record->flows.shrink_to_fit();
  const std::vector<WholePtr>& others = records_[record->key];
  const bool is_known = std::any_of(others.begin(), others.end(), [&](const WholePtr& other) {
    return other != record && other->complete;
  });
  if (is_known) return Forget(record);
  kept_.push_back({record, record->memory()});
  at_[record.get()] = std::prev(kept_.end());
  bytes_ += kept_.back().bytes;
  while (bytes_ > most_ && !kept_.empty()) Drop(kept_.begin());
}

void WholeMemo::Abandon(const WholePtr& record) {
  HEDDLE_EXPECT(!record->complete);
  record->dead = true;
  Forget(record);
}

void WholeMemo::Use(const WholePtr& record) {
  const auto at = at_.find(record.get());
  if (at != at_.end()) kept_.splice(kept_.end(), kept_, at->second);
}

void WholeMemo::Drop(std::list<Kept>::iterator at) {
  const WholePtr record = at->record;
  bytes_ -= at->bytes;
  at_.erase(record.get());
  kept_.erase(at);
  Forget(record);
}

void WholeMemo::Forget(const WholePtr& record) {
  const auto at = records_.find(record->key);
  if (at == records_.end()) return;
  std::vector<WholePtr>& records = at->second;
  records.erase(std::remove(records.begin(), records.end(), record), records.end());
  if (records.empty()) records_.erase(at);
}

}  // namespace heddle
