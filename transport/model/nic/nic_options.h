// SPDX-License-Identifier: GPL-2.0-only
/// Options of a host's NIC: how many queue pairs carry a flow, and which packet is sent next.
#pragma once

#include <array>
#include <cstdint>

#include "topology/routes/nic_ports.h"
#include "transport/model/wire/limits.h"

namespace heddle {

class OptionSet;

struct NicOptions {
  /// transport/model/replay/replay_permission.h: the same for all GPUs; their turns are in the
  /// keys.
  static constexpr bool kMayBeReplayed = true;

  /// kSequential: 10000, 10001, ... for each destination (SimAI); kRandom: by seed.
  enum class SourcePorts : std::uint8_t { kSequential, kRandom };
  friend constexpr auto WordsOf(SourcePorts /*type*/) { return std::array{"sequential", "random"}; }

  /// _QPS_PER_CONNECTION_: queue pairs that share a flow's bytes.
  std::int64_t qps_per_connection = 1;
  /// ACK_HIGH_PRIO: ACKs have priority 0, in NICs and switches, and are never paused.
  bool ack_high_priority = false;
  SourcePorts source_ports = SourcePorts::kSequential;
  /// Whether source ports are drawn from the dynamic range, 49152 to 65535.
  bool draws_ports() const { return source_ports == SourcePorts::kRandom; }
  NicPorts ports = NicPorts::kHash;  ///< how a flow chooses among a GPU's ports
  /// Packets that a queue pair of each priority sends in its turn.
  std::int64_t weights[kPriorities] = {1, 1, 1, 1, 1, 1, 1, 1};

  /// Adds nic.*.
  void Declare(OptionSet* options);
};

}  // namespace heddle
