// SPDX-License-Identifier: GPL-2.0-only
/// What NCCL's tuner predicts of a collective, as text: `heddle collective --tune`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/tuner/tuner.h"
#include "io/table/json_document.h"

namespace heddle {

struct TuneRequest {
  Operation operation = Operation::kAllReduce;
  std::vector<std::int64_t> sizes;  ///< bytes of the full buffer, ascending, at least one
  TunerGroup group;                 ///< of at least two ranks
  TunerRules rules;
};

/// Returns the group, and what is assumed of its servers.
std::string TuneHead(const TuneRequest& request);

/// Returns a line for each size: predicted microseconds by algorithm and protocol, the shortest
/// with a star, and what a run takes. Then what is off, and why, and what is not simulated.
std::string TuneTable(const TuneRequest& request);

/// Returns a line for each size, algorithm and protocol, whether it is on or off.
std::string TuneCsv(const TuneRequest& request);

/// Returns the same as a part of the object of --json.
OrderedJson TuneJson(const TuneRequest& request);

}  // namespace heddle
