// SPDX-License-Identifier: GPL-2.0-only
#include "core/events/post_office.h"

#include <algorithm>

namespace heddle {

PostOffice::PostOffice(std::vector<RankId> rank_of, RankId here, std::uint32_t ranks, Tails tails)
    : here_(here),
      stride_(tails == Tails::kAlways ? 1 + kTailRecords : 1),
      addresses_(rank_of.size()),
      side_of_(rank_of.size(), 0),
      outboxes_(ranks) {
  std::uint32_t local = 0;
  for (std::size_t i = 0; i < rank_of.size(); ++i) {
    const bool mine = rank_of[i] == here;
    addresses_[i].is_local = mine ? 1 : 0;
    addresses_[i].index = (mine ? local++ : rank_of[i].value) & 0x7fffffff;
  }
}

void PostOffice::Divide(const std::vector<std::uint8_t>& sides) {
  HEDDLE_INVARIANT(sides.size() <= side_of_.size() && domains_.empty(),
                   "sides are for the domains of the run, before they are added");
  for (std::size_t i = 0; i < sides.size(); ++i) side_of_[i] = sides[i] & 1;
}

void PostOffice::Add(Domain* domain) {
  const Address address = addresses_[domain->id().value];
  HEDDLE_INVARIANT(address.is_local != 0 && address.index == domains_.size(),
                   "domains must be added in ascending order, on the rank that owns them");
  domains_.push_back(domain);
  next_times_.push_back(domain->NextTime());
  sides_.push_back(side_of_[domain->id().value]);
  inboxes_.emplace_back();
  calendars_.emplace_back();
}

void PostOffice::Receive(const void* records, std::size_t count) {
  HEDDLE_INVARIANT(count % stride_ == 0, "a batch between ranks ends within a message");
  const char* at = static_cast<const char*>(records);
  for (std::size_t i = 0; i < count; i += stride_, at += stride_ * sizeof(AddressedMessage)) {
    AddressedMessage record;
    std::memcpy(static_cast<void*>(&record), at, sizeof record);
    const Message& message = record.message;
    const Address address = addresses_[record.destination.value];
    HEDDLE_INVARIANT(address.is_local != 0,
                     "a message reached a rank that does not own its domain");
    MessageTail tail;
    if (stride_ > 1) std::memcpy(tail.bytes, at + sizeof record, sizeof tail.bytes);
    Place(address.index, message.time, message.order, message.cargo, stride_ > 1 ? &tail : nullptr);
    NotBefore(address.index, message.time);
  }
}

unsigned char* PostOffice::PlaceFar(std::uint32_t index, Time time, std::uint64_t order,
                                    const Cargo& cargo, const MessageTail* tail) {
  MessageBuffer& inbox = inboxes_[index];
  unsigned char* place = inbox.Append(time, order, cargo);
  if (tail == nullptr) return place;
  const std::size_t at = inbox.size() - 1;
  inbox.AppendTail(*tail);
  return inbox.begin()[at].cargo.bytes;
}

void PostOffice::AppendTail(const MessageTail& tail, std::vector<AddressedMessage>* outbox) {
  const std::size_t at = outbox->size();
  outbox->resize(at + kTailRecords);
  std::memcpy(static_cast<void*>(outbox->data() + at), tail.bytes, sizeof tail.bytes);
}

void PostOffice::EmptyAllInboxes() {
  for (std::size_t i = 0; i < domains_.size(); ++i) EmptyInbox(i);
}

void PostOffice::Resume() {
  hastened_.clear();
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    HEDDLE_INVARIANT(inboxes_[i].size() == 0 && calendars_[i].NextTime() == Time::Max(),
                     "a message was sent before the state of its receiver was loaded");
    next_times_[i] = domains_[i]->NextTime();
  }
}

PostOffice::SideTimes PostOffice::NextTimes() const {
  SideTimes first;
  for (std::size_t i = 0; i < next_times_.size(); ++i) {
    Time& of_side = first.of[sides_[i]];
    of_side = std::min(of_side, next_times_[i]);
  }
  return first;
}

PostOffice::SideTimes PostOffice::TakeEarliestSent() {
  const SideTimes earliest = earliest_sent_;
  earliest_sent_ = {};
  return earliest;
}

void PostOffice::AddMemory(MemoryAccount* account) const {
  account->Add(Structure::kInboxes, MemoryOf(inboxes_));
  for (const MessageBuffer& inbox : inboxes_) account->Add(Structure::kInboxes, inbox.memory());
  for (const MessageCalendar& calendar : calendars_)
    account->Add(Structure::kInboxes, sizeof(calendar) + calendar.memory());
  account->Add(Structure::kInboxes, sorted_.memory());
  account->Add(Structure::kExchange, MemoryOf(outboxes_));
  account->Add(Structure::kDomains, MemoryOf(addresses_) + MemoryOf(side_of_) + MemoryOf(domains_) +
                                        MemoryOf(next_times_) + MemoryOf(sides_) +
                                        MemoryOf(hastened_));
}

}  // namespace heddle
