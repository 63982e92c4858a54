// SPDX-License-Identifier: GPL-2.0-only
/// The event queue of a domain: a calendar of buckets, each sorted only when its time comes.
///
/// Source: R. Brown, "Calendar Queues", CACM 31(10), 1988, with lazily sorted buckets (as in ladder
/// queues, Tang and others 2005). The first events, up to the window's end or until there are
/// enough of them, are *open*: sorted in one array. An event that is pushed among them enters a
/// second sorted array, or a heap if its insertion would move too many. Later events are chained,
/// unsorted, in their bucket; events beyond the last bucket are in another heap. Width and number
/// of buckets follow the load. Push and pop cost O(1) on average.
///
/// Invariant: events come out ordered by (time, order), for any bucket geometry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/state_count.h"
#include "core/events/event.h"

namespace heddle {

class EventQueue {
 public:
  EventQueue();
  EventQueue(EventQueue&&) = default;
  EventQueue& operator=(EventQueue&&) = default;

  /// Opens buckets until `events` events are sorted or the window's end is reached, for callers
  /// that look ahead (PeekOpen).
  void OpenAtOnce(std::size_t events) { at_once_ = events; }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// Events are passed by value, here and below. An event in memory would be read in wider pieces
  /// than it was written, and the read would wait until all earlier stores, to cold lines, are
  /// done.
  void Push(Event event) {
    ++size_;
    if (event.time.ps < open_end_) {
      InsertAmongOpen(event);
      return;
    }
    const std::int64_t slot = event.time.ps >> shift_;
    if (slot - open_slot_ <= static_cast<std::int64_t>(mask_)) {
      Chain(event, static_cast<std::uint32_t>(slot) & mask_);
    } else {
      PushFar(event);
    }
  }

  /// Removes the first event if it is before `end`; returns whether there was one. An event at
  /// Time::Max() is never removed.
  bool PopBefore(Time end, Event* event) {
    if (is_late_) return PopLateBefore(end, event);
    for (;;) {
      const Event *sorted = next_, *added = next_added_;
      const bool is_added = Earlier(*added, *sorted);
      const Event* first = is_added ? added : sorted;
      if (first->time < end) {
        *event = *first;
        ++(is_added ? next_added_ : next_);
        --size_;
        return true;
      }
      if (any_open() || !OpenBefore(end, at_once_)) return false;
    }
  }

  /// Begins a window of a caller that merges the queue with events of its own. From here to the
  /// window's end it calls First(), AtEdge(), OpenMore() and PopFirst() in place of PopBefore().
  void BeginWindow() { FindFirst(); }
  /// Returns the first event. If AtEdge(), it is none of the queue's: no event is before its time.
  const Event& First() const { return *first_; }
  bool AtEdge() const { return first_ == &edge_; }
  /// Requires AtEdge(). Opens more events before `end`, or moves the edge to `end`.
  [[gnu::noinline]] void OpenMore(Time end);
  /// Removes First(). Requires !AtEdge().
  void PopFirst() {
    --size_;
    if (first_ == next_added_) {
      ++next_added_;
    } else if (first_ == next_) {
      ++next_;
    } else {
      PopLate();
    }
    FindFirst();
  }

  /// Calls visit(event) for up to 16 events that were pushed among the open ones, to prefetch what
  /// they need.
  template <class Visit>
  void ForSomeAdded(const Visit& visit) const {
    const Event* const end = added_.data() + added_count_;
    for (const Event* event = next_added_; event < end && event < next_added_ + 16; ++event)
      visit(*event);
  }

  /// Whether events were opened since the last call, so that none of them has been prefetched.
  bool AtBucketStart() {
    const bool is_start = opened_now_;
    opened_now_ = false;
    return is_start;
  }
  /// The event `ahead` places on, if it is already sorted; else null. A hint, for prefetching only.
  const Event* PeekOpen(std::size_t ahead) const {
    return static_cast<std::size_t>(open_.data() + open_count_ - next_) > ahead ? next_ + ahead
                                                                                : nullptr;
  }
  /// Prefetches one more chunk of the bucket that will be opened next.
  void PrefetchNextBucket() {
    if (following_ == kNone) return;
    following_ = chunks_[following_].next;
    if (following_ != kNone) FetchChunk(following_);
  }

  /// Time of the first event; Time::Max() if there is none. Changes nothing.
  Time NextTime() const;

  /// Bytes allocated by the queue.
  std::size_t memory() const {
    return (open_.capacity() + added_.capacity() + late_.capacity() + far_.capacity() +
            taken_.capacity() + kept_.capacity()) *
               sizeof(Event) +
           heads_.capacity() * sizeof(Head) + occupied_.capacity() * sizeof(std::uint64_t) +
           chunks_.capacity() * sizeof(Chunk) + free_chunks_.capacity() * sizeof(std::uint32_t);
  }

  /// All events by (time, order, argument), for checkpoints and checks. O(n log n).
  std::vector<Event> Sorted() const;

  /// Removes the events of which `drop(event)`. O(n log n).
  template <class Drop>
  void Remove(const Drop& drop) {
    const std::vector<Event> events = Sorted();
    const std::size_t at_once = at_once_;
    *this = EventQueue();
    at_once_ = at_once;
    for (const Event& event : events) {
      if (!drop(event)) Push(event);
    }
  }

  template <class Archive>
  void save(Archive& archive, unsigned /*version*/) const {
    const std::vector<Event> events = Sorted();
    const std::uint64_t count = events.size();
    archive& count;
    for (const Event& event : events) archive& event.time& event.order& event.argument;
  }
  template <class Archive>
  void load(Archive& archive, unsigned /*version*/) {
    const std::size_t at_once = at_once_;
    *this = EventQueue();
    at_once_ = at_once;
    std::uint64_t count = 0;
    archive& count;
    for (std::uint64_t i = 0; i < count; ++i) {
      Event event;
      archive& event.time& event.order& event.argument;
      ExpectState(event.time >= Time{0}, "an event before the beginning");
      Push(event);
    }
  }
  template <class Archive>
  void serialize(Archive& archive, unsigned version) {
    if constexpr (Archive::is_saving::value) {
      save(archive, version);
    } else {
      load(archive, version);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  static constexpr std::uint32_t kChunk = 5;
  static constexpr std::size_t kEnough = 128;  ///< open events, above which no bucket is opened
  /// Events of one bucket, two cache lines of them.
  struct Chunk {
    Event events[kChunk];
    std::uint32_t next = kNone;
    std::uint32_t padding = 0;
  };
  static_assert(sizeof(Chunk) == 128);
  /// A bucket: its newest chunk, and the number of events in it; older chunks are full. An empty
  /// bucket has no chunk and counts as full.
  struct Head {
    std::uint32_t chunk = kNone;
    std::uint32_t count = kChunk;
  };

  void InsertAmongOpen(Event event);
  /// Makes room for further events in added_; returns the end of its events.
  [[gnu::noinline]] Event* MakeRoom();
  bool PopLateBefore(Time end, Event* event);
  void Chain(Event event, std::uint32_t bucket) {
    // The count is beside the head, not in the chunk, so that a push writes the chunk without
    // reading it.
    Head& head = heads_[bucket];
    if (head.count == kChunk) {
      head.chunk = NewChunk(head.chunk);
      head.count = 0;
      occupied_[bucket >> 6] |= std::uint64_t{1} << (bucket & 63);
    }
    Event& place = chunks_[head.chunk].events[head.count++];
    place.time = event.time;
    place.order = event.order;
    place.argument = event.argument;
    ++chained_;
  }
  std::uint32_t NewChunk(std::uint32_t next);
  static constexpr Event kSentinel{Time::Max(), ~std::uint64_t{0}, 0, 0};  ///< after all events
  /// Calls visit(event) for all chained events of a bucket, the newest first.
  template <class Visit>
  void ForBucket(std::uint32_t bucket, Visit&& visit) const {
    std::uint32_t count = heads_[bucket].count;
    for (std::uint32_t i = heads_[bucket].chunk; i != kNone; i = chunks_[i].next) {
      for (std::uint32_t k = 0; k < count; ++k) visit(chunks_[i].events[k]);
      count = kChunk;
    }
  }
  void FetchNextBucket();
  void FetchChunk(std::uint32_t chunk) const {
    const char* bytes = reinterpret_cast<const char*>(&chunks_[chunk]);
    __builtin_prefetch(bytes);
    __builtin_prefetch(bytes + 64);
  }
  void PushFar(Event event);
  /// Moves events from the heap into the calendar if they now fall within its range.
  void DrawFromFar();
  /// Sorts the next events before `end` into the open array, bucket by bucket until there are
  /// `enough`; returns whether there were any. Requires an empty open array.
  bool OpenBefore(Time end, std::size_t enough);
  /// Whether there are events in the two sorted arrays.
  bool any_open() const {
    return next_ < open_.data() + open_count_ || next_added_ < added_.data() + added_count_;
  }
  void PopLate();
  /// Sets first_ to the first of the open events, or to the edge.
  void FindFirst() {
    first_ = Earlier(*next_added_, *next_) ? next_added_ : next_;
    if (is_late_ && Earlier(late_.front(), *first_)) first_ = late_.data();
    if (first_->time == Time::Max()) {
      edge_.time.ps = open_end_;
      first_ = &edge_;
    }
  }
  /// Moves a bucket's events before `end` to taken_, the others to kept_, the newest first.
  void TakeBucket(std::uint32_t bucket, Time end);
  /// Sorts taken_, whose times are from `from` to open_end_, into the open array.
  void SortTaken(std::int64_t from);
  /// The slot of the next occupied bucket after the open one. Requires chained_ > 0.
  std::int64_t NextOccupiedSlot() const;
  void Adapt();
  void Rebuild(int shift, std::uint32_t buckets);
  void SetOpenSlot(std::int64_t slot) {
    open_slot_ = slot;
    // The last bucket ends at Time::Max().
    open_end_ = slot < (Time::Max().ps >> shift_) ? (slot + 1) << shift_ : Time::Max().ps;
  }

  /// The sorted events that were opened, and kSentinel; *next_ is the first.
  std::vector<Event> open_;
  const Event* next_;
  std::size_t open_count_ = 0;  ///< without the sentinel
  /// Sorted events that were pushed before open_end_, and kSentinel; *next_added_ is the first.
  std::vector<Event> added_;
  const Event* next_added_;
  std::size_t added_count_ = 0;
  /// Heap, earliest first, of events that were pushed before open_end_ when inserting them into
  /// added_ would have moved too many.
  std::vector<Event> late_;
  bool is_late_ = false;          ///< !late_.empty()
  const Event* first_ = nullptr;  ///< within a window: what First() returns
  Event edge_{};                  ///< its time: open_end_
  std::uint32_t dense_ = 0;       ///< above 0: open few at once, as many are pushed among them
  std::size_t at_once_ = 1;
  std::vector<Event> taken_, kept_;  ///< used while events are opened
  std::int64_t open_slot_ = -1;      ///< the last bucket that is open as a whole: time >> shift_
  std::int64_t open_end_ = 0;        ///< events before this time [ps] are open
  int shift_ = 19;                   ///< log2 of the bucket width [ps]
  std::uint32_t mask_ = 63;          ///< number of buckets - 1
  std::vector<Head> heads_;
  std::vector<std::uint64_t> occupied_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_chunks_;
  std::size_t chained_ = 0;
  std::uint32_t following_ = kNone;  ///< chunk up to which the next bucket is prefetched
  std::vector<Event> far_;           ///< heap of events beyond the last bucket, earliest first
  std::size_t size_ = 0;
  bool opened_now_ = false;  ///< since the last AtBucketStart()
  /// Buckets opened, and distinct times in them, since the last check of the geometry.
  std::uint32_t opened_ = 0;
  std::uint64_t opened_times_ = 0;
};

}  // namespace heddle
