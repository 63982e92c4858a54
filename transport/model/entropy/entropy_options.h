// SPDX-License-Identifier: GPL-2.0-only
/// Options of the schemes by which a NIC chooses the entropy of a packet; docs/models/entropies.md
/// describes the schemes.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct EntropyOptions {
  /// transport/model/replay/replay_permission.h: TransportOptions refuses paths by packet.
  static constexpr bool kMayBeReplayed = true;

  static constexpr std::int64_t kMostPaths = 65536;
  static constexpr std::int64_t kMostPenalty = 15;  ///< four bits
  static constexpr std::int64_t kMostRing = 16;

  /// kAuto: the scheme given to Resolved().
  enum class Scheme : std::uint8_t { kAuto, kFlow, kOblivious, kBitmap, kReps, kMixed, kPlb, kMrc };
  friend constexpr auto WordsOf(Scheme /*type*/) {
    return std::array{"auto", "flow", "oblivious", "bitmap", "reps", "mixed", "plb", "mrc"};
  }
  /// How reps explores after a freeze: as its paper says, or as uet-htsim does.
  enum class Thaw : std::uint8_t { kPaper, kUetHtsim };
  friend constexpr auto WordsOf(Thaw /*type*/) { return std::array{"paper", "uet-htsim"}; }

  Scheme scheme = Scheme::kAuto;
  std::int64_t paths = 64;  ///< n, entropies of a queue pair

  std::int64_t bitmap_marked = 1;   ///< penalties
  std::int64_t bitmap_trimmed = 4;  ///< penalties
  std::int64_t bitmap_lost = 15;    ///< penalties
  double bitmap_saturation = 1;     ///< share of n

  std::int64_t reps_ring = 8;
  Time reps_freeze = MicroSeconds(10'000);
  Thaw reps_thaw = Thaw::kUetHtsim;
  std::int64_t reps_explore = 0;  ///< packets; 0: by reps_thaw

  double plb_share = 0.5;
  std::int64_t plb_idle_rounds = 3;             ///< M
  std::int64_t plb_rounds = 12;                 ///< N
  Time plb_suspend = MicroSeconds(60'000'000);  ///< the least; the most is twice that

  Time mrc_skip{0};  ///< 0: the base round trip
  Time mrc_probe_interval = MicroSeconds(100);
  std::int64_t mrc_probes = 3;
  double mrc_least = 0.25;  ///< share of n

  /// Adds entropy.*; times are at most an hour, paths 1 to kMostPaths, shares up to 1.
  void Declare(OptionSet* options);
  /// Returns a copy in which `otherwise` replaces the scheme kAuto.
  EntropyOptions Resolved(Scheme otherwise) const {
    EntropyOptions options = *this;
    if (scheme == Scheme::kAuto) options.scheme = otherwise;
    return options;
  }
  /// Whether reps thaws as the paper says.
  bool thaws_as_paper() const { return reps_thaw == Thaw::kPaper; }
};

}  // namespace heddle
