// SPDX-License-Identifier: GPL-2.0-only
/// Which entropy each packet of a sender's queue pairs takes, and what becomes of it.
///
/// The schemes are in transport/model/entropy/entropy_chooser.h. This remembers besides which
/// packet in flight had which entropy, so that a loss is charged to the right one, and which probe
/// is on its way. Packets of a flow are numbered by their first byte over the payload. A probe that
/// has no answer when the next one leaves is lost; a later answer counts as that of the next one,
/// if both have the same entropy, and otherwise says nothing. Between two probes there is a packet.
/// Invariant: the packets remembered follow each other without a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/ring_queue.h"
#include "core/containers/state_count.h"
#include "transport/model/entropy/entropy_chooser.h"

namespace heddle {

/// By the slot of a queue pair, which Start() makes known. `chooser` is always the run's, and
/// sprays.
class PacketEntropies {
 public:
  /// As EntropyChooser::Start.
  void Start(const EntropyChooser& chooser, std::uint32_t slot, std::uint64_t seed, FlowId flow,
             std::uint16_t first, Time base_rtt);
  /// The queue pair has ended.
  void End(std::uint32_t slot) {
    if (slot < pairs_.size()) pairs_[slot] = Pair();
  }

  /// The entropy of a packet that is sent now, for the first time or again.
  std::uint16_t Next(const EntropyChooser& chooser, std::uint32_t slot, std::int64_t packet,
                     Time now);
  /// A packet with this entropy has arrived, and was ECN marked or not.
  void Arrived(const EntropyChooser& chooser, std::uint32_t slot, std::uint16_t entropy,
               bool marked, Time now) {
    chooser.Heard(&pairs_[slot].state, entropy,
                  marked ? PathFeedback::kMarked : PathFeedback::kGood, now);
  }
  /// A packet counts as lost: its entropy does not lead to the receiver.
  void Lost(const EntropyChooser& chooser, std::uint32_t slot, std::int64_t packet, Time now);
  /// All packets below this one have arrived and are forgotten.
  void Forget(std::uint32_t slot, std::int64_t packet);
  /// As EntropyChooser::Idle.
  void Idle(const EntropyChooser& chooser, std::uint32_t slot, Time now) {
    chooser.Idle(&pairs_[slot].state, now);
  }

  /// Whether a probe leaves now, and its entropy.
  [[gnu::noinline]] bool ProbeDue(const EntropyChooser& chooser, std::uint32_t slot, Time now,
                                  std::uint16_t* entropy);
  /// A probe was answered.
  void ProbeArrived(const EntropyChooser& chooser, std::uint32_t slot, std::uint16_t entropy,
                    Time now);

  std::size_t memory() const;
  /// Of what was loaded for a queue pair whose flow has this many packets: throws UserError "the
  /// saved state has ...".
  void Check(const EntropyChooser& chooser, std::uint32_t slot, std::int64_t packets) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& pairs_;
  }

 private:
  static constexpr std::int32_t kNoProbe = -1;

  struct Pair {
    EntropyState state;
    std::int64_t first = 0;         ///< the first packet remembered
    RingQueue<std::uint16_t> sent;  ///< entropies of the packets from `first` on
    std::int32_t probe = kNoProbe;  ///< entropy of the probe that is on its way
    std::uint8_t may_probe = 0;     ///< 1: a packet has left since the last probe

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& state& first& sent& probe& may_probe;
    }
  };

  std::vector<Pair> pairs_;  ///< by slot
};

}  // namespace heddle
