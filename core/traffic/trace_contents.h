// SPDX-License-Identifier: GPL-2.0-only
/// The bytes that the messages of a trace carry: a pattern that begins elsewhere for each message.
#pragma once

#include <cstdint>
#include <vector>

#include "core/traffic/message_contents.h"

namespace heddle {

class TraceContents final : public MessageContents {
 public:
  /// `longest`: size of the longest message [byte].
  TraceContents(std::int64_t longest, ResultChecks checks) : longest_(longest), checks_(checks) {}

  /// What message number `message` of `size` bytes carries: its offset is where the pattern begins.
  static MessageSlice SliceOf(std::uint32_t message, std::int64_t size) {
    return {message * 389LL % kPeriod, size, false};
  }

  void Prepare() override;
  std::size_t NeededMemory() const override { return static_cast<std::size_t>(longest_ + kPeriod); }
  OutgoingBytes Outgoing(const FlowCookie& name, const MessageSlice& slice,
                         std::int64_t size) override;
  void Left(const FlowCookie&, const MessageSlice&, std::int64_t, OutgoingBytes) override {}
  char* Incoming(const FlowCookie&, const MessageSlice&, std::int64_t) override { return nullptr; }
  void Arrived(const FlowCookie& name, const MessageSlice& slice, const char* payload,
               std::int64_t size) override;
  Checked checked() const override { return checked_; }

 private:
  static constexpr std::int64_t kPeriod = 4093;

  std::int64_t longest_;
  ResultChecks checks_;
  std::vector<char> pattern_;
  Checked checked_;
};

}  // namespace heddle
