// SPDX-License-Identifier: GPL-2.0-only
/// Every rank reads the inputs itself, and a stale copy on one machine would change the simulation
/// there. So ranks compare their inputs before the run.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/setup/run_input.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// One thing that must be the same on all ranks.
struct SharedInput {
  std::string name;     ///< for messages: a file, "the program"
  std::string content;  ///< digest, or the content itself if it is short
};

/// Returns the program, the command line, and the files that it names. Files that can be read only
/// once (pipes) are left out.
std::vector<SharedInput> GivenInputs(const RunArguments& run);
/// Derived data: options, division into domains, domains by rank. Other versions of libraries may
/// partition differently.
std::vector<SharedInput> DerivedInputs(const RunInput& input);

/// One rank's inputs, as sent to the root.
struct RankInputs {
  std::string host;
  std::vector<SharedInput> inputs;
};
/// Returns a text about the differences from rank 0; empty if there are none. `ranks`: by rank.
std::string DescribeDifference(const std::vector<RankInputs>& ranks);

/// Throws SharedError (exit code 3) that names the differing inputs and ranks. Collective.
void AgreeOnInputs(const Communicator& world, const std::vector<SharedInput>& mine);

}  // namespace heddle
