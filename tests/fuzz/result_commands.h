// SPDX-License-Identifier: GPL-2.0-only
/// Sound results to be damaged, and the commands that read results.
#ifndef HEDDLE_TESTS_FUZZ_RESULT_COMMANDS_H_
#define HEDDLE_TESTS_FUZZ_RESULT_COMMANDS_H_

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// A file of ScratchFolder().
std::string InScratch(const std::string& name);

/// The bytes of the result of a trace, of that of a workload, and of a RESULT.part.totals.
const std::vector<std::string>& SoundResults();
constexpr std::size_t kTotalsFile = 2;  ///< which of them is no result

/// Reads a result; throws what the command throws. Nothing is printed. InScratch("made.h5") must be
/// a sound result.
using ResultCommand = std::function<void(const std::string& path)>;
/// validate comes first.
const std::vector<ResultCommand>& ResultCommands();

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_RESULT_COMMANDS_H_
