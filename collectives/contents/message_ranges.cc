// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/contents/message_ranges.h"

#include <cstring>

#include "core/base/check.h"

namespace heddle {

std::vector<ByteRange> RangesOf(const Schedule& schedule, const MessageName& name,
                                const MessageSlice& slice) {
  GroupFlow flow = name.flow();
  flow.offset = slice.offset;
  flow.bytes = slice.bytes;
  std::vector<ByteRange> ranges;
  std::int64_t bytes = 0;
  schedule.ForEachRange(flow, [&](const ByteRange& range) {
    ranges.push_back(range);
    bytes += range.bytes;
  });
  HEDDLE_INVARIANT(bytes == slice.bytes, "the ranges of a message are not as long as it");
  return ranges;
}

void GatherRanges(const std::vector<ByteRange>& ranges, PartBuffer* buffer, char* to) {
  for (const ByteRange& range : ranges) {
    if (range.bytes == 0) continue;
    std::memcpy(to, buffer->Read(range.offset, range.bytes), static_cast<std::size_t>(range.bytes));
    to += range.bytes;
  }
}

void SpreadRanges(const std::vector<ByteRange>& ranges, bool reduces, const char* payload,
                  PartBuffer* buffer) {
  for (const ByteRange& range : ranges) {
    if (reduces) {
      buffer->Add(range.offset, payload, range.bytes);
    } else {
      buffer->Put(range.offset, payload, range.bytes);
    }
    payload += range.bytes;
  }
}

}  // namespace heddle
