// SPDX-License-Identifier: GPL-2.0-only
/// The fabrics that are compared: files as they are, and families made alike: the same number of
/// GPUs a server, the same rate of a GPU into the fabric, the same oversubscription.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/launch/fabrics/fabric_arguments.h"
#include "topology/graph/graph.h"

namespace heddle {

/// What a fabric is built of.
struct FabricParts {
  std::uint32_t gpus = 0, switches = 0;
  std::uint64_t switch_ports = 0;  ///< that have a cable
  std::uint64_t gpu_cables = 0;    ///< between GPUs and switches, or between GPUs
  std::uint64_t cables = 0;        ///< between switches
  double gpu_rate = 0;             ///< bit/s of a GPU into the fabric: the least of all GPUs
  std::uint32_t gpu_ports = 0;     ///< of the GPU that has the fewest
  std::uint32_t leaves = 0;        ///< switches that have GPUs
  double oversubscription = 0;     ///< the largest of a tier of switches; 0: there is one tier

  /// Returns two for each cable outside servers.
  std::uint64_t transceivers() const { return 2 * (gpu_cables + cables); }
};
/// Counts the parts; NVSwitches and their cables do not count.
FabricParts PartsOf(const Graph& graph);

struct ComparedFabric {
  std::string name;  ///< of the family, or of the file without its ending; unique
  std::string file;
  std::string text;  ///< of the file to be written; empty: `file` exists
  FabricParts parts;
  std::vector<std::string> notes;
};

/// Returns the fabrics in the order given. Throws UsageError and UserError, with the fabric, for
/// words that are no fabric, sizes and ratios that it cannot have, and numbers of GPUs that differ.
std::vector<ComparedFabric> ChooseFabrics(const FabricArguments& given);

}  // namespace heddle
