// SPDX-License-Identifier: GPL-2.0-only
/// Why simulated times of a collective differ from measured ones: what is likely, by where they
/// differ and how.
///
/// Sizes that are off to the same side, one after the other, are a stretch. If another algorithm or
/// protocol would fit it, NCCL has likely taken that one. Else the cause is one of latency where
/// times hardly grow with the size, one of a rate where measured bandwidth has reached its end, and
/// one of the pieces of pipelines between the two. Each names the options that hold there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/app/launch/bench/bench_table.h"
#include "io/table/json_document.h"

namespace heddle {

/// What another algorithm or protocol would take, in shares of what was chosen, by size.
struct BenchAlternative {
  std::string name;                          ///< "RING LL"
  std::string settings;                      ///< "algorithm.allreduce=ring collective.protocol=ll"
  std::vector<std::optional<double>> share;  ///< of the simulated time, > 0
};

/// What is known of the runs of a table.
struct BenchSurroundings {
  bool between_servers = false;
  bool hardware = false;  ///< collective.latency=hardware: gpu.* and nic.* hold
  std::vector<BenchAlternative> alternatives;
};

/// A likely cause for a stretch of sizes.
struct BenchCause {
  std::int64_t from = 0, to = 0;           ///< sizes [byte]
  double least_error = 0, most_error = 0;  ///< simulated over measured, less 1
  std::string cause;                       ///< "latency of LL: 4.2 us too little"
  std::string options;                     ///< what sets it; empty: nothing does
};

/// Returns causes where the first simulated column differs from the measured one by more than 10 %.
/// Empty without measured times.
std::vector<BenchCause> LikelyCauses(const BenchTable& table, const BenchSurroundings& around);

/// Returns a line a cause, and how many sizes are within 10 %. Whole lines; empty without measured
/// times.
std::string CausesText(const BenchTable& table, const std::vector<BenchCause>& causes);

/// Returns a list with an object a cause; sizes in bytes.
OrderedJson CausesJson(const std::vector<BenchCause>& causes);

}  // namespace heddle
