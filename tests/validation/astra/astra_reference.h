// SPDX-License-Identifier: GPL-2.0-only
/// Runs of ASTRA-SIM 1.0 on an ideal link model (tests/data/astra/README.md), and the same on
/// heddle's packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::testing {

/// A row of reference.csv.
struct AstraRun {
  std::string tag, system, operation;
  std::uint32_t local = 1, vertical = 1, horizontal = 1;
  std::int64_t bytes = 0;
  std::uint32_t passes = 1;
  double end_ns = 0;
  std::int64_t messages = 0;
  double exposed_us = -1;  ///< negative: not told
  int compute_scale = 1;

  bool Has(const char* text) const { return (tag + system).find(text) != std::string::npos; }
};

std::vector<AstraRun> ReadAstraRuns();

/// What heddle says of a run.
struct AstraAnswer {
  double end_ns = 0;
  std::int64_t messages = 0;
  double exposed_us = 0;
};
AstraAnswer Answer(const AstraRun& run);

}  // namespace heddle::testing
