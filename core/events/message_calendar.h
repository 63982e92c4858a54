// SPDX-License-Identifier: GPL-2.0-only
/// The messages to one domain by steps of their arrival times. Each stays where its sender wrote it
/// until it has run: it is neither moved into the domain's queue nor into its packet pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/events/message_buffer.h"
#include "core/events/sorted_messages.h"

namespace heddle {

/// Holds messages of 8 steps of 2^19 ps (4.2 us): links of a fabric take about 0.5 us. A message
/// beyond these is not accepted; its domain takes it by Domain::Deliver().
class MessageCalendar {
 public:
  /// Returns where the cargo was written, valid until the next call; nullptr if the message is not
  /// accepted.
  template <class Record>
  [[gnu::always_inline]] unsigned char* Append(Time time, std::uint64_t order,
                                               const Record& record) {
    const std::int64_t step = time.ps >> kShift;
    if (static_cast<std::uint64_t>(step - first_) >= kSteps && !Begin(step)) return nullptr;
    Step& in = At(step);
    in.earliest = time < in.earliest ? time : in.earliest;
    return in.messages.Append(time, order, record);
  }
  /// Sorts the messages before `end` into `sorted`. They stay in place until Forget(end); no
  /// message is accepted until then.
  void Collect(Time end, SortedMessages* sorted) {
    sorted->Clear();
    const std::int64_t last = std::min((end.ps - 1) >> kShift, first_ + kSteps - 1);
    Time from = end;
    for (std::int64_t step = first_; step <= last; ++step) {
      Step& in = At(step);
      if (in.messages.size() == 0) continue;
      from = in.earliest < from ? in.earliest : from;
      Message** to = sorted->BeginWriting(in.messages.size());
      if (((step + 1) << kShift) <= end.ps) {
        for (Message& message : in.messages) *to++ = &message;
      } else {
        for (Message& message : in.messages) {
          *to = &message;
          to += message.time < end ? 1 : 0;
        }
      }
      sorted->EndWriting(to);
    }
    sorted->Sort(from, end);
    held_first_ = first_;
    first_ = kNowhere;
  }
  /// Removes the messages before `end`. Requires that none comes before `end` any more.
  void Forget(Time end) {
    first_ = held_first_;
    const std::int64_t now = end.ps >> kShift;
    const std::int64_t last = std::min(now, first_ + kSteps - 1);
    for (std::int64_t step = first_; step <= last; ++step) {
      Step& in = At(step);
      if (in.messages.size() == 0) continue;
      if (step < now) {
        in.Clear();
      } else {
        in.earliest = in.messages.Keep(end);
      }
    }
    first_ = std::max(first_, now);
  }
  /// Calls visit(message) for all messages, and removes them.
  template <class Visit>
  void Empty(const Visit& visit) {
    for (Step& in : steps_) {
      for (const Message& message : in.messages) visit(message);
      in.Clear();
    }
  }
  /// Time of the first message; Time::Max() if there is none.
  Time NextTime() const {
    Time next = Time::Max();
    for (const Step& in : steps_) next = in.earliest < next ? in.earliest : next;
    return next;
  }
  /// The place of the first step's first message, to be prefetched.
  const Message* data() const {
    return steps_[static_cast<std::size_t>(first_) % kSteps].messages.data();
  }
  /// Bytes allocated.
  std::size_t memory() const {
    std::size_t sum = 0;
    for (const Step& in : steps_) sum += in.messages.memory();
    return sum;
  }

 private:
  static constexpr int kShift = 19;  ///< log2 of a step [ps]
  static constexpr std::int64_t kSteps = 8;
  static constexpr std::int64_t kNowhere = -(std::int64_t{1} << 62);  ///< no step is near it

  struct Step {
    MessageBuffer messages;
    Time earliest = Time::Max();

    void Clear() {
      messages.Clear();
      earliest = Time::Max();
    }
  };

  Step& At(std::int64_t step) { return steps_[static_cast<std::size_t>(step) % kSteps]; }
  /// Moves the range of an empty calendar to a step; returns whether it was empty, and not between
  /// Collect() and Forget().
  [[gnu::noinline]] bool Begin(std::int64_t step) {
    if (first_ == kNowhere) return false;
    for (const Step& in : steps_) {
      if (in.messages.size() != 0) return false;
    }
    first_ = step - kSteps / 4;
    return true;
  }

  Step steps_[kSteps];
  std::int64_t first_ = 0;  ///< the first step of the range; kNowhere after Collect()
  std::int64_t held_first_ = 0;
};

}  // namespace heddle
