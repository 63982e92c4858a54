// SPDX-License-Identifier: GPL-2.0-only
/// How long a table takes where nothing but its order, its tasks and its messages takes time: the
/// closed form of any table.
///
/// Messages do not share links: each adds the same time on its path. Senders go on at once, or are
/// held for a part of the message. Omitted: what stages do before the first task and after the
/// last.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// In any one unit of time.
struct PipelineTimes {
  /// How long a stage computes for a task.
  std::function<double(std::uint32_t stage, const PipelineTask& task)> task;
  double message = 0;     ///< from the end of a task to where its result is
  double held = 0;        ///< for which a sender waits after it has sent, in [0, message]
  double pair_share = 1;  ///< tasks done together, over the sum of their times
  /// If set: is called for each task with its begin and end; those done together have the same.
  std::function<void(std::uint32_t stage, const PipelineTask& task, double begin, double end)> done;
};

struct IdealRun {
  std::vector<double> ends;  ///< by stage
  std::vector<double> busy;  ///< by stage: the sum of its tasks
  double total = 0;          ///< the latest end
  std::uint64_t messages = 0;
};

/// The table must be one that ProveTable() accepts.
IdealRun RunIdeally(const PipelineTable& table, const PipelineTimes& times);

}  // namespace heddle
