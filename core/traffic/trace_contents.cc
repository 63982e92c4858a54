// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/trace_contents.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "core/base/check.h"

namespace heddle {

void TraceContents::Prepare() {
  pattern_.resize(static_cast<std::size_t>(longest_ + kPeriod));
  std::mt19937 random(1);
  const auto first = pattern_.begin();
  std::generate(first, first + kPeriod, [&] { return static_cast<char>(random()); });
  for (std::int64_t at = kPeriod; at < longest_ + kPeriod; at += kPeriod)
    std::copy_n(first, std::min(kPeriod, longest_ + kPeriod - at), first + at);
}

OutgoingBytes TraceContents::Outgoing(const FlowCookie& /*name*/, const MessageSlice& slice,
                                      std::int64_t /*size*/) {
  return {pattern_.data() + slice.offset, nullptr};
}

void TraceContents::Arrived(const FlowCookie& /*name*/, const MessageSlice& slice,
                            const char* payload, std::int64_t size) {
  if (checks_ == ResultChecks::kNone) return;
  ++checked_.results;
  checked_.bytes += size;
  const char* expected = pattern_.data() + slice.offset;
  if (std::memcmp(expected, payload, static_cast<std::size_t>(size)) == 0) return;
  const auto at = std::mismatch(expected, expected + size, payload).first - expected;
  throw InvariantError("a message of " + std::to_string(size) +
                       " bytes differs from what was sent "
                       "from byte " +
                       std::to_string(at) + " on");
}

}  // namespace heddle
