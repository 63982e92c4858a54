// SPDX-License-Identifier: GPL-2.0-only
/// The schemes of choosing a packet's entropy, with one interface.
///
/// The entropy is the 16-bit value that becomes a packet's UDP source port, or Ultra Ethernet's
/// entropy value. Switches hash it, so it decides the path among equal ones. A scheme is a final
/// class with the members of FlowEntropy; it joins by its place in EntropySchemes. There are no
/// virtual calls: one chooser serves a whole run, and a queue pair keeps an EntropyState. Next()
/// and Heard() cost O(1) amortised; looking for an unpenalised entropy takes up to n / 64 steps.
/// Left to the caller: clock, packets, probes.
#pragma once

#include <cstdint>
#include <variant>

#include "transport/model/entropy/bitmap_entropy.h"
#include "transport/model/entropy/entropy_options.h"
#include "transport/model/entropy/entropy_state.h"
#include "transport/model/entropy/flow_entropy.h"
#include "transport/model/entropy/mixed_entropy.h"
#include "transport/model/entropy/mrc_entropy.h"
#include "transport/model/entropy/oblivious_entropy.h"
#include "transport/model/entropy/path_feedback.h"
#include "transport/model/entropy/plb_entropy.h"
#include "transport/model/entropy/reps_entropy.h"

namespace heddle {

using EntropySchemes = std::variant<FlowEntropy, ObliviousEntropy, BitmapEntropy, RepsEntropy,
                                    MixedEntropy, PlbEntropy, MrcEntropy>;
using EntropyState = EntropyStateOf<EntropySchemes>;

/// The scheme of a run. Once built it is valid.
class EntropyChooser final {
 public:
  /// Makes the scheme that `options` names. Throws UserError if there is none of that name; "auto"
  /// is no name.
  explicit EntropyChooser(const EntropyOptions& options);

  const char* name() const { return name_; }  ///< as option entropy.scheme writes it; a literal
  /// Whether the packets of a queue pair may have different entropies; false for "flow".
  bool sprays() const { return sprays_; }

  /// Starts a new queue pair. `first`: the value that scheme flow keeps, and with which plb begins.
  /// `base_rtt` (0 to an hour): round trip in an empty fabric, a round of plb and the usual rest of
  /// mrc. `seed` and `flow` key the random stream.
  void Start(EntropyState* state, std::uint64_t seed, FlowId flow, std::uint16_t first,
             Time base_rtt) const;
  /// Returns the entropy of the packet that is sent now. Requires Start().
  std::uint16_t Next(EntropyState* state, Time now) const {
    return sprays_ ? Choose(state, now) : state->As<FlowEntropy>().first;
  }
  /// Reports what became of a packet with this entropy. Values that Next() never gave are ignored.
  void Heard(EntropyState* state, std::uint16_t entropy, PathFeedback feedback, Time now) const {
    if (sprays_) Learn(state, entropy, feedback, now);
  }
  /// Reports that nothing is in flight: a good time to change the path (plb).
  void Idle(EntropyState* state, Time now) const;

  /// Whether a probe is to be sent now, and its entropy in `*entropy`. A probe is a packet without
  /// payload whose fate Probed() reports. At most one is due each `mrc_probe_interval` (mrc).
  bool ProbeDue(EntropyState* state, Time now, std::uint16_t* entropy) const;
  /// Returns when ProbeDue() is next true; Time::Max() if never. Changes with ProbeDue, Heard and
  /// Probed.
  Time NextProbe(const EntropyState& state) const;
  /// Reports the fate of a probe: `arrived`, or lost. Only scheme mrc reacts.
  void Probed(EntropyState* state, std::uint16_t entropy, bool arrived, Time now) const;

  /// Checks a loaded state before its first use. Throws UserError "the saved state has ...".
  void Check(const EntropyState& state) const;

 private:
  /// Calls Next() of the chosen scheme.
  std::uint16_t Choose(EntropyState* state, Time now) const;
  /// Calls Heard() of the chosen scheme.
  void Learn(EntropyState* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;

  EntropySchemes scheme_;
  const char* name_ = nullptr;
  bool sprays_ = false;
};

}  // namespace heddle
