// SPDX-License-Identifier: GPL-2.0-only
#include "core/goal/message_matcher.h"

#include <boost/serialization/map.hpp>
#include <limits>

#include "core/base/memory_account.h"
#include "core/checkpoint/state_archive.h"
#include "core/goal/goal_schedule.h"

namespace heddle {
namespace {

bool Fits(const GoalMessage& receive, std::uint32_t source, std::uint32_t tag) {
  constexpr std::uint32_t kAny = GoalOperation::kAny;
  return (receive.source == kAny || receive.source == source) &&
         (receive.tag == kAny || receive.tag == tag);
}

std::uint64_t StreamOf(std::uint32_t source, std::uint32_t tag) {
  return std::uint64_t{source} << 32 | tag;
}

}  // namespace

MessageMatcher::Queue::iterator MessageMatcher::Find(std::uint32_t source, std::uint32_t tag) {
  constexpr std::uint32_t kAny = GoalOperation::kAny;
  if (source != kAny && tag != kAny) {
    const auto first = messages_.lower_bound({source, tag, 0});
    const bool fits = first != messages_.end() && first->first.fits(source, tag);
    return fits ? first : messages_.end();
  }
  // The first of each stream stands before its others.
  auto best = messages_.end();
  for (auto at = messages_.begin(); at != messages_.end();) {
    const Key& key = at->first;
    const bool fits = Fits({source, tag, 0}, key.source, key.tag);
    if (fits && (best == messages_.end() || key.order < best->first.order)) best = at;
    at = messages_.upper_bound({key.source, key.tag, std::numeric_limits<std::uint64_t>::max()});
  }
  return best;
}

std::optional<GoalMessage> MessageMatcher::Post(std::uint32_t source, std::uint32_t tag,
                                                std::uint32_t receive) {
  const auto found = Find(source, tag);
  if (found != messages_.end()) {
    const GoalMessage message{found->first.source, found->first.tag, found->second};
    messages_.erase(found);
    return message;
  }
  const std::uint64_t order = next_receive_++;
  if (source == GoalOperation::kAny || tag == GoalOperation::kAny) {
    wild_[order] = {source, tag, receive};
  } else {
    receives_[{source, tag, order}] = receive;
  }
  return std::nullopt;
}

std::pair<MessageMatcher::Queue::const_iterator, MessageMatcher::Wild::const_iterator>
MessageMatcher::FirstReceives(std::uint32_t source, std::uint32_t tag) const {
  auto exact = receives_.lower_bound({source, tag, 0});
  if (exact != receives_.end() && !exact->first.fits(source, tag)) exact = receives_.end();
  auto wild = wild_.begin();
  while (wild != wild_.end() && !Fits(wild->second, source, tag)) ++wild;
  return {exact, wild};
}

std::optional<std::uint32_t> MessageMatcher::FindReceive(std::uint32_t source,
                                                         std::uint32_t tag) const {
  const auto [exact, wild] = FirstReceives(source, tag);
  if (IsWildFirst(exact, wild)) return wild->second.operation;
  if (exact != receives_.end()) return exact->second;
  return std::nullopt;
}

std::optional<std::uint32_t> MessageMatcher::Offer(const GoalMessage& message) {
  const auto [exact, wild] = FirstReceives(message.source, message.tag);
  const std::optional<std::uint32_t> receive = FindReceive(message.source, message.tag);
  if (IsWildFirst(exact, wild)) {
    wild_.erase(wild);
  } else if (receive) {
    receives_.erase(exact);
  } else {
    messages_[{message.source, message.tag, next_message_++}] = message.operation;
  }
  return receive;
}

std::vector<std::uint32_t> MessageMatcher::Arrive(const GoalMessage& message,
                                                  std::uint32_t number) {
  if (number == kOnly) {
    const auto receive = Offer(message);
    return receive ? std::vector<std::uint32_t>{*receive} : std::vector<std::uint32_t>();
  }
  std::uint32_t& next = arrived_.FindOrInsert(StreamOf(message.source, message.tag), 0);
  if (number != next) {
    early_[{message.source, message.tag, number}] = message.operation;
    return {};
  }
  std::vector<std::uint32_t> served;
  const auto offer = [&](std::uint32_t operation) {
    ++next;
    if (const auto receive = Offer({message.source, message.tag, operation}))
      served.push_back(*receive);
  };
  offer(message.operation);
  for (auto at = early_.find({message.source, message.tag, next}); at != early_.end();
       at = early_.find({message.source, message.tag, next})) {
    const std::uint32_t operation = at->second;
    early_.erase(at);
    offer(operation);
  }
  return served;
}

std::size_t MessageMatcher::memory() const {
  return arrived_.memory() + MemoryOfTree(early_) + MemoryOfTree(messages_) +
         MemoryOfTree(receives_) + MemoryOfTree(wild_);
}

void MessageMatcher::Save(StateWriter* to) const {
  std::map<std::uint64_t, std::uint32_t> arrived;
  arrived_.ForEach([&](std::uint64_t key, std::uint32_t count) { arrived[key] = count; });
  *to << arrived << early_ << messages_ << receives_ << wild_ << next_message_ << next_receive_;
}

void MessageMatcher::LoadAll(StateReader* from) {
  std::map<std::uint64_t, std::uint32_t> arrived;
  *from >> arrived >> early_ >> messages_ >> receives_ >> wild_ >> next_message_ >> next_receive_;
  arrived_ = FlatMap();
  for (const auto& [key, count] : arrived) {
    ExpectState(key != ~std::uint64_t{0}, "messages of no rank");
    arrived_.FindOrInsert(key, count) = count;
  }
}

void MessageMatcher::Expect(bool sound) {
  ExpectState(sound, "a message or a receive that the schedule does not have");
}

}  // namespace heddle
