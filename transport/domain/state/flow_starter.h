// SPDX-License-Identifier: GPL-2.0-only
/// What starts queue pairs, and gives them more to send, for rooms below it.
#pragma once

#include <cstdint>

namespace heddle {

class DomainState;
struct QueuePair;

class FlowStarter {
 public:
  /// Starts a queue pair of the node: `pair` as its message and its grant make it, at no port.
  /// Returns its slot.
  virtual std::uint32_t Start(DomainState& state, std::uint32_t node, const QueuePair& pair) = 0;
  /// Sets the bytes that a queue pair of requests has to send by now. `open`: QueuePair::kOpen,
  /// else kClosed.
  virtual void Grow(DomainState& state, std::uint32_t slot, std::int64_t size, bool open) = 0;
  /// Sets the bytes of a stream that a queue pair may send by now. `all`: that is the flow.
  virtual void GrowStream(DomainState& state, std::uint32_t slot, std::int64_t size, bool all) = 0;

 protected:
  ~FlowStarter() = default;
};

}  // namespace heddle
