// SPDX-License-Identifier: GPL-2.0-only
/// What a known pipeline schedule says of itself. Each has a file of its own, and a row in the list
/// of known_schedules.cc.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// What a schedule is asked for. Schedules of a fixed number of chunks, or without groups, do not
/// read these.
struct ScheduleRequest {
  std::uint32_t stages = 1;
  std::uint32_t micro_batches = 1;
  std::uint32_t chunks = 2;
  std::uint32_t group = 0;  ///< micro-batches in a row on one chunk; 0: as many as stages
  bool in_pairs = false;    ///< a forward and a backward that are independent follow each other

  std::uint32_t GroupSize() const { return group == 0 ? stages : group; }  ///< at least 1
};

struct ScheduleRow {
  const char* word;   ///< of the option
  const char* title;  ///< a few words
  bool takes_chunks;  ///< it reads ScheduleRequest::chunks and group
  /// Returns the table. Does not check the request: what `refuse` refuses may have an order, too,
  /// which idles longer or does not come to its end.
  PipelineTable (*make)(const ScheduleRequest& request);
  /// Returns "found. Expected: the nearest that is legal", or empty if the request is legal; null:
  /// each is.
  std::string (*refuse)(const ScheduleRequest& request);
  /// Some forwards are done together with backwards: always, or where ScheduleRequest::in_pairs
  /// asks for it.
  bool in_pairs = false;
};

ScheduleRow OneForwardOneBackward();
ScheduleRow Interleaved();
ScheduleRow GPipe();
ScheduleRow ZeroBubbleH1();
ScheduleRow DualPipe();
ScheduleRow DualPipeV();

}  // namespace heddle
