// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/part_buffer.h"

#include <algorithm>
#include <cstring>

#include "collectives/contents/float_pattern.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// sum[i] = a[i] + b[i]. Slices need not lie on the grid of elements in memory.
void AddFloats(const char* a, const char* b, std::int64_t count, char* sum) {
  for (std::int64_t i = 0; i < count; ++i) {
    float x, y;
    std::memcpy(&x, a + i * FloatPattern::kElement, sizeof x);
    std::memcpy(&y, b + i * FloatPattern::kElement, sizeof y);
    x += y;
    std::memcpy(sum + i * FloatPattern::kElement, &x, sizeof x);
  }
}

void Move(char* to, const char* from, std::int64_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

const char* PartBuffer::Read(std::int64_t offset, std::int64_t bytes) {
  if (came_.HasAll(offset, offset + bytes)) return result_.get() + offset;
  HEDDLE_INVARIANT(own_ != nullptr, "a message carries what its source does not have");
  if (came_.HasNone(offset, offset + bytes)) return own_ + offset;
  FillGaps(offset, offset + bytes);
  return result_.get() + offset;
}

void PartBuffer::Add(std::int64_t offset, const char* in, std::int64_t bytes) {
  const std::int64_t end = offset + bytes;
  if (own_ == nullptr && came_.HasNone(offset, end)) return Put(offset, in, bytes);
  NoteEdges(offset, bytes);
  const std::int64_t first = std::min(
      end, (offset + FloatPattern::kElement - 1) / FloatPattern::kElement * FloatPattern::kElement);
  const std::int64_t last = std::max(first, end / FloatPattern::kElement * FloatPattern::kElement);
  const char* have = Read(offset, bytes);
  char* sum = result_.get();
  AddFloats(have + (first - offset), in + (first - offset), (last - first) / FloatPattern::kElement,
            sum + first);
  Move(sum + offset, in, first - offset);
  Move(sum + last, in + (last - offset), end - last);
  came_.Add(offset, end);
}

void PartBuffer::Put(std::int64_t offset, const char* in, std::int64_t bytes) {
  NoteEdges(offset, bytes);
  Move(result_.get() + offset, in, bytes);
  came_.Add(offset, offset + bytes);
}

char* PartBuffer::PlaceOf(std::int64_t offset, std::int64_t bytes) {
  for (const auto& [from, length] : reading_) {
    if (from < offset + bytes && offset < from + length) return nullptr;
  }
  return result_.get() + offset;
}

void PartBuffer::Reading(std::int64_t offset, std::int64_t bytes) {
  reading_.emplace_back(offset, bytes);
}

void PartBuffer::Done(std::int64_t offset, std::int64_t bytes) {
  const auto at = std::find(reading_.begin(), reading_.end(), std::make_pair(offset, bytes));
  HEDDLE_INVARIANT(at != reading_.end(), "a message left that was not sent");
  reading_.erase(at);
}

void PartBuffer::FillGaps() { FillGaps(0, bytes_); }

void PartBuffer::FillGaps(std::int64_t begin, std::int64_t end) {
  if (own_ == nullptr) return;
  came_.ForEachGap(begin, end, [&](std::int64_t from, std::int64_t to) {
    Move(result_.get() + from, own_ + from, to - from);
  });
  came_.Add(begin, end);
}

void PartBuffer::NoteEdges(std::int64_t offset, std::int64_t bytes) {
  for (const std::int64_t edge : {offset, offset + bytes}) {
    if (edge % FloatPattern::kElement != 0) cut_.push_back(edge / FloatPattern::kElement);
  }
}

}  // namespace heddle
