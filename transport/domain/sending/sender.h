// SPDX-License-Identifier: GPL-2.0-only
/// The sending side of a domain's hosts, as the domain sees it: its parts are put together here,
/// saved, and checked.
///
/// Parts: NicSending (which queue pair of a port sends, and what), FlowLife (start to end),
/// FlowAnswers, FlowTimeouts. They share SendState, which also holds what is kept of each queue
/// pair by schemes of reliable delivery and by congestion controls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/memory_account.h"
#include "core/containers/slot_pool.h"
#include "core/records/flow_vocabulary.h"
#include "transport/domain/host/path_client.h"
#include "transport/domain/messages/message_desk.h"
#include "transport/domain/sending/flow_answers.h"
#include "transport/domain/sending/flow_life.h"
#include "transport/domain/sending/flow_timeouts.h"
#include "transport/domain/sending/nic_sending.h"
#include "transport/domain/sending/send_state.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

/// The queue pairs of a domain's hosts. `slot` is one's.
class Sender {
 public:
  /// Starts without hosts, NICs and queue pairs.
  explicit Sender(const FabricContext& context) : own_(context) {}
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  /// Adds a host. Returns its number (DomainPorts::Node::host).
  std::uint32_t AddHost() { return own_.timeouts.AddHost(); }
  /// Gives a GPU's port its NIC.
  void AddNic(Port* port) { own_.nics.AddTo(port); }

  NicSending& nic() { return nic_; }              ///< arbitration at the ports
  FlowLife& life() { return life_; }              ///< start, growth and end of flows
  const FlowLife& life() const { return life_; }  ///< the same, to list open flows
  FlowAnswers& answers() { return answers_; }     ///< what arrives for flows
  FlowTimeouts& timeouts() { return timeouts_; }  ///< the hosts' events

  /// Whether an event of congestion control's timer still means this queue pair and this time.
  bool RateTimerIsDue(DomainState& state, std::uint32_t slot, Time time, EventOrder order) {
    return own_.rates.TimerIsDue(state, slot, &own_.pairs[slot], time, order);
  }
  /// Runs congestion control's timer of a queue pair, and sends if it may now.
  void RateTimer(DomainState& state, std::uint32_t slot) {
    own_.rates.OnTimer(state, slot, &own_.pairs[slot]);
    nic_.Update(state, slot);
  }

  /// Returns the number of the domain's hosts, the nodes that end flows.
  std::size_t hosts() const { return own_.timeouts.hosts(); }
  const Nics& nics() const { return own_.nics; }                   ///< by Port::nic
  const SlotPool<QueuePair>& pairs() const { return own_.pairs; }  ///< live and free slots
  /// Returns the queue pairs to write to: for samples, which they keep, and for cycles that are
  /// skipped.
  SlotPool<QueuePair>* sampled_pairs() { return &own_.pairs; }
  /// Arms the host's timeout for a queue pair that was moved in time, so that it comes soon enough.
  void WatchAgain(DomainState& state, std::uint32_t slot) {
    const Time deadline = own_.DeadlineOf(state, slot);
    if (deadline == Time::Max()) return;
    own_.timeouts.Arm(state, state.ports()[own_.pairs[slot].port].node,
                      std::max(state.now(), deadline));
  }
  /// Prefetches what a host's timeout looks at first.
  void PrefetchHost(std::uint32_t host) const { own_.timeouts.Prefetch(host); }

  void AddMemory(MemoryAccount* account) const { own_.AddMemory(account); }  ///< as SendState says
  /// Checks what was loaded: throws UserError "the saved state has ...". Claims what queue pairs
  /// have of messages and grants.
  void Check(const DomainState& state, MessageDesk::Claims* messages,
             PathClient::Claims* grants) const;
  /// Whether a rate timer's event may name this slot.
  bool MayHaveTimer(std::uint32_t slot) const {
    return slot < own_.pairs.size() && own_.rates.Has(slot);
  }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& own_;
  }

 private:
  /// Checks one live queue pair: its ends, bytes, rate, entropies and port.
  void CheckPair(const DomainState& state, std::uint32_t slot) const;

  SendState own_;
  NicSending nic_{&own_};
  FlowLife life_{&own_, &nic_};
  FlowAnswers answers_{&own_, &nic_, &life_};
  FlowTimeouts timeouts_{&own_, &nic_, &life_};
};

}  // namespace heddle
