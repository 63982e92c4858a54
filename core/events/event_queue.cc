// SPDX-License-Identifier: GPL-2.0-only
#include "core/events/event_queue.h"

namespace heddle {
namespace {

constexpr int kMinShift = 6;   // 64 ps
constexpr int kMaxShift = 40;  // 1.1 s
constexpr std::uint32_t kMaxBuckets = 1U << 20;
constexpr std::uint32_t kJudgeAfter = 64;  // buckets opened between two checks of the geometry
// Distinct event times in a bucket above which sorting costs too much.
constexpr std::uint64_t kTooMany = 24;
constexpr std::uint64_t kJudgeAfterTimes = 1024;
constexpr std::size_t kRankSort = 8;  // events, up to which counting is faster than sorting
// Events moved to make room in the open bucket; above this a heap is cheaper.
constexpr std::size_t kShortMove = 12;

// A function object, not a function: the sorts inline it.
struct LaterFirst {
  bool operator()(const Event& a, const Event& b) const { return Earlier(b, a); }
};
constexpr LaterFirst Later;

/// Sorts a few events into `to` by counting, for each, how many come before it. No branch depends
/// on the data; a mispredicted branch would cost more than the comparisons.
void RankInto(Event* to, const Event* from, std::uint32_t count) {
  std::uint32_t rank[kRankSort] = {};
  for (std::uint32_t i = 1; i < count; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      const std::uint32_t before = static_cast<std::uint32_t>(from[i].time < from[j].time) |
                                   (static_cast<std::uint32_t>(from[i].time == from[j].time) &
                                    static_cast<std::uint32_t>(from[i].order < from[j].order));
      rank[j] += before;
      rank[i] += 1 - before;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) to[rank[i]] = from[i];
}

void SortEvents(Event* events, std::size_t count) {
  if (count <= kRankSort) {
    Event copy[kRankSort];
    std::copy(events, events + count, copy);
    RankInto(events, copy, static_cast<std::uint32_t>(count));
    return;
  }
  std::sort(events, events + count, [](const Event& a, const Event& b) { return Earlier(a, b); });
}

}  // namespace

EventQueue::EventQueue() : heads_(mask_ + 1), occupied_((mask_ + 64) / 64, 0) {}

void EventQueue::InsertIntoOpenBucket(Event event) {
  if (next_ == open_count_) {
    open_.clear();
    open_count_ = 0;
    next_ = 0;
  }
  const std::size_t reach = open_count_ > next_ + kShortMove ? open_count_ - kShortMove : next_;
  if (reach > next_ && Earlier(event, open_[reach])) {
    late_.push_back(event);
    std::push_heap(late_.begin(), late_.end(), Later);
    return;
  }
  open_.push_back(event);
  Event* place = open_.data() + open_count_;
  const Event* first = open_.data() + reach;
  for (; place > first && Earlier(event, place[-1]); --place) *place = place[-1];
  *place = event;
  ++open_count_;
}

bool EventQueue::PopLateBefore(Time end, Event* event) {
  const bool late_first = next_ == open_count_ || Earlier(late_.front(), open_[next_]);
  const Event& first = late_first ? late_.front() : open_[next_];
  if (first.time >= end) return false;
  *event = first;
  --size_;
  if (late_first) {
    std::pop_heap(late_.begin(), late_.end(), Later);
    late_.pop_back();
  } else {
    ++next_;
  }
  return true;
}

std::uint32_t EventQueue::NewChunk(std::uint32_t next) {
  std::uint32_t index;
  if (!free_chunks_.empty()) {
    index = free_chunks_.back();
    free_chunks_.pop_back();
  } else {
    index = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  }
  chunks_[index].next = next;
  return index;
}

void EventQueue::PushFar(Event event) {
  far_.push_back(event);
  std::push_heap(far_.begin(), far_.end(), Later);
  if (far_.size() > 2 * (std::size_t{mask_} + 1) && mask_ + 1 < kMaxBuckets) {
    Rebuild(shift_, 4 * (mask_ + 1));
  }
}

void EventQueue::DrawFromFar() {
  while (!far_.empty()) {
    const std::int64_t slot = far_.front().time.ps >> shift_;
    if (slot - open_slot_ > static_cast<std::int64_t>(mask_)) return;
    Chain(far_.front(), static_cast<std::uint32_t>(slot) & mask_);
    std::pop_heap(far_.begin(), far_.end(), Later);
    far_.pop_back();
  }
}

std::int64_t EventQueue::NextOccupiedSlot() const {
  const std::uint32_t first = static_cast<std::uint32_t>(open_slot_ + 1) & mask_;
  std::uint32_t word = first >> 6;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (first & 63));
  const std::uint32_t words = static_cast<std::uint32_t>(occupied_.size());
  while (bits == 0) {
    word = word + 1 == words ? 0 : word + 1;
    bits = occupied_[word];
  }
  const std::uint32_t bucket = (word << 6) | static_cast<std::uint32_t>(__builtin_ctzll(bits));
  return open_slot_ + 1 + ((bucket - first) & mask_);
}

bool EventQueue::OpenBefore(Time end) {
  if (size_ == 0) return false;
  std::int64_t slot;
  if (chained_ > 0) {
    slot = NextOccupiedSlot();
  } else {
    slot = far_.front().time.ps >> shift_;
  }
  if ((slot << shift_) >= end.ps) return false;
  // The heap cannot hold an earlier event: its events lie beyond all buckets.
  SetOpenSlot(chained_ > 0 ? slot : slot - 1);
  if (chained_ == 0) {
    DrawFromFar();
    SetOpenSlot(slot);
  }
  open_.clear();
  next_ = 0;
  TakeBucket(static_cast<std::uint32_t>(slot) & mask_);
  if (!far_.empty()) DrawFromFar();
  while (open_.size() < at_once_ && chained_ > 0) {
    slot = NextOccupiedSlot();
    if (((slot + 1) << shift_) > end.ps) break;
    SetOpenSlot(slot);
    TakeBucket(static_cast<std::uint32_t>(slot) & mask_);
    if (!far_.empty()) DrawFromFar();
  }
  open_count_ = open_.size();
  FetchNextBucket();
  if (opened_ >= kJudgeAfter || opened_times_ >= kJudgeAfterTimes) Adapt();
  return true;
}

void EventQueue::TakeBucket(std::uint32_t bucket) {
  const Head head = heads_[bucket];
  const Chunk& first = chunks_[head.chunk];
  const std::size_t before = open_.size();
  if (first.next == kNone) {
    open_.resize(before + head.count);
    opened_times_ += head.count;
    RankInto(open_.data() + before, first.events, head.count);
    free_chunks_.push_back(head.chunk);
  } else {
    std::uint32_t count = head.count;
    for (std::uint32_t i = head.chunk; i != kNone; i = chunks_[i].next) {
      open_.insert(open_.end(), chunks_[i].events, chunks_[i].events + count);
      free_chunks_.push_back(i);
      count = kChunk;
    }
    SortEvents(open_.data() + before, open_.size() - before);
    // Narrower buckets cannot separate events of the same time.
    for (std::size_t i = before; i < open_.size(); ++i)
      opened_times_ += i == before || open_[i].time != open_[i - 1].time ? 1 : 0;
  }
  heads_[bucket] = Head{};
  occupied_[bucket >> 6] &= ~(std::uint64_t{1} << (bucket & 63));
  chained_ -= open_.size() - before;
  ++opened_;
}

void EventQueue::FetchNextBucket() {
  following_ = kNone;
  if (chained_ == 0) return;
  // The following bucket was written long ago: prefetch it while these buckets are processed.
  following_ = heads_[static_cast<std::uint32_t>(NextOccupiedSlot()) & mask_].chunk;
  FetchChunk(following_);
}

void EventQueue::Adapt() {
  const std::uint64_t mean = opened_times_ / opened_;
  opened_ = 0;
  opened_times_ = 0;
  if (mean > kTooMany && shift_ > kMinShift) {
    int shift = shift_;
    for (std::uint64_t m = mean; m > kTooMany / 3 && shift > kMinShift; m /= 2) --shift;
    const std::uint32_t finer = std::min<std::uint64_t>(
        kMaxBuckets, (std::uint64_t{mask_} + 1) << std::min(4, shift_ - shift));
    Rebuild(shift, std::max(finer, mask_ + 1));
  } else if (16 * far_.size() > size_) {
    // Many events lie beyond the last bucket: add buckets as long as the number of events justifies
    // them, otherwise widen them.
    if (mask_ + 1 < 4 * size_ && mask_ + 1 < kMaxBuckets) {
      Rebuild(shift_, 4 * (mask_ + 1));
    } else if (mean < 2 && shift_ < kMaxShift) {
      Rebuild(shift_ + 1, mask_ + 1);
    }
  }
}

void EventQueue::Rebuild(int shift, std::uint32_t buckets) {
  std::vector<Event> events;
  events.reserve(chained_ + far_.size());
  for (std::uint32_t bucket = 0; bucket <= mask_; ++bucket) {
    ForBucket(bucket, [&](const Event& event) { events.push_back(event); });
  }
  events.insert(events.end(), far_.begin(), far_.end());
  // Sorted events stay in place: the new open slot is the last one that ends by the old bound, or
  // its successor.
  const std::int64_t old_end = open_end_;
  shift_ = shift;
  mask_ = buckets - 1;
  open_slot_ = (old_end >> shift_) - 1;
  open_end_ = old_end;
  heads_.assign(buckets, Head{});
  occupied_.assign((buckets + 63) / 64, 0);
  chunks_.clear();
  free_chunks_.clear();
  following_ = kNone;
  chained_ = 0;
  far_.clear();
  for (const Event& event : events) {
    const std::int64_t slot = event.time.ps >> shift_;
    if (slot - open_slot_ <= static_cast<std::int64_t>(mask_)) {
      Chain(event, static_cast<std::uint32_t>(slot) & mask_);
    } else {
      far_.push_back(event);
    }
  }
  std::make_heap(far_.begin(), far_.end(), Later);
}

Time EventQueue::NextTime() const {
  if (size_ == 0) return Time::Max();
  if (next_ < open_count_ || !late_.empty()) {
    const Time open = next_ < open_count_ ? open_[next_].time : Time::Max();
    return late_.empty() ? open : std::min(open, late_.front().time);
  }
  if (chained_ == 0) return far_.front().time;
  Time first = Time::Max();
  const std::uint32_t bucket = static_cast<std::uint32_t>(NextOccupiedSlot()) & mask_;
  ForBucket(bucket, [&](const Event& event) { first = std::min(first, event.time); });
  return first;
}

std::vector<Event> EventQueue::Sorted() const {
  std::vector<Event> events(open_.begin() + static_cast<std::ptrdiff_t>(next_), open_.end());
  for (std::uint32_t bucket = 0; bucket <= mask_; ++bucket) {
    ForBucket(bucket, [&](const Event& event) { events.push_back(event); });
  }
  events.insert(events.end(), far_.begin(), far_.end());
  events.insert(events.end(), late_.begin(), late_.end());
  std::sort(events.begin(), events.end(), Earlier);
  for (Event& event : events) event.link = 0;
  return events;
}

}  // namespace heddle
