// SPDX-License-Identifier: GPL-2.0-only
/// Which entropy each packet of a sender's queue pairs takes, and what becomes of it.
///
/// The schemes are in transport/model/entropy/entropy_chooser.h. Here is which packet in flight had
/// which entropy, so that a loss is charged to the right one, and which probe is in flight. Packets
/// of a flow are numbered by their first byte over the payload. A probe without an answer counts as
/// lost when the next one leaves. A later answer counts as that of the next one if both have the
/// same entropy; otherwise it is ignored. Between two probes there is a packet.
/// Invariant: the packets remembered follow each other without a gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/ring_queue.h"
#include "core/containers/state_count.h"
#include "transport/model/entropy/entropy_chooser.h"

namespace heddle {

/// One state for each slot of a queue pair, from Start() to End(). `chooser` is always the run's,
/// and sprays.
class PacketEntropies {
 public:
  /// Starts the state of a queue pair, as EntropyChooser::Start.
  void Start(const EntropyChooser& chooser, std::uint32_t slot, std::uint64_t seed, FlowId flow,
             std::uint16_t first, Time base_rtt);
  /// Empties the state of a queue pair that has ended.
  void End(std::uint32_t slot) {
    if (slot < pairs_.size()) pairs_[slot] = Pair();
  }

  /// Returns the entropy of a packet that is sent now, for the first time or again, and remembers
  /// it.
  std::uint16_t Next(const EntropyChooser& chooser, std::uint32_t slot, std::int64_t packet,
                     Time now);
  /// Reports that a packet with this entropy has arrived, ECN marked or not.
  void Arrived(const EntropyChooser& chooser, std::uint32_t slot, std::uint16_t entropy,
               bool marked, Time now) {
    chooser.Heard(&pairs_[slot].state, entropy,
                  marked ? PathFeedback::kMarked : PathFeedback::kGood, now);
  }
  /// Reports that a packet counts as lost, which is charged to the entropy that it had last.
  /// Packets that are not remembered are ignored.
  void Lost(const EntropyChooser& chooser, std::uint32_t slot, std::int64_t packet, Time now);
  /// Forgets all packets below this one; they have arrived.
  void Forget(std::uint32_t slot, std::int64_t packet);
  /// Reports that nothing is in flight, as EntropyChooser::Idle.
  void Idle(const EntropyChooser& chooser, std::uint32_t slot, Time now) {
    chooser.Idle(&pairs_[slot].state, now);
  }

  /// Whether a probe leaves now, and its entropy in `*entropy`. A previous probe without an answer
  /// then counts as lost.
  [[gnu::noinline]] bool ProbeDue(const EntropyChooser& chooser, std::uint32_t slot, Time now,
                                  std::uint16_t* entropy);
  /// Reports the answer to a probe; ignored if another entropy's probe is in flight.
  void ProbeArrived(const EntropyChooser& chooser, std::uint32_t slot, std::uint16_t entropy,
                    Time now);

  std::size_t memory() const;  ///< allocated bytes, the states' included
  /// Checks the loaded state of a queue pair whose flow has `packets` packets. Throws UserError
  /// "the saved state has ...".
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
    std::int32_t probe = kNoProbe;  ///< entropy of the probe in flight
    std::uint8_t may_probe = 0;     ///< 1: a packet has left since the last probe

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& state& first& sent& probe& may_probe;
    }
  };

  std::vector<Pair> pairs_;  ///< by slot
};

}  // namespace heddle
