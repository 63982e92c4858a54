// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/goal_frontier.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/serialization/vector.hpp>

#include "core/base/check.h"
#include "core/checkpoint/state_archive.h"

namespace heddle {
namespace {

/// What is saved of an entry.
struct SavedEntry {
  std::uint32_t index = 0, left = 0;
  GoalFrontier::State state = GoalFrontier::State::kWaiting;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& index& left& state;
  }
};

}  // namespace

GoalFrontier::GoalFrontier(const GoalSchedule& schedule, std::uint32_t rank)
    : schedule_(&schedule), rank_(rank), window_(schedule.WindowOf(rank)) {}

GoalFrontier::Entry& GoalFrontier::Add(std::uint32_t operation) {
  const std::uint32_t slot = entries_.Allocate();
  of_operation_.Insert(operation, slot);
  Entry& entry = entries_[slot];
  entry = Entry();
  entry.operation = window_.Node(operation);
  entry.index = operation;
  entry.left = entry.operation.waits;
  if (entry.left == 0) entry.state = State::kReleased;
  return entry;
}

void GoalFrontier::ReleaseRoot(std::uint32_t operation) { Add(operation); }

GoalFrontier::Entry* GoalFrontier::Find(std::uint32_t operation) {
  const std::uint32_t slot = of_operation_.Find(operation);
  return slot == FlatMap::kNone ? nullptr : &entries_[slot];
}

const GoalFrontier::Entry* GoalFrontier::Find(std::uint32_t operation) const {
  const std::uint32_t slot = of_operation_.Find(operation);
  return slot == FlatMap::kNone ? nullptr : &entries_[slot];
}

GoalFrontier::Entry& GoalFrontier::At(std::uint32_t operation) {
  Entry* const entry = Find(operation);
  HEDDLE_INVARIANT(
      entry != nullptr && entry->state != State::kWaiting,
      fmt::format("{}: {} starts or ends before it is released, or again",
                  schedule_->PlaceOf(rank_, operation), Describe(schedule_->At(rank_, operation))));
  return *entry;
}

void GoalFrontier::Start(std::uint32_t operation, std::int64_t when,
                         std::vector<std::uint32_t>* ready) {
  Entry& entry = At(operation);
  entry.state = State::kStarted;
  if (entry.operation.after_start == 0) return;
  CountDown(operation, entry.operation.after_end, entry.operation.follower_count(), when, ready);
}

void GoalFrontier::End(std::uint32_t operation, std::int64_t when,
                       std::vector<std::uint32_t>* ready) {
  const std::uint32_t releases = At(operation).operation.after_end;
  entries_.Free(of_operation_.Find(operation));
  of_operation_.Erase(operation);
  ++ended_;
  if (releases > 0) CountDown(operation, 0, releases, when, ready);
}

void GoalFrontier::CountDown(std::uint32_t operation, std::uint32_t from, std::uint32_t to,
                             std::int64_t when, std::vector<std::uint32_t>* ready) {
  const auto followers = window_.FollowersOf(operation);
  for (std::uint32_t i = from; i < to; ++i) {
    const std::uint32_t next = followers.first[i];
    Entry* const found = Find(next);
    Entry& entry = found != nullptr ? *found : Add(next);
    entry.ready = std::max(entry.ready, when);
    if (--entry.left > 0) continue;
    entry.state = State::kReleased;
    ready->push_back(next);
  }
}

std::uint32_t GoalFrontier::FirstLive(std::uint64_t* count) const {
  std::uint32_t first = size();
  *count = 0;
  ForEach([&](const Entry& entry) {
    if (entry.state == State::kWaiting) return;
    ++*count;
    first = std::min(first, entry.index);
  });
  return first;
}

std::size_t GoalFrontier::memory() const {
  return window_.memory() + of_operation_.memory() + entries_.memory();
}

void GoalFrontier::Save(StateWriter* to) const {
  std::vector<SavedEntry> entries;
  ForEach([&](const Entry& entry) { entries.push_back({entry.index, entry.left, entry.state}); });
  std::sort(entries.begin(), entries.end(),
            [](const SavedEntry& a, const SavedEntry& b) { return a.index < b.index; });
  *to << entries;
}

void GoalFrontier::Load(StateReader* from) {
  std::vector<SavedEntry> entries;
  *from >> entries;
  of_operation_ = FlatMap();
  entries_ = {};
  for (const SavedEntry& saved : entries) {
    ExpectState(saved.index < size() && Find(saved.index) == nullptr &&
                    saved.state <= State::kStarted &&
                    (saved.left == 0) == (saved.state != State::kWaiting),
                "operations that wait or run, other than a schedule's");
    Entry& entry = Add(saved.index);
    entry.left = saved.left;
    entry.state = saved.state;
  }
  CheckEntries();
}

/// From the roots on: what has ended is what can be reached without passing an operation that is
/// released or has started. One that has started releases what follows its start.
void GoalFrontier::CheckEntries() {
  constexpr const char* kOthers = "an operation that waits for others than the schedule says";
  const GoalRank& rank = schedule_->Rank(rank_);
  std::vector<std::uint32_t> left, reached = schedule_->Head(rank_).roots;
  for (const GoalOperation& operation : rank.operations) left.push_back(operation.waits);
  std::uint64_t ended = 0, live = 0;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const Entry* const entry = Find(reached[k]);
    const GoalOperation& operation = rank.operations[reached[k]];
    ++(entry == nullptr ? ended : live);
    if (entry != nullptr) {
      ExpectState(entry->state != State::kWaiting, kOthers);
      if (entry->state == State::kReleased) continue;
    }
    for (std::uint32_t i = entry == nullptr ? 0 : operation.after_end;
         i < operation.follower_count(); ++i) {
      const std::uint32_t next = rank.followers[operation.first_follower + i];
      if (--left[next] == 0) reached.push_back(next);
    }
  }
  ended_ = ended;
  std::uint64_t waiting = 0;
  for (std::uint32_t i = 0; i < left.size(); ++i) {
    if (left[i] == 0 || left[i] == rank.operations[i].waits) continue;
    ++waiting;
    const Entry* const entry = Find(i);
    ExpectState(entry != nullptr && entry->left == left[i], kOthers);
  }
  ExpectState(waiting + live == of_operation_.size(), kOthers);
}

}  // namespace heddle
