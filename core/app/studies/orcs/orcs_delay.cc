// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_delay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {
namespace {

constexpr std::uint32_t kNone = ~0U;

/// Version 2.0.
class FirstBefore : public MessageDelay {
 public:
  void BeginRun() override {
    messages_.clear();
    level_begin_ = 0;
    first_senders_.clear();
    ranks_.clear();
  }
  void Add(const RankPair& ranks, double weight) override {
    Rank& sender = At(ranks.source);
    Message message{ranks, weight, weight, kNone};
    if (!sender.sends) message.after = sender.first_before;
    if (message.after != kNone) message.end += messages_[message.after].end;
    sender.sends = true;
    if (level_begin_ == 0) first_senders_.push_back(ranks.source);
    messages_.push_back(message);
  }
  void EndLevel() override {
    for (Rank& rank : ranks_) rank = {};
    for (std::size_t i = level_begin_; i < messages_.size(); ++i) {
      Rank& receiver = At(messages_[i].ranks.destination);
      if (receiver.first_before == kNone) receiver.first_before = static_cast<std::uint32_t>(i);
    }
    level_begin_ = messages_.size();
  }
  double Latest() const override {
    double latest = 0;
    for (const Message& message : messages_) latest = std::max(latest, message.end);
    return latest;
  }

 protected:
  struct Message {
    RankPair ranks;
    double weight = 0, end = 0;
    std::uint32_t after = kNone;  ///< the message that it waits for
  };

  std::vector<Message> messages_;             ///< of the run
  std::vector<std::uint32_t> first_senders_;  ///< of the first level

 private:
  struct Rank {
    std::uint32_t first_before = kNone;  ///< first message that came in the level before
    bool sends = false;                  ///< in the open level
  };

  Rank& At(std::uint32_t rank) {
    if (rank >= ranks_.size()) ranks_.resize(rank + 1);
    return ranks_[rank];
  }

  std::size_t level_begin_ = 0;  ///< of the open level
  std::vector<Rank> ranks_;
};

/// Version 1.1.
class ChainsOfTheFirst : public FirstBefore {
 public:
  double Latest() const override {
    // The longest chain after each message, the last ones first.
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
};

}  // namespace

std::unique_ptr<MessageDelay> MakeOrcsDelay(OrcsVersion version) {
  if (version == OrcsVersion::k11) return std::make_unique<ChainsOfTheFirst>();
  return std::make_unique<FirstBefore>();
}

}  // namespace heddle
