// SPDX-License-Identifier: GPL-2.0-only
/// Queues of a switch's ports for Ultra Ethernet: limited each by itself, and what does not fit is
/// trimmed or dropped.
///
/// Source: Ultra Ethernet Specification 1.0, packet trimming; uet-htsim's composite queue. Data
/// wait in the queue of their priority. If a packet does not fit there, a coin decides whether it
/// or the youngest one in the queue yields. With trimming that one loses its payload and joins
/// the control packets in the queue of priority 0, which goes first; they may hold as many bytes as
/// two queues of data, and what is beyond is dropped. Without trimming it is dropped. Packets of
/// Ultra Ethernet are never in the shared buffer and never cause a pause. Not modelled: buffers
/// shared by ports; trimmed packets in a class of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/base/random.h"
#include "transport/domain/state/domain_state.h"
#include "transport/domain/state/uec_run.h"

namespace heddle {

/// The limits by port, numbered within the domain; empty in runs without Ultra Ethernet.
class LossyQueues {
 public:
  using Node = DomainState::Node;

  /// Sets the limits of a port by its rate, which is known now or has changed. Ports of a domain
  /// come in their order.
  void SetRate(const DomainState& state, const Node& node, std::uint32_t port, BitRate rate);
  /// Takes the packet in `slot` in, to leave by the port `egress`, or drops it. Returns whether
  /// something has joined one of its queues.
  [[gnu::noinline]] bool Enqueue(DomainState& state, const Node& node, Port& out,
                                 std::uint32_t egress, std::uint32_t slot);
  /// Whether data is marked that leaves a queue of `queued_bytes`.
  [[gnu::noinline]] bool Marks(DomainState& state, std::uint32_t port,
                               std::int64_t queued_bytes) const;
  /// Returns the bytes in a queue up to which nothing is marked.
  std::int64_t kmin(std::uint32_t port) const { return limits_[port].ecn.kmin; }

  std::size_t memory() const { return MemoryOf(limits_) + MemoryOf(coins_); }  ///< bytes allocated

  /// Saves all but the limits, which follow from the ports' rates.
  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    for (RandomStream& coin : coins_) archive& coin;
  }

 private:
  struct Limits {
    std::int64_t data = 0;     ///< [byte]
    std::int64_t control = 0;  ///< [byte]
    EcnTable::Thresholds ecn;
    bool last_hop = false;
  };

  /// Tosses the coin for the packet in `slot`, which does not fit. Returns true if it waits in the
  /// youngest one's place: then `slot` has that one.
  bool TakePlace(DomainState& state, Port& out, int queue, std::uint32_t egress,
                 std::uint32_t slot);

  std::vector<Limits> limits_;
  std::vector<RandomStream> coins_;
};

}  // namespace heddle
