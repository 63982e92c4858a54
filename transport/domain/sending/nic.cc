// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/sending/nic.h"

#include <algorithm>

#include "core/base/memory_account.h"
#include "core/containers/state_count.h"

namespace heddle {

void Nics::Leave(const Port& port, std::uint32_t slot, QueuePairs* pairs) {
  RoundRobin& nic = nics_[port.nic];
  nic.Remove((*pairs)[slot].position);
  nic.Compact([pairs](std::uint32_t member, std::uint32_t position) {
    (*pairs)[member].position = position;
  });
}

std::uint32_t Nics::Pick(Port* port, const QueuePairs& pairs, const NicOptions& options, Time now,
                         Time* earliest) {
  RoundRobin& nic = nics_[port->nic];
  const auto may_send = [&](std::uint32_t slot) {
    const QueuePair& pair = pairs[slot];
    if ((port->paused >> pair.priority & 1) != 0) return false;
    if (pair.next_send <= now) return true;
    *earliest = std::min(*earliest, pair.next_send);
    return false;
  };
  std::uint32_t position = port->turn > 0 ? nic.PickSame(may_send) : kNone;
  if (position != kNone) {
    --port->turn;
  } else {
    position = nic.Pick(may_send);
    if (position == kNone) return kNone;
    const std::int64_t weight = options.weights[pairs[nic.member(position)].priority];
    port->turn = static_cast<std::uint16_t>(weight - 1);
  }
  return nic.member(position);
}

std::size_t Nics::memory() const {
  std::size_t sum = MemoryReached(nics_);
  for (const RoundRobin& nic : nics_) sum += nic.memory();
  return sum;
}

void Nics::Check(const DomainPorts& ports, const QueuePairs& pairs,
                 std::int64_t sure_of_ack) const {
  const std::vector<bool> used = pairs.used_slots();
  std::vector<bool> taken(nics_.size(), false);
  for (std::uint32_t index = 0; index < ports.ports().size(); ++index) {
    const std::uint32_t nic = ports.ports()[index].nic;
    if (nic == DomainPorts::kNone) continue;
    ExpectState(!taken[nic], "a NIC of two ports");
    taken[nic] = true;
    nics_[nic].ForEachPosition([&](std::uint32_t position, std::uint32_t slot, bool ready) {
      ExpectState(slot < used.size() && used[slot], "a NIC with a flow that does not exist");
      const QueuePair& pair = pairs[slot];
      const bool right = pair.ready(sure_of_ack) == ready;
      ExpectState(pair.port == index && pair.position == position && right,
                  "a NIC with a flow that is not there");
    });
  }
}

}  // namespace heddle
