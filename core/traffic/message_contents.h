// SPDX-License-Identifier: GPL-2.0-only
/// What messages carry, for a carrier that moves bytes: the poster of the messages gives what goes
/// into each, and takes what has arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/containers/buffer_pool.h"

namespace heddle {

struct FlowCookie;

/// The part of its operation's buffer that a message carries. A message is at least as long.
struct MessageSlice {
  std::int64_t offset = 0, bytes = 0;
  bool reduces = false;  ///< the receiver adds it to what it has; otherwise it replaces that
};

/// Which results are checked, and the words of the option physical.check.
enum class ResultChecks : std::uint8_t { kFirstPass, kAll, kNone };
constexpr auto WordsOf(ResultChecks /*type*/) { return std::array{"first", "all", "none"}; }

/// What a message carries while it is sent: bytes of a buffer, or a copy.
struct OutgoingBytes {
  const char* bytes = nullptr;
  BufferPool::Block copy;  ///< null: `bytes` are of a buffer
};

/// Contents of the messages of one rank. Calls about one message come in the order of the
/// functions. Errors in what has arrived throw InvariantError.
class MessageContents {
 public:
  virtual ~MessageContents() = default;

  /// Makes and fills the buffers, before time counts.
  virtual void Prepare() = 0;
  /// Returns the bytes that Prepare() and the run will need.
  virtual std::size_t NeededMemory() const = 0;

  /// Returns, at the sender, `size` bytes (>= slice.bytes) that stay as they are until Left().
  virtual OutgoingBytes Outgoing(const FlowCookie& name, const MessageSlice& slice,
                                 std::int64_t size) = 0;
  /// Takes back `sent`, what Outgoing() returned, when the message has left.
  virtual void Left(const FlowCookie& name, const MessageSlice& slice, std::int64_t size,
                    OutgoingBytes sent) = 0;

  /// Returns, at the receiver, where `size` bytes may be received; null: in memory of the
  /// carrier's.
  virtual char* Incoming(const FlowCookie& name, const MessageSlice& slice, std::int64_t size) = 0;
  /// Takes the bytes that have arrived at `payload`, which is what Incoming() returned if that was
  /// not null. Comes before FlowAgent::Received().
  virtual void Arrived(const FlowCookie& name, const MessageSlice& slice, const char* payload,
                       std::int64_t size) = 0;

  /// What was checked so far on this rank.
  struct Checked {
    std::int64_t results = 0;  ///< buffers of participants after an operation, or messages
    std::int64_t bytes = 0;
  };
  /// Returns what was checked so far; zeros if nothing is.
  virtual Checked checked() const = 0;
};

}  // namespace heddle
