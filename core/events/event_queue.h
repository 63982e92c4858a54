// SPDX-License-Identifier: GPL-2.0-only
/// The event queue of a domain: a calendar of buckets, each sorted only when its time comes.
///
/// Source: R. Brown, "Calendar Queues", CACM 31(10), 1988, with lazily sorted buckets (as in ladder
/// queues, Tang and others 2005). Events of the open bucket are sorted in one array, or in a heap
/// if inserting them there would move too many; later ones are chained, unsorted, in their bucket;
/// events beyond the last bucket are in another heap. Width and number of buckets follow the load.
/// Push and pop cost O(1) on average.
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
      InsertIntoOpenBucket(event);
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
    if (!late_.empty()) return PopLateBefore(end, event);
    if (next_ == open_count_ && !OpenBefore(end)) return false;
    if (open_[next_].time >= end) return false;
    *event = open_[next_++];
    --size_;
    return true;
  }

  /// Whether the event just removed is the first of its bucket, so that the following ones have not
  /// been prefetched.
  bool AtBucketStart() const { return next_ == 1; }
  /// The event `ahead` places on, if it is already sorted; else null. A hint, for prefetching only.
  const Event* PeekOpen(std::size_t ahead) const {
    return next_ + ahead < open_count_ ? &open_[next_ + ahead] : nullptr;
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
    return (open_.capacity() + late_.capacity() + far_.capacity()) * sizeof(Event) +
           heads_.capacity() * sizeof(Head) + occupied_.capacity() * sizeof(std::uint64_t) +
           chunks_.capacity() * sizeof(Chunk) + free_chunks_.capacity() * sizeof(std::uint32_t);
  }

  /// All events in order, for checkpoints and checks. O(n log n).
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

  void InsertIntoOpenBucket(Event event);
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
  /// Calls visit(event) for all chained events of a bucket.
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
  /// Sorts the next buckets with events into the open array, if the first begins before `end`.
  bool OpenBefore(Time end);
  /// Appends a bucket's events, sorted, to the open array.
  void TakeBucket(std::uint32_t bucket);
  /// The slot of the next occupied bucket after the open one. Requires chained_ > 0.
  std::int64_t NextOccupiedSlot() const;
  void Adapt();
  void Rebuild(int shift, std::uint32_t buckets);
  void SetOpenSlot(std::int64_t slot) {
    open_slot_ = slot;
    // The last bucket ends at Time::Max().
    open_end_ = slot < (Time::Max().ps >> shift_) ? (slot + 1) << shift_ : Time::Max().ps;
  }

  /// The sorted events of the open bucket; open_[next_] is the first event.
  std::vector<Event> open_;
  std::size_t next_ = 0;
  std::size_t open_count_ = 0;  ///< open_.size(), which would cost a division by 24
  /// Heap, earliest first, of events of the open bucket that came when inserting them into open_
  /// would have moved too many.
  std::vector<Event> late_;
  std::int64_t open_slot_ = -1;  ///< number of the open bucket: time >> shift_
  std::int64_t open_end_ = 0;    ///< events before this time [ps] belong to the open bucket
  int shift_ = 19;               ///< log2 of the bucket width [ps]
  std::uint32_t mask_ = 63;      ///< number of buckets - 1
  std::vector<Head> heads_;
  std::vector<std::uint64_t> occupied_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> free_chunks_;
  std::size_t chained_ = 0;
  std::uint32_t following_ = kNone;  ///< chunk up to which the next bucket is prefetched
  std::vector<Event> far_;           ///< heap of events beyond the last bucket, earliest first
  std::size_t size_ = 0;
  std::size_t at_once_ = 1;
  /// Buckets opened, and distinct times in them, since the last check of the geometry.
  std::uint32_t opened_ = 0;
  std::uint64_t opened_times_ = 0;
};

}  // namespace heddle
