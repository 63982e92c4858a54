// SPDX-License-Identifier: GPL-2.0-only
/// One pending event a host, at the earliest time that one of its queue pairs gives up waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/state_count.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

class HostTimeouts {
 public:
  /// Adds a host without a pending event. Returns its number (DomainPorts::Node::host).
  std::uint32_t AddHost() {
    at_.push_back(Time::Max());
    return static_cast<std::uint32_t>(at_.size() - 1);
  }
  /// Returns the number of the domain's hosts, the nodes that end flows.
  std::size_t hosts() const { return at_.size(); }

  /// Sees to an event of the node's host at `deadline` or earlier.
  void Arm(DomainState& state, std::uint32_t node, Time deadline) {
    Time& pending = at_[state.nodes()[node].host];
    if (pending <= deadline) return;
    pending = deadline;
    state.queue().Push({deadline,
                        EventOrder(state.nodes()[node].id, PortId(0), FabricEvent::kTimeout).bits(),
                        node, 0});
  }
  /// Whether the host's event is the one of this time; an earlier one has replaced any other.
  bool IsPending(std::uint32_t host, Time time) const { return at_[host] == time; }
  /// Forgets the host's event, which has come.
  void Clear(std::uint32_t host) { at_[host] = Time::Max(); }
  /// Prefetches what IsPending() looks at.
  void Prefetch(std::uint32_t host) const { __builtin_prefetch(&at_[host]); }
  std::size_t memory() const { return MemoryReached(at_); }  ///< bytes allocated

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    const std::size_t hosts = at_.size();
    archive& at_;
    if constexpr (Archive::is_loading::value)
      ExpectState(at_.size() == hosts, "other hosts than the fabric");
  }

 private:
  std::vector<Time> at_;  ///< by host: when its pending event fires
};

}  // namespace heddle
