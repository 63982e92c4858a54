// SPDX-License-Identifier: GPL-2.0-only
/// The table of what a user asks for: a known schedule's, or that of a file.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/pipeline/pipeline_options.h"
#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// Returns the table for these numbers of stages and micro-batches, both at least 1. `who` begins
/// messages: the workload's file. Throws UserError for what is not legal, with the nearest that is,
/// for a file's table of other numbers, and for more than 16 million tasks.
PipelineTable MakePipelineTable(const PipelineOptions& options, std::uint32_t stages,
                                std::uint32_t micro_batches, const std::string& who);

/// Returns the table of one stage that does forwards and backwards in pairs; it holds two
/// micro-batches.
PipelineTable OneStageInPairs(std::uint32_t micro_batches);

/// What a schedule asks of the GPUs of a stage.
struct PipelineUse {
  bool splits_backward = false;   ///< gradients of weights fill idle times
  bool holds_two_stages = false;  ///< with their parameters
};
/// Finds it in a small table of the known schedule, or in the file's.
PipelineUse UseOf(const PipelineOptions& options);

/// Returns "interleaved, 2 chunks in groups of 4", or a file's name.
std::string DescribeSchedule(const PipelineOptions& options, std::uint32_t stages);

}  // namespace heddle
