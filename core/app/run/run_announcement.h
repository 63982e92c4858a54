// SPDX-License-Identifier: GPL-2.0-only
/// The start of a run for people: what will be simulated, and how.
#ifndef HEDDLE_CORE_APP_RUN_RUN_ANNOUNCEMENT_H_
#define HEDDLE_CORE_APP_RUN_RUN_ANNOUNCEMENT_H_

#include <cstdint>
#include <string>

#include "core/app/setup/run_arguments.h"
#include "core/app/setup/run_input.h"
#include "core/base/units.h"
#include "transport/fabric/fabric.h"

namespace heddle {

/// What is announced.
struct PlannedRun {
  const RunArguments& arguments;
  const RunInput& input;
  const Fabric& fabric;
  std::uint32_t ranks;
  std::int64_t flows;  ///< queue pairs
  Bytes trace_bytes;   ///< payload of a trace; zero for jobs
  FlowSample sample;   ///< of the flows that the result keeps
  std::string size;    ///< of the result in words; empty without one
};

/// Several lines, each ended.
std::string Announce(const PlannedRun& run);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_RUN_RUN_ANNOUNCEMENT_H_
