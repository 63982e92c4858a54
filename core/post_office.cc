// SPDX-License-Identifier: GPL-2.0-only
#include "core/post_office.h"

#include <algorithm>

namespace heddle {

PostOffice::PostOffice(std::vector<RankId> rank_of, RankId here, std::uint32_t ranks)
    : here_(here), addresses_(rank_of.size()), outboxes_(ranks) {
  for (std::size_t i = 0; i < rank_of.size(); ++i) addresses_[i].index = rank_of[i].value;
}

void PostOffice::Add(Domain* domain) {
  Address& address = addresses_[domain->id().value];
  HEDDLE_EXPECT(address.is_local == 0 && address.index == here_.value);
  address.is_local = 1;
  address.index = static_cast<std::uint32_t>(domains_.size());
  domains_.push_back(domain);
  next_times_.push_back(domain->NextTime());
  inboxes_.emplace_back();
}

void PostOffice::EmptyAllInboxes() {
  for (std::size_t i = 0; i < domains_.size(); ++i) EmptyInbox(i);
}

Time PostOffice::NextTime() const {
  Time first = Time::Max();
  for (Time time : next_times_) first = std::min(first, time);
  return first;
}

Time PostOffice::TakeEarliestSent() {
  const Time earliest = earliest_sent_;
  earliest_sent_ = Time::Max();
  return earliest;
}

}  // namespace heddle
