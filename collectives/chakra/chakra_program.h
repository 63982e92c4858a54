// SPDX-License-Identifier: GPL-2.0-only
/// Makes the program of a job from a trace of Chakra.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/chakra/chakra_operations.h"
#include "collectives/program/program.h"
#include "core/chakra/chakra_algorithms.h"
#include "core/chakra/chakra_options.h"
#include "core/chakra/chakra_trace.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Makes the program. `algorithms`: checked ones, in place of collectives. `warnings` gets a
/// sentence for each oddity that does not prevent the run. Throws UserError for nodes that wait for
/// each other, and as ChakraOperations and chakra_times.h do.
Program MakeChakraProgram(const ChakraTrace& trace, const ChakraOptions& options,
                          const ChakraFabric& fabric, std::vector<std::string>* warnings,
                          const ChakraAlgorithms& algorithms = {});

/// Makes the workload of the job: a layer for each name of nodes.
Workload MakeChakraWorkload(const ChakraTrace& trace);

}  // namespace heddle
