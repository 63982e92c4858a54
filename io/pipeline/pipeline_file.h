// SPDX-License-Identifier: GPL-2.0-only
/// Tables of pipeline schedules as text, which users write; docs/formats/pipeline.md.
#pragma once

#include <string>
#include <string_view>

#include "collectives/pipeline/pipeline_options.h"
#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// Reads a table and proves it (ProveTable). `file`: its name, for messages. Throws UserError with
/// file and line, or with the stage and task that the proof names.
PipelineTable ParsePipelineTable(std::string_view text, const std::string& file);
/// Reads the file. Throws UserError likewise, and if it cannot be read.
PipelineTable ReadPipelineTable(const std::string& path);
/// Reads the file that the options name, if they name one, and puts its table into them. Throws
/// UserError likewise.
void LoadPipelineTable(PipelineOptions* options);
/// Returns the text that ParsePipelineTable() reads as this table.
std::string PipelineTableText(const PipelineTable& table);

}  // namespace heddle
