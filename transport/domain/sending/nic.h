// SPDX-License-Identifier: GPL-2.0-only
/// The NICs of a domain's hosts: which queue pair of a port sends next. Round robin, with as many
/// packets in a turn as the priority's weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "core/containers/slot_pool.h"
#include "transport/domain/state/domain_ports.h"
#include "transport/model/nic/nic_options.h"
#include "transport/model/nic/queue_pair.h"
#include "transport/model/nic/round_robin.h"

namespace heddle {

/// A GPU's port has its NIC from the beginning, an NVSwitch's from the first queue pair on that
/// sends there. `pairs` are always the domain's.
class Nics {
 public:
  using QueuePairs = SlotPool<QueuePair>;
  static constexpr std::uint32_t kNone = RoundRobin::kNone;

  /// Gives the port a NIC without queue pairs.
  void AddTo(Port* port) {
    port->nic = static_cast<std::uint32_t>(nics_.size());
    nics_.emplace_back();
  }
  /// Adds the queue pair to the port's round robin, and sets its position there. A port without a
  /// NIC gets one.
  void Join(Port* port, std::uint32_t slot, QueuePair* pair, bool ready) {
    if (port->nic == DomainPorts::kNone) AddTo(port);
    RoundRobin& nic = nics_[port->nic];
    pair->position = nic.Add(slot);
    nic.SetReady(pair->position, ready);
  }
  /// Removes the queue pair from the port that it is at. May change the positions of others.
  void Leave(const Port& port, std::uint32_t slot, QueuePairs* pairs);
  /// Sets whether the queue pair, which is at `port`, may send.
  void SetReady(const Port& port, const QueuePair& pair, bool ready) {
    nics_[port.nic].SetReady(pair.position, ready);
  }
  /// Whether a port has queue pairs.
  bool any(const Port& port) const {
    return port.nic != DomainPorts::kNone && nics_[port.nic].any();
  }
  /// Whether a queue pair of the port, which has a NIC, may send by its own state; pauses and
  /// pacing may still hold it.
  bool any_ready(const Port& port) const { return nics_[port.nic].any_ready(); }
  /// Returns the number of the port's queue pairs that any_ready() counts.
  std::uint32_t ready(const Port& port) const { return nics_[port.nic].ready(); }
  /// Returns the slot of the queue pair whose packet is next, and takes its turn. kNone: none may
  /// send now; one may at `earliest`, if that has become less.
  std::uint32_t Pick(Port* port, const QueuePairs& pairs, const NicOptions& options, Time now,
                     Time* earliest);

  /// Calls visit(slot) for the queue pairs at a port; one without a NIC has none.
  template <class Visit>
  void ForEach(const Port& port, const Visit& visit) const {
    if (port.nic != DomainPorts::kNone) nics_[port.nic].ForEach(visit);
  }
  /// Returns the number of NICs; each has a number below it, Port::nic.
  std::size_t size() const { return nics_.size(); }
  const RoundRobin& operator[](std::uint32_t nic) const { return nics_[nic]; }

  /// Returns the bytes allocated for NICs and their rings.
  std::size_t memory() const;
  /// Checks that each queue pair is at the NIC of its port alone: throws UserError "the saved state
  /// has ...". Ports' NICs exist. `sure_of_ack`: as in QueuePair::ready().
  void Check(const DomainPorts& ports, const QueuePairs& pairs, std::int64_t sure_of_ack) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& nics_;
  }

 private:
  std::vector<RoundRobin> nics_;  ///< by Port::nic
};

}  // namespace heddle
