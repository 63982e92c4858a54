// SPDX-License-Identifier: GPL-2.0-only
/// The loop of a fuzzer of whole runs: one scenario a seed, each in a process of its own.
#pragma once

#include <cstdint>
#include <functional>

#include "tests/fuzz/apart.h"

namespace heddle {

struct Seeds {
  std::uint64_t first = 1, count = 0;
};

/// Prints the seeds whose scenario is broken, and a summary. `fuzzer` is the program's name;
/// `attempt` draws the scenario of a seed and tries it. Returns the exit code: 1 if one is broken,
/// or if most are rejected, because then only the checks of options are tested.
int TrySeeds(const char* fuzzer, const Seeds& seeds,
             const std::function<Verdict(std::uint64_t)>& attempt);

}  // namespace heddle
