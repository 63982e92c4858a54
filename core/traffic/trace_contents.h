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

  /// Returns what message number `message` of `size` bytes carries: its offset is where the pattern
  /// begins.
  static MessageSlice SliceOf(std::uint32_t message, std::int64_t size) {
    return {message * 389LL % kPeriod, size, false};
  }

  /// Makes the pattern, longer than the longest message by one period.
  void Prepare() override;
  /// Returns the bytes of the pattern; messages share it.
  std::size_t NeededMemory() const override { return static_cast<std::size_t>(longest_ + kPeriod); }
  /// Returns a place in the pattern; nothing is copied.
  OutgoingBytes Outgoing(const FlowCookie& name, const MessageSlice& slice,
                         std::int64_t size) override;
  /// Does nothing, as the pattern stays.
  void Left(const FlowCookie&, const MessageSlice&, std::int64_t, OutgoingBytes) override {}
  /// Returns null: the carrier's own memory receives.
  char* Incoming(const FlowCookie&, const MessageSlice&, std::int64_t) override { return nullptr; }
  /// Compares with the pattern, if checks are wanted. Throws InvariantError with the first byte
  /// that differs.
  void Arrived(const FlowCookie& name, const MessageSlice& slice, const char* payload,
               std::int64_t size) override;
  /// Returns the messages compared, and their bytes.
  Checked checked() const override { return checked_; }

 private:
  static constexpr std::int64_t kPeriod = 4093;

  std::int64_t longest_;
  ResultChecks checks_;
  std::vector<char> pattern_;
  Checked checked_;
};

}  // namespace heddle
