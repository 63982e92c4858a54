// SPDX-License-Identifier: GPL-2.0-only
/// What ACKs, NACKs and other answers change at a flow's sender.
///
/// An ACK moves the first unacknowledged byte; the scheme of reliable delivery
/// (transport/model/reliability) and congestion control take it in; the last one ends the flow.
#pragma once

#include <cstdint>

#include "transport/domain/sending/flow_life.h"
#include "transport/domain/sending/nic_sending.h"
#include "transport/domain/sending/send_state.h"
#include "transport/domain/state/domain_state.h"

namespace heddle {

/// Answers of flows that have ended, whose slots may be others', change nothing. Nor do those of
/// another domain's checkpoint, which nobody there could check.
class FlowAnswers {
 public:
  /// Works on parts of the domain's sender, which outlive this object.
  FlowAnswers(SendState* own, NicSending* nic, FlowLife* life)
      : own_(*own), nic_(*nic), life_(*life) {}

  /// Takes an ACK or NACK that has arrived at its host: progress, a CNP, loss, a new rate. The ACK
  /// of the flow's last byte ends it.
  void Ack(DomainState& state, const Packet& ack, const MessageTail* tail);
  /// Takes an ACK, NACK or pull of Ultra Ethernet that has arrived at its host.
  void Uec(DomainState& state, const Packet& p);
  /// Takes the answer to the probe of a path, for the entropies of its queue pair.
  void Probe(const DomainState& state, const Packet& answer);

 private:
  /// Ends the longer waits after timeouts, as there is progress: the next timeout is a plain one
  /// again, earlier than the host's timer may know.
  [[gnu::noinline]] void EndBackOff(DomainState& state, std::uint32_t slot);
  /// Notes what an ACK or NACK says of the entropy of the packet that it answers.
  [[gnu::noinline]] void LearnEntropy(const DomainState& state, std::uint32_t slot,
                                      const Packet& ack);
  /// Counts an ACK with the CNP flag.
  static void CountCnp(DomainState& state, QueuePair* pair) {
    ++pair->cnps;
    if (state.sampler().watches_cnps()) state.sampler().SampleCnps(state.now(), pair);
  }

  SendState& own_;
  NicSending& nic_;
  FlowLife& life_;
};

}  // namespace heddle
