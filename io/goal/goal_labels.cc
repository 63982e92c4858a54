// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_labels.h"

#include <functional>

namespace heddle {

std::uint64_t GoalLabels::KeyOf(std::string_view label) {
  return std::hash<std::string_view>()(label) >> 1;  // never the reserved key
}

std::uint32_t GoalLabels::FindIn(std::uint64_t key, std::string_view label) const {
  for (std::uint32_t i = first_.Find(key); i != kNone; i = labels_[i].next) {
    const Label& other = labels_[i];
    if (std::string_view(text_).substr(other.at, other.length) == label) return other.operation;
  }
  return kNone;
}

std::uint32_t GoalLabels::Find(std::string_view label) const { return FindIn(KeyOf(label), label); }

std::uint32_t GoalLabels::Add(std::string_view label, std::uint32_t operation) {
  const std::uint64_t key = KeyOf(label);
  const std::uint32_t found = FindIn(key, label);
  if (found != kNone) return found;
  std::uint32_t& first = first_.FindOrInsert(key, kNone);
  labels_.push_back({text_.size(), static_cast<std::uint32_t>(label.size()), operation, first});
  first = static_cast<std::uint32_t>(labels_.size() - 1);
  text_ += label;
  return kNone;
}

void GoalLabels::Clear() {
  text_.clear();
  labels_.clear();
  first_ = FlatMap();
}

}  // namespace heddle
