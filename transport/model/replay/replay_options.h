// SPDX-License-Identifier: GPL-2.0-only
/// Options of replayed episodes; transport/domain/replay is the mechanism.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle {

class OptionSet;

struct ReplayOptions {
  /// transport/model/replay/replay_permission.h: they are about replays.
  static constexpr bool kMayBeReplayed = true;

  std::string replay = "auto";  ///< on, off, or auto: chosen
  bool chosen = false;          ///< meaning of auto; set once the traffic is known
  std::int64_t memory = 64;     ///< of finished records on a rank [MiB]
  std::int64_t refused = 0;     ///< test aid: each flow of this number is simulated; 0: none

  /// Whether episodes are replayed; auto stands for `chosen`.
  bool on() const { return replay == "on" || (replay == "auto" && chosen); }
  /// Returns the memory limit of finished records [byte].
  std::size_t bytes() const { return static_cast<std::size_t>(memory) << 20; }
  /// Adds engine.replay, replay.memory and debug.refuse_replay.
  void Declare(OptionSet* options);
};

}  // namespace heddle
