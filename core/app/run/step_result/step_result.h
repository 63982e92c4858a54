// SPDX-License-Identifier: GPL-2.0-only
/// Writes a step in closed form as a result file (docs/formats/result.md), so that reports,
/// comparisons and exports take it as they take a run's.
#pragma once

#include <string>
#include <vector>

#include "collectives/closed_form/step_time.h"
#include "collectives/job/job.h"
#include "core/base/table.h"
#include "topology/graph/graph.h"

namespace heddle {

/// What the result is of. All of it outlives the call.
struct RecordedStep {
  const Workload& workload;
  const ParallelGroups& groups;
  const PredictedStep& step;
  const Graph& graph;
  const std::vector<NodeId>& gpus;  ///< by rank
  Placement placement = Placement::kPacked;
  std::string command_line;
  std::vector<Attribute> inputs;  ///< digests and options, as a run's result has them
  double seconds = 0;             ///< that the computation took
};

/// Returns a graph of servers with `rates`, each with an NVSwitch and a switch, and one switch over
/// all whose cables never limit them: the fabric that bandwidths of GPUs stand for. Throws
/// UserError for more nodes or ports than a graph has.
Graph FabricOfRates(const GpuRates& rates, std::uint32_t gpus, std::uint32_t gpus_per_server,
                    const std::string& gpu_type);

/// Throws FileError.
void WriteStepResult(const std::string& path, bool force, const RecordedStep& recorded);

}  // namespace heddle
