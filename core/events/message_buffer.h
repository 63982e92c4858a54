// SPDX-License-Identifier: GPL-2.0-only
/// A growing array of messages that are written in place; used as inbox.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "core/events/message.h"

namespace heddle {

/// Unlike a vector it does not clear memory before a write, nor build a message elsewhere and copy
/// it: a message is a cache line, and each packet-hop appends one.
class MessageBuffer {
 public:
  /// Returns where the cargo was written, valid until the next call.
  template <class Record>
  [[gnu::always_inline]] unsigned char* Append(Time time, std::uint64_t order,
                                               const Record& record) {
    static_assert(sizeof(Record) == sizeof(Cargo) && std::is_trivially_copyable_v<Record>);
    if (size_ == capacity_) Grow();
    Message* message = data_.get() + size_++;
    message->time = time;
    message->order = order;
    std::memcpy(message->cargo.bytes, &record, sizeof(Record));
    return message->cargo.bytes;
  }
  /// Removes the messages before `end`; returns the time of the earliest that stays, or
  /// Time::Max(). For messages without tails.
  Time Keep(Time end) {
    Time earliest = Time::Max();
    Message* to = data_.get();
    for (const Message& message : *this) {
      if (message.time < end) continue;
      earliest = message.time < earliest ? message.time : earliest;
      *to++ = message;
    }
    size_ = static_cast<std::size_t>(to - data_.get());
    return earliest;
  }
  /// The tail of the message appended last.
  void AppendTail(const MessageTail& tail) {
    while (size_ + kTailRecords > capacity_) Grow();
    std::memcpy(static_cast<void*>(data_.get() + size_), tail.bytes, sizeof tail.bytes);
    size_ += kTailRecords;
  }
  void Clear() { size_ = 0; }
  const Message* begin() const { return data_.get(); }
  Message* begin() { return data_.get(); }
  Message* end() { return data_.get() + size_; }
  const Message* end() const { return data_.get() + size_; }
  const Message* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t memory() const { return capacity_ * sizeof(Message); }

 private:
  [[gnu::noinline]] void Grow() {
    const std::size_t capacity = std::max<std::size_t>(16, 2 * capacity_);
    std::unique_ptr<Message[]> larger(new Message[capacity]);
    if (size_ > 0) std::copy(begin(), end(), larger.get());
    data_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<Message[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace heddle
