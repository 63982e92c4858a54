// SPDX-License-Identifier: GPL-2.0-only
/// Every rank reads the inputs by itself; a stale copy on one machine would make another simulation
/// there. So ranks compare what they have before they begin.
#ifndef HEDDLE_CORE_APP_SETUP_INPUT_AGREEMENT_H_
#define HEDDLE_CORE_APP_SETUP_INPUT_AGREEMENT_H_

#include <string>
#include <vector>

#include "core/app/setup/run_arguments.h"
#include "core/app/setup/run_input.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// One thing that must be the same on all ranks.
struct SharedInput {
  std::string name;     ///< for the user: a file, "the program"
  std::string content;  ///< its digest, or the thing itself if it is short
};

/// The program, the command line, and the files that it names. Those that can be read only once
/// (pipes) are left out.
std::vector<SharedInput> GivenInputs(const RunArguments& run);
/// What was made of them: options, the cut into domains, who gets which. Libraries of another
/// version may cut otherwise.
std::vector<SharedInput> DerivedInputs(const RunInput& input);

/// One rank's, as it is told to the root.
struct RankInputs {
  std::string host;
  std::vector<SharedInput> inputs;
};
/// What differs from rank 0's, in words; empty if nothing does. `ranks`: by rank.
std::string DescribeDifference(const std::vector<RankInputs>& ranks);

/// Throws SharedError (exit code 3) that names what differs and where. Collective.
void AgreeOnInputs(const Communicator& world, const std::vector<SharedInput>& mine);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_INPUT_AGREEMENT_H_
