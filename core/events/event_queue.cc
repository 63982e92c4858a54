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
constexpr std::size_t kRankSort = 8;     // events, up to which counting is faster than sorting
constexpr std::size_t kInsertSort = 32;  // events, up to which insertion is faster than steps
constexpr int kStepBits = 6;             // log2 of the steps in time of a counting sort
// Events moved to make room among the open ones; above this a heap is cheaper.
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

/// Sorts by insertion, which is fast for events that are nearly sorted; by std::sort if they are
/// not.
void SortNearlySorted(Event* events, std::size_t count) {
  std::size_t moves = 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (!Earlier(events[i], events[i - 1])) continue;
    const Event event = events[i];
    Event* place = events + i;
    for (; place > events && Earlier(event, place[-1]); --place, ++moves) *place = place[-1];
    *place = event;
    if (moves > 8 * count) {
      std::sort(events, events + count,
                [](const Event& a, const Event& b) { return Earlier(a, b); });
      return;
    }
  }
}

}  // namespace

EventQueue::EventQueue()
    : open_(1, kSentinel),
      next_(open_.data()),
      added_(1, kSentinel),
      next_added_(added_.data()),
      heads_(mask_ + 1),
      occupied_((mask_ + 64) / 64, 0) {}

void EventQueue::InsertAmongOpen(Event event) {
  Event* behind = added_.data() + added_count_;
  if (next_added_ == behind) {
    behind = added_.data();
    next_added_ = behind;
    added_count_ = 0;
  }
  const Event* first = next_added_;
  if (behind - first > static_cast<std::ptrdiff_t>(kShortMove)) {
    first = behind - kShortMove;
    if (Earlier(event, *first)) {
      late_.push_back(event);
      std::push_heap(late_.begin(), late_.end(), Later);
      is_late_ = true;
      dense_ = 64;
      FindFirst();
      return;
    }
  }
  if (added_count_ + 2 > added_.size()) {
    const std::ptrdiff_t reach = behind - first;
    behind = MakeRoom();
    first = behind - reach;
  }
  behind[1] = kSentinel;
  for (; behind > first && Earlier(event, behind[-1]); --behind) *behind = behind[-1];
  *behind = event;
  ++added_count_;
  FindFirst();
}

Event* EventQueue::MakeRoom() {
  const std::size_t front = static_cast<std::size_t>(next_added_ - added_.data());
  added_count_ -= front;
  if (2 * front >= added_.size()) {
    std::copy(next_added_, next_added_ + added_count_, added_.data());
  } else {
    std::vector<Event> larger(2 * added_.size() + 8);
    std::copy(next_added_, next_added_ + added_count_, larger.data());
    added_.swap(larger);
  }
  next_added_ = added_.data();
  return added_.data() + added_count_;
}

bool EventQueue::PopLateBefore(Time end, Event* event) {
  const Event *sorted = next_, *added = next_added_;
  const bool is_added = Earlier(*added, *sorted);
  const bool is_late = Earlier(late_.front(), is_added ? *added : *sorted);
  const Event& first = is_late ? late_.front() : is_added ? *added : *sorted;
  if (first.time >= end) return false;
  *event = first;
  --size_;
  if (is_late) {
    PopLate();
  } else {
    ++(is_added ? next_added_ : next_);
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

void EventQueue::PopLate() {
  std::pop_heap(late_.begin(), late_.end(), Later);
  late_.pop_back();
  is_late_ = !late_.empty();
}

void EventQueue::OpenMore(Time end) {
  constexpr std::int64_t kAhead = std::int64_t{1} << 21;  // ps
  constexpr std::size_t kFewOpen = 16;
  if (dense_ > 0) {
    --dense_;
    if (!OpenBefore(end, kFewOpen)) open_end_ = std::max(open_end_, end.ps);
  } else {
    // Most events that are pushed soon are then inserted at once, and need not be opened.
    if (end.ps < Time::Max().ps - kAhead) end.ps += kAhead;
    OpenBefore(end, kEnough);
    const bool all =
        (far_.empty() || far_.front().time >= end) &&
        (chained_ == 0 || NextOccupiedSlot() << shift_ >= end.ps || open_end_ == end.ps);
    if (all) open_end_ = end.ps;
  }
  open_slot_ = std::max(open_slot_, (open_end_ >> shift_) - 1);
  if (!far_.empty()) DrawFromFar();
  FindFirst();
}

bool EventQueue::OpenBefore(Time end, std::size_t enough) {
  if (chained_ == 0 && far_.empty()) return false;
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
  const std::int64_t from = slot << shift_;
  taken_.clear();
  for (;;) {
    const std::uint32_t bucket = static_cast<std::uint32_t>(slot) & mask_;
    const bool whole = open_end_ <= end.ps;
    TakeBucket(bucket, whole ? Time{open_end_} : end);
    if (!whole) {
      open_slot_ = slot - 1;
      open_end_ = end.ps;
      for (const Event& event : kept_) Chain(event, bucket);
    }
    if (!far_.empty()) DrawFromFar();
    if (!whole || taken_.size() >= enough) break;
    if (chained_ == 0 && !far_.empty() && far_.front().time < end) {
      SetOpenSlot((far_.front().time.ps >> shift_) - 1);
      DrawFromFar();
    }
    if (chained_ == 0) break;
    slot = NextOccupiedSlot();
    if ((slot << shift_) >= end.ps) break;
    SetOpenSlot(slot);
  }
  SortTaken(from);
  if (open_count_ == 0) return false;
  opened_now_ = true;
  FetchNextBucket();
  if (opened_ >= kJudgeAfter || opened_times_ >= kJudgeAfterTimes) Adapt();
  return true;
}

void EventQueue::TakeBucket(std::uint32_t bucket, Time end) {
  const Head head = heads_[bucket];
  std::uint32_t count = head.count, all = 0;
  kept_.clear();
  for (std::uint32_t i = head.chunk; i != kNone; i = chunks_[i].next) {
    const Event* events = chunks_[i].events;
    all += count;
    for (std::uint32_t k = count; k-- > 0;)
      (events[k].time < end || end == Time::Max() ? taken_ : kept_).push_back(events[k]);
    free_chunks_.push_back(i);
    count = kChunk;
  }
  heads_[bucket] = Head{};
  occupied_[bucket >> 6] &= ~(std::uint64_t{1} << (bucket & 63));
  chained_ -= all;
  ++opened_;
}

void EventQueue::SortTaken(std::int64_t from) {
  const std::size_t count = taken_.size();
  open_count_ = count;
  if (open_.size() < count + 1) open_.resize(2 * count + 1);
  next_ = open_.data();
  open_[count] = kSentinel;
  if (count <= kRankSort) {
    RankInto(open_.data(), taken_.data(), static_cast<std::uint32_t>(count));
  } else if (count <= kInsertSort) {
    std::reverse_copy(taken_.begin(), taken_.end(), open_.begin());
    SortNearlySorted(open_.data(), count);
  } else {
    // A counting sort by time in equal steps. It keeps the order of pushing, which is nearly right.
    const int bits = 64 - __builtin_clzll(static_cast<std::uint64_t>(open_end_ - from - 1) | 1);
    const int step = std::max(0, bits - kStepBits);
    std::uint32_t ends[(1 << kStepBits) + 1] = {};
    for (const Event& event : taken_) ++ends[(event.time.ps - from) >> step];
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends) end = sum += end;
    for (const Event& event : taken_) open_[--ends[(event.time.ps - from) >> step]] = event;
    SortNearlySorted(open_.data(), count);
  }
  // Narrower buckets cannot separate events of the same time.
  for (std::size_t i = 0; i < count; ++i)
    opened_times_ += open_[i].time != open_[i + 1].time ? 1 : 0;
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
  const Time open = std::min(next_->time, next_added_->time);
  if (!late_.empty()) return std::min(open, late_.front().time);
  if (any_open()) return open;
  if (chained_ == 0) return far_.front().time;
  Time first = Time::Max();
  const std::uint32_t bucket = static_cast<std::uint32_t>(NextOccupiedSlot()) & mask_;
  ForBucket(bucket, [&](const Event& event) { first = std::min(first, event.time); });
  return first;
}

std::vector<Event> EventQueue::Sorted() const {
  std::vector<Event> events(next_, open_.data() + open_count_);
  events.insert(events.end(), next_added_, added_.data() + added_count_);
  for (std::uint32_t bucket = 0; bucket <= mask_; ++bucket) {
    ForBucket(bucket, [&](const Event& event) { events.push_back(event); });
  }
  events.insert(events.end(), far_.begin(), far_.end());
  events.insert(events.end(), late_.begin(), late_.end());
  // Several messages may be posted by one node at one time. Their place in a saved state follows
  // from the state alone.
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (Earlier(a, b) || Earlier(b, a)) return Earlier(a, b);
    return a.argument < b.argument;
  });
  for (Event& event : events) event.link = 0;
  return events;
}

}  // namespace heddle
