// SPDX-License-Identifier: GPL-2.0-only
/// Options of replayed episodes; transport/domain/replay is the mechanism.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

class OptionSet;

struct ReplayOptions {
  /// transport/model/replay/replay_permission.h: they are about replays.
  static constexpr bool kMayBeReplayed = true;

  enum class Replay : std::uint8_t { kAuto, kOff, kOn };
  friend constexpr auto WordsOf(Replay /*type*/) { return std::array{"auto", "off", "on"}; }

  Replay replay = Replay::kAuto;
  bool chosen = false;       ///< meaning of kAuto; set once the traffic is known
  std::int64_t memory = 64;  ///< of finished records on a rank [MiB]
  std::int64_t refused = 0;  ///< test aid: each flow of this number is simulated; 0: none

  /// Whether episodes are replayed; kAuto stands for `chosen`.
  bool on() const { return replay == Replay::kOn || (replay == Replay::kAuto && chosen); }
  /// Returns the memory limit of finished records [byte].
  std::size_t bytes() const { return static_cast<std::size_t>(memory) << 20; }
  /// Adds engine.replay, replay.memory and debug.refuse_replay.
  void Declare(OptionSet* options);
};

}  // namespace heddle
