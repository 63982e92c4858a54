// SPDX-License-Identifier: GPL-2.0-only
#include "transport/record/flow_records.h"

#include <xxhash.h>

namespace heddle {

std::uint64_t DigestOf(const FlowRecord& r) {
  const std::uint64_t words[] = {
      r.flow.packed(),
      (static_cast<std::uint64_t>(r.destination.value) << 32) | r.message,
      (static_cast<std::uint64_t>(r.source_port) << 32) | (r.destination_port << 16) |
          (static_cast<std::uint64_t>(r.priority) << 8) | static_cast<std::uint64_t>(r.state),
      static_cast<std::uint64_t>(r.size),
      static_cast<std::uint64_t>(r.start.ps),
      static_cast<std::uint64_t>(r.completion.ps),
      (static_cast<std::uint64_t>(r.label.operation) << 32) | r.label.chunk,
      (static_cast<std::uint64_t>(r.request) << 32) |
          (static_cast<std::uint64_t>(r.label.job) << 16) | r.label.channel,
      static_cast<std::uint64_t>(r.ideal.ps)};
  return XXH3_64bits(words, sizeof words);
}

std::uint64_t DigestOf(const FlowArrival& a) {
  const std::uint64_t words[] = {a.flow.packed(), static_cast<std::uint64_t>(a.time.ps)};
  return XXH3_64bits(words, sizeof words);
}

const char* ToText(DropReason reason) {
  switch (reason) {
    case DropReason::kBufferFull:
      return "buffer full";
    case DropReason::kWireError:
      return "wire error";
    case DropReason::kLinkDown:
      return "link down";
    case DropReason::kNoRoute:
      return "no route";
  }
  return "";
}

}  // namespace heddle
