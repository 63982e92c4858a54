// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/message_delay.h"

#include <algorithm>

namespace heddle {

void MessageDelay::BeginRun() {
  messages_.clear();
  level_begin_ = 0;
  first_senders_.clear();
  ranks_.clear();
}

MessageDelay::Rank& MessageDelay::At(std::uint32_t rank) {
  if (rank >= ranks_.size()) ranks_.resize(rank + 1);
  return ranks_[rank];
}

void MessageDelay::Add(const RankPair& ranks, double weight) {
  Rank& sender = At(ranks.source);
  Message message{ranks, weight, 0, kNone};
  if (rules_ == DelayRules::kDescribed) {
    message.end = sender.received + weight;
  } else {
    if (!sender.sends) message.after = sender.first_before;
    message.end = weight + (message.after == kNone ? 0 : messages_[message.after].end);
  }
  sender.sends = true;
  if (level_begin_ == 0) first_senders_.push_back(ranks.source);
  messages_.push_back(message);
}

void MessageDelay::EndLevel() {
  for (Rank& rank : ranks_) {
    rank.first_before = kNone;
    rank.sends = false;
  }
  for (std::size_t i = level_begin_; i < messages_.size(); ++i) {
    const Message& message = messages_[i];
    Rank& receiver = At(message.ranks.destination);
    receiver.received = std::max(receiver.received, message.end);
    if (receiver.first_before == kNone) receiver.first_before = static_cast<std::uint32_t>(i);
  }
  level_begin_ = messages_.size();
}

double MessageDelay::Latest() const {
  if (rules_ == DelayRules::kOrcs11) return LatestOfChains();
  double latest = 0;
  for (const Message& message : messages_) latest = std::max(latest, message.end);
  return latest;
}

double MessageDelay::LatestOfChains() const {
  // The longest chain that begins with each message, the last ones first.
  std::vector<double> after(messages_.size(), 0);
  for (std::size_t i = messages_.size(); i-- > 0;) {
    const Message& message = messages_[i];
    if (message.after != kNone)
      after[message.after] = std::max(after[message.after], message.weight + after[i]);
  }
  double latest = 0;
  for (const std::uint32_t place : first_senders_) {
    const std::size_t message = place / 2;
    if (message >= messages_.size()) continue;
    const bool at_start = place % 2 == 0;
    latest = std::max(latest, after[message] + (at_start ? messages_[message].weight : 0));
  }
  return latest;
}

}  // namespace heddle
