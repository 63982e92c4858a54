// SPDX-License-Identifier: GPL-2.0-only
/// Pipeline schedules as a search of plans tries them: what each holds follows from its table.
#pragma once

#include <string>
#include <vector>

#include "collectives/pipeline/pipeline_options.h"
#include "io/plan/plan_space.h"

namespace heddle {

/// Returns the schedules of `words`, separated by commas; "all": each known one; "file:NAME": that
/// of a file. `most_chunks`: of a stage, where a schedule takes any number. `options`: what else
/// runs say of pipelines. Throws UsageError for a word that is none, UserError for the file.
std::vector<ScheduleChoice> ScheduleChoices(const std::string& words, std::int64_t most_chunks,
                                            const PipelineOptions& options);

/// Returns "1f1b", "interleaved 2", the name of a file without folders, or "-" for one stage.
std::string ScheduleText(const FoundPlan& found);

}  // namespace heddle
