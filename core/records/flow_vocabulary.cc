// SPDX-License-Identifier: GPL-2.0-only
#include "core/records/flow_vocabulary.h"

#include <xxhash.h>

namespace heddle {

const char* ToText(FlowState state) {
  switch (state) {
    case FlowState::kFinished:
      return "finished";
    case FlowState::kNotStarted:
      return "not started";
    case FlowState::kNoRoute:
      return "no route";
    case FlowState::kRetryLimit:
      return "retry limit exceeded";
    case FlowState::kPaused:
      return "paused";
    case FlowState::kUnderWay:
      return "under way";
  }
  return "";
}

std::string FlowStateValues() {
  std::string text;
  for (int value = 0; value <= static_cast<int>(kLastFlowState); ++value) {
    text += (value == 0 ? "" : ", ") + std::to_string(value) + " " +
            ToText(static_cast<FlowState>(value));
  }
  return text;
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

std::uint64_t DigestOf(const FlowRecord& r) {
  const std::uint64_t words[] = {
      r.flow.packed(),
      (static_cast<std::uint64_t>(r.destination.value) << 32) | r.message,
      (static_cast<std::uint64_t>(r.source_port) << 32) |
          (static_cast<std::uint64_t>(r.destination_port) << 16) |
          (static_cast<std::uint64_t>(r.priority) << 8) | static_cast<std::uint64_t>(r.state),
      static_cast<std::uint64_t>(r.size),
      static_cast<std::uint64_t>(r.start.ps),
      static_cast<std::uint64_t>(r.completion.ps),
      (static_cast<std::uint64_t>(r.origin.operation) << 32) | r.origin.chunk,
      (static_cast<std::uint64_t>(r.request) << 32) |
          (static_cast<std::uint64_t>(r.origin.job) << 16) | r.origin.channel,
      static_cast<std::uint64_t>(r.ideal.ps)};
  return XXH3_64bits(words, sizeof words);
}

std::uint64_t DigestOf(const FlowArrival& a) {
  const std::uint64_t words[] = {a.flow.packed(), static_cast<std::uint64_t>(a.time.ps)};
  return XXH3_64bits(words, sizeof words);
}

}  // namespace heddle
