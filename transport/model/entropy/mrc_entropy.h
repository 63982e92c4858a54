// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "mrc": marked entropies rest, entropies that lose packets are retired until probes come
/// through.
///
/// Source: OCP, "Multipath Reliable Connection", release 1.0, 2026 (notes on arXiv 2605.04333 and
/// 2606.18170). Symbols: T_skip (`mrc_skip`, or the base round trip), T_probe
/// (`mrc_probe_interval`), P (`mrc_probes`), A = max(1, ceil(`mrc_least` n)) entropies that are
/// always in use. An entropy is in use (GOOD), rests (SKIP) or is retired (ASSUMED_BAD).
///   Choice: the next in EntropyWalk that is in use.
///   Marked:  in use, and more than A are: rests for T_skip.
///   Trimmed: nothing; the trim speaks of congestion, and the packet is sent again at once.
///   Lost:    retired at once. If only A are in use, the one that has rested longest comes back for
///            it; if none rests, it stays in use.
///   Probes:  one each T_probe, of the retired entropies in turn, the first T_probe after a
///            retirement. P arrivals in a row: in use again.
/// Invariant: at least A entropies are in use.
/// Not modelled: DENIED entropies (a configuration), the backup set, the end of all rests with a
/// rotation, planes: values are spread over planes evenly if the plane is the value modulo their
/// number, which is for switches and ports to decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/ring_queue.h"
#include "transport/model/entropy/entropy_options.h"
#include "transport/model/entropy/entropy_walk.h"
#include "transport/model/entropy/path_feedback.h"

namespace heddle {

class MrcEntropy final {
 public:
  static constexpr auto kScheme = EntropyOptions::Scheme::kMrc;
  static constexpr std::uint32_t kVoid = EntropySet::kNone;

  struct Rest {
    Time until;
    std::uint32_t index = kVoid;  ///< kVoid: was retired meanwhile

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& until& index;
    }
  };
  struct Retired {
    std::uint32_t index = 0;
    std::uint32_t arrived = 0;  ///< probes in a row

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& index& arrived;
    }
  };
  struct State {
    EntropyWalk walk;
    Time skip;                     ///< T_skip
    Time next_probe;               ///< if any is retired
    IndexMask used;                ///< in use
    IndexMask out;                 ///< retired; the others rest
    RingQueue<Rest> rests;         ///< by time
    std::vector<Retired> retired;  ///< in the order of their retirement
    std::uint32_t turn = 0;        ///< of `retired`, to be probed next

    /// Returns the bytes that the state allocated.
    std::size_t memory() const {
      return used.memory() + out.memory() + rests.memory() + MemoryOf(retired);
    }

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& walk& skip& next_probe& used& out& rests& retired& turn;
    }
  };

  /// Reads entropy.paths and entropy.mrc_*.
  explicit MrcEntropy(const EntropyOptions& options);

  /// Begins with all entropies in use. T_skip is the option, or start.base_rtt if that is 0.
  void Start(State* state, const EntropyStart& start) const;
  /// Ends rests that are over, and returns the walk's next entropy in use.
  std::uint16_t Next(State* state, Time now) const;
  /// Lets a marked entropy rest, or retires a lost one, by the rules above. Other feedback and
  /// entropies outside the set change nothing.
  void Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;
  /// Whether a probe is due at `now`. If so, writes the next retired entropy in turn into
  /// `*entropy` and schedules the next probe.
  bool ProbeDue(State* state, Time now, std::uint16_t* entropy) const;
  /// Time of the next probe; Time::Max() if no entropy is retired.
  Time NextProbe(const State& state) const {
    return state.retired.empty() ? Time::Max() : state.next_probe;
  }
  /// Counts a probe of a retired entropy: P arrivals in a row bring it back into use, a loss
  /// restarts the count. Probes of others are ignored.
  void Probed(State* state, std::uint16_t entropy, bool arrived) const;
  /// Whether a loaded state fits these options and its members agree.
  bool IsSound(const State& state) const;

 private:
  /// Brings the entropies whose rest is over back into use.
  static void EndRests(State* state, Time now);
  /// Brings the entropy that has rested longest back into use. False if none rests.
  static bool EndOldestRest(State* state);
  /// Retires an entropy. Does nothing if it is retired already, or if only A are in use and none
  /// rests.
  void Retire(State* state, std::uint32_t index, Time now) const;
  /// Whether exactly the entropies neither in use nor retired rest, each once and by time.
  bool RestsAreSound(const State& state) const;
  /// Whether `retired` lists exactly the entropies of `out`, each once and not in use.
  bool RetiredAreSound(const State& state) const;

  EntropySet set_;
  std::uint32_t least_;  ///< A
  Time skip_;
  Time probe_interval_;
  std::uint32_t probes_;
};

}  // namespace heddle
