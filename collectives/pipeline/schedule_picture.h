// SPDX-License-Identifier: GPL-2.0-only
/// The time line of a schedule as text, a line a stage, as papers draw it.
#pragma once

#include <cstddef>
#include <string>

#include "collectives/pipeline/ideal_times.h"
#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// Draws the table on ideal stages. A task begins with the number of its micro-batch, and the
/// letter of its chunk if a stage has several, and goes on with '>' (forward), '<' (backward), '-'
/// (gradient of inputs) or '=' (of weights); tasks done together with '+', the first's number and
/// then the second's; '.' is idle. The shortest task has one column or more, and all together
/// at most `columns` unless that leaves it none; at most 10,000. Tasks of no time are left out.
std::string DrawSchedule(const PipelineTable& table, const PipelineTimes& times,
                         std::size_t columns);

/// Counts the most forwards of a stage whose backward, or gradient of inputs, is still to come.
std::uint32_t MostHeld(const PipelineTable& table, std::uint32_t stage);

}  // namespace heddle
