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
  static constexpr const char* kName = "mrc";
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

    std::size_t memory() const {
      return used.memory() + out.memory() + rests.memory() + MemoryOf(retired);
    }

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& walk& skip& next_probe& used& out& rests& retired& turn;
    }
  };

  explicit MrcEntropy(const EntropyOptions& options);

  void Start(State* state, const EntropyStart& start) const;
  std::uint16_t Next(State* state, Time now) const;
  void Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;
  bool ProbeDue(State* state, Time now, std::uint16_t* entropy) const;
  Time NextProbe(const State& state) const {
    return state.retired.empty() ? Time::Max() : state.next_probe;
  }
  void Probed(State* state, std::uint16_t entropy, bool arrived) const;
  bool IsSound(const State& state) const;

 private:
  static void EndRests(State* state, Time now);
  static bool EndOldestRest(State* state);
  void Retire(State* state, std::uint32_t index, Time now) const;
  bool RestsAreSound(const State& state) const;
  bool RetiredAreSound(const State& state) const;

  EntropySet set_;
  std::uint32_t least_;  ///< A
  Time skip_;
  Time probe_interval_;
  std::uint32_t probes_;
};

}  // namespace heddle
