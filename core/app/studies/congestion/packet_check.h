// SPDX-License-Identifier: GPL-2.0-only
/// Static congestion against packets: the messages of a run as flows in the packet simulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/studies/static_study/congestion_study.h"
#include "core/base/units.h"
#include "core/mpi/communicator.h"
#include "topology/graph/graph.h"

namespace heddle {

struct PacketCheckOptions {
  Bytes size{16 << 20};               ///< of each message
  std::vector<std::string> settings;  ///< KEY=VALUE, as --set of heddle run
};

/// A message, counted and simulated.
struct CheckedMessage {
  std::uint64_t level = 0;
  std::uint32_t source = 0, destination = 0;  ///< hosts
  double weight = 0;                          ///< by the static model
  /// Time of the flow alone on its path over its time among the others; 0: it did not end.
  double share = 0;
};

struct PacketCheck {
  std::vector<CheckedMessage> messages;  ///< by level, then as the pattern lists them
  std::uint64_t levels = 0, levels_left_out = 0;
  std::int64_t pauses = 0, timeouts = 0, marked = 0, dropped = 0;  ///< of all levels
};

/// Most levels that are simulated, from the first.
inline constexpr std::uint64_t kMostCheckedLevels = 16;

/// Collective. Run 0 of the request: each level is a simulation of its own, in which all messages
/// start at once. `paths` are paths in `graph`, with its GPUs as hosts in their order. The whole at
/// the root. Throws SharedError on all ranks.
PacketCheck CheckWithPackets(const Graph& graph, const StaticPaths& paths,
                             const CongestionRequest& request, const PacketCheckOptions& options,
                             const Communicator& world);

/// Returns a table by weight, the flows that differ most, and what the packets met.
std::string PacketCheckText(const StaticPaths& paths, const PacketCheck& check);

}  // namespace heddle
