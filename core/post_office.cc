// SPDX-License-Identifier: GPL-2.0-only
#include "core/post_office.h"

#include <algorithm>

namespace heddle {

PostOffice::PostOffice(std::vector<RankId> rank_of, RankId here, std::uint32_t ranks)
    : here_(here), addresses_(rank_of.size()), outboxes_(ranks) {
  std::uint32_t local = 0;
  for (std::size_t i = 0; i < rank_of.size(); ++i) {
    const bool mine = rank_of[i] == here;
    addresses_[i].is_local = mine ? 1 : 0;
    addresses_[i].index = (mine ? local++ : rank_of[i].value) & 0x7fffffff;
  }
}

void PostOffice::Add(Domain* domain) {
  const Address address = addresses_[domain->id().value];
  HEDDLE_INVARIANT(address.is_local != 0 && address.index == domains_.size(),
                   "domains must be added in ascending order, on the rank that owns them");
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
